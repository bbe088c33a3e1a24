#pragma once

// A key that is not there yet, or is to go: where its line stands and how it is indented.

#include "base/result.h"
#include "engine/engine.h"
#include "engine/fix_place.h"
#include "finding/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Where a dialect wants the key of a fact: beside a key that states another one.
struct NewMember {
  NodeId sibling = kNoNode;       // member behind which it is written
  std::string key;                // last component, in the spelling of its neighbours
  std::vector<std::string> path;  // of the new member
};

/// The place of a key for a fact nobody states; refused where the dialect leaves a choice.
Result<NewMember> new_member(const Subject& subject, std::string_view fact);

/// The edit that writes the member with this value (quotes included) behind its sibling, in the
/// sibling's indentation, quotes and line ends.
Result<Edit> insert_member(const Document& document, const NewMember& member,
                           const std::string& value);

/// The edit that takes a member out with its line; refused where something else shares the line.
Result<Edit> remove_member(const Document& document, NodeId member);

}  // namespace gpulint

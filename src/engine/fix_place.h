#pragma once

// Where a fix may write: the bytes that state a fact, and the place of a key that is not there yet.
// Every refusal is a reason for people ("the value is shared through the anchor &defaults").

#include "base/result.h"
#include "plan/training_plan.h"
#include "source/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The scalar that states a fact.
struct FixPlace {
  NodeId value = kNoNode;
  NodeId read_by = kNoNode;  // member by which the fact was read: the value, or a reference to it
  SourceSpan span;           // quotes included
  std::string_view text;     // as written, without quotes
  Quoting quoting = Quoting::plain;
  std::string pointer;  // of the value in its file
};

/// The place of a stated fact, refused where its bytes belong to more than one value: anchors,
/// aliases, merge keys, tags, text put together from references, values of several lines.
Result<FixPlace> place_of(const Document& document, const Provenance& from);

/// Keys from the root of the document to a node; list items are their numbers.
std::vector<std::string> path_of(const Document& document, NodeId node);

/// The member whose key stands at a span; kNoNode when there is none.
NodeId member_at(const Document& document, const SourceSpan& span);

/// `pattern` of a dialect ("/a.b" from the root, "a.b" below any section, `*` = one component)
/// leads to `path`.
bool leads_to(std::string_view pattern, const std::vector<std::string>& path);

/// Keys are one name in any letter case and with '-' or '_', as dialects read them.
bool same_key(std::string_view a, std::string_view b);

}  // namespace gpulint

#pragma once

// The options that a config's defaults list chooses of its groups (Hydra). Internal to this room.

#include "source/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct GroupChoice {
  std::string group;
  std::string option;  // "": none, unless a command chooses one
};

std::string without_yaml_ending(std::string_view name);

/// Of an option that lies over the whole run, as experiments do.
bool lies_over_all(std::string_view text);

/// `- data: imagenet`, also behind `override` and a leading slash; what has a package of its own,
/// or chooses several, is left out. `groups`: the folder they lie in.
std::vector<GroupChoice> group_choices(const Document& document, const std::string& groups);

/// The option's own list names, from the top and without `override`, what `primary` chooses as
/// well (`- /model/vit`, `- /model: vit`): Hydra has no use for both.
bool chooses_again(const Document& option, const std::vector<GroupChoice>& primary);

}  // namespace gpulint

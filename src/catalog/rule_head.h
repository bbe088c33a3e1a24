#pragma once

// Every run asks every rule whether it applies, and hardly any rule has something to say. So the
// few words that decide it stand together in the archive, and the file they are from is opened when
// the rule fires.

#include "catalog/rule.h"

#include <string>
#include <string_view>

namespace gpulint {

/// What `read_rule_head` needs of a rule whose conditions are bound: all but its texts.
std::string write_rule_head(const Rule& rule);

/// The rule of the file at `path`, bound, without texts.
Rule read_rule_head(std::string_view path, std::string_view head);

}  // namespace gpulint

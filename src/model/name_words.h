#pragma once

// The words that a model's name is made of. Internal to this room.

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::model {

bool is_digit(char c);
/// Of a comparable name (model_names.h); "bf-16" is one.
std::vector<std::string> words_of(std::string_view comparable);
/// "7b", "1.5b", "350m": a number of parameters.
bool is_size(std::string_view word);
bool is_number(std::string_view word);
std::string_view without_trailing_slashes(std::string_view name);
/// What follows the last separator of a path; the model inside a hub's cache folder.
std::string_view last_component(std::string_view name);

}  // namespace gpulint::model

#pragma once

// A model goes by many spellings: an id of a hub with its organisation, a folder that ends in it,
// a component of a framework (torchtune.models.llama3_1.llama3_1_8b), with the words that say how
// its weights were tuned or stored. Their shapes are one. Two rules keep strangers apart: every
// number must be the same, and words are left out only from names that state a size ("8b").

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::model {

/// A name as it is compared: lower case, words and numbers separated by '-'. Dots stay.
std::string comparable_name(std::string_view name);

/// `comparable_name` with every dot a '-': "llama3_1" and "Llama-3.1" share it.
std::string name_key(std::string_view comparable);

/// Two comparable names of one key mean one model unless each has a dot the other lacks:
/// "qwen-1-8b" may mean "qwen-1.8b", "llama-3-1.8b" never "llama-3.1-8b".
bool same_name(std::string_view asked, std::string_view listed);

/// Comparable names to look a model up under, the most literal first.
std::vector<std::string> spellings_of(std::string_view name);

}  // namespace gpulint::model

#pragma once

#include "model/program.h"

#include <string>
#include <vector>

namespace gpulint::model {

/// Names that the linear layers of a program have in the model's own code, in the order in which
/// they are met; none where a name is not written down as a word.
std::vector<std::string> layer_names(const Program& program);

/// Whether they are those of the code of this model: its dimension `layer_names` says so, unless it
/// is "own". Families also describe models whose code calls its layers otherwise.
bool has_names_of_code(const Program& program, const ModelEntry& model);

}  // namespace gpulint::model

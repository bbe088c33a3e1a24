#pragma once

#include "model/program.h"

#include <string>
#include <vector>

namespace gpulint::model {

/// Names that the linear layers of a program have in the model's own code, in the order in which
/// they are met; none where a name is not written down as a word.
std::vector<std::string> layer_names(const Program& program);

}  // namespace gpulint::model

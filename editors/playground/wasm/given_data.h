#pragma once

#include <string_view>

namespace gpulint {

/// The bytes of the data archive, which must stay where they are; before anything else is asked.
void give_data(std::string_view archive);

}  // namespace gpulint

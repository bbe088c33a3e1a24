#pragma once

#include <string>
#include <string_view>

namespace gpulint::probe {

/// Eight hexadecimal digits that tell a card from others by its UUID, "" of none. Of its 122 random
/// bits 32 are left, which lead back to none.
std::string card_digits(std::string_view uuid);

}  // namespace gpulint::probe

#pragma once

// Numbers that are none, and those that code gives a meaning of their own. Internal to this room.

#include "plan/fact_table.h"

#include <string_view>

namespace gpulint {

/// Not a number at all, or one that any reader would call out of range ("nan", ".inf", "1e300").
bool is_impossible_number(std::string_view text);
bool is_number(const FactRow& row);
/// -1, 0 and infinity are what code calls "off" or "all"; a share below 1 is one of a count.
bool may_be_sentinel(const FactRow& row, std::string_view text);

}  // namespace gpulint

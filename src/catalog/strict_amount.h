#pragma once

#include "catalog/knowledge.h"
#include "catalog/strict_reader.h"

#include <optional>
#include <string_view>

namespace gpulint {

/// "2 values", "1 value", "8/768 B", or {low, usual, high} of such: at least 0, with its unit in
/// the plural ("values").
std::optional<AmountRange> read_amount(Complaints& complaints, NodeId node, std::string_view unit);
/// One number of them, as in "3 kernels".
std::optional<double> read_count_of(Complaints& complaints, NodeId node, std::string_view unit);

}  // namespace gpulint

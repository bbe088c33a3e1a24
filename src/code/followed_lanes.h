#pragma once

// Numbers of a step for several sizes of its input at once. Internal to this room.

#include "model/operator_table.h"
#include "python/host.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gpulint::followed {

using Lanes = python::Lanes;
inline constexpr std::size_t kLanes = python::kLanes;

// Two batches at one size, two further sizes of images, one of what has a length, and one more with
// larger images. Images are multiples of 256, which halving eight times leaves whole, and not all
// in proportion to the patches of 14 that they hold; lengths of signals likewise of 4096.
inline constexpr Lanes kBatches = {4, 8, 4, 4, 4, 4};
inline constexpr Lanes kImages = {256, 256, 512, 1024, 256, 512};
inline constexpr Lanes kTokens = {128, 128, 128, 128, 192, 256};
inline constexpr Lanes kLengths = {8192, 8192, 8192, 8192, 12288, 16384};
inline constexpr Lanes kVolumes = {64, 64, 64, 64, 96, 128};

// Three lanes that differ in the size of images alone, and of what has a length.
inline constexpr std::array<std::size_t, 3> kByImage = {0, 2, 3};
inline constexpr std::array<std::size_t, 3> kByLength = {0, 4, 5};

inline Lanes all(double number) {
  Lanes lanes;
  lanes.fill(number);
  return lanes;
}

inline bool is_constant(const Lanes& lanes) {
  return std::all_of(lanes.begin(), lanes.end(), [&](double each) { return each == lanes[0]; });
}

/// Whether an operator of the model language takes an argument of that name.
inline bool has_parameter(const model::OperatorRule& rule, std::string_view name) {
  std::string_view rest = rule.parameters;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    std::string_view word = rest.substr(0, blank);
    if (word.ends_with('!')) word.remove_suffix(1);
    if (word == name) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

}  // namespace gpulint::followed

#pragma once

#include "device/gemm.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpulint::probe {

std::size_t bytes_of_value(NumberFormat format);

/// For 32-bit words of random bits: (word & keep) | exponent holds one, two or four numbers of
/// magnitude 0.5 to 1, either sign. Those of tf32 need no rounding.
struct RandomBits {
  std::uint32_t keep = 0;
  std::uint32_t exponent = 0;
};
RandomBits random_bits(NumberFormat format);

/// The numbers a buffer holds (normal ones and zero only), exactly.
std::vector<double> decoded(std::span<const std::byte> buffer, NumberFormat format);

/// How far an element of a product may be off.
struct ProductTolerance {
  double of_terms = 0;  // of the mean magnitude of its terms times their number
  double of_value = 0;  // of the element itself: rounding of the result
};
/// For sums of products of a format, kept in `result`.
ProductTolerance product_tolerance(NumberFormat format, NumberFormat result);

/// Whether c = a b^T for numbers of magnitude 0.5 to 1, up to the tolerance. False with a NaN.
bool is_product(std::span<const double> c, std::span<const double> a, std::span<const double> b,
                const GemmShape& shape, const ProductTolerance& tolerance);

}  // namespace gpulint::probe

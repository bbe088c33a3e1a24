#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpulint::probe {

enum class NumberFormat : std::uint8_t { fp32, fp16, bf16 };

std::size_t bytes_of_value(NumberFormat format);

/// For 32-bit words of random bits: (word & keep) | exponent holds one or two numbers of magnitude
/// 0.5 to 1, either sign.
struct RandomBits {
  std::uint32_t keep = 0;
  std::uint32_t exponent = 0;
};
RandomBits random_bits(NumberFormat format);

/// The numbers a buffer holds (normal ones and zero only), exactly.
std::vector<double> decoded(std::span<const std::byte> buffer, NumberFormat format);

/// Rows of the square matrices a kernel is checked on: several tiles each way.
inline constexpr int kReferenceSize = 256;

/// Whether c = a b^T up to what float32 sums may lose; all kReferenceSize squared, row-major. A NaN
/// is no product.
bool is_product(std::span<const float> c, std::span<const double> a, std::span<const double> b);

}  // namespace gpulint::probe

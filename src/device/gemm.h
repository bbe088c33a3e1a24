#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpulint::probe {

/// What the two factors of a matrix product hold; sums are float32. tf32 values are stored as fp32,
/// fp8 is e4m3.
enum class NumberFormat : std::uint8_t { fp32, tf32, fp16, bf16, fp8 };
inline constexpr std::size_t kNumberFormatCount = 5;

/// "bf16"
std::string_view name_of(NumberFormat format);

/// Whether sums of fp8 products are moved to float32 now and then, or stay in tensor cores, which add
/// with fewer bits. Other formats have no such choice.
enum class Fp8Sums : std::uint8_t { exact, fast };

/// By whose hand a rate was reached.
enum class Tier : std::uint8_t {
  library,  // cuBLASLt of the user's own stack: what frameworks reach
  kernel,   // our own tiled kernel: the card does at least this
  issue,    // the instructions alone, from registers: no product can be faster
};

/// c = a b^T, row-major, a of m x k and b of n x k; `batch` independent products that lie one
/// behind the other. All at least 1.
struct GemmShape {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t batch = 1;
  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// Multiplications and additions.
double operations_of(const GemmShape& shape);

}  // namespace gpulint::probe

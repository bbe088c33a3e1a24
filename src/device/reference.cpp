#include "device/reference.h"

#include <array>
#include <cmath>
#include <cstring>

namespace gpulint::probe {
namespace {

constexpr std::array<std::string_view, kNumberFormatCount> kFormatNames{"fp32", "tf32", "fp16",
                                                                        "bf16", "fp8"};

double from_fp32(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// 1 sign, `exponent_bits` (bias half of their range) and `fraction_bits`; zero or normal.
double from_small_float(unsigned bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = bits & ((1U << fraction_bits) - 1);
  const double magnitude =
      exponent == 0 ? 0 : std::ldexp(1.0 + std::ldexp(fraction, -fraction_bits), exponent - bias);
  return (bits >> (exponent_bits + fraction_bits) & 1) != 0 ? -magnitude : magnitude;
}

double decoded_value(const std::byte* at, NumberFormat format) {
  std::uint32_t wide = 0;
  std::memcpy(&wide, at, bytes_of_value(format));  // little-endian, as every CUDA host
  switch (format) {
    case NumberFormat::fp32:
    case NumberFormat::tf32:
      return from_fp32(wide);
    case NumberFormat::fp16:
      return from_small_float(wide, 5, 10);
    case NumberFormat::bf16:
      return from_fp32(wide << 16);  // the upper half of a float32
    case NumberFormat::fp8:
      return from_small_float(wide, 4, 3);
  }
  return 0;
}

/// Four sums, so that one addition need not wait for the one before.
double dot(const double* a, const double* b, std::size_t count) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

std::string_view name_of(NumberFormat format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

double operations_of(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.batch) * static_cast<double>(shape.m) *
         static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

std::size_t bytes_of_value(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
    case NumberFormat::tf32:
      return 4;
    case NumberFormat::fp16:
    case NumberFormat::bf16:
      return 2;
    case NumberFormat::fp8:
      return 1;
  }
  return 4;
}

RandomBits random_bits(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return {0x807fffff, 0x3f000000};  // sign and 23 fraction bits; 2^-1
    case NumberFormat::tf32:
      return {0x807fe000, 0x3f000000};  // sign and the upper 10 fraction bits
    case NumberFormat::fp16:
      return {0x83ff83ff, 0x38003800};  // sign and 10 fraction bits, twice
    case NumberFormat::bf16:
      return {0x807f807f, 0x3f003f00};  // sign and 7 fraction bits, twice
    case NumberFormat::fp8:
      return {0x87878787, 0x30303030};  // sign and 3 fraction bits, four times
  }
  return {};
}

std::vector<double> decoded(std::span<const std::byte> buffer, NumberFormat format) {
  const std::size_t width = bytes_of_value(format);
  std::vector<double> values;
  values.reserve(buffer.size() / width);
  for (std::size_t at = 0; at + width <= buffer.size(); at += width) {
    values.push_back(decoded_value(&buffer[at], format));
  }
  return values;
}

ProductTolerance product_tolerance(NumberFormat format, NumberFormat result) {
  // float32 sums of some hundred terms lose at most a few 2^-15 of the terms. The tensor cores of
  // compute capability 8.9 and 9.0 add products of fp8 with about 13 fraction bits (measured by
  // several; DeepSeek-V3, arXiv 2412.19437, section 3.5.2). An element that lacks or repeats one
  // term of some hundred is off by thousandths.
  constexpr double kFloat32Sums = 1e-4;
  constexpr double kFp8Sums = 1e-3;
  const double rounding = result == NumberFormat::bf16   ? std::ldexp(1.0, -8)
                          : result == NumberFormat::fp16 ? std::ldexp(1.0, -11)
                                                         : 0;
  return {format == NumberFormat::fp8 ? kFp8Sums : kFloat32Sums, rounding};
}

bool is_product(std::span<const double> c, std::span<const double> a, std::span<const double> b,
                const GemmShape& shape, const ProductTolerance& tolerance) {
  const auto m = static_cast<std::size_t>(shape.m);
  const auto n = static_cast<std::size_t>(shape.n);
  const auto k = static_cast<std::size_t>(shape.k);
  const auto batch = static_cast<std::size_t>(shape.batch);
  if (c.size() != batch * m * n || a.size() != batch * m * k || b.size() != batch * n * k) {
    return false;
  }
  constexpr double kMeanTerm = 0.75 * 0.75;  // of two numbers spread evenly over 0.5 to 1
  const double allowed = tolerance.of_terms * kMeanTerm * static_cast<double>(k);
  for (std::size_t row = 0; row < batch * m; ++row) {
    const double* b_matrix = b.data() + row / m * n * k;
    for (std::size_t column = 0; column < n; ++column) {
      const double sum = dot(a.data() + row * k, b_matrix + column * k, k);
      const double distance = std::abs(c[row * n + column] - sum);
      if (!(distance <= allowed + tolerance.of_value * std::abs(sum))) return false;
    }
  }
  return true;
}

}  // namespace gpulint::probe

#include "probe/reference.h"

#include <cmath>
#include <cstring>

namespace gpulint::probe {
namespace {

/// Of the sum of magnitudes. 256 float32 additions lose at most 256 * 2^-23 = 3e-5 of it; a wrong
/// element moves it by thousandths.
constexpr double kTolerance = 1e-4;

double from_fp32(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// IEEE binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
double from_fp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const double magnitude =
      exponent == 0 ? 0 : std::ldexp(1.0 + (bits & 0x3ff) / 1024.0, exponent - 15);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// The upper half of a float32.
double from_bf16(std::uint16_t bits) { return from_fp32(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace

std::size_t bytes_of_value(NumberFormat format) { return format == NumberFormat::fp32 ? 4 : 2; }

RandomBits random_bits(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return {0x807fffff, 0x3f000000};  // sign and 23 fraction bits; 2^-1
    case NumberFormat::fp16:
      return {0x83ff83ff, 0x38003800};  // sign and 10 fraction bits, twice
    case NumberFormat::bf16:
      return {0x807f807f, 0x3f003f00};  // sign and 7 fraction bits, twice
  }
  return {};
}

std::vector<double> decoded(std::span<const std::byte> buffer, NumberFormat format) {
  const std::size_t width = bytes_of_value(format);
  std::vector<double> values;
  values.reserve(buffer.size() / width);
  for (std::size_t at = 0; at + width <= buffer.size(); at += width) {
    std::uint32_t wide = 0;
    std::uint16_t narrow = 0;
    if (format == NumberFormat::fp32) {
      std::memcpy(&wide, &buffer[at], sizeof wide);
      values.push_back(from_fp32(wide));
    } else {
      std::memcpy(&narrow, &buffer[at], sizeof narrow);
      values.push_back(format == NumberFormat::fp16 ? from_fp16(narrow) : from_bf16(narrow));
    }
  }
  return values;
}

bool is_product(std::span<const float> c, std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t kSize = kReferenceSize;
  if (c.size() != kSize * kSize || a.size() != c.size() || b.size() != c.size()) return false;
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      double sum = 0;
      double magnitude = 0;
      for (std::size_t k = 0; k < kSize; ++k) {
        const double term = a[row * kSize + k] * b[column * kSize + k];
        sum += term;
        magnitude += std::abs(term);
      }
      const double distance = std::abs(static_cast<double>(c[row * kSize + column]) - sum);
      if (!(distance <= kTolerance * magnitude)) return false;
    }
  }
  return true;
}

}  // namespace gpulint::probe

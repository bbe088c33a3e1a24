#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace gpulint {

/// a + b, a * b clamped to the range of int64 instead of overflowing: sizes come from untrusted
/// configs.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}
constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max()
                            : std::numeric_limits<std::int64_t>::min();
}
/// Nearest int64 of `value`; out of range and infinities clamp, NaN becomes 0.
std::int64_t saturating_round(double value);

/// Memory size. Signed, because headroom = capacity - required can be negative. All arithmetic
/// saturates.
class Bytes {
 public:
  constexpr Bytes() = default;
  static constexpr Bytes of(std::int64_t count) { return Bytes{count}; }
  static constexpr Bytes kib(std::int64_t n) {
    return Bytes{saturating_multiply(n, std::int64_t{1} << 10)};
  }
  static constexpr Bytes mib(std::int64_t n) {
    return Bytes{saturating_multiply(n, std::int64_t{1} << 20)};
  }
  static constexpr Bytes gib(std::int64_t n) {
    return Bytes{saturating_multiply(n, std::int64_t{1} << 30)};
  }
  static Bytes rounded(double count) { return Bytes{saturating_round(count)}; }

  constexpr std::int64_t count() const { return count_; }
  constexpr double as_double() const { return static_cast<double>(count_); }
  constexpr double as_gib() const {
    return as_double() / static_cast<double>(std::int64_t{1} << 30);
  }
  constexpr double as_gb() const { return as_double() / 1e9; }

  friend constexpr Bytes operator+(Bytes a, Bytes b) {
    return Bytes{saturating_add(a.count_, b.count_)};
  }
  friend constexpr Bytes operator-(Bytes a, Bytes b) {
    return Bytes{saturating_add(a.count_, saturating_multiply(b.count_, -1))};
  }
  friend constexpr Bytes operator*(Bytes a, std::int64_t k) {
    return Bytes{saturating_multiply(a.count_, k)};
  }
  friend constexpr Bytes operator*(std::int64_t k, Bytes a) { return a * k; }
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;

 private:
  explicit constexpr Bytes(std::int64_t count) : count_(count) {}
  std::int64_t count_ = 0;
};

/// The least multiple of `unit` (> 0) that holds `bytes` (>= 0).
constexpr Bytes rounded_up(Bytes bytes, Bytes unit) {
  return unit * ((bytes.count() + unit.count() - 1) / unit.count());
}

/// A closed range of memory sizes, low <= high.
struct BytesRange {
  Bytes low;
  Bytes high;
  friend constexpr auto operator<=>(const BytesRange&, const BytesRange&) = default;
};

/// A duration in seconds.
struct Seconds {
  double value = 0;
  friend constexpr auto operator<=>(Seconds, Seconds) = default;
};

/// A rate: operations, bytes or samples per second as the name of its holder says.
struct PerSecond {
  double value = 0;
  friend constexpr auto operator<=>(PerSecond, PerSecond) = default;
};

/// US dollars.
struct Money {
  double dollars = 0;
  friend constexpr auto operator<=>(Money, Money) = default;
};

/// "11.4 GiB", "147 MiB", "512 B" (binary units), and "8.3 GB", "230 MB" (decimal units).
std::string format_binary(Bytes bytes);
std::string format_decimal(Bytes bytes);

}  // namespace gpulint

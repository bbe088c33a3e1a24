#pragma once

// Numbers and texts as a run of bytes: what the build writes into its archive of data files and the
// program reads from it. Small numbers take one byte.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint {

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>(0x80U | (value & 0x7fU));
    bytes_ += static_cast<char>(value);
  }
  /// Distances from one place to the next are small, and now and then negative.
  void signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    number(value < 0 ? ~(bits << 1U) : bits << 1U);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote; beyond the end every number is 0 and every text empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::uint64_t number() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80U)  // most of them
      return static_cast<unsigned char>(*at_++);
    return long_number();
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  std::int64_t signed_number() {
    const std::uint64_t bits = number();
    const auto half = static_cast<std::int64_t>(bits >> 1U);
    return (bits & 1U) == 0 ? half : ~half;
  }
  /// A view into the bytes read from.
  std::string_view text() {
    const std::size_t size = std::min<std::uint64_t>(number(), left());
    const std::string_view value(at_, size);
    at_ += size;
    return value;
  }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  std::uint64_t long_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80U) break;
    }
    return value;
  }

  const char* at_;
  const char* end_;
};

}  // namespace gpulint

#include "base/key_hash.h"

#include <cstddef>
#include <cstring>

namespace gpulint {
namespace {

// Eight bytes in lower case with '-' written as '_': setting bit 5 lowers letters and turns '_'
// into 0x7f, which '-' is then turned into as well.
std::uint64_t folded(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101ULL;
  bytes |= kEach * 0x20;
  const std::uint64_t difference = bytes ^ (kEach * '-');
  const std::uint64_t high = kEach * 0x80;
  // High bit of every byte that is exactly '-'.
  const std::uint64_t dashes = ~(((difference & ~high) + ~high) | difference) & high;
  return bytes ^ ((dashes >> 7) * ('-' ^ 0x7f));
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  constexpr std::uint64_t kOdd = 0xff51afd7ed558ccdULL;  // multiplier of MurmurHash3's finalizer
  state = (state ^ word) * kOdd;
  return state ^ (state >> 32);
}

template <class Word>
std::uint64_t load(const char* from) {
  Word word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// The last 1 to 8 bytes of a component in one word; reads of fixed size that may overlap cost less
// than a copy of variable size.
std::uint64_t last_word(const char* data, std::size_t size) {
  if (size >= 4) {
    return load<std::uint32_t>(data) | load<std::uint32_t>(data + size - 4) << 32;
  }
  if (size >= 2) {
    return load<std::uint16_t>(data) | load<std::uint16_t>(data + size - 2) << 16;
  }
  return size == 0 ? 0 : load<std::uint8_t>(data);
}

}  // namespace

std::uint64_t component_hash(std::string_view component) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL ^ component.size();  // golden ratio
  if (component.size() == 1) return mixed(state, load<std::uint8_t>(component.data()));
  const char* data = component.data();
  std::size_t left = component.size();
  for (; left > 8; left -= 8, data += 8) state = mixed(state, folded(load<std::uint64_t>(data)));
  return mixed(state, folded(last_word(data, left)));
}

}  // namespace gpulint

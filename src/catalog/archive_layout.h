#pragma once

// The bytes of a data archive; known to its writer and its reader only. Header, file records, name
// records, then the texts and bodies they point at.

#include "catalog/data_archive.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpulint::archive {

inline constexpr std::size_t kAlignment = 8;

/// Place of one array: bytes from the archive's start, number of elements.
struct Extent {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

struct Header {
  std::array<char, 8> magic = {'g', 'p', 'u', 'l', 'i', 'n', 't', '\n'};
  std::uint32_t byte_order = 0x01020304U;
  std::uint32_t layout = 13;  // of this file; counted up with every change of it
  std::uint32_t size = 0;     // of the archive, bytes
  // Where the files of each kind begin, then their number; padded to an even count.
  std::array<std::uint32_t, (kDataKinds + 2) / 2 * 2> files = {};
  std::array<std::uint32_t, kModelNameKinds + 1> names = {};  // and the names
};
static_assert(sizeof(Header) % kAlignment == 0);

/// `body`: bytes of a packed document. `head`: what a start reads of some kinds.
struct FileRecord {
  Extent path, body, head;
};

struct NameRecord {
  Extent key, name;
  std::uint32_t file = 0;
  std::uint32_t unused = 0;
};

}  // namespace gpulint::archive

#pragma once

// The bytes of a data archive; known to its writer and its reader only. Header, file records, name
// records, then what they point at: texts and bodies anywhere, arrays at addresses divisible by 8.

#include "catalog/data_archive.h"
#include "source/node.h"

#include <array>
#include <cstdint>
#include <type_traits>

namespace gpulint::archive {

static_assert(std::is_trivially_copyable_v<Node>);
static_assert(std::has_unique_object_representations_v<Node>,
              "padding would make the archive differ from build to build");

inline constexpr std::size_t kAlignment = 8;

/// Place of one array: bytes from the archive's start, number of elements.
struct Extent {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

struct Header {
  std::array<char, 8> magic = {'g', 'p', 'u', 'l', 'i', 'n', 't', '\n'};
  std::uint32_t byte_order = 0x01020304U;
  std::uint32_t node_size = sizeof(Node);
  std::uint32_t layout = 3;  // of this file; counted up with every change of it
  std::uint32_t size = 0;    // of the archive, bytes
  std::array<std::uint32_t, kDataKinds + 1> files = {};       // where the files of each kind begin
  std::array<std::uint32_t, kModelNameKinds + 1> names = {};  // and the names
  std::uint32_t unused = 0;
};
static_assert(sizeof(Header) % kAlignment == 0);

/// `body`: bytes of a packed document; of a dialect one TreeRecord. `head`: of a rule.
struct FileRecord {
  Extent path, body, head;
};

/// A tree used in place: all dialects are asked whether a config is theirs, and reading them back
/// at each start would cost more than the bytes they save.
struct TreeRecord {
  Extent text, pool, nodes, roots;
};

struct NameRecord {
  Extent key, name;
  std::uint32_t file = 0;
  std::uint32_t unused = 0;
};

}  // namespace gpulint::archive

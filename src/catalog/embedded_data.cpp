#include "catalog/blob.h"

#include <cassert>
#include <string_view>

// Ends of the blob that cmake/embed_data.cmake links in through .incbin.
extern "C" {
extern const char gpulint_data_begin[];  // NOLINT: arrays of unknown size are how a linker symbol
extern const char gpulint_data_end[];    // is named in C++
}

namespace gpulint {

std::vector<DataFile> embedded_data() {
  const auto size = static_cast<std::size_t>(gpulint_data_end - gpulint_data_begin);
  Result<std::vector<DataFile>> files = open_blob(std::string_view(gpulint_data_begin, size));
  assert(files && "the blob is written by the build that links it");
  return files ? std::move(files).value() : std::vector<DataFile>{};
}

}  // namespace gpulint

#include "catalog/blob.h"

#include <stdexcept>
#include <string_view>
#include <utility>

// Ends of the blob that cmake/embed_data.cmake links in through .incbin.
extern "C" {
extern const char gpulint_data_begin[];  // NOLINT: arrays of unknown size are how a linker symbol
extern const char gpulint_data_end[];    // is named in C++
}

namespace gpulint {

std::vector<DataFile> embedded_data() {
  const auto size = static_cast<std::size_t>(gpulint_data_end - gpulint_data_begin);
  Result<std::vector<DataFile>> files = open_blob(std::string_view(gpulint_data_begin, size));
  // A program without its data would pass every config; only a broken build gets here.
  if (!files) throw std::logic_error(files.error().message);
  return std::move(files).value();
}

}  // namespace gpulint

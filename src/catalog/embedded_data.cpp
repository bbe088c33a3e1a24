#include "catalog/catalog.h"
#include "catalog/data_archive.h"

#include <stdexcept>
#include <string_view>
#include <utility>

// Ends of the archive that cmake/embed_data.cmake links in through .incbin.
extern "C" {
extern const char gpulint_data_begin[];  // NOLINT: arrays of unknown size are how a linker symbol
extern const char gpulint_data_end[];    // is named in C++
}

namespace gpulint {

const DataArchive& embedded_archive() {
  static const DataArchive archive = [] {
    const auto size = static_cast<std::size_t>(gpulint_data_end - gpulint_data_begin);
    Result<DataArchive> opened = DataArchive::open(std::string_view(gpulint_data_begin, size));
    // A program without its data would pass every config; only a broken build gets here.
    if (!opened) throw std::logic_error(opened.error().message);
    return std::move(opened).value();
  }();
  return archive;
}

DataFiles embedded_data() { return DataFiles(embedded_archive()); }

}  // namespace gpulint

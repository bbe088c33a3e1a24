// The data of the page: an archive the page loads as a file of its own, rather than bytes of the
// program (catalog/embedded_data.cpp).

#include "catalog/catalog.h"
#include "catalog/data_archive.h"
#include "given_data.h"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

std::string_view given;

}  // namespace

void give_data(std::string_view archive) { given = archive; }

const DataArchive& embedded_archive() {
  static const DataArchive archive = [] {
    Result<DataArchive> opened = DataArchive::open(given);
    if (!opened) throw std::logic_error(opened.error().message);
    return std::move(opened).value();
  }();
  return archive;
}

DataFiles embedded_data() { return DataFiles(embedded_archive()); }

}  // namespace gpulint

// gpulint_embed SOURCE_ROOT OUTPUT: reads the data folders below SOURCE_ROOT through the strict
// loaders and writes them as one blob. Every error is printed as file:line:column: message and
// fails the build.

#include "build_disk.h"
#include "catalog/blob.h"
#include "catalog/catalog.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

int report(const gpulint::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return 1;
}

int embed(const std::string& root, const std::string& output) {
  gpulint::Result<std::vector<gpulint::DataFile>> files =
      gpulint::read_data_folder(gpulint::BuildDisk(), root);
  if (!files) return report(files.error());
  const std::string blob = gpulint::write_blob(*files);
  const gpulint::Result<gpulint::Catalog> catalog =
      gpulint::Catalog::open(std::move(files).value());
  if (!catalog) return report(catalog.error());
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  out.write(blob.data(), static_cast<std::streamsize>(blob.size()));
  out.close();
  return out ? 0 : report({"cannot be written", output});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: gpulint_embed SOURCE_ROOT OUTPUT\n");
    return 2;
  }
  return embed(argv[1], argv[2]);
}

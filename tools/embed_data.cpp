// gpulint_embed SOURCE_ROOT OUTPUT: reads the data folders below SOURCE_ROOT through the strict
// loaders, binds the rules to the engine's symbols and writes all as one archive with an index of
// the models' names. Every error is printed as file:line:column: message and fails the build.

#include "build_disk.h"
#include "catalog/archive_writer.h"
#include "catalog/catalog.h"
#include "engine/engine.h"
#include "model/name_index.h"

#include <cstddef>
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

std::vector<gpulint::ModelName> names_of(const std::vector<gpulint::DataFile>& files) {
  std::vector<gpulint::ModelName> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool model = gpulint::kind_of(files[i].path) == gpulint::DataKind::model;
    if (model) gpulint::model::add_model_names(files[i].document, i, names);
  }
  return names;
}

int embed(const std::string& root, const std::string& output) {
  gpulint::Result<std::vector<gpulint::DataFile>> files =
      gpulint::read_data_folder(gpulint::BuildDisk(), root);
  if (!files) return report(files.error());
  const gpulint::Result<std::string> archive =
      gpulint::write_archive(*files, names_of(*files), gpulint::Engine::bind_conditions);
  const gpulint::Result<gpulint::Catalog> catalog =
      gpulint::Catalog::open(std::move(files).value());
  if (!catalog) return report(catalog.error());
  const gpulint::Result<gpulint::Engine> engine = gpulint::Engine::bind(catalog->rules());
  if (!engine) return report(engine.error());
  if (!archive) return report(archive.error());
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  out.write(archive->data(), static_cast<std::streamsize>(archive->size()));
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

#pragma once

#include "catalog/data_archive.h"
#include "source/document.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// One data file of a folder: its path below the data root ("rules/memory/vram-over-budget.yaml")
/// decides its kind, its stem the id.
struct DataFile {
  std::string path;
  Document document;
};

/// One way to ask for a file of model_db. `key`: what is looked up; `name`: what is then compared.
struct ModelName {
  ModelNameKind kind = ModelNameKind::model;
  std::string key;
  std::string name;
  std::size_t file = 0;  // index in the files it was read from
};

/// The files of model_db: those of the binary, found through its index of names, and those of
/// folders, which replace the binary's of the same id. What they lie in must outlive this.
struct ModelFiles {
  DataArchive archive;
  std::span<const DataFile> loose;

  ModelFiles(DataArchive of_binary, std::span<const DataFile> of_folders)
      : archive(of_binary), loose(of_folders) {}
  ModelFiles(const std::vector<DataFile>& of_folders) : loose(of_folders) {}  // NOLINT: as they are
};

}  // namespace gpulint

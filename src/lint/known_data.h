#pragma once

// What a session knows, replaced as a whole when its data folders change. Internal to this room.

#include "catalog/catalog.h"
#include "engine/engine.h"
#include "plan/run_collect.h"
#include "run/known_models.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// The catalog with what is bound to it, which refers to the catalog.
struct BoundCatalog {
  Catalog catalog;
  Engine engine;
  KnownModels models;
  BaseKeys base_keys;

  BoundCatalog(Catalog of_files, Engine of_rules)
      : catalog(std::move(of_files)),
        engine(std::move(of_rules)),
        models(catalog.model_files()),
        base_keys(catalog.dialects()) {}
};

/// Shared, because a request that has begun goes on with what it saw when a refresh comes.
struct KnownData {
  std::shared_ptr<const BoundCatalog> bound;
  std::vector<Gpu> measured = {};
  std::vector<Error> errors = {};  // of the data folders
  /// All that lies in the data folders, to tell whether they changed.
  std::string overlay = {};
};

/// The binary's data with the folders laid over it.
Result<KnownData> read_known_data(const FileReader& files,
                                  const std::optional<std::string>& data_folder,
                                  const std::string& folder);

}  // namespace gpulint

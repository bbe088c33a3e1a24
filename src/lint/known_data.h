#pragma once

// What a session knows, replaced as a whole when its data folders change. Internal to this room.

#include "catalog/catalog.h"
#include "code/consumer_index.h"
#include "engine/engine.h"
#include "plan/run_collect.h"
#include "run/known_models.h"

#include <map>
#include <memory>
#include <mutex>
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
  SharedConsumers consumers;

  BoundCatalog(Catalog of_files, Engine of_rules)
      : catalog(std::move(of_files)),
        engine(std::move(of_rules)),
        models(catalog.model_files()),
        base_keys(catalog.dialects()),
        consumers(catalog) {}
};

/// Shared, because a request that has begun goes on with what it saw when a refresh comes.
struct KnownData {
  std::shared_ptr<const BoundCatalog> bound;
  std::vector<Gpu> measured = {};
  std::vector<Error> errors = {};  // of the data folders
  /// All that lies in the data folders, to tell whether they changed.
  std::string overlay = {};
  std::string folder = {};  // around which a project was looked for
  /// The project's `.gpulint/` among them, as FileReader::canonical spells it; "" = none.
  std::string project_data = {};
};

/// The binary's data with the folders laid over it.
Result<KnownData> read_known_data(const FileReader& files,
                                  const std::optional<std::string>& data_folder,
                                  const std::string& folder);

/// What projects know whose `.gpulint/` is not the session's, each read when a config below it is
/// met. Thread-safe.
class OtherProjects {
 public:
  explicit OtherProjects(std::optional<std::string> data_folder)
      : data_folder_(std::move(data_folder)) {}

  /// `project_data`: a `.gpulint/`. What this machine measured is that of `own`, which stands in
  /// where nothing can be read.
  std::shared_ptr<const KnownData> of(const FileReader& files, const std::string& project_data,
                                      const KnownData& own);
  /// Reads all of them again; true where one changed.
  bool refresh(const FileReader& files);

 private:
  const std::optional<std::string> data_folder_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const KnownData>> known_;  // by `.gpulint/`
};

}  // namespace gpulint

#pragma once

// The models gpulint describes operator by operator, shared by the threads of a lint run. Nothing
// is read before a config names a model; a family is compiled once and never changed afterwards, so
// only the look-up is behind a lock and footprints are computed side by side.

#include "catalog/catalog.h"
#include "model/footprint.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class KnownModels {
 public:
  /// The files of model_db; they must outlive this object.
  explicit KnownModels(std::span<const DataFile> files);
  KnownModels(KnownModels&&) noexcept;
  KnownModels& operator=(KnownModels&&) noexcept;
  ~KnownModels();

  /// A model by its id or one of its listed names, in any of the spellings of model_names.h. A
  /// family is no model: its dimensions would be a guess. Thread-safe; the program lives as long as
  /// this object.
  std::optional<model::ModelLibrary::Found> find(std::string_view name) const;

  /// Ids of all models, sorted.
  std::vector<std::string> ids() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpulint

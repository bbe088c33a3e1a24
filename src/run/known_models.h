#pragma once

// The models gpulint describes operator by operator, shared by the threads of a lint run. Nothing
// is read before a config names a model; a family is compiled once and never changed afterwards, so
// only the look-up is behind a lock and footprints are computed side by side.

#include "catalog/catalog.h"
#include "model/footprint.h"
#include "run/stated_network.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class StepMemo;  // memory/step_memo.h

/// A step that was followed in the code of a project, as a program of the model language.
struct FollowedStepText {
  std::string name;                       // of the network's class
  std::string place;                      // where that is defined
  std::string text;                       // YAML
  std::vector<std::string> missing = {};  // what could not be followed
  double certain_share = 1;               // of what it keeps
};

class KnownModels {
 public:
  /// What the files lie in must outlive this object.
  explicit KnownModels(ModelFiles files);

  /// The same models for a run that brings the config.json of its own: whatever the run calls it,
  /// that model is found. The models themselves when no family reads the config.
  KnownModels with_config(const Document& config) const;

  /// The same models for a run whose config describes its network: `network()` of the result. The
  /// models themselves when the geometry leaves out what the family needs.
  KnownModels with_network(const StatedNetwork& network, std::string_view path) const;
  /// The same models for a run whose step was followed in the project's code: `network()` of the
  /// result. The models themselves where the program is not one.
  KnownModels with_followed(const FollowedStepText& step) const;
  /// The same models for a run that may be named by its file ("Qwen2.5-7B.yaml"): `network()` of
  /// the result is that model, as an assumption. The models themselves when no model is called so.
  KnownModels with_file_name(std::string_view path) const;
  /// The network that the run's config describes; it counts where the run names no known model.
  const std::optional<model::ModelLibrary::Found>& network() const { return network_; }

  /// A model by its id or one of its listed names, in any of the spellings of model_names.h. A
  /// family is not a model: its dimensions would be a guess. Thread-safe; the program lives as long
  /// as this object.
  std::optional<model::ModelLibrary::Found> find(std::string_view name) const;

  /// A model that nobody has by this name may be one of several sizes of it ("t5"): their ids, the
  /// smallest first; empty where fewer than two are known. Thread-safe.
  const std::vector<std::string>& sizes_of(std::string_view name) const;

  /// Parameters of a model of this object with other dimensions, counted as its operators create
  /// them; nullopt where it does not run with them. Thread-safe.
  std::optional<std::int64_t> parameters_with(const model::ModelLibrary::Found& found,
                                              std::map<std::string, expr::Value> dimensions) const;

  /// The steps that were measured of these models: made by `make` when they are first asked for,
  /// shared by all copies of this object. Thread-safe.
  std::shared_ptr<StepMemo> steps(std::shared_ptr<StepMemo> (*make)()) const;

  /// Ids of all models, sorted.
  std::vector<std::string> ids() const;

 private:
  struct State;
  KnownModels with_named_network(const StatedNetwork& network) const;

  std::shared_ptr<State> state_;  // shared by the copies for runs with a config.json
  std::optional<model::ModelLibrary::Found> own_;
  std::optional<model::ModelLibrary::Found> network_;
};

}  // namespace gpulint

#pragma once

// One training run with all that is known of it: what is written, what its framework and its model
// add, what follows, how its ranks lie, and where it is to start. Everything below the plan
// (memory, time, searches, rules, reports) reads this value and nothing above it.
//
// Order, each fact set once by the first that knows it: written (config, .gpulint.yaml, command
// line) · what follows · the framework's defaults · what follows (plan/complete.h) · the known
// model's facts (model_facts.h) · what follows. Then what the words of the facts stand for is
// looked up (plan/knowledge.h), once.

#include "catalog/hardware.h"
#include "catalog/knowledge.h"
#include "plan/layout.h"
#include "plan/training_plan.h"
#include "run/adapter.h"
#include "run/known_models.h"
#include "run/optimizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

struct FactRow;

/// Facts and their new values as text that `set_fact` reads; "" forgets a fact.
using FactChanges = std::vector<std::pair<std::string, std::string>>;

/// Where a run is to start; what is not known is nullptr. Borrowed from the catalog.
struct RunTarget {
  const Gpu* gpu = nullptr;
  const Host* host = nullptr;
};

/// What a network of the project that is trained and could not be followed does with the model that
/// the run names: which of its weights are trained, what is around it and what it keeps is open.
enum class OwnNetwork : std::uint8_t {
  none,           // there is no such network
  holds_model,    // a call of a library was seen to load the model
  may_hold_model  // its weights may be there or not
};

/// A value: cheap to copy, never changed. `models` and the target must outlive it.
class ResolvedRun {
 public:
  /// `models`: nullptr = none is known.
  static ResolvedRun of(const Plan& plan, const KnownModels* models, RunTarget target);
  /// Of facts put together by hand: all count as written, and no framework has defaults for them.
  static ResolvedRun of(const TrainingPlan& written, const KnownModels* models, RunTarget target);

  const TrainingPlan& facts() const { return state_->facts; }
  /// Somebody states the fact, in a way that nobody can read.
  bool is_unreadable(const FactRow& fact) const;
  const Layout& layout() const { return state_->layout; }
  const Gpu* gpu() const { return state_->target.gpu; }
  const Host* host() const { return state_->target.host; }
  const KnownModels* models() const { return state_->models; }
  const Optimizer& optimizer() const { return state_->optimizer; }
  const Adapter& adapter() const { return state_->adapter; }
  /// The base weights may take fewer bits than any fact says: their format is stated in words that
  /// nobody knows, or stands in the model's name alone.
  bool may_be_quantized() const { return state_->may_be_quantized; }
  /// States may be moved to the host: where that is said nobody could read.
  bool may_offload() const;
  /// What is trained is a network of the project that nobody could follow.
  OwnNetwork own_network() const { return state_->own_network; }
  /// Whose modelling code runs the network, and what spreads its states over ranks; nullptr: not
  /// named, or described nowhere.
  const ImplementationTraits* implementation() const { return state_->implementation; }
  const EngineTraits* engine() const { return state_->engine; }
  /// The known model the run names, its own config.json first; nullptr: none.
  const model::ModelLibrary::Found* model() const {
    return state_->model ? &*state_->model : nullptr;
  }

  /// The run with these facts changed, resolved again: what followed from the old values follows
  /// from the new ones. A written fact that a change contradicts by definition (the global batch of
  /// a run whose per-device batch is changed) is forgotten (kOverruled in resolved_run.cpp). Values
  /// that do not fit their facts leave them as they are. A changed fact has the origin `assumed`:
  /// some facts decide only where they are written, which `project` asks for.
  ResolvedRun with(const FactChanges& changes, Origin origin = Origin::assumed) const;
  /// What the run may be instead, where its name or its config leaves the network open.
  std::vector<ResolvedRun> others() const;
  /// The same run elsewhere.
  ResolvedRun on(RunTarget target) const;

 private:
  struct State {
    std::shared_ptr<const FactSources> sources;
    const KnownModels* models = nullptr;
    RunTarget target;
    TrainingPlan facts;
    std::optional<model::ModelLibrary::Found> model;
    Layout layout;
    Adapter adapter;
    bool may_be_quantized = false;
    OwnNetwork own_network = OwnNetwork::none;
    bool nodes_open = false;  // stated, and nobody can read how many
    Optimizer optimizer;
    const ImplementationTraits* implementation = nullptr;
    const EngineTraits* engine = nullptr;
  };

  explicit ResolvedRun(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static ResolvedRun resolve(std::shared_ptr<const FactSources> sources, TrainingPlan completed,
                             const KnownModels* models, RunTarget target,
                             const model::ModelLibrary::Found* forced = nullptr);

  std::shared_ptr<const State> state_;
};

}  // namespace gpulint

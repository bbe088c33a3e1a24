#include "run/resolved_run.h"

#include "model/model_names.h"
#include "plan/complete.h"
#include "plan/derive.h"
#include "plan/fact_table.h"
#include "plan/knowledge.h"
#include "run/fact_access.h"
#include "run/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

/// A changed fact, and the written one that can no longer hold beside it: they are factors and
/// product of one multiplication, and whoever tries another factor means another product.
struct Overruled {
  std::string_view changed;
  std::string_view forgotten;
};
constexpr std::array kOverruled = {
    Overruled{"per_device_batch_size", "global_batch_size"},
    Overruled{"per_device_batch_size", "batch_bytes"},
};

void change(const FactChanges& changes, Origin origin, TrainingPlan& given) {
  for (const auto& [name, value] : changes) {
    const FactRow* row = find_fact(name);
    if (row == nullptr) continue;
    if (value.empty()) {
      clear_fact(given, *row);
    } else {
      set_fact(given, *row, value, {.origin = origin, .detail = "tried"});
    }
    for (const Overruled& pair : kOverruled) {
      const bool is_changed_too =
          std::any_of(changes.begin(), changes.end(),
                      [&](const auto& other) { return other.first == pair.forgotten; });
      if (pair.changed == name && !is_changed_too) clear_fact(given, *find_fact(pair.forgotten));
    }
  }
}

/// A part of a network that the code's layers were counted to gives way to a model whose operators
/// are known. The whole of one stays: it may have a head of its own.
void forget_counted(TrainingPlan& facts) {
  const auto is_counted = [](const Maybe<std::int64_t>& fact) {
    return fact && fact->from.origin == Origin::assumed;
  };
  if (is_counted(facts.parameters)) facts.parameters.reset();
  if (is_counted(facts.trainable_parameters)) facts.trainable_parameters.reset();
}

/// The config shows the same network as a part of one that is larger (`backbone: resnet50`).
bool is_part_of(const std::optional<model::ModelLibrary::Found>& shown,
                const model::ModelLibrary::Found& named) {
  return shown && !shown->missing.empty() && shown->entry.path == named.entry.path;
}

/// With another head or more words a model counts up to a fifth more (ViT-B with 21,841 classes,
/// BERT with a decoder). Code that counts more than this builds the model into a larger network.
constexpr double kWithOtherHead = 1.3;

/// The code's layers make a network of which the model is only a part: what is around it, in words.
std::optional<std::string> layers_around(const KnownModels& models, const TrainingPlan& facts,
                                         const model::ModelLibrary::Found& model) {
  if (!facts.parameters || facts.parameters->from.origin != Origin::code) return std::nullopt;
  const auto own = models.parameters_with(model, model.entry.dimensions);
  const auto counted = facts.parameters->value;
  if (!own || static_cast<double>(counted) <= kWithOtherHead * static_cast<double>(*own))
    return std::nullopt;
  return fmt::format("layers around {} ({:.0f} million more parameters)", model.entry.id,
                     static_cast<double>(counted - *own) / 1e6);
}

/// A network of the project that has just as many parameters as the known model that it is built
/// on, or has the name of, is that model.
std::optional<model::ModelLibrary::Found> known_by_count(const KnownModels& models,
                                                         const TrainingPlan& facts) {
  if (facts.model || !facts.network || !facts.parameters) return std::nullopt;
  if (facts.parameters->from.origin != Origin::code) return std::nullopt;
  auto found = models.find(facts.network->value);
  if (!found) return std::nullopt;
  auto dimensions = found->entry.dimensions;
  if (facts.num_classes && has_dimension(*found, "classes"))
    dimensions["classes"] = facts.num_classes->value;
  if (models.parameters_with(*found, std::move(dimensions)) != facts.parameters->value)
    return std::nullopt;
  found->assumed = true;
  found->others.clear();
  return found;
}

/// A model that nobody described may say in its name how large it is; one that comes in several
/// sizes is at least as large as the smallest.
void add_size_of_name(const KnownModels* models, TrainingPlan& facts) {
  if (!facts.model || facts.parameters) return;
  const auto state = [&](std::int64_t parameters, std::string detail) {
    facts.parameters =
        Fact<std::int64_t>{parameters, {.origin = Origin::assumed, .detail = std::move(detail)}};
  };
  if (const auto size = model::size_in_name(facts.model->value)) {
    // Where ranks share experts, nobody knows how many of the others one of them keeps.
    const bool shared = size->of_a_token > 0 && at_least(facts.expert_parallel_size, 2);
    state(shared ? size->of_a_token : size->parameters, "the model's name");
  } else if (models != nullptr) {
    const std::vector<std::string>& sizes = models->sizes_of(facts.model->value);
    const auto smallest = sizes.empty() ? std::nullopt : models->find(sizes.front());
    if (smallest) state(smallest->entry.published_parameters->count, "at least " + sizes.front());
  }
}

bool is_open(const FactSources& sources, std::string_view fact) {
  return is_blocked(sources, *find_fact(fact));
}

/// What a framework assumes of weights says nothing of a checkpoint that is quantized already.
bool is_openly_quantized(const FactSources& sources, const TrainingPlan& facts) {
  if (is_open(sources, "quantization")) return true;
  if (facts.quantization && is_written(facts.quantization->from)) return false;
  return facts.model && model::names_quantized_weights(facts.model->value);
}

/// A part that is kept as it is may be most of a model whose parts nobody knows. Of a model that
/// reads images beside text they are known, and one that reads text alone has no tower.
bool freezes_unknown_part(const TrainingPlan& facts, const model::ModelLibrary::Found* model) {
  const auto is_stated = [](const Maybe<bool>& fact, bool value) {
    return fact && is_written(fact->from) && fact->value == value;
  };
  if (model != nullptr && has_dimension(*model, "images")) return false;
  if (is_stated(facts.freeze_language, true)) return true;
  if (!is_stated(facts.freeze_vision, true)) return false;
  return model != nullptr ? has_dimension(*model, "image_size")
                          : !is_stated(facts.freeze_language, false);
}

/// The weights, or most of them; what code says of each layer is not open.
bool may_be_frozen(const FactSources& sources, const TrainingPlan& facts,
                   const model::ModelLibrary::Found* model) {
  if (facts.adapter || (model != nullptr && model->followed > 0)) return false;
  return is_open(sources, "adapter") || freezes_unknown_part(facts, model);
}

/// The network of the project that is trained and was not counted, where the model that the run
/// names may be a part of it; "" = there is none.
std::string_view network_around(const TrainingPlan& facts,
                                const model::ModelLibrary::Found& model) {
  const std::string_view own = text_of(facts.own_network);
  // What the project's own settings or the command line name is meant.
  const bool ordered = facts.model && facts.model->from.origin == Origin::project;
  // A geometry that the config states is that of its own network.
  const bool is_its_own = model.followed > 0 || (model.is_stated && model.is_family);
  return ordered || own == kOff || is_its_own ? std::string_view() : own;
}

bool has_one_gpu(const Host* host) { return host != nullptr && host->gpu_count == 1; }

/// A machine with one GPU gives a run no more.
void add_host_facts(const RunTarget& target, const FactSources& sources, TrainingPlan& facts) {
  if (!has_one_gpu(target.host) || facts.gpus_per_node) return;
  if (is_open(sources, "gpus_per_node")) return;
  facts.gpus_per_node =
      Fact<std::int64_t>{1, {.origin = Origin::derived, .detail = target.host->id + " has 1 GPU"}};
  derive(facts, sources.states);
}

/// What was stated of the GPU's memory is said of that GPU.
bool is_of_other_gpu(const TrainingPlan& given, const RunTarget& from, const RunTarget& to) {
  return given.gpu_memory && from.gpu != nullptr && to.gpu != nullptr && from.gpu->id != to.gpu->id;
}

/// A model that nothing else names is called as the project's code or config calls its network. Last,
/// because a class of the project says nothing of a model that has the same name elsewhere.
void name_by_network(TrainingPlan& facts) {
  if (facts.network && !facts.model) facts.model = std::exchange(facts.network, std::nullopt);
}

}  // namespace

ResolvedRun ResolvedRun::resolve(std::shared_ptr<const FactSources> sources, TrainingPlan completed,
                                 const KnownModels* models, RunTarget target,
                                 const model::ModelLibrary::Found* forced) {
  auto state = std::make_shared<State>();
  state->models = models;
  state->target = target;
  state->facts = std::move(completed);
  if (forced != nullptr) {
    state->model = *forced;
  } else if (models != nullptr) {
    if (state->facts.model) state->model = models->find(state->facts.model->value);
    // A file's name says nothing beside a model that is named, or beside a geometry that is not
    // that of its model.
    const bool by_file = models->network() && !models->network()->is_stated;
    const bool is_contradicted =
        by_file && alters_model(*models->network(), state->facts).value_or(false);
    const bool by_command = state->facts.model &&
                            state->facts.model->from.origin == Origin::project &&
                            !state->facts.model->from.span.known();
    if (!state->model && !by_command && !is_contradicted && !(by_file && state->facts.model))
      state->model = models->network();
    if (state->model && is_part_of(models->network(), *state->model))
      state->model = models->network();
    // What the project's own settings or the command line name is meant.
    const bool ordered = state->facts.model && state->facts.model->from.origin == Origin::project;
    if (models->network() && models->network()->replaces_named && !(ordered && state->model))
      state->model = models->network();
    // Of what is built around a named model all may be known; of the model beside it, a part is.
    const auto& own = models->network();
    const bool is_whole = own && own->followed > 0 && own->missing.empty();
    const bool is_part = is_whole && !ordered && state->model && state->model->followed <= 0 &&
                         (!network_around(state->facts, *state->model).empty() ||
                          layers_around(*models, state->facts, *state->model));
    if (is_part) state->model = own;
    if (!state->model || (state->model->followed > 0 && !state->model->missing.empty()))
      if (auto found = known_by_count(*models, state->facts)) state->model = std::move(found);
  }
  add_host_facts(target, *sources, state->facts);
  if (!state->model) add_size_of_name(models, state->facts);
  if (state->model) {
    const Maybe<std::int64_t> counted = state->facts.parameters;
    const Maybe<std::int64_t> trained = state->facts.trainable_parameters;
    if (state->model->followed <= 0) {
      forget_counted(state->facts);
      if (const auto own = network_around(state->facts, *state->model); !own.empty()) {
        state->model->missing.push_back(fmt::format("what {} makes of it", own));
        const bool is_loaded = state->facts.model && is_taken_by_code(state->facts.model->from);
        state->own_network = is_loaded ? OwnNetwork::holds_model : OwnNetwork::may_hold_model;
      }
      if (auto around = layers_around(*models, state->facts, *state->model))
        state->model->missing.push_back(std::move(*around));
    }
    add_model_facts(*models, *state->model, sources->states, state->facts);
    if (!state->facts.parameters) {  // of its widths alone nobody can tell
      state->facts.parameters = counted;
      if (!state->facts.trainable_parameters) state->facts.trainable_parameters = trained;
    }
    derive(state->facts, sources->states);
  }
  name_by_network(state->facts);
  state->nodes_open = is_open(*sources, "nodes") && !state->facts.nodes;
  state->layout = layout_of(state->facts, target.host, state->nodes_open);
  state->adapter = Adapter::of(
      state->facts, may_be_frozen(*sources, state->facts, state->model ? &*state->model : nullptr));
  state->may_be_quantized = is_openly_quantized(*sources, state->facts);
  state->optimizer = Optimizer::of(state->facts, state->adapter);
  state->implementation = implementation_of(state->facts);
  state->engine = engine_of(state->facts);
  state->sources = std::move(sources);
  return ResolvedRun(std::move(state));
}

bool ResolvedRun::is_unreadable(const FactRow& fact) const {
  return is_blocked(*state_->sources, fact);
}

bool ResolvedRun::may_offload() const {
  const Maybe<std::string>& known = facts().offload;
  return !known && is_unreadable(*find_fact("offload_optimizer"));
}

ResolvedRun ResolvedRun::of(const Plan& plan, const KnownModels* models, RunTarget target) {
  if (plan.sources == nullptr) return of(plan.facts, models, target);
  return resolve(plan.sources, plan.facts, models, target);
}

ResolvedRun ResolvedRun::of(const TrainingPlan& written, const KnownModels* models,
                            RunTarget target) {
  auto sources = std::make_shared<FactSources>();
  sources->given = written;
  TrainingPlan completed = complete(*sources);
  return resolve(std::move(sources), std::move(completed), models, target);
}

ResolvedRun ResolvedRun::with(const FactChanges& changes, Origin origin) const {
  auto sources = std::make_shared<FactSources>(*state_->sources);
  change(changes, origin, sources->given);
  TrainingPlan completed = complete(*sources);
  return resolve(std::move(sources), std::move(completed), state_->models, state_->target);
}

std::vector<ResolvedRun> ResolvedRun::others() const {
  std::vector<ResolvedRun> runs;
  if (!state_->model) return runs;
  for (const model::ModelLibrary::Found& other : state_->model->others) {
    runs.push_back(resolve(state_->sources, complete(*state_->sources), state_->models,
                           state_->target, &other));
  }
  return runs;
}

ResolvedRun ResolvedRun::on(RunTarget target) const {
  const bool of_other = is_of_other_gpu(state_->sources->given, state_->target, target);
  if (of_other || has_one_gpu(target.host) != has_one_gpu(state_->target.host)) {
    auto sources = std::make_shared<FactSources>(*state_->sources);
    if (of_other) sources->given.gpu_memory.reset();
    TrainingPlan completed = complete(*sources);
    return resolve(std::move(sources), std::move(completed), state_->models, target);
  }
  auto state = std::make_shared<State>(*state_);
  state->target = target;
  state->layout = layout_of(state->facts, target.host, state->nodes_open);
  return ResolvedRun(std::move(state));
}

}  // namespace gpulint

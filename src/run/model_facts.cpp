#include "run/model_facts.h"

#include "plan/fact_table.h"
#include "run/fact_access.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace gpulint {
namespace {

using Found = model::ModelLibrary::Found;
using Dimensions = std::map<std::string, expr::Value>;

/// The dimension of model_db (named as in Hugging Face's config.json) behind a fact.
struct DimensionFact {
  std::string_view dimension;
  std::string_view fact;
  Maybe<std::int64_t> TrainingPlan::*member;
};
constexpr std::array kDimensionFacts = {
    DimensionFact{"hidden_size", "hidden_size", &TrainingPlan::hidden_size},
    DimensionFact{"num_hidden_layers", "num_hidden_layers", &TrainingPlan::num_hidden_layers},
    DimensionFact{"num_attention_heads", "num_attention_heads", &TrainingPlan::num_attention_heads},
    DimensionFact{"num_key_value_heads", "num_key_value_heads", &TrainingPlan::num_key_value_heads},
    DimensionFact{"intermediate_size", "intermediate_size", &TrainingPlan::intermediate_size},
    DimensionFact{"max_position_embeddings", "max_position_embeddings",
                  &TrainingPlan::max_position_embeddings},
    // Of a network that reads something else and writes text.
    DimensionFact{"max_target_positions", "max_position_embeddings",
                  &TrainingPlan::max_position_embeddings},
    DimensionFact{"head_dim", "head_size", &TrainingPlan::head_size},
    DimensionFact{"num_experts", "num_experts", &TrainingPlan::num_experts},
    DimensionFact{"num_experts_per_tok", "moe_top_k", &TrainingPlan::moe_top_k},
    DimensionFact{"vocab_size", "vocab_size", &TrainingPlan::vocab_size},
};

std::optional<std::int64_t> whole(const Dimensions& dimensions, std::string_view name) {
  const auto at = dimensions.find(std::string(name));
  if (at == dimensions.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&at->second.data);
  if (number == nullptr || *number < 1) return std::nullopt;
  return *number;
}

bool is_blocked(std::span<const FactState> states, std::string_view fact) {
  if (states.empty()) return false;
  const FactRow* row = find_fact(fact);
  return states[static_cast<std::size_t>(row - fact_table().data())] == FactState::blocked;
}

/// The model's own dimensions with those the run states laid over. `changed`: some differ; unknown
/// where the run states none that the model has.
Dimensions stated_over(const Found& model, const TrainingPlan& facts,
                       std::optional<bool>& changed) {
  Dimensions given = model.entry.dimensions;
  const Dimensions own = model::dimensions_of(*model.program, given);
  for (const DimensionFact& each : kDimensionFacts) {
    const Maybe<std::int64_t>& fact = facts.*each.member;
    const auto stated = at_least(fact, 1);
    const auto of_model = whole(own, each.dimension);
    if (!stated || !of_model || !is_written(fact->from)) continue;
    changed = changed.value_or(false) || *stated != *of_model;
    if (*stated != *of_model) given[std::string(each.dimension)] = *stated;
  }
  return given;
}

/// Without a table of positions their number bounds nothing (BLOOM's slopes, relative distances).
bool has_position_table(const Dimensions& all) {
  const auto learned = all.find("learned_positions");
  return learned == all.end() || learned->second != expr::Value(false);
}

/// Programs divide the width by the heads and drop the remainder; a stated width or number of heads
/// that leaves one has no head of that size.
bool is_head_of_remainder(const Dimensions& given, const Dimensions& all) {
  const auto hidden = whole(all, "hidden_size");
  const auto heads = whole(all, "num_attention_heads");
  if (given.count("head_dim") != 0 || !hidden || !heads || *hidden % *heads == 0) return false;
  return whole(all, "head_dim") == *hidden / *heads;
}

std::optional<std::int64_t> parameters_of(const KnownModels& models, const Found& model,
                                          Dimensions dimensions, bool changed) {
  if (const auto exact = model.entry.exact_parameters(); !changed && exact) return exact;
  return models.parameters_with(model, std::move(dimensions));
}

/// Networks that cut images into patches are named by the side of a patch, of a window perhaps, and
/// then of the images their positions are for: `swin_tiny_patch4_window7_224`.
std::optional<std::int64_t> image_size_of_name(std::string_view name) {
  std::optional<std::int64_t> side;
  bool follows_patch = false;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("_-./", begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = error == std::errc() && rest == word.data() + word.size();
    if (follows_patch && is_number && number > 0) side = number;
    follows_patch = word.starts_with("patch") || word.starts_with("window");
    begin = end + 1;
  }
  return side;
}

bool reads_tokens(const Found& model) {
  const auto& inputs = model.program->inputs;
  return !inputs.empty() && inputs.front().integers;
}

}  // namespace

std::optional<bool> alters_model(const Found& model, const TrainingPlan& facts) {
  if (model.is_stated && model.is_family) return true;  // the run's own by its geometry
  std::optional<bool> changed;
  stated_over(model, facts, changed);
  return changed;
}

void add_model_facts(const KnownModels& models, const Found& model,
                     std::span<const FactState> states, TrainingPlan& facts) {
  std::optional<bool> altered;
  const Dimensions given = stated_over(model, facts, altered);
  const bool changed = altered.value_or(false);
  const Dimensions all = model::dimensions_of(*model.program, given);
  const auto set = [&](std::string_view name, Maybe<std::int64_t>& fact,
                       std::optional<std::int64_t> value) {
    if (fact || !value || is_blocked(states, name)) return;
    fact = Fact<std::int64_t>{*value, {.origin = Origin::model, .detail = model.entry.path}};
  };
  for (const DimensionFact& each : kDimensionFacts) {
    // Captions and transcripts have a vocabulary too; only tokens as input make samples of text.
    if (each.dimension == "vocab_size" && !reads_tokens(model)) continue;
    if (each.dimension == "max_position_embeddings" && !has_position_table(all)) continue;
    const bool sized_by_run = changed || model.is_stated;
    if (each.dimension == "head_dim" && sized_by_run && is_head_of_remainder(given, all)) continue;
    set(each.fact, facts.*each.member, whole(all, each.dimension));
  }
  if (all.count("image_size") != 0 && facts.model && !facts.image_width)
    set("image_size", facts.image_size, image_size_of_name(facts.model->value));
  if (!facts.parameters)
    set("parameters", facts.parameters, parameters_of(models, model, given, changed));
}

}  // namespace gpulint

#include "report/conditions_text.h"

#include "base/text.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

std::string values_text(const std::vector<std::string>& values) {
  if (values.size() == 1) return values.front();
  if (values.size() == 2) return fmt::format("{} or {}", values.front(), values.back());
  return fmt::format("{} to {}", values.front(), values.back());
}

/// "no sharding", "ZeRO-2 or ZeRO-3", or the engine with the number of its stage. `engine`: nullptr
/// where none is named.
std::string stages_text(const std::vector<std::string>& stages, const SupposedFact* engine) {
  std::vector<std::string> words;
  for (const std::string& stage : stages) {
    if (stage == "0") {
      words.emplace_back("no sharding");
    } else if (engine != nullptr) {
      words.push_back(fmt::format("{} stage {}", join(engine->values, " or "), stage));
    } else {
      words.push_back(stage == "3" ? std::string(kSplitsAllStates) : "ZeRO-" + stage);
    }
  }
  return join(words, " or ");
}

std::string precision_text(const SupposedFact& mixed, const SupposedFact& weights) {
  if (mixed.values.front() == "none") return weights.values.front();
  if (weights.values.front() == "fp32") return mixed.values.front() + " over fp32 weights";
  return weights.values.front() + " weights";
}

const SupposedFact* find(const Condition& condition, std::string_view fact) {
  const auto found = std::find_if(condition.facts.begin(), condition.facts.end(),
                                  [&](const SupposedFact& each) { return each.fact == fact; });
  return found == condition.facts.end() ? nullptr : &*found;
}

bool is_single(const SupposedFact* fact) { return fact != nullptr && fact->values.size() == 1; }

std::string words_of(const Condition& condition, const SupposedFact& fact) {
  const std::string values = values_text(fact.values);
  if (fact.fact == "sharding_stage") {
    return stages_text(fact.values, find(condition, "sharding_engine"));
  }
  if (fact.fact == "model") return "built like " + join(fact.values, " or ");
  if (fact.fact == "world_size") {
    return fmt::format("on {} GPU{}", values, values == "1" ? "" : "s");
  }
  if (fact.fact == "activation_checkpointing") {
    const std::string word = fact.values.front() == "none" ? "no" : fact.values.front();
    if (fact.values.size() == 1) return fmt::format("{} activation checkpointing", word);
  }
  if (fact.fact == "sequence_length" && find(condition, "variable_input_sizes") != nullptr) {
    return fmt::format("longest batch of {} tokens", values);
  }
  return fmt::format("{} {}", fact.fact, values);
}

bool is_said_by_another(const Condition& condition, std::string_view fact) {
  if (fact == "sharding_engine") return find(condition, "sharding_stage") != nullptr;
  if (fact == "parameters") return find(condition, "model") != nullptr;
  return fact == "variable_input_sizes" && find(condition, "sequence_length") != nullptr;
}

std::string amount_text(const Condition& condition) {
  if (!condition.bounded_above) return "from " + format_binary(condition.needed.low);
  return fmt::format("{} to {}", format_binary(condition.needed.low),
                     format_binary(condition.needed.high));
}

}  // namespace

std::string condition_words(const Condition& condition) {
  std::vector<std::string> words;
  const SupposedFact* mixed = find(condition, "mixed_precision");
  const SupposedFact* weights = find(condition, "weights_dtype");
  const bool together = is_single(mixed) && is_single(weights);
  for (const SupposedFact& fact : condition.facts) {
    if (is_said_by_another(condition, fact.fact)) continue;
    if (together && &fact == weights) continue;
    const bool both = together && &fact == mixed;
    std::string word = both ? precision_text(*mixed, *weights) : words_of(condition, fact);
    // "ZeRO-2 on 8 GPUs" is one thing.
    if (fact.fact == "world_size" && !words.empty()) {
      words.back().append(" ").append(word);
    } else {
      words.push_back(std::move(word));
    }
  }
  return join(words, ", ");
}

std::string conditions_text(std::span<const Condition> conditions) {
  if (conditions.empty()) return "";
  int widest = 0;
  int largest = 0;
  for (const Condition& condition : conditions) {
    widest = std::max(widest, display_width(condition_words(condition)));
    largest = std::max(largest, display_width(amount_text(condition)));
  }
  std::string text = "  what the open facts decide (VRAM per device):\n";
  for (const Condition& condition : conditions) {
    text += fmt::format("    {}  {}", pad_right(condition_words(condition), widest),
                        pad_left(amount_text(condition), largest));
    // Without a target there is no verdict.
    if (condition.verdict.deciding != Deciding::nothing) {
      text.append("  ").append(name_of(condition.verdict.fit));
    }
    text += "\n";
  }
  return text;
}

std::string devices_text(const LeastDevices& devices) {
  std::string text = fmt::format(
      "does not fit on fewer than {} GPUs of this kind, however its states are split (nothing "
      "moved to the host)",
      devices.least);
  if (devices.enough)
    text += fmt::format("; {} fits from {} on", kSplitsAllStates, *devices.enough);
  return text;
}

}  // namespace gpulint

#include "memory/vram_words.h"

#include "run/fact_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gpulint {
namespace {

std::string lower_bound_words(const ModelFootprint& footprint) {
  if (footprint.parameters <= 0 && footprint.refusal.empty()) {
    return "a lower bound: parameters are unknown, so only activations and what the framework "
           "itself takes are counted";
  }
  if (footprint.recomputes_blocks && footprint.saved_activations.high.count() > 0) {
    return "a lower bound: under activation checkpointing the tensors of one recomputed block come "
           "on top of the saved ones, and its size is unknown";
  }
  if (!footprint.refusal.empty()) return "a lower bound: " + footprint.refusal;
  return "a lower bound: activations are unknown, so only weights, gradients, optimizer state and "
         "what the framework itself takes are counted";
}

/// A network that was counted in the project's code can be recorded.
std::string record_words(const TrainingPlan& plan, const ModelFootprint& footprint) {
  const bool is_counted =
      plan.parameters && (plan.parameters->from.origin == Origin::code || is_sized_by_name(plan)) &&
      is_counted_in_code(*plan.parameters);
  if (!is_counted || footprint.basis != VramBasis::states_only) return {};
  return "; record the network with gpulint-record to have its activations (docs/models.md)";
}

/// Of a step that was followed in the project's code.
std::string lost_words(const std::vector<std::string>& parts) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t named = std::min(parts.size(), kMostNamed);
  std::string text = fmt::format(
      "; a lower bound: nobody could follow {}",
      fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (parts.size() > named) text += fmt::format(" and {} more", parts.size() - named);
  return text;
}

std::string missing_words(const ResolvedRun& run, const std::vector<std::string>& parts) {
  if (run.model() != nullptr && run.model()->followed > 0 && parts == run.model()->missing)
    return lost_words(parts);
  return fmt::format(
      "; a lower bound: the job also has {}, which is not counted (`vram_other` states what it "
      "takes)",
      fmt::join(parts, ", "));
}

std::string operators_words(const ModelFootprint& footprint, std::string_view evidence) {
  std::string text = fmt::format("computed from the operators of {}", footprint.description);
  if (footprint.model_scale.central != 1) {
    text += fmt::format(", scaled by {:.2f}: {} parameters are stated",
                        footprint.model_scale.central, footprint.parameters);
  }
  if (!evidence.empty()) text.append(" (").append(evidence).append(")");
  return text +
         "; the interval covers what the config leaves open, kernel workspaces, and the spread of "
         "the allocator and the CUDA context";
}

/// A frozen encoder writes what the network reads of a text, and is on the device unless its output
/// was stored.
bool reads_encoded_text(const ResolvedRun& run) {
  return run.model() != nullptr && has_dimension(*run.model(), "encoded_text") &&
         !is_true(run.facts().precomputed_inputs);
}

}  // namespace

std::vector<std::string> missing_parts(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  if (plan.vram_other) return {};
  std::vector<std::string> parts;
  if (run.model() != nullptr) parts = run.model()->missing;
  if (reads_encoded_text(run)) parts.push_back("the encoders of its texts");
  if (text_of(plan.objective) == "reinforcement") parts.push_back("the answers it generates");
  if (!plan.unmodelled_parts) return parts;
  for (const std::string& part : plan.unmodelled_parts->value) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

std::string explanation_of(const ResolvedRun& run, const ModelFootprint& footprint,
                           const ModelStates& states, const std::vector<std::string>& missing,
                           bool undecided) {
  std::string text;
  if (!footprint.activations_known) {
    text = lower_bound_words(footprint) + record_words(run.facts(), footprint);
  } else if (footprint.basis == VramBasis::operators) {
    text =
        operators_words(footprint, run.model() != nullptr ? run.model()->evidence : std::string());
  } else {
    text =
        "computed from stated parameters and activation bytes; the interval is how gradients "
        "and activations may overlap, the allocator's and the CUDA context's spread";
  }
  if (footprint.activations_known && undecided) text += kUndecidedWords;
  if (!states.sharding.empty()) text.append("; ").append(states.sharding);
  if (!missing.empty()) text += missing_words(run, missing);
  return text;
}

}  // namespace gpulint

#include "time/time_tensors.h"

#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::size_t kShownTensors = 3;

std::string shrinking(std::string_view kind, const TrainingPlan& plan) {
  if (kind == "softmax") return "attention_backend: sdpa never writes the scores";
  if (kind == "log_softmax") return "cross_entropy: chunked never writes all logits";
  const std::string_view mixed = text_of(plan.mixed_precision);
  if (mixed == "none" && !plan.weights_dtype) return "mixed precision halves it";
  return "activation checkpointing or a smaller batch";
}

}  // namespace

std::vector<LargeTensor> largest_tensors(const model::Tape& tape, const TrainingPlan& plan) {
  std::vector<const model::Storage*> kept;
  for (const model::Storage& storage : tape.storages()) {
    if (storage.saved && storage.kind == model::StorageKind::activation) kept.push_back(&storage);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
  if (kept.size() > kShownTensors) kept.resize(kShownTensors);
  std::vector<LargeTensor> result;
  for (const model::Storage* storage : kept) {
    const bool made = storage->created_by < tape.operators().size();
    const std::string_view kind =
        made ? name_of(tape.operators()[storage->created_by].kind) : "input";
    result.push_back(
        {fmt::format("output of {}", kind), Bytes::of(storage->bytes), shrinking(kind, plan)});
  }
  return result;
}

}  // namespace gpulint

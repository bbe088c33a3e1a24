// How much a PyTorch DataLoader holds. It sends its workers the indices of prefetch_factor x
// num_workers batches at the start and one more whenever the training loop takes a batch, so that
// never more than workers x prefetch batches are in flight (being built, waiting, or received out
// of order); the loop itself holds one more. At the end of an epoch nothing is in flight.
// Persistent workers then stay, without batches; others end. Source: torch/utils/data/dataloader.py
// (_reset, _try_put_index, _next_data).

#include "memory/loader.h"

#include "plan/layout.h"

#include <algorithm>

namespace gpulint {
namespace {

// Batches one rank sees in one epoch; a loader never has more of them in flight.
std::optional<std::int64_t> batches_per_epoch(const TrainingPlan& plan) {
  const auto samples = at_least(plan.dataset_samples, 1);
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const auto replicas = layout_of(plan).replicas;
  if (!samples || !batch || !replicas) return std::nullopt;
  const std::int64_t share = saturating_multiply(*batch, *replicas);
  return *samples / share + (*samples % share != 0 ? 1 : 0);
}

Loader make_loader(const TrainingPlan& plan, std::int64_t workers, const Interval& batch,
                   UnknownFacts& unknown) {
  Loader loader;
  loader.workers = workers;
  loader.batch = batch;
  loader.size_words = format_decimal(batch.central);
  if (workers == 0) return loader;
  const auto prefetch = at_least(plan.prefetch_factor, 1);
  loader.prefetch = prefetch.value_or(kDefaultPrefetchFactor);
  loader.prefetch_known = prefetch.has_value();
  if (!prefetch) unknown.push_back("prefetch_factor");
  loader.batches_in_flight = saturating_multiply(workers, loader.prefetch);
  return loader;
}

Interval evaluation_batch(const TrainingPlan& plan, const Interval& training) {
  const auto evaluated = at_least(plan.eval_batch_size, 1);
  const auto trained = at_least(plan.per_device_batch_size, 1);
  if (!evaluated || !trained) return training;
  return times(static_cast<double>(*evaluated) / static_cast<double>(*trained), training);
}

}  // namespace

std::optional<Loaders> loaders_of(const TrainingPlan& plan, UnknownFacts& unknown) {
  const auto workers = at_least(plan.num_workers, 0);
  const auto batch = batch_bytes(plan);
  if (!workers) unknown.push_back("num_workers");
  if (!batch) unknown.push_back("batch_bytes");
  if (!workers || !batch) return std::nullopt;

  Loaders loaders;
  loaders.training = make_loader(plan, *workers, *batch, unknown);
  if (const auto epoch = batches_per_epoch(plan)) {
    loaders.training.batches_in_flight = std::min(loaders.training.batches_in_flight, *epoch);
  }
  const auto eval_workers = at_least(plan.eval_num_workers, 0);
  if (!eval_workers && !at_least(plan.eval_batch_size, 1)) return loaders;
  loaders.evaluation =
      make_loader(plan, eval_workers.value_or(*workers), evaluation_batch(plan, *batch), unknown);
  // Evaluating every so many steps happens inside an epoch; otherwise an epoch usually ends first.
  if (at_least(plan.eval_steps, 1)) loaders.buffers_overlap = true;
  if (plan.persistent_workers) loaders.workers_overlap = plan.persistent_workers->value;
  if (loaders.buffers_overlap) loaders.workers_overlap = true;
  return loaders;
}

}  // namespace gpulint

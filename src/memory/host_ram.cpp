// Host memory of one machine: its ranks, their loaders, and what lies beside them. The loader
// buffers, ranks x workers x prefetch x batch bytes, are the only term most guides count and are
// reported on their own. Peaks of different moments are not added up: building the model on the
// host comes before the loaders fill.
//
// With pin_memory a batch lies in /dev/shm until a thread has copied it into pinned memory, whose
// allocator rounds every block up to a power of two and never gives one back. Centrally each batch
// in flight is counted once, at its larger (pinned) size; the upper end counts both.
// Worker processes are forked: their code and data are shared until touched. The lower ends of the
// per-process figures are what is certainly private, the upper ends a fresh import (spawn).

#include "memory/host_ram.h"

#include "memory/loader.h"
#include "memory/precision.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr double kGb = 1e9;
// Private memory of one forked worker; 0.2-0.5 GB is what a worker that imports torch anew takes.
constexpr Range kWorkerProcess{0.05 * kGb, 0.2 * kGb, 0.5 * kGb};
// Interpreter with torch 0.2-0.4 GB, CUDA's host side 0.5-2 GB (1.9 GB seen in pytorch#12873),
// further libraries up to 0.4 GB.
constexpr Range kMainProcess{0.7 * kGb, 1.55 * kGb, 2.8 * kGb};
// A bare server at the lower end; the A10G guide counts 3 GB for its system.
constexpr Range kOperatingSystem{0.5 * kGb, 1.5 * kGb, 3.0 * kGb};

enum class RamPart : std::uint8_t { loader_buffers, other };

struct RamTerm {
  std::string name;
  Interval bytes;
  std::string arithmetic;
  RamPart part = RamPart::other;
};
using RamTerms = std::vector<RamTerm>;

void add(RamTerms& terms, const char* name, const Interval& bytes, std::string arithmetic,
         RamPart part = RamPart::other) {
  if (bytes.high.count() == 0) return;
  terms.push_back({name, bytes, std::move(arithmetic), part});
}

Interval total_of(const RamTerms& terms) {
  Interval sum;
  for (const RamTerm& term : terms) sum = sum + term.bytes;
  return sum;
}

Bytes pinned_block(Bytes bytes) {
  constexpr std::int64_t kLargestPower = std::int64_t{1} << 62;
  if (bytes.count() <= 0) return Bytes{};
  if (bytes.count() > kLargestPower) return bytes;
  return Bytes::of(
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes.count()))));
}

Interval multiply(const Interval& bytes, std::int64_t count) {
  return {bytes.low * count, bytes.central * count, bytes.high * count};
}

std::string ranks_words(std::int64_t ranks) {
  return ranks == 1 ? std::string() : fmt::format("{} ranks x ", ranks);
}

std::string buffer_words(const Loader& loader, std::int64_t ranks) {
  const std::int64_t product = saturating_multiply(loader.workers, loader.prefetch);
  if (loader.batches_in_flight < product) {
    return fmt::format("{}{} batches of an epoch x {}", ranks_words(ranks),
                       loader.batches_in_flight, loader.size_words);
  }
  return fmt::format("{}{} workers x {} batches{} x {}", ranks_words(ranks), loader.workers,
                     loader.prefetch, loader.prefetch_known ? "" : " (PyTorch's default)",
                     loader.size_words);
}

Interval buffers(const Loader& loader, std::int64_t ranks) {
  Interval bytes = multiply(multiply(loader.batch, loader.batches_in_flight), ranks);
  // An unstated prefetch factor may have been set to as little as one batch in code.
  if (!loader.prefetch_known) {
    bytes.low = loader.batch.low * std::min(loader.workers, loader.batches_in_flight) * ranks;
  }
  return bytes;
}

// Which of two loaders counts where they may or may not be there at the same time.
Interval together(const Interval& training, const Interval& evaluation,
                  std::optional<bool> overlap) {
  if (overlap == true) return evaluation;
  const Interval more = {std::max(training.low, evaluation.low) - training.low,
                         std::max(training.central, evaluation.central) - training.central,
                         std::max(training.high, evaluation.high) - training.high};
  return overlap == false ? more : Interval{more.low, more.central, evaluation.high};
}

// The batch the loop works on, and with pinning what rounding adds and what both copies cost.
void add_copies(RamTerms& terms, const TrainingPlan& plan, const Loader& loader, std::int64_t ranks,
                UnknownFacts& unknown) {
  if (!plan.pin_memory) unknown.push_back("pin_memory");
  const bool pinned = is_true(plan.pin_memory);
  const bool maybe_pinned = pinned || !plan.pin_memory;
  const std::int64_t in_flight = loader.batches_in_flight;
  const std::int64_t held = saturating_add(in_flight, 1);
  const Bytes block = pinned_block(loader.batch.central);
  const Bytes largest = pinned_block(loader.batch.high);
  add(terms, "batch in use", multiply(loader.batch, ranks),
      fmt::format("{}1 batch x {}", ranks_words(ranks), loader.size_words));
  Interval copies;
  if (pinned) copies.central = (block - loader.batch.central) * held * ranks;
  if (maybe_pinned) {
    copies.high = ((largest - loader.batch.high) * held + loader.batch.high * in_flight) * ranks;
  }
  copies.high = std::max(copies.high, copies.central);
  add(terms, "pinned copies", copies,
      pinned
          ? fmt::format("{}{} {} x ({} - {})", ranks_words(ranks), held,
                        held == 1 ? "batch" : "batches", format_decimal(block), loader.size_words)
          : "if batches are pinned");
}

void add_workers(RamTerms& terms, const Loaders& loaders, std::int64_t ranks) {
  // While a worker collates, it holds the samples beside the batch made of them.
  const auto processes = [&](const Loader& loader) {
    const Interval collating{Bytes{}, Bytes{}, loader.batch.high};
    return multiply(times(1.0, kWorkerProcess) + collating,
                    saturating_multiply(loader.workers, ranks));
  };
  Interval bytes = processes(loaders.training);
  std::int64_t count = saturating_multiply(loaders.training.workers, ranks);
  if (loaders.evaluation) {
    bytes = bytes + together(bytes, processes(*loaders.evaluation), loaders.workers_overlap);
    const std::int64_t evaluating = saturating_multiply(loaders.evaluation->workers, ranks);
    count = loaders.workers_overlap == true ? saturating_add(count, evaluating)
                                            : std::max(count, evaluating);
  }
  add(terms, "worker processes", bytes,
      fmt::format("{} {} x {}", count, count == 1 ? "process" : "processes",
                  format_decimal(times(1.0, kWorkerProcess).central)));
}

void add_dataset(RamTerms& terms, const TrainingPlan& plan, std::int64_t workers,
                 std::int64_t ranks, UnknownFacts& unknown) {
  if (!is_true(plan.dataset_in_ram)) return;
  std::optional<Bytes> dataset = positive(plan.dataset_bytes);
  const auto sample = positive(plan.sample_bytes);
  const auto samples = at_least(plan.dataset_samples, 1);
  if (!dataset && sample && samples) dataset = *sample * *samples;
  if (!dataset) {
    unknown.push_back("dataset_bytes");
    return;
  }
  // Arrays stay shared with forked workers; Python objects are copied into each of them as their
  // reference counts are touched.
  const Bytes shared = *dataset * ranks;
  const Bytes copied = shared * saturating_add(workers, 1);
  add(terms, "dataset", {shared, shared, copied},
      fmt::format("{}{}, shared by the workers of a rank", ranks_words(ranks),
                  format_decimal(*dataset)));
}

void add_offload(RamTerms& terms, const ResolvedRun& run, const ModelStates* states) {
  if (states == nullptr) return;
  const TrainingPlan& plan = run.facts();
  add(terms, "offloaded model states", offloaded_to_host(run, *states),
      fmt::format("{}{}", ranks_words(run.layout().ranks_on_host),
                  format_decimal(states->host_memory.central)));
  const auto parameters = at_least(plan.parameters, 1);
  if (parameters && at_least(plan.sharding_stage, 3)) {
    // One rank of the run gathers the whole fp32 network to save it.
    add(terms, "checkpoint gathering", {Bytes{}, Bytes{}, Bytes::of(4) * *parameters},
        "one full copy on the first host");
  }
}

// Building the network before it moves to the GPU, and the state dict it is loaded from. Ranks that
// hold parts of the weights build or read their part only (meta devices, shards of a checkpoint,
// one rank that hands the others theirs): centrally the ranks of a host take one copy of the
// network together, or their share of it. The lower end is a network that is created on the device,
// the upper one a whole copy and its state dict on every rank.
Interval model_loading(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  const Layout& layout = run.layout();
  const auto parameters = at_least(plan.parameters, 1);
  if (!parameters) return {};
  const std::int64_t ranks = layout.ranks_on_host;
  const bool half = is_half(text_of(plan.weights_dtype));
  const Bytes copy = Bytes::of(half ? 2 : 4) * *parameters;
  const bool gathers = at_least(plan.sharding_stage, 3).has_value();
  const std::int64_t pieces =
      saturating_multiply(saturating_multiply(layout.weight_ranks(), layout.expert),
                          gathers ? layout.same_weights() : 1);
  if (pieces > 1) {
    const double share = std::min(1.0, static_cast<double>(ranks) / static_cast<double>(pieces));
    return {Bytes{}, Bytes::rounded(copy.as_double() * share), copy * ranks * 2};
  }
  // Sharded over nobody knows how many ranks.
  if (gathers && !layout.replicas) return {Bytes{}, Bytes{}, copy * ranks * 2};
  return {Bytes{}, copy * ranks, copy * ranks * 2};
}

RamTerms standing_terms(std::int64_t ranks) {
  RamTerms terms;
  add(terms, "main processes", times(static_cast<double>(ranks), kMainProcess),
      fmt::format("{} x {}", ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks),
                  format_decimal(times(1.0, kMainProcess).central)));
  add(terms, "operating system", times(1.0, kOperatingSystem), {});
  return terms;
}

RamTerms training_terms(const ResolvedRun& run, const Loaders& loaders, const ModelStates* states,
                        UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  const std::int64_t ranks = run.layout().ranks_on_host;
  RamTerms terms;
  const Interval training = buffers(loaders.training, ranks);
  add(terms, "loader buffers", training, buffer_words(loaders.training, ranks),
      RamPart::loader_buffers);
  if (loaders.evaluation) {
    const Interval more =
        together(training, buffers(*loaders.evaluation, ranks), loaders.buffers_overlap);
    add(terms, "evaluation loader buffers", more, buffer_words(*loaders.evaluation, ranks),
        RamPart::loader_buffers);
  }
  add_copies(terms, plan, loaders.training, ranks, unknown);
  add_workers(terms, loaders, ranks);
  add_dataset(terms, plan, loaders.training.workers, ranks, unknown);
  add_offload(terms, run, states);
  const RamTerms standing = standing_terms(ranks);
  terms.insert(terms.end(), standing.begin(), standing.end());
  return terms;
}

Bytes shm_needed(const Loaders& loaders, std::int64_t ranks) {
  const auto of = [&](const Loader& loader) {
    if (loader.workers == 0) return Bytes{};
    return loader.batch.central * saturating_add(loader.batches_in_flight, 1) * ranks;
  };
  const Bytes training = of(loaders.training);
  if (!loaders.evaluation) return training;
  const Bytes evaluation = of(*loaders.evaluation);
  return loaders.buffers_overlap == true ? training + evaluation : std::max(training, evaluation);
}

void publish(const RamTerms& terms, RamEstimate& ram) {
  ram.terms.reserve(terms.size());
  for (const RamTerm& term : terms) {
    if (term.bytes.central.count() == 0) continue;
    ram.terms.push_back({term.name, term.bytes.central, term.arithmetic});
  }
}

// The user's own figure for everything but the loaders; our complete budget is kept beside it.
void use_stated_rest(Bytes rest, const RamTerms& own, RamEstimate& ram) {
  ram.own_total = ram.total.central;
  RamTerms terms;
  for (const RamTerm& term : own) {
    if (term.part == RamPart::loader_buffers) terms.push_back(term);
  }
  add(terms, "other host memory", exactly(rest), "host_ram_other");
  ram.total = total_of(terms);
  ram.needed = ram.total;
  ram.terms.clear();
  publish(terms, ram);
}

}  // namespace

std::optional<RamEstimate> host_ram(const ResolvedRun& run, const ModelStates* states,
                                    UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  const std::optional<Loaders> loaders = loaders_of(plan, unknown);
  if (!loaders) return std::nullopt;
  RamEstimate ram;
  ram.ranks = run.layout().ranks_on_host;
  if (!run.layout().ranks_on_host_known) unknown.push_back("gpus_per_node");
  RamTerms terms = training_terms(run, *loaders, states, unknown);
  const RamTerms working = terms;
  ram.total = total_of(terms);
  const Bytes surely_worked_with = ram.total.central;
  ram.shm = shm_needed(*loaders, ram.ranks);
  for (const RamTerm& term : terms) {
    if (term.part == RamPart::loader_buffers) ram.loader_buffers += term.bytes.central;
  }

  // Before the first batch the network itself passes through the host.
  const Interval loading = model_loading(run);
  if (loading.high.count() > 0) {
    RamTerms start = standing_terms(ram.ranks);
    add(start, "model loading", loading,
        fmt::format("{}{} parameters", ranks_words(ram.ranks), plan.parameters->value));
    const Interval before = total_of(start);
    if (before.central > ram.total.central) terms = std::move(start);
    ram.total = peak_of(ram.total, before);
  }
  ram.needed = ram.total;
  ram.needed.central = std::max(ram.total.low, surely_worked_with);
  publish(terms, ram);
  if (const auto rest = positive(plan.host_ram_other)) use_stated_rest(*rest, working, ram);
  return ram;
}

Interval offloaded_to_host(const ResolvedRun& run, const ModelStates& states) {
  return multiply(states.host_memory, run.layout().ranks_on_host);
}

std::optional<Bytes> available_ram(const TrainingPlan& plan, const Host* host) {
  if (const auto ram = positive(plan.ram)) return ram;
  return host != nullptr ? host->ram : std::nullopt;
}

std::optional<Bytes> available_shm(const TrainingPlan& plan, const Host* host) {
  if (const auto shm = positive(plan.shm)) return shm;
  if (host == nullptr) return std::nullopt;
  if (host->shm) return host->shm;
  const auto ram = available_ram(plan, host);
  if (!ram) return std::nullopt;
  return Bytes::of(ram->count() / 2);
}

}  // namespace gpulint

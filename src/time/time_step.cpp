// One optimizer step: the operators of the model forward, backward and, where blocks are
// recomputed, forward again, for every micro-batch; then the optimizer. Beside that a batch has to
// arrive, ranks exchange gradients and weights, and the host has to launch every kernel: a step is
// never shorter than its launches, nor than the loader takes to make its samples.

#include "time/time_step.h"

#include "memory/step_memo.h"
#include "run/fact_access.h"
#include "run/known_models.h"
#include "time/exchanges.h"
#include "time/time_micro_batch.h"
#include "time/time_parts.h"
#include "time/time_tensors.h"
#include "time/timed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gpulint {
namespace {

using model::Kernel;
using model::KernelKind;
using model::Operator;
using model::StorageKind;
using model::Tape;

// Time the host takes to launch one kernel in eager mode, autograd's bookkeeping included; about 5
// us at best (docs/estimator.md), more on older processors.
constexpr Range kLaunch{4e-6, 7e-6, 14e-6};  // seconds
// Passes over the input batch: mixup flips, scales both and adds; cutmix copies a part.
constexpr double kMixupPasses = 9;
constexpr double kCutmixPasses = 3;
constexpr double kSmoothingPasses = 3;  // over the log-probabilities
constexpr std::size_t kShownOperators = 5;

constexpr std::array<std::string_view, model::kKernelKinds> kTermNames = {
    "matrix products",
    "convolutions",
    "depthwise convolutions",
    "depthwise convolutions without cuDNN",
    "attention",
    "recurrent cells",
    "pointwise operators",
    "normalisation and softmax",
    "pooling and embedding",
    "layout changes around convolutions",
    "copies and casts"};

struct ModelSize {
  double parameters = 0;
  double trainable = 0;
  double tensors = 0;  // trainable ones
  double buffers = 0;  // tensors
  double gradient_bytes = 0;
  double input_bytes = 0;
  double block_bytes = 0;  // input of one checkpointing block
  double logits = 0;       // bytes
};

ModelSize size_of_model(const Tape& tape) {
  ModelSize size;
  for (std::size_t id = 0; id < tape.storages().size(); ++id) {
    const model::Storage& storage = tape.storages()[id];
    const auto times = static_cast<double>(tape.times_of_storage(id));
    const double bytes = static_cast<double>(storage.bytes) * times;
    if (storage.kind == StorageKind::input || storage.kind == StorageKind::target) {
      size.input_bytes += bytes;
    }
    if (storage.kind == StorageKind::buffer) size.buffers += times;
    if (storage.kind != StorageKind::parameter) continue;
    const double elements = bytes / static_cast<double>(model::size_of(storage.dtype));
    size.parameters += elements;
    if (!storage.trainable) continue;
    size.trainable += elements;
    size.gradient_bytes += bytes;
    size.tensors += times;
  }
  for (const model::Block& block : tape.blocks()) {
    size.block_bytes = std::max(size.block_bytes, static_cast<double>(block.input_bytes));
  }
  for (std::size_t i = 0; i < tape.operators().size(); ++i) {
    const Operator& op = tape.operators()[i];
    if (op.kind == model::OperatorKind::log_softmax)
      size.logits += static_cast<double>(op.bytes_moved * tape.times_of_operator(i)) / 2;
  }
  return size;
}

bool is_used(const Maybe<double>& strength) { return strength && strength->value > 0; }

/// Terms of one optimizer step, and how far each may be off.
class StepSum {
 public:
  void add(std::string_view name, const TimeInterval& time, std::string arithmetic = "") {
    add(name, Range{time.low.value, time.central.value, time.high.value}, std::move(arithmetic));
  }
  void add(std::string_view name, Range seconds, std::string arithmetic = "") {
    if (!(seconds.high > 0) || !std::isfinite(seconds.high)) return;
    total_ = total_ + seconds;
    terms_.push_back({std::string(name), Seconds{seconds.central}, std::move(arithmetic)});
  }
  const Range& total() const { return total_; }
  std::vector<TimeTerm> take_terms() { return std::move(terms_); }

 private:
  Range total_;
  std::vector<TimeTerm> terms_;
};

struct Situation {
  const EstimateRequest& request;
  const DeviceRates& rates;
  const Layout& layout;
  double samples = 1;        // of one rank and micro-batch
  double micro_batches = 1;  // per optimizer step
};

void add_kernels(StepSum& sum, const MicroBatch& micro, double scale) {
  for (std::size_t i = 0; i < kTermNames.size(); ++i) {
    sum.add(kTermNames[i], exactly(micro.seconds[i] * scale) * kOfPredicted);
  }
  sum.add("forward pass again under checkpointing",
          exactly(micro.recomputed * scale) * kOfPredicted);
}

void add_optimizer(StepSum& sum, const Situation& at, const ModelSize& size) {
  const TrainingPlan& plan = at.request.run.facts();
  const bool sharded = at_least(plan.sharding_stage, 1).has_value();
  const UpdatedTensors updated{
      size.trainable / static_cast<double>(at.layout.weight_ranks()) /
          (sharded ? static_cast<double>(at.layout.replicas.value_or(1)) : 1),
      size.tensors, size.buffers};
  const OptimizerWork work =
      optimizer_work(at.request.run, updated, text_of(plan.mixed_precision) == "fp16");
  const Kernel passes{KernelKind::pointwise, model::DType::fp32, 0, work.bytes, work.launches};
  const Range device = exactly(at.rates.time(passes).seconds) * kOfPredicted;
  const Range host = exactly(work.waits ? work.launches : 0) * kLaunch;
  sum.add("optimizer step",
          Range{std::max(device.low, host.low), std::max(device.central, host.central),
                std::max(device.high, host.high)},
          work.arithmetic);
}

void add_augmentation(StepSum& sum, const Situation& at, const ModelSize& size) {
  const TrainingPlan& plan = at.request.run.facts();
  const double of_batch =
      (is_used(plan.mixup) ? kMixupPasses : 0) + (is_used(plan.cutmix) ? kCutmixPasses : 0);
  const double of_logits = is_used(plan.label_smoothing) ? kSmoothingPasses : 0;
  const double seconds =
      at.rates.copy_seconds(of_batch * size.input_bytes + of_logits * size.logits);
  sum.add("mixup, cutmix and label smoothing", exactly(seconds * at.micro_batches) * kOfPredicted);
}

// Every micro-batch but the first adds its gradients to those before: reads both, writes one.
void add_accumulation(StepSum& sum, const Situation& at, const ModelSize& size) {
  const double bytes = 3 * size.gradient_bytes / static_cast<double>(at.layout.weight_ranks());
  sum.add("gradients added up over micro-batches",
          exactly(at.rates.copy_seconds(bytes * (at.micro_batches - 1))) * kOfPredicted);
}

// Plain data parallelism copies every gradient into a bucket and, reduced, back again, unless it
// lies there already, and every buffer out of those of the first rank (torch/csrc/distributed/c10d:
// reducer.cpp, copy_bucket_to_grad; comm.cpp, broadcast_coalesced).
void add_bucket_copies(StepSum& sum, const Situation& at, const ModelSize& size) {
  const TrainingPlan& plan = at.request.run.facts();
  const EngineTraits* engine = at.request.run.engine();
  const bool replicated =
      !plan.sharding_engine || (engine != nullptr && engine->states == StateLayout::replicated);
  const bool plain = !at_least(plan.sharding_stage, 1) && replicated;
  if (!plain || at.layout.replicas.value_or(1) <= 1 || is_true(plan.gradient_as_bucket_view))
    return;
  const double bytes = 4 * size.gradient_bytes / static_cast<double>(at.layout.weight_ranks());
  const double launches = 2 * size.tensors + size.buffers;
  const Kernel copies{KernelKind::copy, model::DType::fp32, 0, bytes, launches};
  sum.add("gradients copied into buckets and back",
          exactly(at.rates.time(copies).seconds) * kOfPredicted);
}

StepTraffic traffic_of(const Situation& at, const MicroBatch& micro, const ModelSize& size) {
  const TrainingPlan& plan = at.request.run.facts();
  const double share = 1 / static_cast<double>(at.layout.model_ranks());
  const std::string_view mixed = text_of(plan.mixed_precision);
  const bool half = !mixed.empty() && mixed != "none";
  const double parts = static_cast<double>(at.layout.weight_ranks());
  double gathered = size.parameters / parts * (half ? 2 : 4);
  if (size.trainable > 0) {
    gathered = std::min(gathered, size.parameters / parts * size.gradient_bytes / size.trainable);
  }
  return {.gradients = Bytes::rounded(size.gradient_bytes / parts),
          .gathered = Bytes::rounded(gathered),
          .boundary = Bytes::rounded(size.block_bytes / static_cast<double>(at.layout.context)),
          .layers = at_least(plan.num_hidden_layers, 1).value_or(1),
          .forward = Seconds{micro.forward * share},
          .backward = Seconds{(micro.backward + micro.recomputed) * share},
          .micro_batches = at.micro_batches};
}

void add_communication(StepSum& sum, const Situation& at, const MicroBatch& micro,
                       const ModelSize& size, UnknownFacts& unknown) {
  const Communication spent = communication(at.request.run.facts(), *at.request.run.gpu(),
                                            at.layout, traffic_of(at, micro, size), unknown);
  sum.add("exchange between ranks that nothing hides", spent.exposed, spent.arithmetic);
}

void add_waiting(StepSum& sum, const Situation& at, const MicroBatch& micro, double launches,
                 StepTime& step, UnknownFacts& unknown) {
  const TrainingPlan& plan = at.request.run.facts();
  const Range device = sum.total();
  const Range host = exactly(launches) * kLaunch;
  const auto beyond = [](double time, double cover) { return std::max(0.0, time - cover); };
  const Range launch_wait{beyond(host.low, device.low), beyond(host.central, device.central),
                          beyond(host.high, device.high)};
  sum.add("waiting for kernel launches", launch_wait,
          fmt::format("{:.0f} launches of {:.0f} us", launches, kLaunch.central * 1e6));
  step.bottleneck = static_cast<Bottleneck>(
      std::max_element(std::begin(micro.bound), std::end(micro.bound)) - std::begin(micro.bound));
  if (launch_wait.central > 0) step.bottleneck = Bottleneck::launches;
  step.loader = loader_rate(plan, at.layout, unknown);
  if (!step.loader) return;
  const double samples = at.samples * at.micro_batches;
  const Range computing = sum.total();
  const double loading = samples / step.loader->central.value;
  const bool serial = plan.num_workers && plan.num_workers->value == 0;
  const auto wait = [&](double cover) { return serial ? loading : beyond(loading, cover); };
  const Range waiting{wait(computing.low), wait(computing.central), wait(computing.high)};
  sum.add("waiting for data", waiting,
          fmt::format("{:.0f} samples at {:.4g} per second", samples, step.loader->central.value));
  if (waiting.central > computing.central / 2) step.bottleneck = Bottleneck::loading;
}

std::vector<OperatorTime> costliest(const MicroBatch& micro, double scale) {
  std::vector<OperatorTime> all;
  for (const auto& [key, entry] : micro.operators) all.push_back(entry);
  std::stable_sort(all.begin(), all.end(), [](const OperatorTime& a, const OperatorTime& b) {
    return a.time.value > b.time.value;
  });
  if (all.size() > kShownOperators) all.resize(kShownOperators);
  for (OperatorTime& entry : all) entry.time.value *= scale;
  return all;
}

StepTime step_from(const Tape& tape, const MicroBatch& micro, const Situation& at,
                   StepDetail detail, UnknownFacts& unknown) {
  const TrainingPlan& plan = at.request.run.facts();
  const ModelSize size = size_of_model(tape);
  const double share = 1 / (static_cast<double>(at.layout.model_ranks()));
  const double scale = share * at.micro_batches;
  StepTime step;
  StepSum sum;
  add_kernels(sum, micro, scale);
  add_augmentation(sum, at, size);
  add_accumulation(sum, at, size);
  add_optimizer(sum, at, size);
  if (at.layout.pipeline > 1) {  // stages idle while the first micro-batches come and the last go
    const double idle = (static_cast<double>(at.layout.pipeline) - 1) / at.micro_batches;
    sum.add("idle pipeline stages", exactly(idle) * exactly(sum.total().central) * kOfPredicted,
            fmt::format("({:.0f} stages - 1) / {:.0f} micro-batches",
                        static_cast<double>(at.layout.pipeline), at.micro_batches));
  }
  add_bucket_copies(sum, at, size);
  add_communication(sum, at, micro, size, unknown);
  const Bytes batch = Bytes::rounded(size.input_bytes);
  const TimeInterval transfer = batch_transfer(plan, *at.request.run.gpu(), batch);
  sum.add("batch to the device", times(at.micro_batches, transfer), format_decimal(batch));
  add_waiting(sum, at, micro,
              micro.launches * at.micro_batches / static_cast<double>(at.layout.pipeline), step,
              unknown);
  const Range total = sum.total();
  step.total = {Seconds{total.low}, Seconds{total.central}, Seconds{total.high}};
  if (detail == StepDetail::whole) {
    step.costliest = costliest(micro, scale);
    step.terms = sum.take_terms();
    step.largest_tensors = largest_tensors(tape, plan);
  }
  const double useful = micro.flops * scale / at.rates.peak();
  step.mfu = RatioInterval{useful / total.high, useful / total.central, useful / total.low};
  return step;
}

/// Other ways the step may run, as far as their kernels take longer or shorter.
void widen(const model::ModelLibrary::Found& found, const ModelDimensions& dimensions,
           std::span<const StepWay> ways, const Situation& at, const MicroBatch& usual,
           StepTime& step) {
  const TrainingPlan& plan = at.request.run.facts();
  const auto spent = [](const MicroBatch& m) { return m.forward + m.backward + m.recomputed; };
  const double central = spent(usual);
  for (const StepWay& way : ways) {
    if (!way.dimensions.empty() || way.merged_kernels) continue;
    const auto tape = steps_of(*at.request.run.models())
                          .tapes()
                          .run({found.program, dimensions, way.tape, way.execution});
    if (!tape || !(central > 0)) continue;
    const double ratio = spent(time_micro_batch(**tape, at.rates, plan, false)) / central;
    step.total.low.value =
        std::min(step.total.low.value, step.total.central.value * ratio * kOfPredicted.low);
    step.total.high.value =
        std::max(step.total.high.value, step.total.central.value * ratio * kOfPredicted.high);
  }
}

}  // namespace

std::optional<StepTime> predict_step_time(const EstimateRequest& request, UnknownFacts& unknown,
                                          StepDetail detail) {
  const auto run = timed_run(request, unknown);
  // What is missing takes time that nobody can tell, most of it perhaps.
  if (!run || !run->found.missing.empty()) return std::nullopt;
  const Situation at{request, run->rates, run->layout, run->samples, run->micro_batches};
  const MicroBatch micro =
      time_micro_batch(*run->tape, at.rates, request.run.facts(), detail == StepDetail::whole);
  StepTime step = step_from(*run->tape, micro, at, detail, unknown);
  if (!(step.total.central.value > 0) || !std::isfinite(step.total.high.value)) return std::nullopt;
  widen(run->found, run->dimensions, std::span(run->ways).subspan(1), at, micro, step);
  step.explanation =
      fmt::format("predicted from {} operators of {} at the rates {} achieves; not measured",
                  run->tape->whole_operators(), run->found.entry.id, request.run.gpu()->id);
  return step;
}

std::optional<std::vector<Exchange>> exchanges_of(const EstimateRequest& request,
                                                  UnknownFacts& unknown) {
  const auto run = timed_run(request, unknown);
  if (!run) return std::nullopt;
  const Situation at{request, run->rates, run->layout, run->samples, run->micro_batches};
  const MicroBatch micro = time_micro_batch(*run->tape, at.rates, request.run.facts(), false);
  return communication(request.run.facts(), *request.run.gpu(), at.layout,
                       traffic_of(at, micro, size_of_model(*run->tape)), unknown)
      .exchanges;
}

}  // namespace gpulint

#include "time/step_replay.h"

#include "memory/precision.h"
#include "model/fold.h"
#include "model/operator_cost.h"
#include "run/fact_access.h"
#include "time/time_step.h"
#include "time/timed_run.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace gpulint {
namespace {

using model::Kernel;
using model::KernelKind;
using model::Operator;

/// The handful that decides a step, in each of two formats, within the three seconds a replay has.
constexpr std::size_t kMostProducts = 8;
constexpr double kLeastShare = 0.002;  // of a step; less decides nothing
/// Operands and result of one timed product, and its operations at about 10 ms on a small card.
constexpr double kMostBytes = 512.0 * 1048576;
constexpr double kMostOperations = 1e11;
/// No side is cut below this: the product would no longer fill a device.
constexpr std::int64_t kLeastSide = 2048;
constexpr double kWidestValue = 4;  // bytes, of fp32
/// A product that moves a quarter more than its operator, for most of the operator's time, says
/// only how long that takes at most.
constexpr double kMoreBytes = 1.25;
constexpr double kMostOfTime = 0.8;

std::optional<ReplayKind> kind_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::matrix_product:
      return ReplayKind::matrix_product;
    case KernelKind::convolution:
      return ReplayKind::convolution;
    case KernelKind::attention:
      return ReplayKind::attention;
    default:
      return std::nullopt;
  }
}

bool is_pass(KernelKind kind) {
  switch (kind) {
    case KernelKind::pointwise:
    case KernelKind::normalisation:
    case KernelKind::pooling:
    case KernelKind::transposition:
    case KernelKind::copy:
      return true;
    default:
      return false;
  }
}

double operations(const ReplayProduct& p) {
  return 2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(p.depth);
}

double values(const ReplayProduct& p) {
  const auto rows = static_cast<double>(p.rows);
  const auto columns = static_cast<double>(p.columns);
  const auto depth = static_cast<double>(p.depth);
  return rows * depth + depth * columns + rows * columns;
}

double bytes_of_value(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return 8;
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp16:
    case Precision::bf16:
      return 2;
    case Precision::fp8:
    case Precision::int8:
      return 1;
  }
  return 4;
}

/// Half of a side, as well aligned as the whole: libraries run odd sizes by slower kernels.
std::int64_t halved(std::int64_t side) {
  constexpr std::int64_t kAligned = 64;  // values; no kernel asks for more
  const std::int64_t alignment = std::min(side & -side, kAligned);
  std::int64_t blocks = side / 2 / alignment;
  if (alignment < kAligned && blocks % 2 == 0) --blocks;
  return blocks * alignment;
}

/// Halves the longest side until the product can be timed; the time of large products grows with
/// their sides.
void cut(ReplayProduct& product) {
  while (kWidestValue * values(product) > kMostBytes || operations(product) > kMostOperations) {
    std::int64_t* longest = &product.rows;
    if (product.columns > *longest) longest = &product.columns;
    if (product.depth > *longest) longest = &product.depth;
    if (*longest < 2 * kLeastSide) return;
    *longest = halved(*longest);
  }
}

using Shape = std::tuple<ReplayKind, Precision, std::int64_t, std::int64_t, std::int64_t>;
struct Work {
  double operations = 0;
  double seconds = 0;
  double bytes = 0;
  double over_product = 1;
};

/// The work of one micro-batch on one device, by shape.
class WorkSum {
 public:
  WorkSum(const DeviceRates& rates, bool compiled) : rates_(rates), compiled_(compiled) {}

  void add(Kernel kernel) {
    if (compiled_) kernel = as_compiled(kernel);
    const double seconds = rates_.time(kernel).seconds;
    if (!(seconds > 0)) return;
    if (is_pass(kernel.kind)) {
      passes_.copy_bytes += rates_.as_copy(kernel);
      passes_.predicted.value += seconds;
      launches_ += kernel.launches;
      return;
    }
    const auto kind = kind_of(kernel.kind);
    const model::MatrixProduct& p = kernel.product;
    if (!kind || p.rows <= 0 || p.columns <= 0 || p.depth <= 0 || !(kernel.flops > 0)) return;
    // Products of a batch share their tiles among the multiprocessors as the rows of one do.
    const double rows =
        static_cast<double>(p.rows) * static_cast<double>(std::max<std::int64_t>(p.batch, 1));
    if (!(rows < 1e15)) return;
    Work& work = work_[{*kind, rates_.format_of(kernel.kind, kernel.dtype),
                        static_cast<std::int64_t>(rows), p.columns, p.depth}];
    work.operations += kernel.flops;
    work.seconds += seconds;
    work.bytes += kernel.bytes;
    work.over_product = rates_.over_product(kernel);
  }

  /// Everything `times` over.
  StepReplay replay(double times, const TimeInterval& step) const {
    StepReplay replay{.products = {}, .passes = passes_, .step = step};
    replay.passes.copy_bytes *= times;
    replay.passes.predicted.value *= times;
    if (launches_ > 0) replay.passes.pass_bytes = passes_.copy_bytes / launches_;
    for (const auto& [shape, work] : work_) {
      if (work.seconds * times < kLeastShare * step.central.value) continue;
      replay.products.push_back(product_of(shape, work, times));
    }
    std::stable_sort(
        replay.products.begin(), replay.products.end(),
        [](const auto& a, const auto& b) { return a.predicted.value > b.predicted.value; });
    if (replay.products.size() > kMostProducts) replay.products.resize(kMostProducts);
    return replay;
  }

 private:
  ReplayProduct product_of(const Shape& shape, const Work& work, double times) const {
    const auto [kind, precision, rows, columns, depth] = shape;
    ReplayProduct product{.kind = kind,
                          .precision = precision,
                          .rows = rows,
                          .columns = columns,
                          .depth = depth,
                          .over_product = work.over_product,
                          .predicted = Seconds{work.seconds * times}};
    const double moved =
        values(product) * bytes_of_value(precision) * work.operations / operations(product);
    product.reads_more =
        moved > kMoreBytes * work.bytes && rates_.copy_seconds(moved) > kMostOfTime * work.seconds;
    cut(product);
    product.repeats = work.operations * times / operations(product);
    return product;
  }

  const DeviceRates& rates_;
  bool compiled_;
  std::map<Shape, Work> work_;
  ReplayPasses passes_;
  double launches_ = 0;
};

std::optional<StepReplay> replay_of(const EstimateRequest& request, UnknownFacts& unknown) {
  const auto run = timed_run(request, unknown);
  if (!run) return std::nullopt;
  const auto step = predict_step_time(request, unknown);
  if (!step) return std::nullopt;
  const model::Tape tape = model::unfold(*run->tape);
  const model::OperatorCosts costs(tape, is_true(request.run.facts().channels_last));
  WorkSum sum(run->rates, is_true(request.run.facts().compile));
  for (std::uint32_t i = 0; i < tape.operators().size(); ++i) {
    const Operator& op = tape.operators()[i];
    const bool again = op.block != 0 && tape.blocks()[op.block - 1].recomputed;
    for (int pass = 0; pass < (again ? 2 : 1); ++pass) {
      for (const Kernel& kernel : costs.forward(i)) sum.add(kernel);
    }
    for (const Kernel& kernel : costs.backward(i)) sum.add(kernel);
  }
  StepReplay replay = sum.replay(run->micro_batches * run->share(), step->total);
  if (replay.products.empty()) return std::nullopt;
  return replay;
}

}  // namespace

std::string_view name_of(ReplayKind kind) {
  switch (kind) {
    case ReplayKind::matrix_product:
      return "matrix product";
    case ReplayKind::convolution:
      return "convolution as a product";
    case ReplayKind::attention:
      return "attention as its products";
  }
  return "";
}

double StepReplay::replayed_share() const {
  double seconds = passes.predicted.value;
  for (const ReplayProduct& product : products) seconds += product.predicted.value;
  return step.central.value > 0 ? seconds / step.central.value : 0;
}

std::optional<StepReplayPlan> plan_step_replay(const EstimateRequest& request,
                                               UnknownFacts& unknown) {
  if (request.run.gpu() == nullptr) return std::nullopt;
  const std::string half_format = request.run.gpu()->bf16_native ? "bf16" : "fp16";
  EstimateRequest changed = request;
  const bool runs_half = runs_in_half_precision(request.run.facts());
  changed.run = request.run.with(
      {{"weights_dtype", ""}, {"mixed_precision", runs_half ? "none" : half_format}});
  auto own = replay_of(request, unknown);
  UnknownFacts ignored;
  auto opposite = replay_of(changed, ignored);
  if (!own || !opposite) return std::nullopt;
  const std::string_view stated = text_of(request.run.facts().mixed_precision);
  const bool named = stated == "bf16" || stated == "fp16" || stated == "fp8";
  StepReplayPlan plan;
  plan.runs_half = runs_half;
  plan.figures = request.run.gpu()->measured_on.empty()
                     ? "the database"
                     : "this machine, measured " + request.run.gpu()->measured_on;
  plan.half_format = runs_half && named ? std::string(stated) : half_format;
  plan.full = runs_half ? std::move(*opposite) : std::move(*own);
  plan.half = runs_half ? std::move(*own) : std::move(*opposite);
  return plan;
}

}  // namespace gpulint

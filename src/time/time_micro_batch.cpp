// The kernels of one micro-batch, each in the time the device takes for it.

#include "time/time_micro_batch.h"

#include "run/fact_access.h"
#include "time/timed_run.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace gpulint {
namespace {

using model::Kernel;
using model::KernelKind;
using model::KernelList;
using model::Operator;
using model::Tape;

class Stopwatch {
 public:
  Stopwatch(const DeviceRates& rates, bool compiled) : rates_(rates), compiled_(compiled) {}

  /// The time of one such kernel, of which there are `times`.
  KernelTime add(MicroBatch& sum, Kernel kernel, double times = 1) const {
    if (compiled_) kernel = as_compiled(kernel);
    const KernelTime time = rates_.time(kernel);
    if (time.seconds <= 0) return time;
    sum.launches += kernel.launches * times;
    sum.bound[static_cast<std::size_t>(time.bottleneck)] += time.seconds * times;
    return time;
  }

 private:
  const DeviceRates& rates_;
  bool compiled_;
};

std::string operator_name(const Operator& op) {
  const model::MatrixProduct& p = op.product;
  if (p.rows <= 0)
    return fmt::format("{} over {}", name_of(op.kind), format_decimal(Bytes::of(op.bytes_moved)));
  const std::string times = p.batch > 1 ? fmt::format("{} x ", p.batch) : "";
  return fmt::format("{} {}[{} x {}] [{} x {}]", name_of(op.kind), times, p.rows, p.depth, p.depth,
                     p.columns);
}

}  // namespace

MicroBatch time_micro_batch(const Tape& tape, const DeviceRates& rates, const TrainingPlan& plan,
                            bool list_operators) {
  const model::OperatorCosts costs(tape, is_true(plan.channels_last));
  const bool compiled = is_true(plan.compile);
  const Stopwatch watch(rates, compiled);
  MicroBatch sum;
  for (std::uint32_t i = 0; i < tape.operators().size(); ++i) {
    const Operator& op = tape.operators()[i];
    const auto times = static_cast<double>(tape.times_of_operator(i));
    double spent = 0;
    std::pair<double, Bottleneck> longest{0, Bottleneck::memory};
    const auto run = [&](const KernelList& kernels) {
      double seconds = 0;
      for (const Kernel& kernel : kernels) {
        const KernelTime time = watch.add(sum, kernel, times);
        sum.seconds[static_cast<std::size_t>(kernel.kind)] += time.seconds * times;
        seconds += time.seconds * times;
        if (time.seconds > longest.first) longest = {time.seconds, time.bottleneck};
      }
      return seconds;
    };
    const KernelList forward_kernels = costs.forward(i);
    const double forward = run(forward_kernels);
    const double backward = run(costs.backward(i));
    sum.forward += forward;
    sum.backward += backward;
    sum.flops += (op.forward.value + op.backward.value) * times;
    spent = forward + backward;
    if (op.block != 0 && tape.blocks()[op.block - 1].recomputed) {
      sum.recomputed += forward;
      for (const Kernel& kernel : forward_kernels) sum.launches += kernel.launches * times;
      spent += forward;
    }
    if (!list_operators) continue;
    OperatorTime& entry = sum.operators[{name_of(op.kind), op.product, op.bytes_moved}];
    if (entry.count == 0) entry.name = operator_name(op);
    entry.count += tape.times_of_operator(i);
    entry.time.value += spent;
    entry.bottleneck = longest.second;
  }
  const Kernel casts = costs.weight_casts();
  if (casts.launches > 0) {
    const double seconds = watch.add(sum, casts).seconds;
    sum.seconds[static_cast<std::size_t>(KernelKind::copy)] += seconds;
    sum.forward += seconds / 2;
    sum.backward += seconds / 2;
  }
  const Kernel added = costs.weight_sums();
  if (added.bytes > 0) {
    const double seconds = watch.add(sum, added).seconds;
    sum.seconds[static_cast<std::size_t>(KernelKind::pointwise)] += seconds;
    sum.backward += seconds;
  }
  return sum;
}

}  // namespace gpulint

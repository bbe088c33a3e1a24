#include "device/step_replay.h"

#include "device/wire_step.h"
#include "probe/step_checks.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

using Clock = std::chrono::steady_clock;

ReplayProduct product(Precision precision, double predicted) {
  return {.kind = ReplayKind::matrix_product,
          .precision = precision,
          .rows = 4096,
          .columns = 4096,
          .depth = 1024,
          .repeats = 10,
          .over_product = 1,
          .predicted = Seconds{predicted}};
}

/// A step of 100 ms, 80 of them products and 10 passes; in fp32 one of 300 ms, 270 of them
/// products.
StepReplayPlan plan() {
  StepReplayPlan plan;
  plan.half.step = {Seconds{0.070}, Seconds{0.100}, Seconds{0.140}};
  plan.half.products = {product(Precision::bf16, 0.050), product(Precision::bf16, 0.030)};
  plan.half.passes = {.copy_bytes = 1e10, .pass_bytes = 1e8, .predicted = Seconds{0.010}};
  plan.full = plan.half;
  plan.full.step = {Seconds{0.210}, Seconds{0.300}, Seconds{0.435}};
  plan.full.products = {product(Precision::fp32, 0.170), product(Precision::fp32, 0.100)};
  plan.runs_half = true;
  plan.half_format = "bf16";
  plan.figures = "the database";
  return plan;
}

/// A device on which each 16-bit product takes `half` seconds, and each in fp32 `full`.
ReplayTimers device(double half, double full, bool exact = true, double noise = 0) {
  return {.product =
              [=](const ReplayProduct& p) {
                const double seconds = p.precision == Precision::bf16 ? half : full;
                return OneTiming{Seconds{seconds}, Seconds{noise}, exact};
              },
          .copy =
              [](Bytes bytes) {
                return OneTiming{Seconds{bytes.as_double() / 1e12}, Seconds{}, true};
              }};
}

StepReport replayed(const ReplayTimers& timers) {
  return replay_step(plan(), timers, Clock::now() + std::chrono::hours(1));
}

/// As predicted: 10 repeats of 4 ms, twice; in fp32 of 13.5 ms, twice.
constexpr double kHalf = 0.004;
constexpr double kFull = 0.0135;

const Check& check_of(const std::vector<Check>& checks, std::string_view name) {
  for (const Check& each : checks) {
    if (each.name == name) return each;
  }
  FAIL("no such check");
  return checks.front();
}

Verdict verdict(const ReplayTimers& timers, std::string_view name) {
  return check_of(check_step(replayed(timers), ""), name).judgement.verdict;
}

}  // namespace

TEST_CASE("a step is what was timed, and the rest as predicted") {
  const StepReport report = replayed(device(kHalf, kFull));
  CHECK(report.half.products.size() == 2);
  CHECK(report.half.timed_share() == doctest::Approx(0.9));
  // 2 x 10 x 4 ms, 10 GB at 1 TB/s, and the 10 ms that were not replayed.
  CHECK(report.half.measured().value == doctest::Approx(0.100));
  CHECK(report.full.measured().value == doctest::Approx(0.300));
  CHECK(report.not_timed.empty());
}

TEST_CASE("an operator takes longer than its product, by the factor of the estimate") {
  StepReplayPlan longer = plan();
  for (ReplayProduct& each : longer.half.products) each.over_product = 1.5;
  const StepReport report =
      replay_step(longer, device(kHalf, kFull), Clock::now() + std::chrono::hours(1));
  CHECK(report.half.products.front().time.measured.value == doctest::Approx(0.060));
}

TEST_CASE("the check of a step names what it is held against and how much of it was replayed") {
  const auto checks = check_step(replayed(device(kHalf, kFull)), "");
  CHECK(check_of(checks, "step_time").baseline ==
        "the estimate's step by figures of the database; 90 % of it replayed, the rest as "
        "estimated");
}

TEST_CASE("a step as predicted is confirmed, one that takes another time is contradicted") {
  CHECK(verdict(device(kHalf, kFull), "step_time") == Verdict::confirmed);
  CHECK(verdict(device(2.2 * kHalf, 2.2 * kFull), "step_time") == Verdict::contradicted);
  CHECK(verdict(device(0.3 * kHalf, 0.3 * kFull), "step_time") == Verdict::contradicted);
}

TEST_CASE("the speed-up of mixed precision is judged on the step's own shapes") {
  const auto checks = check_step(replayed(device(kHalf, kFull)), "");
  const Check& speedup = check_of(checks, "amp_speedup");
  CHECK(speedup.prediction.low == doctest::Approx(3));
  CHECK(speedup.measurement.value == doctest::Approx(3));
  CHECK(speedup.judgement.verdict == Verdict::confirmed);
  CHECK(speedup.baseline ==
        "the estimate's step in fp32, with TF32 as the run has it, over that in bf16");
  CHECK(verdict(device(kHalf, 0.7 * kFull), "amp_speedup") == Verdict::contradicted);
  CHECK(verdict(device(kHalf, 1.4 * kFull), "amp_speedup") == Verdict::contradicted);
}

TEST_CASE("kernels of our own never contradict a step that is predicted shorter") {
  const auto own = [](double factor) {
    return verdict(device(factor * kHalf, factor * kFull, false), "step_time");
  };
  CHECK(own(1.0) == Verdict::inconclusive);
  CHECK(own(5.0) == Verdict::inconclusive);
  // Faster than predicted even so: the prediction is wrong.
  CHECK(own(0.3) == Verdict::contradicted);
  CHECK(verdict(device(kHalf, 9 * kFull, false), "amp_speedup") == Verdict::inconclusive);
}

TEST_CASE("one format timed exactly and one bounded bound their ratio from one side") {
  const auto mixed = [](double half, double full, bool exact_half) {
    ReplayTimers timers = device(half, full);
    const auto exact = timers.product;
    timers.product = [=](const ReplayProduct& p) {
      auto once = exact(p);
      once->exact = (p.precision == Precision::bf16) == exact_half;
      return once;
    };
    return verdict(timers, "amp_speedup");
  };
  // The 16-bit step takes at most this: the speed-up is at least this.
  CHECK(mixed(0.5 * kHalf, kFull, false) == Verdict::contradicted);
  CHECK(mixed(2 * kHalf, kFull, false) == Verdict::inconclusive);
  // The fp32 step takes at most this: the speed-up is at most this.
  CHECK(mixed(kHalf, 0.5 * kFull, true) == Verdict::contradicted);
  CHECK(mixed(kHalf, 2 * kFull, true) == Verdict::inconclusive);
}

TEST_CASE("a product that reads more than its operator only bounds it") {
  StepReplayPlan windows = plan();
  for (ReplayProduct& each : windows.half.products) each.reads_more = true;
  const StepReport report =
      replay_step(windows, device(9 * kHalf, kFull), Clock::now() + std::chrono::hours(1));
  CHECK_FALSE(report.half.timed().exact);
  CHECK(check_of(check_step(report, ""), "step_time").judgement.verdict == Verdict::inconclusive);
}

TEST_CASE("what was timed exactly is judged by itself, whatever the rest only bounds") {
  CHECK(verdict(device(kHalf, kFull), "step_work") == Verdict::confirmed);
  CHECK(verdict(device(1.4 * kHalf, kFull), "step_work") == Verdict::contradicted);
  CHECK(verdict(device(0.7 * kHalf, kFull), "step_work") == Verdict::contradicted);
  // One product is attention, whose time is only a bound; the step is wide; the card half as fast.
  StepReplayPlan mixed = plan();
  mixed.half.products.back().reads_more = true;
  mixed.half.step.high = Seconds{0.9};
  const auto checks = check_step(
      replay_step(mixed, device(2 * kHalf, kFull), Clock::now() + std::chrono::hours(1)), "");
  CHECK(check_of(checks, "step_time").judgement.verdict == Verdict::inconclusive);
  CHECK(check_of(checks, "step_work").judgement.verdict == Verdict::contradicted);
}

TEST_CASE("kernels of our own alone say nothing of the work by itself") {
  const auto checks = check_step(replayed(device(kHalf, kFull, false)), "");
  CHECK(check_of(checks, "step_work").judgement.verdict == Verdict::inconclusive);
  CHECK(check_of(checks, "step_work").judgement.why ==
        "only 10 % of the step could be timed exactly");
}

TEST_CASE("noise, a disturbed device and too small a part of the step decide nothing") {
  CHECK(verdict(device(kHalf, kFull, true, 0.9 * kHalf), "step_time") == Verdict::inconclusive);
  const auto disturbed = check_step(replayed(device(9 * kHalf, kFull)), "it was hot");
  CHECK(check_of(disturbed, "step_time").judgement.why == "it was hot");
  StepReplayPlan little = plan();
  little.half.products.resize(1);
  little.half.products.front().predicted = Seconds{0.020};
  const StepReport report =
      replay_step(little, device(9 * kHalf, kFull), Clock::now() + std::chrono::hours(1));
  CHECK(check_of(check_step(report, ""), "step_time").judgement.why ==
        "only 30 % of the step could be replayed");
}

TEST_CASE("nothing is begun after the end, and what the device cannot time is named") {
  const StepReport late = replay_step(plan(), device(kHalf, kFull), Clock::now());
  CHECK(late.half.products.empty());
  CHECK_FALSE(late.half.passes.has_value());
  CHECK(late.not_timed == std::vector<std::string>{"step replay, passes: out of time",
                                                   "step replay, bf16: out of time",
                                                   "step replay, fp32: out of time"});
  ReplayTimers timers = device(kHalf, kFull);
  timers.product = [](const ReplayProduct&) { return std::nullopt; };
  const StepReport none = replayed(timers);
  CHECK(none.half.products.empty());
  CHECK(none.half.passes.has_value());
  CHECK(none.not_timed ==
        std::vector<std::string>{"step replay, bf16: the device could not time them",
                                 "step replay, fp32: the device could not time them"});
}

TEST_CASE("a replayed step survives the way out of the measuring process, nonsense does not") {
  const StepReport report = replayed(device(kHalf, kFull, false, 1e-6));
  const auto read = [](const Json& json) -> std::optional<StepReport> {
    Reader reader(json);
    StepReport result;
    read_step(reader, result);
    if (reader.broken()) return std::nullopt;
    return result;
  };
  const Json good = to_json(report);
  CHECK(read(good) == report);
  for (const auto& [pointer, value] :
       std::vector<std::pair<std::string, Json>>{{"/half/central", -1},
                                                 {"/half/low", 9.0},
                                                 {"/half/products/0/precision", "fp12"},
                                                 {"/half/products/0/kind", 7},
                                                 {"/half/products/0/rows", 0},
                                                 {"/half/products/0/measured", nullptr},
                                                 {"/half/passes", "fast"},
                                                 {"/runs_half", 1}}) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    CHECK_MESSAGE(!read(bad).has_value(), pointer);
  }
}

TEST_CASE("values are printed with the unit people use") {
  CHECK(in_words(Quantity::step_time, 0.0123) == "12.3 ms");
  CHECK(in_words(Quantity::amp_speedup, 1.954) == "x1.95");
  CHECK(in_words(Quantity::bandwidth, 4.3e12) == "4300 GB/s");
  CHECK(in_words(Quantity::gemm_rate, 7.8e14) == "780.0 TFLOP/s");
  CHECK(in_words(Quantity::context, 519 * 1048576.0) == "519 MiB");
}

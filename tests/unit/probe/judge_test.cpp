#include "probe/judge.h"

#include <doctest/doctest.h>

#include <limits>

using namespace gpulint::probe;

namespace {

constexpr double kMiB = 1048576.0;

Verdict verdict(Quantity quantity, double low, double high, double measured) {
  return judge({quantity, low, high}, {.value = measured, .disturbed_by = {}}).verdict;
}

}  // namespace

TEST_CASE("a memory total may be one MiB outside the database's range") {
  const double low = 24124 * kMiB;
  const double high = 24268 * kMiB;
  CHECK(verdict(Quantity::memory_total, low, high, 24123 * kMiB) == Verdict::confirmed);
  CHECK(verdict(Quantity::memory_total, low, high, 24122 * kMiB) == Verdict::contradicted);
  CHECK(verdict(Quantity::memory_total, low, high, 24269 * kMiB) == Verdict::confirmed);
  CHECK(verdict(Quantity::memory_total, low, high, 24270 * kMiB) == Verdict::contradicted);
}

TEST_CASE("a context may be 150 MiB outside the estimate") {
  CHECK(verdict(Quantity::context, 400 * kMiB, 500 * kMiB, 250 * kMiB) == Verdict::confirmed);
  CHECK(verdict(Quantity::context, 400 * kMiB, 500 * kMiB, 249 * kMiB) == Verdict::contradicted);
  CHECK(verdict(Quantity::context, 400 * kMiB, 500 * kMiB, 650 * kMiB) == Verdict::confirmed);
  CHECK(verdict(Quantity::context, 400 * kMiB, 500 * kMiB, 651 * kMiB) == Verdict::contradicted);
}

TEST_CASE("a footprint may be 64 MiB or 3 % off, whichever is more") {
  CHECK(verdict(Quantity::footprint, 1000 * kMiB, 1000 * kMiB, 1064 * kMiB) == Verdict::confirmed);
  CHECK(verdict(Quantity::footprint, 1000 * kMiB, 1000 * kMiB, 1065 * kMiB) ==
        Verdict::contradicted);
  CHECK(verdict(Quantity::footprint, 1000 * kMiB, 1000 * kMiB, 935 * kMiB) ==
        Verdict::contradicted);
  CHECK(verdict(Quantity::footprint, 10000 * kMiB, 10000 * kMiB, 10299 * kMiB) ==
        Verdict::confirmed);
  CHECK(verdict(Quantity::footprint, 10000 * kMiB, 10000 * kMiB, 10301 * kMiB) ==
        Verdict::contradicted);
  CHECK(verdict(Quantity::footprint, 10000 * kMiB, 10000 * kMiB, 9699 * kMiB) ==
        Verdict::contradicted);
}

TEST_CASE("a bandwidth may be 12 % off") {
  CHECK(verdict(Quantity::bandwidth, 1000e9, 1000e9, 1119e9) == Verdict::confirmed);
  CHECK(verdict(Quantity::bandwidth, 1000e9, 1000e9, 1121e9) == Verdict::contradicted);
  CHECK(verdict(Quantity::bandwidth, 1000e9, 1000e9, 881e9) == Verdict::confirmed);
  CHECK(verdict(Quantity::bandwidth, 1000e9, 1000e9, 879e9) == Verdict::contradicted);
}

TEST_CASE("a GEMM rate has to lie in its band") {
  CHECK(verdict(Quantity::gemm_rate, 700e12, 890e12, 700e12) == Verdict::confirmed);
  CHECK(verdict(Quantity::gemm_rate, 700e12, 890e12, 699e12) == Verdict::contradicted);
  CHECK(verdict(Quantity::gemm_rate, 700e12, 890e12, 890e12) == Verdict::confirmed);
  CHECK(verdict(Quantity::gemm_rate, 700e12, 890e12, 891e12) == Verdict::contradicted);
}

TEST_CASE("an AMP speed-up may be 20 % off") {
  CHECK(verdict(Quantity::amp_speedup, 10, 10, 8.1) == Verdict::confirmed);
  CHECK(verdict(Quantity::amp_speedup, 10, 10, 7.9) == Verdict::contradicted);
  CHECK(verdict(Quantity::amp_speedup, 10, 10, 11.9) == Verdict::confirmed);
  CHECK(verdict(Quantity::amp_speedup, 10, 10, 12.1) == Verdict::contradicted);
}

TEST_CASE("a pinned copy may be 40 % off but has to be 1.3 times faster") {
  CHECK(verdict(Quantity::pinned_copy_speedup, 4, 4, 2.5) == Verdict::confirmed);
  CHECK(verdict(Quantity::pinned_copy_speedup, 4, 4, 2.3) == Verdict::contradicted);
  CHECK(verdict(Quantity::pinned_copy_speedup, 4, 4, 5.5) == Verdict::confirmed);
  CHECK(verdict(Quantity::pinned_copy_speedup, 4, 4, 5.7) == Verdict::contradicted);
  CHECK(verdict(Quantity::pinned_copy_speedup, 1.5, 1.5, 1.31) == Verdict::confirmed);
  CHECK(verdict(Quantity::pinned_copy_speedup, 1.5, 1.5, 1.29) == Verdict::contradicted);
}

TEST_CASE("what is left may be 150 MiB or 3 % off, and may be missing") {
  CHECK(verdict(Quantity::headroom, -900 * kMiB, -100 * kMiB, 50 * kMiB) == Verdict::confirmed);
  CHECK(verdict(Quantity::headroom, -900 * kMiB, -100 * kMiB, 51 * kMiB) == Verdict::contradicted);
  CHECK(verdict(Quantity::headroom, -100 * kMiB, 900 * kMiB, -251 * kMiB) == Verdict::contradicted);
  CHECK(verdict(Quantity::headroom, -100 * kMiB, 900 * kMiB, 1051 * kMiB) == Verdict::contradicted);
  CHECK(verdict(Quantity::headroom, 10000 * kMiB, 20000 * kMiB, 20299 * kMiB) ==
        Verdict::confirmed);
  CHECK(verdict(Quantity::headroom, 10000 * kMiB, 20000 * kMiB, 20301 * kMiB) ==
        Verdict::contradicted);
}

TEST_CASE("a headroom that leaves open whether the run fits is never confirmed") {
  CHECK(verdict(Quantity::headroom, -184025 * kMiB, 82476 * kMiB, 0) == Verdict::inconclusive);
  CHECK(verdict(Quantity::headroom, -1 * kMiB, 900 * kMiB, 500 * kMiB) == Verdict::inconclusive);
  CHECK(verdict(Quantity::headroom, 0, 900 * kMiB, 500 * kMiB) == Verdict::confirmed);
}

TEST_CASE("a step time whose ends differ by more than two times is never confirmed") {
  CHECK(verdict(Quantity::step_time, 0.010, 0.020, 0.015) == Verdict::confirmed);
  CHECK(verdict(Quantity::step_time, 0.010, 0.0201, 0.015) == Verdict::inconclusive);
  CHECK(verdict(Quantity::step_time, 0.0166, 0.1086, 0.05) == Verdict::inconclusive);
  CHECK(verdict(Quantity::step_time, 0.0166, 0.1086, 0.2) == Verdict::contradicted);
}

TEST_CASE("of every quantity a value outside of its tolerance contradicts, on either side") {
  for (std::size_t i = 0; i < kQuantityCount; ++i) {
    const Prediction predicted{static_cast<Quantity>(i), 1e12, 2e12};
    const double tolerance = tolerance_of(predicted);
    CAPTURE(name_of(predicted.quantity));
    CHECK(verdict(predicted.quantity, 1e12, 2e12, 1e12 - tolerance + (tolerance > 0 ? 1 : 0)) ==
          Verdict::confirmed);
    CHECK(verdict(predicted.quantity, 1e12, 2e12, 2e12 + tolerance - (tolerance > 0 ? 1 : 0)) ==
          Verdict::confirmed);
    CHECK(verdict(predicted.quantity, 1e12, 2e12, 1e12 - tolerance - 1) == Verdict::contradicted);
    CHECK(verdict(predicted.quantity, 1e12, 2e12, 2e12 + tolerance + 1) == Verdict::contradicted);
  }
}

TEST_CASE("noise above half of the tolerance decides nothing") {
  const Prediction context{Quantity::context, 400 * kMiB, 400 * kMiB};
  CHECK(judge(context, {.value = 900 * kMiB, .noise = 75 * kMiB, .disturbed_by = {}}).verdict ==
        Verdict::contradicted);
  CHECK(judge(context, {.value = 900 * kMiB, .noise = 76 * kMiB, .disturbed_by = {}}).verdict ==
        Verdict::inconclusive);
}

TEST_CASE("noise is held against the width of a band that has no tolerance") {
  const Prediction band{Quantity::gemm_rate, 700e12, 900e12};
  CHECK(judge(band, {.value = 800e12, .noise = 49e12, .disturbed_by = {}}).verdict ==
        Verdict::confirmed);
  CHECK(judge(band, {.value = 800e12, .noise = 51e12, .disturbed_by = {}}).verdict ==
        Verdict::inconclusive);
}

TEST_CASE("a disturbed device decides nothing and says why") {
  const Judgement judgement =
      judge({Quantity::bandwidth, 1e12, 1e12}, {.value = 1, .disturbed_by = "thermal slowdown"});
  CHECK(judgement.verdict == Verdict::inconclusive);
  CHECK(judgement.why == "thermal slowdown");
}

TEST_CASE("a lower bound contradicts from above and never confirms") {
  const Prediction rate{Quantity::gemm_rate, 700e12, 800e12};
  const auto of = [&](double value) {
    return judge(rate, {.value = value, .witness = Witness::lower_bound, .disturbed_by = {}})
        .verdict;
  };
  CHECK(of(801e12) == Verdict::contradicted);
  CHECK(of(750e12) == Verdict::inconclusive);
  CHECK(of(100e12) == Verdict::inconclusive);
}

TEST_CASE("an upper bound contradicts from below and never confirms") {
  const Prediction rate{Quantity::gemm_rate, 700e12, 800e12};
  const auto of = [&](double value) {
    return judge(rate, {.value = value, .witness = Witness::upper_bound, .disturbed_by = {}})
        .verdict;
  };
  CHECK(of(699e12) == Verdict::contradicted);
  CHECK(of(750e12) == Verdict::inconclusive);
  CHECK(of(900e12) == Verdict::inconclusive);
}

TEST_CASE("a value that is not a number decides nothing") {
  CHECK(verdict(Quantity::bandwidth, 1e12, 1e12, std::numeric_limits<double>::quiet_NaN()) ==
        Verdict::inconclusive);
  CHECK(verdict(Quantity::bandwidth, 1e12, 1e12, std::numeric_limits<double>::infinity()) ==
        Verdict::inconclusive);
}

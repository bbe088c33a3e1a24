// Whatever facts a config states, an estimate is finite and ordered and its terms add up.
#include "plan/fact_table.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <variant>

using namespace gpulint;
using namespace gpulint::test;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 14> kCounts{-kMost,
                                               -3,
                                               0,
                                               1,
                                               2,
                                               7,
                                               64,
                                               224,
                                               4096,
                                               1'000'000,
                                               7'000'000'000,
                                               std::int64_t{1} << 40,
                                               1'000'000'000'000'000'000,
                                               kMost};
constexpr std::array<double, 8> kNumbers{-1.0,
                                         0.0,
                                         0.5,
                                         1.0,
                                         100.0,
                                         1e300,
                                         std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<double>::quiet_NaN()};
const std::array<std::string, 14> kWords{"",           "none", "fp16", "bf16", "fp32",
                                         "adamw",      "sgd",  "4bit", "cpu",  "qlora",
                                         "adamw_8bit", "full", "muon", "?"};

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937 engine_;  // its sequence is fixed by the standard
};

TrainingPlan random_plan(Dice& dice, bool moderate) {
  TrainingPlan plan = test::shipped_plan();
  for (const FactRow& row : fact_table()) {
    if (dice.below(3) == 0) continue;
    std::visit(
        [&](auto member) {
          auto& fact = plan.*member;
          using T = std::remove_reference_t<decltype(fact->value)>;
          // The first ten counts are sizes that can be multiplied without saturating.
          const std::int64_t count = kCounts[dice.below(moderate ? 10 : kCounts.size())];
          if constexpr (std::is_same_v<T, std::int64_t>) state(fact, count);
          if constexpr (std::is_same_v<T, Bytes>) state(fact, Bytes::of(count));
          if constexpr (std::is_same_v<T, double>) state(fact, dice.one_of(kNumbers));
          if constexpr (std::is_same_v<T, bool>) state(fact, dice.below(2) == 0);
          if constexpr (std::is_same_v<T, std::string>) state(fact, dice.one_of(kWords));
        },
        row.member);
  }
  return plan;
}

void check_ordered(const Interval& interval) {
  CHECK(interval.low <= interval.central);
  CHECK(interval.central <= interval.high);
  CHECK(interval.low >= Bytes{});
}

}  // namespace

TEST_CASE("any combination of facts gives ordered intervals and a finite search") {
  Dice dice(2026);
  const Gpu gpu = a100();
  for (int i = 0; i < 1500; ++i) {
    const TrainingPlan plan = random_plan(dice, false);
    const PlanOn request{&plan, &gpu};
    const Estimate result = estimate(request);
    CAPTURE(i);
    if (result.vram) check_ordered(result.vram->total);
    if (result.ram) check_ordered(result.ram->total);
    if (const auto largest = largest_batch_that_fits(request)) CHECK(*largest >= 0);
  }
}

TEST_CASE("terms add up to the centre for any combination of ordinary facts") {
  Dice dice(17);
  const Gpu gpu = t4();
  int with_vram = 0;
  int with_ram = 0;
  for (int i = 0; i < 1500; ++i) {
    const TrainingPlan plan = random_plan(dice, true);
    const Estimate result = estimate_of(plan, &gpu);
    CAPTURE(i);
    constexpr Bytes kSaturating = Bytes::of(kMost / 4);
    if (result.vram && result.vram->total.high < kSaturating) {
      ++with_vram;
      CHECK(sum_of(result.vram->terms) == result.vram->total.central);
    }
    if (result.ram && result.ram->total.high < kSaturating) {
      ++with_ram;
      CHECK(sum_of(result.ram->terms) == result.ram->total.central);
    }
  }
  CHECK(with_vram > 100);
  CHECK(with_ram > 100);
}

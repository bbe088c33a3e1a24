#include "memory/memory_verdict.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace gpulint;

namespace {

constexpr Interval gib(std::int64_t low, std::int64_t central, std::int64_t high) {
  return {Bytes::gib(low), Bytes::gib(central), Bytes::gib(high)};
}

/// Of a device with 100 to 102 GiB, 90 % of which may be taken.
MemoryVerdict verdict(const MemoryNeed& need) {
  return verdict_on(need, BytesRange{Bytes::gib(100), Bytes::gib(102)}, 0.9);
}

}  // namespace

TEST_CASE("the verdict follows which figure of the interval is over the budget") {
  struct Row {
    Interval needed;
    Fit fit;
    bool certain;
    Deciding deciding;
    std::int64_t gib;
  };
  const std::vector<Row> table = {
      // Even the low end is above the most that can be usable.
      {gib(103, 110, 120), Fit::does_not_fit, true, Deciding::low_end, 103},
      {gib(103, 103, 103), Fit::does_not_fit, true, Deciding::low_end, 103},
      // The low end may fit, the centre cannot be counted on.
      {gib(102, 110, 120), Fit::does_not_fit, false, Deciding::central, 110},
      {gib(10, 101, 120), Fit::does_not_fit, false, Deciding::central, 101},
      {gib(101, 101, 101), Fit::does_not_fit, false, Deciding::central, 101},
      // Only the high end is over, however wide the interval.
      {gib(90, 95, 105), Fit::thin, false, Deciding::high_end, 105},
      {gib(90, 100, 101), Fit::thin, false, Deciding::high_end, 101},
      {gib(5, 30, 300), Fit::thin, false, Deciding::high_end, 300},
      // Nothing is over, and little is left.
      {gib(90, 91, 100), Fit::thin, true, Deciding::central, 91},
      {gib(100, 100, 100), Fit::thin, true, Deciding::central, 100},
      // Room to spare: the centre within the headroom, the high end within the device.
      {gib(80, 90, 100), Fit::fits, true, Deciding::high_end, 100},
      {gib(0, 0, 0), Fit::fits, true, Deciding::high_end, 0},
  };
  for (const Row& row : table) {
    CAPTURE(row.needed.low.as_gib());
    CAPTURE(row.needed.central.as_gib());
    CAPTURE(row.needed.high.as_gib());
    CHECK(verdict({row.needed}) ==
          MemoryVerdict{row.fit, row.certain, row.deciding, Bytes::gib(row.gib)});
  }
}

TEST_CASE("a lower bound without an upper end says that a run does not fit, and nothing else") {
  CHECK(verdict({gib(103, 110, 120), true, false}) ==
        MemoryVerdict{Fit::does_not_fit, true, Deciding::low_end, Bytes::gib(103)});
  CHECK(verdict({gib(101, 110, 120), true, false}) ==
        MemoryVerdict{Fit::does_not_fit, false, Deciding::low_end, Bytes::gib(101)});
  CHECK(verdict({gib(100, 110, 120), true, false}) ==
        MemoryVerdict{Fit::unknown, false, Deciding::low_end, Bytes::gib(100)});
  CHECK(verdict({gib(1, 2, 3), true, false}).fit == Fit::unknown);
}

TEST_CASE("where open facts decide the most of it, a run fits if its upper end does") {
  CHECK(verdict({gib(1, 50, 100), true, true}) ==
        MemoryVerdict{Fit::fits, true, Deciding::high_end, Bytes::gib(100)});
  CHECK(verdict({gib(1, 50, 101), true, true}) ==
        MemoryVerdict{Fit::unknown, false, Deciding::low_end, Bytes::gib(1)});
}

TEST_CASE("without a budget there is no verdict") {
  CHECK(verdict_on({gib(1, 2, 3)}, std::nullopt, 0.9) == MemoryVerdict{});
  CHECK(MemoryVerdict{}.fit == Fit::unknown);
}

TEST_CASE("a project's headroom moves the border of thin alone") {
  const BytesRange usable{Bytes::gib(100), Bytes::gib(100)};
  CHECK(verdict_on({gib(70, 80, 90)}, usable, 0.9).fit == Fit::fits);
  CHECK(verdict_on({gib(70, 80, 90)}, usable, 0.7).fit == Fit::thin);
  CHECK(verdict_on({gib(90, 99, 100)}, usable, 1.0).fit == Fit::fits);
  CHECK(verdict_on({gib(90, 99, 101)}, usable, 1.0).fit == Fit::thin);
  CHECK(verdict_on({gib(90, 101, 110)}, usable, 0.1).fit == Fit::does_not_fit);
}

TEST_CASE("no central figure above what can be counted on goes with a milder word") {
  constexpr std::array<std::int64_t, 9> kSizes = {0, 50, 89, 90, 91, 100, 101, 102, 103};
  for (const std::int64_t low : kSizes) {
    for (const std::int64_t central : kSizes) {
      for (const std::int64_t high : kSizes) {
        if (low > central || central > high) continue;
        const MemoryVerdict made = verdict({gib(low, central, high)});
        CHECK((made.fit == Fit::does_not_fit) == (central > 100));
        CHECK(made.surely_held() == (high <= 100));
        CHECK((made.certain && made.fit == Fit::does_not_fit) == (low > 102));
      }
    }
  }
}

TEST_CASE("of two budgets the worse known verdict counts") {
  CHECK(worse_of(Fit::fits, Fit::thin) == Fit::thin);
  CHECK(worse_of(Fit::does_not_fit, Fit::thin) == Fit::does_not_fit);
  CHECK(worse_of(Fit::unknown, Fit::fits) == Fit::fits);
  CHECK(worse_of(Fit::unknown, Fit::unknown) == Fit::unknown);
}

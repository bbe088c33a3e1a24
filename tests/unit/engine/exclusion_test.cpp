// One finding per cause: the rules of one budget must exclude each other whatever the estimate is.

#include "engine/engine.h"
#include "unit/engine/fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace gpulint {
namespace {

struct Data {
  Catalog catalog;
  Engine engine;
  static const Data& get() {
    static const Data data = [] {
      Result<Catalog> opened = Catalog::open(embedded_data());
      REQUIRE(opened.has_value());
      Result<Engine> bound = Engine::bind(opened->rules());
      REQUIRE_MESSAGE(bound.has_value(), (bound ? "" : bound.error().to_string()));
      return Data{std::move(*opened), std::move(*bound)};
    }();
    return data;
  }
};

std::vector<std::string> fired(const Plan& plan, const Estimate& estimate,
                               const std::set<std::string>& among) {
  const Subject subject{.plan = &plan,
                        .run = run_of(plan, Data::get().catalog.gpu("rtx-3090")),
                        .estimate = &estimate};
  std::vector<std::string> rules;
  for (const Finding& finding : Data::get().engine.run(subject, {})) {
    if (among.count(finding.rule) != 0) rules.push_back(finding.rule);
  }
  return rules;
}

Estimate vram_of(int low, int central, int high) {
  Estimate estimate;
  VramEstimate vram;
  vram.total = {Bytes::gib(low), Bytes::gib(central), Bytes::gib(high)};
  vram.needed = vram.total;
  estimate.vram = vram;
  estimate.usable_vram = BytesRange{Bytes::gib(100), Bytes::gib(102)};
  judge_budgets(estimate);
  return estimate;
}

Estimate ram_of(int low, int central, int high) {
  Estimate estimate;
  RamEstimate ram;
  ram.total = {Bytes::gib(low), Bytes::gib(central), Bytes::gib(high)};
  ram.needed = ram.total;
  estimate.ram = ram;
  estimate.available_ram = Bytes::gib(100);
  judge_budgets(estimate);
  return estimate;
}

const std::vector<int> kSizes = {5, 30, 49, 51, 89, 91, 99, 101, 103, 150};

}  // namespace

TEST_CASE("of the VRAM rules at most one speaks of a run") {
  const std::set<std::string> rules = {"vram-over-budget", "vram-headroom-thin", "vram-mostly-idle",
                                       "batch-too-small"};
  std::set<std::string> seen;
  for (const char* batch : {"1", "1024"}) {
    // Parameters and activations are known, so that the batch that would fit is too.
    const Plan plan = make_plan({{"per_device_batch_size", batch},
                                 {"parameters", "1000000"},
                                 {"activation_bytes_per_sample", "1 MB"},
                                 {"gradient_accumulation_steps", "2"},
                                 {"mixed_precision", "none"},
                                 {"optimizer", "sgd"}});
    for (const int low : kSizes) {
      for (const int central : kSizes) {
        for (const int high : kSizes) {
          if (low > central || central > high) continue;
          const auto one = fired(plan, vram_of(low, central, high), rules);
          CHECK(one.size() <= 1);
          seen.insert(one.begin(), one.end());
        }
      }
    }
  }
  CHECK(seen == rules);
}

TEST_CASE("of the host RAM rules at most one speaks of a run") {
  const std::set<std::string> rules = {"host-ram-over-budget", "host-ram-headroom-thin",
                                       "prefetch-too-deep"};
  const Plan plan = make_plan({{"per_device_batch_size", "64"},
                               {"num_workers", "8"},
                               {"prefetch_factor", "8"},
                               {"batch_bytes", "100 MB"},
                               {"ram", "100 GiB"}});
  std::set<std::string> seen;
  for (const int low : kSizes) {
    for (const int central : kSizes) {
      for (const int high : kSizes) {
        if (low > central || central > high) continue;
        const auto one = fired(plan, ram_of(low, central, high), rules);
        CHECK(one.size() <= 1);
        seen.insert(one.begin(), one.end());
      }
    }
  }
  CHECK(seen == rules);
}

TEST_CASE("workers that exceed the cores are not also told that they leave none free") {
  const std::set<std::string> rules = {"loader-workers-exceed-cores",
                                       "loader-workers-leave-no-core-free"};
  const auto with = [&](const char* workers, Origin of_cores) {
    Plan plan = make_plan({{"num_workers", workers}, {"cpu_cores", "16"}});
    plan.facts.cpu_cores->from.origin = of_cores;
    return fired(plan, {}, rules);
  };
  for (const char* workers : {"0", "7", "8", "9", "15", "16", "17", "64"})
    CHECK(with(workers, Origin::project).size() <= 1);
  CHECK(with("17", Origin::project) == std::vector<std::string>{"loader-workers-exceed-cores"});
  CHECK(with("16", Origin::project) ==
        std::vector<std::string>{"loader-workers-leave-no-core-free"});
  CHECK(with("14", Origin::project).empty());
  // A job that asks for as many cores as it has workers.
  CHECK(with("17", Origin::stated) == std::vector<std::string>{"loader-workers-exceed-cores"});
  CHECK(with("16", Origin::stated).empty());
}

TEST_CASE("a VRAM verdict has a rule, and the severity of the figure it rests on") {
  const Plan plan = make_plan({{"per_device_batch_size", "16"}});
  const auto severity = [&](const char* rule, int low, int central, int high) {
    const Estimate estimate = vram_of(low, central, high);
    const Subject subject{.plan = &plan,
                          .run = run_of(plan, Data::get().catalog.gpu("rtx-3090")),
                          .estimate = &estimate};
    for (const Finding& finding : Data::get().engine.run(subject, {})) {
      if (finding.rule == rule) return std::optional(finding.severity);
    }
    return std::optional<Severity>();
  };
  CHECK(severity("vram-over-budget", 103, 120, 130) == Severity::error);
  CHECK(severity("vram-over-budget", 90, 101, 130) == Severity::warning);
  CHECK(severity("vram-headroom-thin", 85, 89, 103) == Severity::note);
  CHECK(severity("vram-headroom-thin", 90, 99, 100) == Severity::note);
  CHECK_FALSE(severity("vram-over-budget", 90, 99, 103).has_value());
  // So wide an interval says nothing about a tenth.
  CHECK_FALSE(severity("vram-headroom-thin", 50, 89, 150).has_value());
  CHECK_FALSE(severity("vram-headroom-thin", 50, 80, 100).has_value());
}

TEST_CASE("nothing is said of a run about which nothing is known") {
  const Plan plan = make_plan({});
  const Subject subject{.plan = &plan, .run = run_of(plan)};
  CHECK(Data::get().engine.run(subject, {}).empty());
  const Subject with_gpu{.plan = &plan, .run = run_of(plan, Data::get().catalog.gpu("rtx-3090"))};
  CHECK(Data::get().engine.run(with_gpu, {}).empty());
}

}  // namespace gpulint

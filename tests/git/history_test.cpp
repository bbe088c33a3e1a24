// `gpulint diff` over a history of commits that this program makes with the real git. The machine
// is described by two measured points (2 GiB + 64 MiB per sample), a step time and a price in the
// configs, so that what each commit changes is known by hand and written here as literals.
//
//   history_test GPULINT

#define DOCTEST_CONFIG_IMPLEMENT
#include "repository.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>

using namespace gpulint_test;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

const std::string kProject =
    "gpu: a10g\n"
    "gpus_per_node: 1\n"
    "nodes: 1\n"
    "facts: {price_per_hour: 10}\n"
    "keys: {step_seconds: step_time}\n"
    "measurements:\n"
    "  - {per_device_batch_size: 32, peak: 4 GiB, kind: nvidia-smi}\n"
    "  - {per_device_batch_size: 64, peak: 6 GiB, kind: nvidia-smi}\n";

struct Recipe {
  int batch = 32;
  int accumulation = 1;
  double rate = 0.1;
  std::string optimizer = "sgd";
  int steps = 1000;
  double seconds = 3.6;
  std::string text() const {
    std::ostringstream out;
    out << "batch_size: " << batch << "\ngradient_accumulation_steps: " << accumulation
        << "\nlr: " << rate << "\noptimizer: " << optimizer << "\nmax_steps: " << steps
        << "\nstep_seconds: " << seconds << "\n";
    return out.str();
  }
};

/// What one commit changes: new minus old.
struct Expected {
  std::string kind;
  double vram_gib = 0;
  double run_seconds = 0;
  double dollars = 0;
  std::optional<double> effective_rate;  // nullopt: no rule applies
};

void check(const json& report, const Expected& expected) {
  REQUIRE(report["configs"].size() == 1);
  const json& config = report["configs"][0];
  CHECK(config["kind"] == expected.kind);
  const json& change = config["change"];
  // A line through two points: exact but for rounding to bytes.
  CHECK(change["vram"].get<double>() / kGiB == doctest::Approx(expected.vram_gib).epsilon(1e-6));
  CHECK(change["run_time"].get<double>() == doctest::Approx(expected.run_seconds));
  CHECK(change["cost"].get<double>() == doctest::Approx(expected.dollars));
  CHECK(config["learning_rate"].is_null() == !expected.effective_rate.has_value());
  if (expected.effective_rate && !config["learning_rate"].is_null()) {
    CHECK(config["learning_rate"]["effective"].get<double>() ==
          doctest::Approx(*expected.effective_rate));
  }
}

bool names_new(const json& report, const std::string& rule) {
  for (const json& finding : report["findings"]) {
    if (finding["rule"] == rule && finding["new"] == true) return true;
  }
  return false;
}

}  // namespace

TEST_CASE(
    "each of fourteen commits changes memory, time, cost and learning rate as known by hand") {
  const Repository repository;
  Recipe recipe;
  const auto commit_recipe = [&](const std::string& path) {
    repository.write(path, recipe.text());
    repository.commit();
    return repository.last_commit();
  };
  repository.write(".gpulint.yaml", kProject);
  repository.write("configs/a.yaml", recipe.text());
  repository.commit();

  // 1: twice the batch, a step of twice the time; the rate stays, so it is half of what it should
  // be.
  recipe.batch = 64;
  recipe.seconds = 7.2;
  json report = commit_recipe("configs/a.yaml");
  check(report, {"modified", 2, 3600, 10, 0.5});
  CHECK(names_new(report, "learning-rate-not-scaled"));
  CHECK(report["configs"][0]["learning_rate"]["rule"] == "linear");
  CHECK(report["configs"][0]["learning_rate"]["expected"] == doctest::Approx(0.2));

  // 2: the rate follows, one commit late.
  recipe.rate = 0.2;
  report = commit_recipe("configs/a.yaml");
  check(report, {"modified", 0, 0, 0, 2.0});
  CHECK_FALSE(names_new(report, "learning-rate-not-scaled"));

  // 3: half the steps.
  recipe.steps = 500;
  check(commit_recipe("configs/a.yaml"), {"modified", 0, -3600, -10, 1.0});

  // 4: batch and accumulation change places: the global batch stays, the memory does not.
  recipe.batch = 32;
  recipe.accumulation = 2;
  report = commit_recipe("configs/a.yaml");
  check(report, {"modified", -2, 0, 0, 1.0});
  CHECK_FALSE(names_new(report, "learning-rate-not-scaled"));

  // 5: a dearer machine, stated in the project file: no config differs, each one's cost does.
  std::string dearer = kProject;
  dearer.replace(dearer.find("price_per_hour: 10"), 18, "price_per_hour: 15");
  repository.write(".gpulint.yaml", dearer);
  repository.commit();
  check(repository.last_commit(), {"included", 0, 0, 5, 1.0});

  // 6: the file moves.
  repository.run("git mv configs/a.yaml configs/b.yaml");
  repository.commit();
  report = repository.last_commit();
  check(report, {"renamed", 0, 0, 0, 1.0});
  CHECK(report["configs"][0]["old_path"] == "configs/a.yaml");

  // 7: it moves again and changes: twice the batch with twice the rate.
  repository.run("git mv configs/b.yaml configs/c.yaml");
  recipe.batch = 64;
  recipe.rate = 0.4;
  report = commit_recipe("configs/c.yaml");
  check(report, {"renamed", 2, 0, 0, 1.0});

  // 8: another optimizer: rates of two optimizers are not compared.
  recipe.optimizer = "adamw";
  recipe.rate = 0.001;
  check(commit_recipe("configs/c.yaml"), {"modified", 0, 0, 0, std::nullopt});

  // 9: four times the batch; for AdamW the rate goes with the square root, so half is missing.
  recipe.accumulation = 4;
  recipe.batch = 128;
  report = commit_recipe("configs/c.yaml");
  check(report, {"modified", 4, 0, 0, 0.5});
  CHECK(report["configs"][0]["learning_rate"]["rule"] == "square-root");
  CHECK(names_new(report, "learning-rate-not-scaled"));

  // 10: a faster step.
  recipe.seconds = 3.6;
  check(commit_recipe("configs/c.yaml"), {"modified", 0, -1800, -7.5, 1.0});

  // 11: a batch no A10G holds: 2 GiB + 640 x 64 MiB = 42 GiB.
  recipe.batch = 640;
  report = commit_recipe("configs/c.yaml");
  check(report, {"modified", 32, 0, 0, 1 / std::sqrt(5.0)});
  CHECK(report["configs"][0]["before"]["fit"] == "fits");
  CHECK(report["configs"][0]["after"]["fit"] == "does not fit");
  CHECK(names_new(report, "vram-over-budget"));

  // 12: back: the finding is fixed.
  recipe.batch = 128;
  report = commit_recipe("configs/c.yaml");
  check(report, {"modified", -32, 0, 0, std::sqrt(5.0)});
  CHECK(report["fixed"][0]["rule"] == "vram-over-budget");

  // 13: a second config of 96 samples: 8 GiB, nothing to compare with.
  Recipe second;
  second.batch = 96;
  repository.write("configs/d.yaml", second.text());
  repository.commit();
  report = repository.last_commit();
  REQUIRE(report["configs"].size() == 1);
  CHECK(report["configs"][0]["kind"] == "added");
  CHECK(report["configs"][0]["before"].is_null());
  CHECK(report["configs"][0]["after"]["vram"]["central"].get<double>() / kGiB ==
        doctest::Approx(8).epsilon(1e-6));
  CHECK(report["configs"][0]["change"]["vram"].is_null());

  // 14: and it goes again.
  repository.run("git rm -q configs/d.yaml");
  repository.commit();
  report = repository.last_commit();
  REQUIRE(report["configs"].size() == 1);
  CHECK(report["configs"][0]["kind"] == "removed");
  CHECK(report["configs"][0]["after"].is_null());
}

TEST_CASE("a change of an included file is a change of the config") {
  const Repository repository;
  repository.write(".gpulint.yaml", kProject);
  repository.write("configs/base.yaml",
                   "batch_size: 32\nlr: 0.1\noptimizer: sgd\nstep_seconds: 3.6\n");
  repository.write("configs/a.yaml", "_base_: base.yaml\nmax_steps: 1000\nepochs: 3\n");
  repository.write("configs/other.yaml", Recipe{}.text());
  repository.commit();
  repository.write("configs/base.yaml",
                   "batch_size: 64\nlr: 0.2\noptimizer: sgd\nstep_seconds: 3.6\n");
  repository.commit();
  const json report = repository.last_commit();
  REQUIRE(report["configs"].size() == 1);
  CHECK(report["configs"][0]["path"] == "configs/a.yaml");
  check(report, {"included", 2, 0, 0, 1.0});
  const auto [code, text] = repository.gpulint("check --changed-since HEAD~1 --output json");
  const json checked = json::parse(text);
  bool linted = false;
  for (const json& file : checked["files"]) {
    linted = linted || file["path"] == "configs/a.yaml";
    const bool skipped = file["recognised"] == false;
    CHECK((skipped || file["path"] != "configs/other.yaml"));
  }
  CHECK(linted);
}

TEST_CASE("working files, the index and untracked files are sides of a diff") {
  const Repository repository;
  Recipe recipe;
  repository.write(".gpulint.yaml", kProject);
  repository.write("configs/a.yaml", recipe.text());
  repository.commit();
  recipe.batch = 64;
  recipe.rate = 0.2;
  repository.write("configs/a.yaml", recipe.text());
  check(repository.diff(""), {"modified", 2, 0, 0, 1.0});
  CHECK(repository.diff("--staged")["configs"].empty());
  repository.run("git add .");
  recipe.batch = 96;
  recipe.rate = 0.3;
  repository.write("configs/a.yaml", recipe.text());
  check(repository.diff("--staged"), {"modified", 2, 0, 0, 1.0});
  check(repository.diff(""), {"modified", 4, 0, 0, 1.0});
  repository.write("configs/new.yaml", recipe.text());
  const json report = repository.diff("");
  REQUIRE(report["configs"].size() == 2);
  CHECK(report["configs"][1]["kind"] == "added");
}

TEST_CASE("a branch is compared with where it left the other") {
  const Repository repository;
  Recipe recipe;
  repository.write(".gpulint.yaml", kProject);
  repository.write("configs/a.yaml", recipe.text());
  repository.write("configs/b.yaml", recipe.text());
  repository.commit();
  repository.run("git checkout -q -b topic");
  recipe.batch = 64;
  recipe.rate = 0.2;
  repository.write("configs/a.yaml", recipe.text());
  repository.commit();
  repository.run("git checkout -q main");
  repository.write("configs/b.yaml", recipe.text());
  repository.commit();
  repository.run("git checkout -q topic");
  check(repository.diff("main"), {"modified", 2, 0, 0, 1.0});
  check(repository.diff("main...topic"), {"modified", 2, 0, 0, 1.0});
  CHECK(repository.diff("main..topic")["configs"].size() == 2);
}

TEST_CASE("limits and new findings set the exit code") {
  const Repository repository;
  Recipe recipe;
  repository.write(".gpulint.yaml", kProject);
  repository.write("configs/a.yaml", recipe.text() + "num_workers: 0\n");
  repository.commit();
  recipe.batch = 64;
  recipe.rate = 0.2;
  recipe.seconds = 7.2;
  repository.write("configs/a.yaml", recipe.text() + "num_workers: 0\n");
  repository.commit();
  const std::string diff = "diff HEAD~1..HEAD ";
  CHECK(repository.gpulint(diff).first == 1);  // the old finding about workers
  CHECK(repository.gpulint(diff + "--new-findings-only").first == 0);
  const std::string only_new = diff + "--new-findings-only ";
  CHECK(repository.gpulint(only_new + "--max-vram-increase 50%").first == 0);
  CHECK(repository.gpulint(only_new + "--max-vram-increase 49%").first == 1);
  CHECK(repository.gpulint(only_new + "--max-vram-increase 2GiB").first == 0);
  CHECK(repository.gpulint(only_new + "--max-vram-increase 1.9GiB").first == 1);
  CHECK(repository.gpulint(only_new + "--max-cost-increase '$10'").first == 0);
  CHECK(repository.gpulint(only_new + "--max-cost-increase '$9.99'").first == 1);
  CHECK(repository.gpulint(only_new + "--max-cost-increase 99%").first == 1);
}

int main(int argc, char** argv) { return run_tests_of(argc, argv); }

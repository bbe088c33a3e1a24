#include "lint/twins.h"

#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

LearningRun run_of(std::string path, std::int64_t batch, std::uint64_t signature = 1) {
  LearningRun run;
  run.folder = "c";
  run.path = std::move(path);
  run.signature = signature;
  run.learning_rate = 0.1;
  run.batch = batch;
  run.span = {0, 0, 1};
  return run;
}

/// Paths with a learning-rate finding that names another file.
std::vector<std::string> twins_in(const MemoryReader& reader, std::vector<std::string> paths) {
  const LintResult result = lint(session_over(reader), {.paths = std::move(paths)});
  std::vector<std::string> found;
  for (const Finding& finding : result.findings) {
    if (finding.rule != "learning-rate-not-scaled") continue;
    CHECK(finding.severity == Severity::note);
    found.push_back(result.sources[finding.span.file].path);
  }
  return found;
}

std::string config(int batch, const std::string& more = "") {
  return "batch_size: " + std::to_string(batch) +
         "\ngradient_accumulation_steps: 1\nworld_size: 1\noptimizer: sgd\nlr: 0.1\nepochs: 90\n"
         "model: resnet50\ndataset: imagenet\n" +
         more;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("the smallest batch of a group is the reference of the others") {
  const auto twins = find_twins({run_of("c/b", 256), run_of("c/a", 512), run_of("c/d", 256)});
  REQUIRE(twins.size() == 1);
  CHECK(twins.at("c/a").path == "c/b");
  CHECK(twins.at("c/a").global_batch_size == 256);
  CHECK(twins.at("c/a").kind == LearningRateReference::Kind::twin);
}

TEST_CASE("runs that differ in what shapes learning are not twins") {
  CHECK(find_twins({run_of("c/a", 256, 1), run_of("c/b", 512, 2)}).empty());
}

TEST_CASE("runs of different folders are not twins") {
  LearningRun other = run_of("d/b", 512);
  other.folder = "d";
  CHECK(find_twins({run_of("c/a", 256), other}).empty());
}

TEST_CASE("a batch of one device is not compared with one of all devices") {
  LearningRun all = run_of("c/b", 512);
  all.over_devices = true;
  CHECK(find_twins({run_of("c/a", 256), all}).empty());
}

TEST_CASE("numbers are found however they are spelled") {
  CHECK(mentions_number("lr: 1e-3", 0.001));
  CHECK(mentions_number("lr: 0.0010 # x", 0.001));
  CHECK_FALSE(mentions_number("lr: 0.01", 0.001));
  CHECK_FALSE(mentions_number("--- e + .", 0.001));
}

TEST_CASE("two configs that differ in the batch alone are reported once, naming the other") {
  const MemoryReader reader(Files{{"c/a.yaml", config(64)}, {"c/b.yaml", config(512)}});
  CHECK(twins_in(reader, {"c"}) == Paths{"c/b.yaml"});
}

TEST_CASE("a file named alone gets the verdict it gets with its folder") {
  const MemoryReader reader(Files{{"c/a.yaml", config(64)}, {"c/b.yaml", config(512)}});
  CHECK(twins_in(reader, {"c/b.yaml"}) == Paths{"c/b.yaml"});
  CHECK(twins_in(reader, {"c/a.yaml"}).empty());
}

TEST_CASE("other data, model keys or schedule make another recipe") {
  for (const char* more : {"data_path: /cifar\n", "backbone: vit\n", "warmup_epochs: 5\n"}) {
    const MemoryReader reader(Files{{"c/a.yaml", config(64)}, {"c/b.yaml", config(512, more)}});
    CHECK(twins_in(reader, {"c"}).empty());
  }
}

TEST_CASE("names and paths of outputs do not make another recipe") {
  const MemoryReader reader(Files{{"c/a.yaml", config(64, "output_dir: a\n")},
                                  {"c/b.yaml", config(512, "output_dir: b\nnum_workers: 8\n")}});
  CHECK(twins_in(reader, {"c"}) == Paths{"c/b.yaml"});
}

#include "lint/lint.h"

#include "catalog/catalog.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

LintResult run(const MemoryReader& reader, std::vector<std::string> paths,
               LintOptions options = {}) {
  return lint(session_over(reader), {.paths = std::move(paths), .options = std::move(options)});
}

std::vector<std::string> rules_in(const LintResult& result, const std::string& path) {
  std::vector<std::string> rules;
  for (const Finding& finding : result.findings) {
    if (result.sources[finding.span.file].path == path) rules.push_back(finding.rule);
  }
  return rules;
}

bool reports(const LintResult& result, const std::string& path, const std::string& rule) {
  const auto rules = rules_in(result, path);
  return std::count(rules.begin(), rules.end(), rule) != 0;
}

const FileReport& file(const LintResult& result, const std::string& path) {
  return *std::find_if(result.files.begin(), result.files.end(),
                       [&](const FileReport& each) { return each.path == path; });
}

// Stated on purpose: PyTorch's loader raises ValueError for it, whatever the hardware.
constexpr const char* kBroken =
    "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\npersistent_workers: true\n";

}  // namespace

TEST_CASE("a finding points into its file, whose text is kept") {
  const MemoryReader reader(Files{{"a.yaml", kBroken}, {"b.yaml", "batch_size: 32\nepochs: 9\n"}});
  const LintResult result = run(reader, {"."});
  REQUIRE(reports(result, "a.yaml", "persistent-workers-without-workers"));
  CHECK(result.findings.front().runs == std::vector<std::string>{"a.yaml"});
  CHECK(result.sources[0].text == kBroken);
  CHECK(result.sources[1].text.empty());
  CHECK(file(result, "b.yaml").state == FileState::linted);
}

TEST_CASE("a file that is not a training config is skipped with a reason") {
  const MemoryReader reader(Files{{"package.json", "{\"name\": \"x\", \"version\": \"1\"}"}});
  const LintResult result = run(reader, {"."});
  CHECK(file(result, "package.json").state == FileState::skipped);
  CHECK_FALSE(file(result, "package.json").reason.empty());
  CHECK(result.findings.empty());
}

TEST_CASE("a named file that cannot be parsed is a finding, somebody else's is skipped") {
  const MemoryReader reader(Files{{"chart.yaml", "{{ if x }}\n- [a\n"}});
  CHECK(rules_in(run(reader, {"chart.yaml"}), "chart.yaml") ==
        std::vector<std::string>{"syntax-error"});
  const LintResult found = run(reader, {"."});
  CHECK(found.findings.empty());
  CHECK(file(found, "chart.yaml").state == FileState::skipped);
}

TEST_CASE("a log of one JSON object a line is no broken config") {
  const MemoryReader reader(
      {{"a/b.yaml", "lr: 0.1\nbatch_size: 8\nepochs: 3\n"},
       {"a/run.log.json",
        "{\"batch_size\": 8, \"epochs\": 3}\n{\"mode\": \"train\", \"lr\": 0.1}\n"},
       {"a/broken.json", "{\"batch_size\": 8, \"epochs\": 3,\n \"lr\": 0.1}}\n"}});
  const LintResult found = run(reader, {"a"});
  CHECK(file(found, "a/run.log.json").state == FileState::skipped);
  CHECK(file(found, "a/broken.json").state == FileState::linted);
}

TEST_CASE("a text with training keys that cannot be parsed is a finding though it was only found") {
  const MemoryReader reader(
      Files{{"t.yaml", "batch_size: 32\nlearning_rate: 0.1\nnum_workers: [1\nepochs: 3\n"}});
  const LintResult result = run(reader, {"."});
  REQUIRE(rules_in(result, "t.yaml") == std::vector<std::string>{"syntax-error"});
  CHECK(result.findings[0].severity == Severity::error);
  CHECK(result.errors.empty());
}

TEST_CASE("a limit is a finding of its own") {
  const MemoryReader reader(Files{{"t.yaml", std::string(3000, '[')}});
  CHECK(rules_in(run(reader, {"t.yaml"}), "t.yaml") == std::vector<std::string>{"limit-exceeded"});
  LintOptions options;
  options.limits.max_bytes = 100;
  CHECK(rules_in(run(reader, {"t.yaml"}, options), "t.yaml") ==
        std::vector<std::string>{"limit-exceeded"});
}

TEST_CASE("a missing file is an error and the others are linted") {
  const MemoryReader reader(Files{{"a.yaml", kBroken}});
  const LintResult result = run(reader, {"none.yaml", "a.yaml"});
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].file == "none.yaml");
  CHECK_FALSE(result.findings.empty());
}

TEST_CASE("the nearest .gpulint.yaml governs a file alone") {
  const MemoryReader reader(Files{{".gpulint.yaml", "gpu: a10g\n"},
                                  {"a.yaml", "batch_size: 32\nepochs: 9\n"},
                                  {"x/.gpulint.yaml", "gpu: rtx-3090\n"},
                                  {"x/y/b.yaml", "batch_size: 32\nepochs: 9\n"}});
  const LintResult result = run(reader, {"."});
  REQUIRE(file(result, "a.yaml").plans.size() == 1);
  REQUIRE(file(result, "a.yaml").plans[0].gpu != nullptr);
  CHECK(file(result, "a.yaml").plans[0].gpu->id == "a10g");
  CHECK(file(result, "x/y/b.yaml").plans[0].gpu->id == "rtx-3090");
  CHECK(result.files.size() == 2);
}

TEST_CASE("what a project states of its GPU is forgotten for another one of the command line") {
  const MemoryReader reader(
      Files{{".gpulint.yaml", "gpu: a10g\nfacts: {gpu_memory: 20 GiB, image_size: 64}\n"},
            {"a.yaml", "batch_size: 32\nepochs: 9\nmodel: resnet50\n"}});
  LintOptions options;
  options.keep_plans = true;
  const auto memory = [&] {
    return file(run(reader, {"a.yaml"}, options), "a.yaml").plans[0].plan->facts;
  };
  CHECK(memory().gpu_memory);
  options.gpu = "rtx-3090";
  CHECK_FALSE(memory().gpu_memory);
  CHECK(memory().image_size);
}

TEST_CASE("the command line's target comes before the project's") {
  const MemoryReader reader(
      Files{{".gpulint.yaml", "gpu: a10g\n"}, {"a.yaml", "batch_size: 32\nepochs: 9\n"}});
  LintOptions options;
  options.gpu = "rtx-3090";
  const LintResult result = run(reader, {"a.yaml"}, options);
  CHECK(file(result, "a.yaml").plans[0].gpu->id == "rtx-3090");
  CHECK(file(result, "a.yaml").plans[0].target_reason ==
        "named by the command line; hardware figures: database");
}

namespace {

/// On a machine that measured an A10G.
LintResult run_measured(const MemoryReader& reader, std::vector<std::string> paths,
                        LintOptions options) {
  Session session = std::move(*Session::open(reader));
  Gpu gpu = *session.now().catalog().gpu("a10g");
  gpu.usable_memory = BytesRange{Bytes::mib(20000), Bytes::mib(20000)};
  gpu.measured_on = "2026-11-20";
  session.set_measured({gpu});
  return lint(session, {.paths = std::move(paths), .options = std::move(options)});
}

}  // namespace

TEST_CASE("measured figures are used where command line or project ask for them, and named") {
  const MemoryReader plain(
      Files{{".gpulint.yaml", "gpu: a10g\n"}, {"a.yaml", "batch_size: 32\nepochs: 9\n"}});
  LintOptions options;
  LintResult result = run_measured(plain, {"a.yaml"}, options);
  CHECK(result.files[0].plans[0].gpu->measured_on == "");
  options.use_measured = true;
  result = run_measured(plain, {"a.yaml"}, options);
  CHECK(result.files[0].plans[0].gpu->measured_on == "2026-11-20");
  CHECK(result.files[0].plans[0].target_reason ==
        "named by .gpulint.yaml; hardware figures: measured 2026-11-20");
  options.use_measured = false;
  const MemoryReader asks(Files{{".gpulint.yaml", "gpu: a10g\nmeasured: true\n"},
                                {"a.yaml", "batch_size: 32\nepochs: 9\n"}});
  result = run_measured(asks, {"a.yaml"}, options);
  CHECK(result.files[0].plans[0].estimate.usable_vram->high == Bytes::mib(20000));
}

TEST_CASE("the GPU that auto found is taken as measured, others as the database has them") {
  const MemoryReader reader(Files{{"a.yaml", "batch_size: 32\nepochs: 9\n"}});
  LintOptions options;
  options.gpu = "a10g";
  options.local_gpu = "a10g";
  CHECK(run_measured(reader, {"a.yaml"}, options).files[0].plans[0].gpu->measured_on ==
        "2026-11-20");
  options.gpu = "rtx-3090";
  CHECK(run_measured(reader, {"a.yaml"}, options).files[0].plans[0].gpu->measured_on == "");
}

TEST_CASE("memory that the command line states beats what was measured") {
  const MemoryReader reader(Files{{"a.yaml", "batch_size: 32\nepochs: 9\n"}});
  LintOptions options;
  options.use_measured = true;
  options.gpu = "a10g";
  options.facts = {{"gpu_memory", "10 GiB"}};
  CHECK(run_measured(reader, {"a.yaml"}, options).files[0].plans[0].estimate.usable_vram->high ==
        Bytes::gib(10));
}

TEST_CASE("a finding about hardware says where its figures are from") {
  const MemoryReader reader(Files{{"a.yaml",
                                   "model: resnet50\nbatch_size: 4096\nimage_size: 224\n"
                                   "optimizer: sgd\nlr: 0.1\nepochs: 9\n"}});
  const auto sources = [&](bool use) {
    LintOptions options;
    options.use_measured = use;
    options.gpu = "a10g";
    const LintResult result = run_measured(reader, {"a.yaml"}, options);
    const auto found =
        std::find_if(result.findings.begin(), result.findings.end(),
                     [](const Finding& each) { return each.rule == "vram-over-budget"; });
    return found == result.findings.end() ? "no finding" : found->hardware;
  };
  CHECK(sources(false) == "database");
  CHECK(sources(true) == "measured 2026-11-20");
}

TEST_CASE("overrides hold for the paths they name") {
  const MemoryReader reader(Files{
      {".gpulint.yaml", "gpu: a10g\noverrides:\n  - paths: [\"big/**\"]\n    gpu: rtx-3090\n"},
      {"a.yaml", "batch_size: 32\nepochs: 9\n"},
      {"big/b.yaml", "batch_size: 32\nepochs: 9\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(file(result, "a.yaml").plans[0].gpu->id == "a10g");
  CHECK(file(result, "big/b.yaml").plans[0].gpu->id == "rtx-3090");
}

TEST_CASE("a broken .gpulint.yaml is an error with a place, and files are linted without it") {
  const MemoryReader reader(
      Files{{".gpulint.yaml", "gpu: a10g\nsevrities: {}\n"}, {"a.yaml", kBroken}});
  const LintResult result = run(reader, {"."});
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].to_string().starts_with(".gpulint.yaml:2:1: "));
  CHECK(reports(result, "a.yaml", "persistent-workers-without-workers"));
}

TEST_CASE("a project may switch rules off and exclude files that were only found") {
  const MemoryReader reader(
      Files{{".gpulint.yaml", "disable: [persistent-workers-without-workers]\nexclude: [other]\n"},
            {"a.yaml", kBroken},
            {"other/b.yaml", kBroken}});
  const LintResult result = run(reader, {"."});
  CHECK(result.errors.empty());
  CHECK_FALSE(reports(result, "a.yaml", "persistent-workers-without-workers"));
  CHECK(file(result, "other/b.yaml").reason == "excluded by .gpulint.yaml");
  CHECK(file(run(reader, {"other/b.yaml"}), "other/b.yaml").state == FileState::linted);
}

TEST_CASE("a project may change a rule's severity, of those that judge the text too") {
  const MemoryReader reader(
      Files{{".gpulint.yaml",
             "severity: {persistent-workers-without-workers: note, syntax-error: warning}\n"},
            {"a.yaml", kBroken},
            {"b.yaml", "[1"}});
  const LintResult result = run(reader, {"a.yaml", "b.yaml"});
  for (const Finding& finding : result.findings) {
    if (finding.rule == "persistent-workers-without-workers") {
      CHECK(finding.severity == Severity::note);
    }
    if (finding.rule == "syntax-error") CHECK(finding.severity == Severity::warning);
  }
  CHECK(rules_in(result, "b.yaml") == std::vector<std::string>{"syntax-error"});
}

TEST_CASE("settings named as a config are not linted") {
  const MemoryReader reader(Files{{".gpulint.yaml", "gpu: a10g\n"}});
  const LintResult result = run(reader, {".gpulint.yaml"});
  CHECK(result.files.at(0).reason == "gpulint's own settings, not a training config");
}

TEST_CASE("the result does not depend on the number of threads") {
  Files files;
  for (int i = 0; i < 100; ++i) {
    files["d" + std::to_string(i % 7) + "/" + std::to_string(i) + ".yaml"] = kBroken;
  }
  const MemoryReader reader(std::move(files));
  LintOptions one;
  one.jobs = 1;
  LintOptions eight;
  eight.jobs = 8;
  const LintResult a = run(reader, {"."}, one);
  const LintResult b = run(reader, {"."}, eight);
  REQUIRE(a.findings.size() == b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    CHECK(a.findings[i].span == b.findings[i].span);
    CHECK(a.findings[i].message == b.findings[i].message);
  }
}

TEST_CASE("plans are kept when asked for") {
  const MemoryReader reader(Files{{"a.yaml", kBroken}});
  CHECK_FALSE(run(reader, {"a.yaml"}).files[0].plans[0].plan);
  LintOptions options;
  options.keep_plans = true;
  const LintResult result = run(reader, {"a.yaml"}, options);
  REQUIRE(result.files[0].plans[0].plan);
  CHECK(result.files[0].plans[0].plan->facts.num_workers->value == 0);
}

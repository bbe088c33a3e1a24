#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace suppress_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

LintResult run(Files files, std::optional<std::string> gpu = {}) {
  const MemoryReader reader(std::move(files));
  LintRequest request;
  request.paths = {"a.yaml"};
  for (const char* other : {"a.json", "a.py", "a.sh"}) {
    if (reader.kind(other) == FileKind::regular) request.paths = {other};
  }
  request.options.gpu = std::move(gpu);
  request.today = date_from("2026-11-21");
  return lint(session_over(reader), request);
}

std::vector<std::string> rules(const LintResult& result) {
  std::vector<std::string> found;
  for (const Finding& finding : result.findings) found.push_back(finding.rule);
  std::sort(found.begin(), found.end());
  return found;
}

using Rules = std::vector<std::string>;

/// A config of which only the rule about loader workers complains; `comment` stands on that line.
std::string config(const std::string& comment) {
  return "batch_size: 32\nepochs: 9\nnum_workers: 0" + comment + "\n";
}

/// The text after the first fix of `rule` was applied.
std::string fixed(const LintResult& result, const std::string& rule, std::string text) {
  const auto finding = std::find_if(result.findings.begin(), result.findings.end(),
                                    [&](const Finding& each) { return each.rule == rule; });
  REQUIRE(finding != result.findings.end());
  REQUIRE(finding->fix->edits.size() == 1);
  const Edit& edit = finding->fix->edits.front();
  return text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
}

}  // namespace

TEST_CASE("a suppressed finding is kept apart with its reason") {
  const LintResult result =
      run({{"a.yaml", config("  # gpulint: ignore[no-loader-workers] -- tiny set")}});
  CHECK(rules(result) == Rules{});
  REQUIRE(result.suppressed.size() == 1);
  CHECK(result.suppressed[0].finding.rule == "no-loader-workers");
  CHECK(result.suppressed[0].reason == "tiny set");
  CHECK(result.suppressed[0].kind == SuppressionKind::in_source);
}

TEST_CASE("an expired suppression hides nothing and is reported with its removal") {
  const std::string text = config("  # gpulint: ignore[no-loader-workers] until=2026-11-20");
  const LintResult result = run({{"a.yaml", text}});
  CHECK(rules(result) == Rules{"expired-suppression", "no-loader-workers"});
  CHECK(fixed(result, "expired-suppression", text) == config(""));
}

TEST_CASE("a suppression counts on its last day") {
  CHECK(rules(run({{"a.yaml", config("  # gpulint: ignore[no-loader-workers] until=2026-11-21")}}))
            .empty());
}

TEST_CASE("an unused rule is taken out of its list, the last one with the comment") {
  const std::string two = config("  # gpulint: ignore[no-loader-workers, duplicate-key] -- r");
  CHECK(fixed(run({{"a.yaml", two}}), "unused-suppression", two) ==
        config("  # gpulint: ignore[no-loader-workers] -- r"));
  const std::string one = "batch_size: 32  # gpulint: ignore[duplicate-key]\nepochs: 9\n";
  CHECK(fixed(run({{"a.yaml", one}}), "unused-suppression", one) == "batch_size: 32\nepochs: 9\n");
}

TEST_CASE("a rule that could not decide is not called unused") {
  const std::string text = "batch_size: 32  # gpulint: ignore[vram-over-budget]\nepochs: 9\n";
  CHECK(rules(run({{"a.yaml", text}})) == Rules{});
}

TEST_CASE("a rule that is off is not called unused") {
  const std::string text = "batch_size: 32  # gpulint: ignore[duplicate-key]\nepochs: 9\n";
  CHECK(rules(run({{"a.yaml", text}, {".gpulint.yaml", "disable: [duplicate-key]\n"}})) == Rules{});
}

TEST_CASE("a misspelt rule is reported with the one that was meant") {
  const std::string text = config("  # gpulint: ignore[no-loader-worker]");
  const LintResult result = run({{"a.yaml", text}});
  CHECK(rules(result) == Rules{"no-loader-workers", "unknown-suppression"});
  CHECK(fixed(result, "unknown-suppression", text) ==
        config("  # gpulint: ignore[no-loader-workers]"));
}

TEST_CASE("an unignorable rule stays, and the suppression is reported") {
  const LintResult result = run({{"a.yaml", config("  # gpulint: ignore[no-loader-workers]")},
                                 {".gpulint.yaml", "unignorable: [no-loader-workers]\n"}});
  CHECK(rules(result) == Rules{"forbidden-suppression", "no-loader-workers"});
  CHECK(result.suppressed.empty());
}

TEST_CASE("an unknown rule under unignorable is refused") {
  const LintResult result =
      run({{"a.yaml", config("")}, {".gpulint.yaml", "unignorable: [no-loader-worker]\n"}});
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].message.find("did you mean \"no-loader-workers\"?") != std::string::npos);
}

TEST_CASE("a suppression cannot hide what is said of suppressions") {
  const LintResult result =
      run({{"a.yaml", config("  # gpulint: ignore[unused-suppression, no-loader-workers]")}});
  CHECK(rules(result) == Rules{"malformed-suppression"});
}

TEST_CASE("what is said of suppressions follows the project's settings") {
  const LintResult result =
      run({{"a.yaml", config("  # gpulint: ignore")},
           {".gpulint.yaml",
            "disable: [no-loader-workers]\nseverity: {malformed-suppression: error}\n"}});
  REQUIRE(rules(result) == Rules{"malformed-suppression"});
  CHECK(result.findings[0].severity == Severity::error);
}

TEST_CASE("the key of a JSON object suppresses what is found in the object") {
  const LintResult result = run(
      {{"a.json",
        R"({"//gpulint": "ignore[no-loader-workers] -- why", "batch_size": 32, "epochs": 9, "num_workers": 0})"}});
  CHECK(rules(result) == Rules{});
  CHECK(result.suppressed.size() == 1);
}

TEST_CASE("only the files asked for are linted") {
  const MemoryReader reader(Files{{"a.yaml", config("")}, {"b.yaml", config("")}});
  LintRequest request;
  request.paths = {"."};
  request.only = std::set<std::string>{"b.yaml"};
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(result.files.size() == 1);
  CHECK(result.files[0].path == "b.yaml");
}

TEST_CASE("the previous version of a file is what its learning rate is compared with") {
  const MemoryReader reader(Files{
      {"a.yaml", "batch_size: 512\nlr: 0.1\noptimizer: sgd\nepochs: 9\ngpus: 1\nnodes: 1\n"}});
  LintRequest request;
  request.paths = {"a.yaml"};
  request.previous["a.yaml"] = {.kind = LearningRateReference::Kind::previous,
                                .learning_rate = 0.1,
                                .global_batch_size = 256,
                                .path = "main:a.yaml",
                                .span = {}};
  const LintResult result = lint(session_over(reader), request);
  const auto finding =
      std::find_if(result.findings.begin(), result.findings.end(),
                   [](const Finding& each) { return each.rule == "learning-rate-not-scaled"; });
  REQUIRE(finding != result.findings.end());
  CHECK(finding->severity == Severity::warning);
  CHECK(finding->message ==
        "learning rate 0.1 was tuned at a global batch of 256 in main:a.yaml; at 512, the linear "
        "rule for sgd gives 0.2");
}

TEST_CASE("a suppression in a file that is only referred to counts") {
  const std::string base = "batch_size: 32\nepochs: 9\nnum_workers: 0";
  const std::string comment = "  # gpulint: ignore[no-loader-workers]";
  const std::string run_text = "_base_: base.yaml\nlr: 0.1\nmax_steps: 100\n";
  CHECK(rules(run({{"a.yaml", run_text}, {"base.yaml", base + "\n"}})) ==
        Rules{"no-loader-workers"});
  CHECK(rules(run({{"a.yaml", run_text}, {"base.yaml", base + comment + "\n"}})) == Rules{});
  CHECK(rules(run({{"a.yaml", run_text},
                   {"base.yaml", base + comment + "\n"},
                   {".gpulint.yaml", "unignorable: [no-loader-workers]\n"}})) ==
        Rules{"no-loader-workers"});
}

TEST_CASE("comments in a Python config suppress what they cover") {
  const std::string head = "batch_size = 32\nepochs = 9\n";
  const std::string directive = "# gpulint: ignore[no-loader-workers] -- tiny set\n";
  CHECK(rules(run({{"a.py", head + "num_workers = 0\n"}})) == Rules{"no-loader-workers"});
  const LintResult behind = run({{"a.py", head + "num_workers = 0  " + directive}});
  CHECK(rules(behind) == Rules{});
  REQUIRE(behind.suppressed.size() == 1);
  CHECK(behind.suppressed[0].reason == "tiny set");
  CHECK(rules(run({{"a.py", head + directive + "num_workers = 0\n"}})) == Rules{});
  CHECK(rules(run({{"a.py", directive + head + "num_workers = 0\n"}})) ==
        Rules{"no-loader-workers", "unused-suppression"});
}

TEST_CASE("a comment above a training command suppresses what its flags state, and no other's") {
  const std::string command =
      "torchrun train.py \\\n  --batch-size 16 --lr 0.1 \\\n  --workers 0 --epochs 3\n";
  const std::string directive = "# gpulint: ignore[no-loader-workers] -- tiny set\n";
  CHECK(rules(run({{"a.sh", command}})) == Rules{"no-loader-workers"});
  CHECK(rules(run({{"a.sh", directive + command}})) == Rules{});
  const LintResult both = run({{"a.sh", directive + command + command}});
  REQUIRE(rules(both) == Rules{"no-loader-workers"});
  CHECK(both.findings[0].span.begin > directive.size() + command.size());
  CHECK(rules(run({{"a.sh", command + directive + command}})) == Rules{"no-loader-workers"});
}

}  // namespace suppress_test

#include "edit/baseline.h"

#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

/// Lints all files and lays the baseline under the findings.
struct Checked {
  Checked(Files files, const Baseline& baseline, std::optional<std::string> gpu = "a10g")
      : reader(std::move(files)) {
    LintRequest request;
    request.paths = {"."};
    request.options.gpu = std::move(gpu);
    request.options.keep_undecided = true;
    result = lint(session_over(reader), request);
    outcome = apply_baseline(result, baseline, reader, ".");
  }
  MemoryReader reader;
  LintResult result;
  BaselineOutcome outcome;
};

// Six findings of five rules, one of them about a key inside a list.
const std::string kConfig =
    "# a recipe\n"
    "model: resnet50\n"
    "epochs: 9\n"
    "batch_size: 64\n"
    "lr: 2e-5\n"
    "data:\n"
    "  num_workers: 0\n"
    "  persistent_workers: true\n"
    "  prefetch_factor: 4\n"
    "  pin_memory: false\n"
    "amp: false\n";

Baseline baseline_of(const std::string& text) {
  return Checked({{"configs/a.yaml", text}}, {}).outcome.renewed;
}

}  // namespace

TEST_CASE("twenty edits of a baselined file keep the baseline matched") {
  const Baseline baseline = baseline_of(kConfig);
  REQUIRE(baseline.size() >= 4);
  struct Edit {
    const char* what;
    const char* text;
    const char* path = "configs/a.yaml";
  };
  // Each text is the recipe after one edit; none touches a value that is complained about.
  const Edit edits[] = {
      {"a line above",
       "\n# a recipe\nmodel: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: "
       "0\n  persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\n"},
      {"the comment removed",
       "model: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  "
       "persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\n"},
      {"a long licence above",
       "# one\n# two\n# three\n# four\nmodel: resnet50\nepochs: 9\nbatch_size: 64\nlr: "
       "2e-5\ndata:\n  num_workers: 0\n  persistent_workers: true\n  prefetch_factor: 4\n  "
       "pin_memory: false\namp: false\n"},
      {"a key inserted above",
       "seed: 1\nmodel: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  "
       "persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\n"},
      {"a key inserted below",
       "model: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  "
       "persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\nseed: "
       "1\n"},
      {"a key inserted between",
       "model: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  root: "
       "/data\n  persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: "
       "false\n"},
      {"blocks reordered",
       "amp: false\ndata:\n  num_workers: 0\n  persistent_workers: true\n  prefetch_factor: 4\n  "
       "pin_memory: false\nmodel: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\n"},
      {"keys of a block reordered",
       "model: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  pin_memory: false\n  "
       "prefetch_factor: 4\n  persistent_workers: true\n  num_workers: 0\namp: false\n"},
      {"everything turned round",
       "amp: false\ndata:\n  pin_memory: false\n  prefetch_factor: 4\n  persistent_workers: true\n "
       " num_workers: 0\nlr: 2e-5\nbatch_size: 64\nepochs: 9\nmodel: resnet50\n"},
      {"reindented by four",
       "model: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n    num_workers: 0\n    "
       "persistent_workers: true\n    prefetch_factor: 4\n    pin_memory: false\namp: false\n"},
      {"blanks before values",
       "model:   resnet50\nepochs:   9\nbatch_size:   64\nlr:   2e-5\ndata:\n  num_workers:   0\n  "
       "persistent_workers:   true\n  prefetch_factor:   4\n  pin_memory:   false\namp:   false\n"},
      {"Windows line ends",
       "model: resnet50\r\nepochs: 9\r\nbatch_size: 64\r\nlr: 2e-5\r\ndata:\r\n  num_workers: "
       "0\r\n  persistent_workers: true\r\n  prefetch_factor: 4\r\n  pin_memory: false\r\namp: "
       "false\r\n"},
      {"flow style",
       "model: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata: {num_workers: 0, "
       "persistent_workers: true, prefetch_factor: 4, pin_memory: false}\namp: false\n"},
      {"comments behind values",
       "model: resnet50 # m\nepochs: 9 # e\nbatch_size: 64 # b\nlr: 2e-5 # l\ndata: # d\n  "
       "num_workers: 0 # n\n  persistent_workers: true # p\n  prefetch_factor: 4 # f\n  "
       "pin_memory: false # i\namp: false # a\n"},
      {"empty lines between",
       "model: resnet50\n\nepochs: 9\n\nbatch_size: 64\n\nlr: 2e-5\n\ndata:\n\n  num_workers: "
       "0\n\n  persistent_workers: true\n\n  prefetch_factor: 4\n\n  pin_memory: false\n\namp: "
       "false\n"},
      {"a document mark and no last line end",
       "---\nmodel: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  "
       "persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false"},
      {"a neighbouring key renamed",
       "net: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  "
       "persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\n"},
      {"a neighbouring value changed",
       "model: resnet50\nepochs: 12\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: 0\n  "
       "persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\n"},
      {"the file renamed",
       "# a recipe\nmodel: resnet50\nepochs: 9\nbatch_size: 64\nlr: 2e-5\ndata:\n  num_workers: "
       "0\n  persistent_workers: true\n  prefetch_factor: 4\n  pin_memory: false\namp: false\n",
       "configs/b.yaml"},
      {"the file moved and reordered",
       "amp: false\nlr: 2e-5\nbatch_size: 64\nepochs: 9\nmodel: resnet50\ndata:\n    pin_memory: "
       "false\n    num_workers: 0\n    prefetch_factor: 4\n    persistent_workers: true\n",
       "recipes/vision/a.yaml"},
  };
  CHECK(std::size(edits) == 20);
  for (const Edit& edit : edits) {
    CAPTURE(edit.what);
    const Checked checked({{edit.path, edit.text}}, baseline);
    CHECK(checked.result.findings.empty());
    CHECK(checked.outcome.fresh.empty());
    CHECK(checked.outcome.stale.empty());
    CHECK(checked.outcome.matched == baseline.size());
  }
}

TEST_CASE("a new finding of a baselined file is reported") {
  const std::string clean = "epochs: 9\nbatch_size: 64\nnum_workers: 4\n";
  const std::string worse = "epochs: 9\nbatch_size: 64\nnum_workers: 0\n";
  const Checked checked({{"configs/a.yaml", worse}}, baseline_of(clean));
  REQUIRE(checked.outcome.fresh.size() == 1);
  CHECK(checked.outcome.fresh[0].rule == "no-loader-workers");
  CHECK(checked.outcome.fresh[0].pointer == "/num_workers");
  CHECK(checked.outcome.fresh[0].value == "0");
}

TEST_CASE("a finding that is gone leaves a stale entry, which a renewed baseline lacks") {
  const Baseline baseline = baseline_of("epochs: 9\nbatch_size: 64\nnum_workers: 0\n");
  const Checked checked({{"configs/a.yaml", "epochs: 9\nbatch_size: 64\nnum_workers: 4\n"}},
                        baseline);
  REQUIRE(checked.outcome.stale.size() == 1);
  CHECK(checked.outcome.stale[0].rule == "no-loader-workers");
  CHECK(checked.outcome.renewed.size() == baseline.size() - 1);
}

TEST_CASE("a deleted file leaves stale entries") {
  const Baseline baseline = baseline_of("epochs: 9\nbatch_size: 64\nnum_workers: 0\n");
  const Checked checked({{"configs/b.yaml", "epochs: 9\nbatch_size: 32\nnum_workers: 4\n"}},
                        baseline);
  CHECK(checked.outcome.stale.size() == 1);
}

TEST_CASE("an entry whose rule could not decide is kept") {
  const Baseline baseline = baseline_of("epochs: 9\nbatch_size: 64\namp: false\nnum_workers: 4\n");
  REQUIRE(baseline.size() == 1);
  CHECK(baseline[0].rule == "amp-disabled");
  const Checked checked(
      {{"configs/a.yaml", "epochs: 9\nbatch_size: 64\namp: false\nnum_workers: 4\n"}}, baseline,
      std::nullopt);
  CHECK(checked.outcome.stale.empty());
  CHECK(checked.outcome.unjudged.size() == 1);
  CHECK(checked.outcome.renewed == baseline);
}

TEST_CASE("an unignorable rule is not part of a baseline") {
  const Files files{{"configs/a.yaml", "epochs: 9\nbatch_size: 64\nnum_workers: 0\n"},
                    {".gpulint.yaml", "unignorable: [no-loader-workers]\n"}};
  const Checked checked(files, baseline_of("epochs: 9\nbatch_size: 64\nnum_workers: 0\n"));
  CHECK(checked.result.findings.size() == 1);
  CHECK(checked.outcome.renewed.empty());
}

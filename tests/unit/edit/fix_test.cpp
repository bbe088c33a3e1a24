#include "edit/fix.h"

#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

LintRequest request_for(std::vector<std::string> paths, const char* gpu = "rtx-3090") {
  LintRequest request;
  request.paths = std::move(paths);
  request.options.gpu = gpu;
  return request;
}

/// The text of "a.yaml" after its fixes.
std::string fixed(const std::string& text, bool unsafe = true, const char* gpu = "rtx-3090") {
  const MemoryReader reader(Files{{"a.yaml", text}});
  const FixResult result =
      fix(session_over(reader), request_for({"a.yaml"}, gpu), {.unsafe = unsafe});
  return result.texts.empty() ? text : result.texts.front().after;
}

const FixRecord* record_of(const FixResult& result, const std::string& rule) {
  const auto found = std::find_if(result.records.begin(), result.records.end(),
                                  [&](const FixRecord& record) { return record.rule == rule; });
  return found == result.records.end() ? nullptr : &*found;
}

std::string hf(const std::string& more) {
  return "per_device_train_batch_size: 4\nnum_train_epochs: 3\nlearning_rate: 2.0e-5\n"
         "save_steps: 5\nsave_total_limit: 3\n" +
         more;
}

/// Why the only finding of a rule is not fixed in this config.
std::string refusal(const std::string& text, const std::string& rule) {
  const MemoryReader reader(Files{{"a.yaml", text}});
  const FixResult result = fix(session_over(reader), request_for({"a.yaml"}), {.unsafe = true});
  const FixRecord* record = record_of(result, rule);
  if (record == nullptr) return "no such finding";
  return record->state == FixState::shown ? record->reason : "not shown";
}

}  // namespace

TEST_CASE("a fix changes its value and nothing else: comments, quotes, line ends and BOM stay") {
  const std::string text =
      "\xEF\xBB\xBF# tuned\r\n" + hf("dataloader_num_workers: 4   # cores\r\n"
                                     "dataloader_pin_memory: False\t# why\r\n");
  std::string expected = text;
  expected.replace(expected.find("False"), 5, "True");
  CHECK(fixed(text, false) == expected);
}

TEST_CASE("unsafe fixes wait until they are asked for") {
  const std::string text = hf("bf16: false\nfp16: false\n");
  CHECK(fixed(text, false) == text);
  CHECK(fixed(text) == hf("bf16: true\nfp16: false\n"));
}

TEST_CASE("what cannot be written back is shown with the reason") {
  CHECK(refusal("x: &off false\n" + hf("dataloader_num_workers: 4\ndataloader_pin_memory: *off\n"),
                "pin-memory-off") == "the value is shared through the anchor &off");
  CHECK(refusal("base: &base\n  dataloader_pin_memory: false\n"
                "<<: *base\n" +
                    hf("dataloader_num_workers: 4\n"),
                "pin-memory-off") == "the value is shared through the anchor &base");
  CHECK(refusal(hf("dataloader_num_workers: 4\ndataloader_pin_memory: !!bool false\n"),
                "pin-memory-off") == "the value carries a tag");
}

TEST_CASE("a value that came through a reference is changed where it is written") {
  const std::string text = "loader: {pin: false}\n" +
                           hf("dataloader_num_workers: 4\ndataloader_pin_memory: ${loader.pin}\n");
  std::string expected = text;
  expected.replace(expected.find("false"), 5, "true");
  CHECK(fixed(text) == expected);
}

TEST_CASE("text that states two facts at once is left alone") {
  CHECK(refusal("off: false\n" + hf("dataloader_num_workers: 4\ndataloader_drop_last: ${off}\n"
                                    "dataloader_pin_memory: ${off}\n"),
                "pin-memory-off") == "the same value also states drop_last");
}

TEST_CASE(
    "a fact that an included file states is mended in that file, never in the one that names it") {
  const std::string base =
      "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\npersistent_workers: true\n";
  const std::string config = "_base_: ../base.yaml\nseed: 1\n";
  const MemoryReader reader(Files{{"base.yaml", base}, {"exp/a.yaml", config}});
  const FixResult result = fix(session_over(reader), request_for({"."}), {.unsafe = true});
  REQUIRE(result.texts.size() == 1);
  CHECK(result.texts.front().path == "base.yaml");
  CHECK(result.texts.front().after.find("persistent_workers: true") == std::string::npos);
}

TEST_CASE("an included file outside what is linted is left alone") {
  const std::string base =
      "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\npersistent_workers: true\n";
  const MemoryReader reader(
      Files{{"base.yaml", base}, {"exp/a.yaml", "_base_: ../base.yaml\nseed: 1\n"}});
  const FixResult result = fix(session_over(reader), request_for({"exp/a.yaml"}), {.unsafe = true});
  for (const FixedText& text : result.texts) CHECK(text.path != "exp/a.yaml");
}

TEST_CASE("the fixed text gives no further fixes") {
  const std::string once =
      fixed(hf("bf16: false\nfp16: false\ndataloader_num_workers: 4\n"
               "dataloader_pin_memory: no\n"));
  CHECK(once ==
        hf("bf16: true\nfp16: false\ndataloader_num_workers: 4\ndataloader_pin_memory: yes\n"));
  CHECK(fixed(once) == once);
}

TEST_CASE("a key that PyTorch refuses is taken out with its line") {
  CHECK(fixed("batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\nprefetch_factor: 4\n"
              "momentum: 0.9\n",
              false) == "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\nmomentum: 0.9\n");
}

TEST_CASE("a buffer is fixed like a file, and the disk is left alone") {
  const MemoryReader reader(Files{});
  Session session = std::move(*Session::open(reader));
  session.set_buffer("new.yaml", hf("dataloader_num_workers: 4\ndataloader_pin_memory: false\n"));
  const FixResult result = fix(session, request_for({"new.yaml"}), {});
  REQUIRE(result.texts.size() == 1);
  CHECK(result.texts[0].path == "new.yaml");
  CHECK(result.texts[0].after == hf("dataloader_num_workers: 4\ndataloader_pin_memory: true\n"));
  CHECK(session.now().buffer("new.yaml")->text == result.texts[0].before);
}

TEST_CASE("a fix that holds is still offered once it was proved") {
  const MemoryReader reader(
      Files{{"a.yaml", hf("dataloader_num_workers: 4\ndataloader_pin_memory: false\n")}});
  const LintRequest request = request_for({"a.yaml"});
  const SessionView session = session_over(reader);
  LintResult result = lint(session, request);
  prove_fixes(session, request, result);
  const auto kept = std::find_if(result.findings.begin(), result.findings.end(),
                                 [](const auto& each) { return each.rule == "pin-memory-off"; });
  REQUIRE(kept != result.findings.end());
  CHECK(kept->fix->edits.size() == 1);
}

TEST_CASE("fixes of many files are proved without reading the project's code for each of them") {
  class CountingReader : public MemoryReader {
   public:
    using MemoryReader::MemoryReader;
    Result<std::string> read(const std::string& path, std::size_t limit) const override {
      if (path.ends_with("train.py")) ++reads;
      return MemoryReader::read(path, limit);
    }
    mutable std::atomic<int> reads = 0;
  };
  Files files{{"p/train.py",
               "import torch, yaml, sys\n"
               "cfg = yaml.safe_load(open(sys.argv[1]))\n"
               "model = torch.nn.Linear(2, 2)\n"
               "loader = torch.utils.data.DataLoader([], batch_size=cfg['batch_size'],\n"
               "                                     num_workers=cfg['num_workers'],\n"
               "                                     pin_memory=cfg['pin_memory'])\n"
               "optimizer = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
               "for epoch in range(cfg['epochs']):\n    optimizer.step()\n"}};
  std::vector<std::string> paths;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    paths.push_back(std::string("p/") + name + ".yaml");
    files[paths.back()] = "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 4\npin_memory: false\n";
  }
  const CountingReader reader(files);
  const LintRequest request = request_for(paths);
  const SessionView session = session_over(reader);
  LintResult result = lint(session, request);
  const int before = reader.reads;
  prove_fixes(session, request, result);
  const auto fixable = std::count_if(result.findings.begin(), result.findings.end(),
                                     [](const Finding& each) { return !each.fix->edits.empty(); });
  CHECK(fixable == 8);
  CHECK(before > 0);
  CHECK(reader.reads - before <= 2 * before);
}

TEST_CASE("short of memory, the batch shrinks and accumulation grows by the same factor") {
  CHECK(fixed("model: resnet50\nbatch_size: 1024\nimage_size: 224\noptimizer: sgd\nlr: 0.1\n"
              "amp: true\ngradient_accumulation_steps: 2\n") ==
        "model: resnet50\nbatch_size: 256\nimage_size: 224\noptimizer: sgd\nlr: 0.1\n"
        "amp: true\ngradient_accumulation_steps: 8\n");
}

TEST_CASE("a fix that would change another run of the same file is not made") {
  const std::string base =
      "image_size: 224\noptimizer: sgd\nlr: 0.1\namp: true\nnum_workers: 4\n"
      "gradient_accumulation_steps: 2\n";
  const std::string large = "_base_: ../base.yaml\nmodel: resnet50\nbatch_size: 1024\n";
  const std::string small = "_base_: ../base.yaml\nmodel: resnet50\nbatch_size: 128\n";
  const MemoryReader alone(Files{{"conf/base.yaml", base}, {"conf/exp/a.yaml", large}});
  CHECK(fix(session_over(alone), request_for({"."}), {.unsafe = true}).texts.size() == 2);

  const MemoryReader reader(
      Files{{"conf/base.yaml", base}, {"conf/exp/a.yaml", large}, {"conf/exp/b.yaml", small}});
  const SessionView session = session_over(reader);
  for (const char* named : {".", "conf/exp/a.yaml"}) {
    CAPTURE(named);
    const FixResult kept = fix(session, request_for({named}), {.unsafe = true});
    CHECK(kept.texts.empty());
    const FixRecord* record = record_of(kept, "vram-over-budget");
    REQUIRE(record != nullptr);
    CHECK(record->reason == "gradient_accumulation_steps would change in conf/exp/b.yaml too");
  }

  LintResult result = lint(session, request_for({"."}));
  prove_fixes(session, request_for({"."}), result);
  for (const Finding& finding : result.findings) {
    if (finding.rule == "vram-over-budget") CHECK(finding.fix->edits.empty());
  }
}

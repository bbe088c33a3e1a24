#include "lint/session.h"

#include "catalog/catalog.h"
#include "lint/lint.h"
#include "unit/lint/memory_reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace session_test {

using namespace gpulint;

namespace {

/// A disk whose files a test changes while a session is open.
class ChangingDisk : public FileReader {
 public:
  explicit ChangingDisk(MemoryReader::Files files) : files_(std::move(files)) {}

  void write(const std::string& path, std::string text) {
    const std::scoped_lock lock(mutex_);
    files_[path] = std::move(text);
  }
  void remove(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    files_.erase(path);
  }
  std::string unreadable;  // a path whose text the disk refuses

  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    if (path == unreadable) return fail(Error{.message = "cannot read: no", .file = path});
    return now().read(path, limit);
  }
  FileKind kind(const std::string& path) const override { return now().kind(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& folder) const override {
    return now().list(folder);
  }
  std::string canonical(const std::string& path) const override { return now().canonical(path); }

 private:
  MemoryReader now() const {
    const std::scoped_lock lock(mutex_);
    return MemoryReader(files_);
  }
  mutable std::mutex mutex_;
  MemoryReader::Files files_;
};

Session open(const FileReader& disk, SessionOptions options = {}) {
  Result<Session> session = Session::open(disk, std::move(options));
  REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().to_string()));
  return std::move(*session);
}

/// "path:line rule" of every finding, in order.
std::vector<std::string> findings(const LintResult& result) {
  std::vector<std::string> lines;
  for (const Finding& finding : result.findings) {
    const SourceText& source = result.sources.at(finding.span.file);
    lines.push_back(fmt::format("{}:{} {}", source.path,
                                source.lines.at(source.text, finding.span.begin).line,
                                finding.rule));
  }
  return lines;
}

using Lines = std::vector<std::string>;

Lines lint_paths(const SessionView& session, std::vector<std::string> paths) {
  return findings(lint(session, {.paths = std::move(paths)}));
}

// The data loader of PyTorch refuses persistent workers without workers, whatever the hardware.
constexpr const char* kGood =
    "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 4\npersistent_workers: true\n";
constexpr const char* kBad =
    "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\npersistent_workers: true\n";
const Lines kBadFindings{"a.yaml:4 no-loader-workers",
                         "a.yaml:5 persistent-workers-without-workers"};

constexpr const char* kOwnRule = R"(summary: a rule of the project
severity: error
since: 0.1.0
when: num_workers == 4
at: [num_workers]
message: "four workers"
why: the project says so
fix: {kind: display, advice: "take another number"}
sources: ["the project"]
samples:
  bad:
    - config: "batch_size: 32\nepochs: 9\nnum_workers: 4\n"
      expect: [3]
  ok:
    - config: "batch_size: 32\nepochs: 9\nnum_workers: 3\n"
)";

}  // namespace

TEST_CASE("a buffer stands for its file from the next request on, and the disk counts again") {
  const ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  Session session = open(disk);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  CHECK(session.set_buffer("a.yaml", kBad, 1));
  CHECK(lint_paths(session, {"a.yaml"}) == kBadFindings);
  CHECK(session.set_buffer("a.yaml", kGood, 2));
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  CHECK(session.set_buffer("a.yaml", kBad, 3));
  CHECK(session.close_buffer("a.yaml"));
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  CHECK_FALSE(session.close_buffer("a.yaml"));
}

TEST_CASE("an edit on the disk is seen by the next request") {
  ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  const Session session = open(disk);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  disk.write("a.yaml", kBad);
  CHECK(lint_paths(session, {"a.yaml"}) == kBadFindings);
}

TEST_CASE("an older version of a buffer does not replace a later one") {
  const ChangingDisk disk({});
  Session session = open(disk);
  CHECK(session.set_buffer("a.yaml", kBad, 7));
  CHECK_FALSE(session.set_buffer("a.yaml", kGood, 6));
  const LintResult result = lint(session, {.paths = {"a.yaml"}});
  CHECK(findings(result) == kBadFindings);
  CHECK(result.files.at(0).version == 7);
  CHECK(session.close_buffer("a.yaml"));
  CHECK(session.set_buffer("a.yaml", kGood, 1));  // opened anew: versions begin again
}

TEST_CASE("a report of a file that is not a buffer has no version") {
  const ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  CHECK_FALSE(lint(open(disk), {.paths = {"a.yaml"}}).files.at(0).version);
}

TEST_CASE("a buffer that is not on the disk is found by name and below its folder") {
  const ChangingDisk disk(MemoryReader::Files{{"conf/b.yaml", kGood}});
  Session session = open(disk);
  session.set_buffer("conf/new/a.yaml", kBad);
  const Lines wanted{"conf/new/a.yaml:4 no-loader-workers",
                     "conf/new/a.yaml:5 persistent-workers-without-workers"};
  CHECK(lint_paths(session, {"conf/new/a.yaml"}) == wanted);
  CHECK(lint_paths(session, {"conf/new"}) == wanted);
  CHECK(lint_paths(session, {"."}) == wanted);
  session.close_buffer("conf/new/a.yaml");
  const LintResult gone = lint(session, {.paths = {"conf/new/a.yaml"}});
  REQUIRE(gone.errors.size() == 1);
  CHECK(gone.errors[0].file == "conf/new/a.yaml");
}

TEST_CASE("buffers that include each other are read from each other") {
  const ChangingDisk disk(
      MemoryReader::Files{{"base.yaml", "batch_size: 32\nnum_workers: 4\n"},
                          {"a.yaml", "_base_: base.yaml\nlr: 0.1\nepochs: 9\n"}});
  Session session = open(disk);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  session.set_buffer("base.yaml", "_base_: deeper.yaml\nbatch_size: 32\n");
  session.set_buffer("deeper.yaml", "num_workers: 0\npersistent_workers: true\n");
  const LintResult result = lint(session, {.paths = {"a.yaml"}});
  CHECK(result.files.at(0).reads == Lines{"base.yaml", "deeper.yaml"});
  const Lines found = findings(result);
  CHECK(std::count(found.begin(), found.end(),
                   "deeper.yaml:2 persistent-workers-without-workers") == 1);
  session.set_buffer("deeper.yaml", "num_workers: 4\npersistent_workers: true\n");
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  session.set_buffer("deeper.yaml", "_base_: base.yaml\nnum_workers: 4\n");  // a circle ends
  CHECK(lint(session, {.paths = {"a.yaml"}}).files.at(0).reads ==
        Lines{"base.yaml", "deeper.yaml"});
}

TEST_CASE("settings are read from their buffer") {
  const ChangingDisk disk(MemoryReader::Files{{".gpulint.yaml", "gpu: a10g\n"}, {"a.yaml", kGood}});
  Session session = open(disk);
  const auto gpu = [&] {
    return lint(session, {.paths = {"a.yaml"}}).files.at(0).plans.at(0).gpu->id;
  };
  CHECK(gpu() == "a10g");
  session.set_buffer(".gpulint.yaml", "gpu: rtx-3090\n");
  CHECK(gpu() == "rtx-3090");
  session.set_buffer(".gpulint.yaml", "gpu: no-such-gpu\n");
  CHECK(lint(session, {.paths = {"a.yaml"}}).errors.size() == 1);
  session.close_buffer(".gpulint.yaml");
  CHECK(gpu() == "a10g");
  session.set_buffer("x/.gpulint.yaml", "gpu: rtx-3090\n");
  session.set_buffer("x/a.yaml", kGood);
  CHECK(lint(session, {.paths = {"x/a.yaml"}}).files.at(0).plans.at(0).gpu->id == "rtx-3090");
}

TEST_CASE("settings changed on the disk are seen by the next request") {
  ChangingDisk disk(MemoryReader::Files{{".gpulint.yaml", "gpu: a10g\n"}, {"a.yaml", kGood}});
  const Session session = open(disk);
  CHECK(lint(session, {.paths = {"a.yaml"}}).files.at(0).plans.at(0).gpu->id == "a10g");
  disk.write(".gpulint.yaml", "gpu: rtx-3090\n");
  CHECK(lint(session, {.paths = {"a.yaml"}}).files.at(0).plans.at(0).gpu->id == "rtx-3090");
  disk.remove(".gpulint.yaml");
  CHECK(lint(session, {.paths = {"a.yaml"}}).files.at(0).plans.at(0).gpu == nullptr);
}

TEST_CASE("a file has one buffer under all its names") {
  const MemoryReader disk(MemoryReader::Files{{"real/a.yaml", kGood}}, {{"link", "real"}});
  Session session = open(disk);
  session.set_buffer("./link/../link/a.yaml", kBad);
  CHECK(
      lint_paths(session, {"real/a.yaml"}) ==
      Lines{"real/a.yaml:4 no-loader-workers", "real/a.yaml:5 persistent-workers-without-workers"});
  CHECK(lint_paths(session, {"."}) == Lines{"real/a.yaml:4 no-loader-workers",
                                            "real/a.yaml:5 persistent-workers-without-workers"});
  CHECK(session.close_buffer("real/a.yaml"));
  CHECK(lint_paths(session, {"link/a.yaml"}) == Lines{});
}

TEST_CASE("a file the disk refuses is an error, and its buffer is linted all the same") {
  ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}, {"b.yaml", kGood}});
  disk.unreadable = "a.yaml";
  Session session = open(disk);
  const LintResult refused = lint(session, {.paths = {"a.yaml", "b.yaml"}});
  CHECK(refused.files.at(0).state == FileState::unreadable);
  CHECK(refused.files.at(1).state == FileState::linted);
  REQUIRE(refused.errors.size() == 1);
  CHECK(refused.errors[0].message == "cannot read: no");
  session.set_buffer("a.yaml", kBad);
  CHECK(lint_paths(session, {"a.yaml"}) == kBadFindings);
}

TEST_CASE("a buffer over the size limit is said to be") {
  const ChangingDisk disk({});
  Session session = open(disk);
  session.set_buffer("a.yaml", kBad);
  LintRequest request{.paths = {"a.yaml"}};
  request.options.limits.max_bytes = 10;
  const LintResult result = lint(session, request);
  CHECK(findings(result) == Lines{"a.yaml:1 limit-exceeded"});
}

TEST_CASE("a file that did not change is parsed once") {
  ChangingDisk disk(MemoryReader::Files{{".gpulint.yaml", "gpu: a10g\n"},
                                        {"base.yaml", "batch_size: 32\nnum_workers: 4\n"},
                                        {"a.yaml", "_base_: base.yaml\nlr: 0.1\nepochs: 9\n"}});
  Session session = open(disk);
  (void)lint(session, {.paths = {"."}});
  const std::size_t parsed = session.now().parsed().use().parsed;
  CHECK(parsed == 2);  // base.yaml is linted and is a part of a.yaml
  (void)lint(session, {.paths = {"."}});
  CHECK(session.now().parsed().use().parsed == parsed);
  session.set_buffer("base.yaml", "batch_size: 32\nnum_workers: 8\n");
  (void)lint(session, {.paths = {"."}});
  CHECK(session.now().parsed().use().parsed == parsed + 1);
}

TEST_CASE("parsed files keep to the memory they are given") {
  MemoryReader::Files files;
  for (int i = 0; i < 60; ++i)
    files[fmt::format("{}.yaml", i)] = fmt::format("lr: {}\n{}", i, kGood);
  const ChangingDisk disk(std::move(files));
  const Session session = open(disk, {.most_parsed_bytes = 20'000});
  const LintResult result = lint(session, {.paths = {"."}});
  CHECK(result.files.size() == 60);
  const ParsedFiles::Use use = session.now().parsed().use();
  CHECK(use.documents > 1);
  CHECK(use.documents < 60);
  CHECK(use.bytes <= 20'000);
}

TEST_CASE("the project's data folder is read by refresh, buffers included") {
  ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  Session session = open(disk);
  const Lines own{"a.yaml:4 four-workers"};
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  disk.write(".gpulint/rules/house/four-workers.yaml", kOwnRule);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  Result<bool> refreshed = session.refresh();
  REQUIRE(refreshed);
  CHECK(*refreshed);
  CHECK(lint_paths(session, {"a.yaml"}) == own);
  refreshed = session.refresh();
  REQUIRE(refreshed);
  CHECK_FALSE(*refreshed);  // nothing changed
  std::string other = kOwnRule;
  other.replace(other.find("num_workers == 4"), 16, "num_workers == 3");
  session.set_buffer(".gpulint/rules/house/four-workers.yaml", other);
  refreshed = session.refresh();
  REQUIRE(refreshed);
  CHECK(*refreshed);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
}

TEST_CASE("a data folder that breaks is left out, named, and read again once it is mended") {
  ChangingDisk disk(
      MemoryReader::Files{{"a.yaml", kGood}, {".gpulint/rules/house/four-workers.yaml", kOwnRule}});
  Session session = open(disk);
  CHECK(session.errors().empty());
  disk.write(".gpulint/rules/house/four-workers.yaml", "when: 3\n");
  REQUIRE(session.refresh());
  CHECK(session.errors().size() == 1);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  disk.write(".gpulint/rules/house/four-workers.yaml", kOwnRule);
  REQUIRE(session.refresh());
  CHECK(session.errors().empty());
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{"a.yaml:4 four-workers"});
}

TEST_CASE("a data folder that is named and is none is an error, and the rest is known") {
  const ChangingDisk disk(MemoryReader::Files{{"a.yaml", kBad}});
  const Session session = open(disk, {.data_folder = "nowhere"});
  REQUIRE(session.errors().size() == 1);
  CHECK(session.errors()[0].file == "nowhere");
  CHECK(lint_paths(session, {"a.yaml"}) == kBadFindings);
}

TEST_CASE("what a result points at outlives a refresh and the session") {
  ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  LintResult result;
  {
    Session session = open(disk);
    LintRequest request{.paths = {"a.yaml"}};
    request.options.gpu = "a10g";
    result = lint(session, request);
    disk.write(".gpulint/rules/house/four-workers.yaml", kOwnRule);
    REQUIRE(session.refresh());
  }
  CHECK(result.files.at(0).plans.at(0).gpu->id == "a10g");
}

TEST_CASE("a view does not change while the session does") {
  const ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  Session session = open(disk);
  session.set_buffer("a.yaml", kBad, 1);
  const SessionView before = session;
  session.set_buffer("a.yaml", kGood, 2);
  CHECK(lint_paths(before, {"a.yaml"}) == kBadFindings);
  CHECK(lint_paths(session, {"a.yaml"}) == Lines{});
  CHECK(before.buffer("a.yaml")->version == 1);
}

TEST_CASE("two sessions know nothing of each other") {
  const ChangingDisk disk(MemoryReader::Files{{"a.yaml", kGood}});
  const ChangingDisk project(
      {{"a.yaml", kGood}, {".gpulint/rules/house/four-workers.yaml", kOwnRule}});
  Session one = open(disk);
  Session other = open(project);
  one.set_buffer("a.yaml", kBad);
  CHECK(lint_paths(one, {"a.yaml"}) == kBadFindings);
  CHECK(lint_paths(other, {"a.yaml"}) == Lines{"a.yaml:4 four-workers"});
  Gpu gpu = *one.now().catalog().gpu("a10g");
  gpu.measured_on = "2026-11-20";
  one.set_measured({gpu});
  LintRequest request{.paths = {"a.yaml"}};
  request.options.gpu = "a10g";
  request.options.use_measured = true;
  CHECK(lint(one, request).files.at(0).plans.at(0).gpu->measured_on == "2026-11-20");
  CHECK(lint(other, request).files.at(0).plans.at(0).gpu->measured_on.empty());
}

namespace {

/// Everything of a result that a report shows, as text.
std::string account_of(const LintResult& result) {
  std::string text;
  for (const Error& error : result.errors) text += error.to_string() + "\n";
  const auto interval = [](const auto& estimate) {
    return fmt::format("{}..{}..{}", estimate.total.low.count(), estimate.total.central.count(),
                       estimate.total.high.count());
  };
  for (const FileReport& file : result.files) {
    text += fmt::format("{} {} [{}]\n", file.path, file.dialect, file.reason);
    for (const PlanReport& plan : file.plans) {
      text += fmt::format("  {} {}", plan.phase.value_or(""), plan.target_reason);
      if (plan.estimate.vram) text += " vram " + interval(*plan.estimate.vram);
      if (plan.estimate.ram) text += " ram " + interval(*plan.estimate.ram);
      text += fmt::format(" unknown {}\n", fmt::join(plan.estimate.unknown, ","));
    }
  }
  for (const Finding& finding : result.findings) {
    text +=
        fmt::format("{} {} {}-{} {} {} {}\n", finding.rule,
                    result.sources.at(finding.span.file).path, finding.span.begin, finding.span.end,
                    finding.pointer, finding.message, fmt::join(finding.arithmetic, "; "));
    if (!finding.fix) continue;
    text += fmt::format("  {} {}\n", finding.fix->advice, finding.fix->refusal);
    for (const Edit& edit : finding.fix->edits) {
      text += fmt::format("  {}-{} {}\n", edit.span.begin, edit.span.end, edit.text);
    }
  }
  return text;
}

/// The checked-in corpus, read from the real disk once.
MemoryReader::Files corpus() {
  namespace fs = std::filesystem;
  MemoryReader::Files files;
  const fs::path root = fs::path(GPULINT_SOURCE_DIR) / "tests" / "corpus";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), root).generic_string()] =
        std::string((std::istreambuf_iterator<char>(file)), {});
  }
  return files;
}

LintRequest corpus_request(const std::string& path) {
  LintRequest request{.paths = {path}};
  request.options.gpu = "rtx-3090";
  request.options.previews = true;
  return request;
}

}  // namespace

TEST_CASE("a session that has linted a lot finds what a new one finds") {
  const MemoryReader disk(corpus());
  Session old = open(disk, {.most_parsed_bytes = 100'000});
  std::vector<std::string> paths;
  for (const auto& entry : lint(old, {.paths = {"."}}).files) {
    if (entry.state == FileState::linted) paths.push_back(entry.path);
  }
  REQUIRE(paths.size() >= 50);
  paths.resize(50);
  for (const std::string& path : paths) {
    const std::string wanted = account_of(lint(open(disk), corpus_request(path)));
    CHECK(account_of(lint(old, corpus_request(path))) == wanted);
    CHECK(account_of(lint(old, corpus_request(path))) == wanted);
    // The same text as a buffer.
    const std::string text = *disk.read(path, std::size_t{1} << 24);
    old.set_buffer(path, text);
    CHECK(account_of(lint(old, corpus_request(path))) == wanted);
    old.close_buffer(path);
  }
}

TEST_CASE("requests at once, edits and refreshes between them, see one state each") {
  ChangingDisk disk(MemoryReader::Files{
      {"base.yaml", "batch_size: 32\nnum_workers: 4\n"},
      {"a.yaml",
       "_base_: base.yaml\nlr: 0.1\nepochs: 9\nmodel: resnet50\nimage_size: 224\n"
       "optimizer: sgd\n"}});
  Session session = open(disk, {.most_parsed_bytes = 40'000});
  constexpr int kVersions = 40;
  const auto base_text = [](int version) {
    return fmt::format("batch_size: {}\nnum_workers: 4\n", 8 + version);
  };
  constexpr const char* kOwnPath = ".gpulint/rules/house/four-workers.yaml";
  std::string silent = kOwnRule;
  silent.replace(silent.find("num_workers == 4"), 16, "num_workers == 3");
  LintRequest request{.paths = {"a.yaml"}};
  request.options.gpu = "rtx-3090";
  std::vector<std::string> wanted;  // by version
  for (int version = 0; version < kVersions; ++version) {
    session.set_buffer("base.yaml", base_text(version), version);
    wanted.push_back(account_of(lint(session, request)));
  }
  session.close_buffer("base.yaml");

  session.set_buffer("base.yaml", base_text(0), 0);
  std::atomic<bool> done{false};
  std::atomic<int> linted{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      while (!done) {
        const SessionView view = session;
        const auto version = static_cast<std::size_t>(view.buffer("base.yaml")->version);
        const LintResult result = lint(view, request);
        if (account_of(result) != wanted[version]) ++wrong;
        ++linted;
      }
    });
  }
  for (int version = 1; version < kVersions; ++version) {
    const int before = linted;
    session.set_buffer("base.yaml", base_text(version), version);
    if (version % 2 == 0) {
      disk.remove(kOwnPath);
    } else {
      disk.write(kOwnPath, silent);
    }
    if (!session.refresh().value()) ++wrong;  // everything the session knows is replaced
    while (linted == before) std::this_thread::yield();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(linted >= kVersions - 1);
}

TEST_CASE("without a target nothing is estimated: no rule asks for what it cannot judge") {
  const MemoryReader disk(MemoryReader::Files{
      {"a.yaml",
       "base_model: openai-community/gpt2\nmicro_batch_size: 4\nsequence_len: 512\n"
       "num_workers: 4\nlearning_rate: 1.0e-4\n"}});
  // The first step that is measured makes a memo of it, which stays.
  const auto measured = [](const Session& session) {
    return session.now().models().steps([] { return std::shared_ptr<StepMemo>(); }) != nullptr;
  };
  const Session session = open(disk);
  lint(session, {.paths = {"a.yaml"}});
  CHECK_FALSE(measured(session));
  LintRequest request{.paths = {"a.yaml"}};
  request.options.gpu = "a10g";
  lint(session, request);
  CHECK(measured(session));
}

}  // namespace session_test

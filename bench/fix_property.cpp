// Tries every fix on every config below some folders and checks what docs/fixes.md promises, by
// means of its own: the file still reads, no value changes but those the fixes name, the findings
// are gone with no new error, and a second run changes nothing. Nothing is written.
//
//   fix_property [--gpu ID] [--host ID] [--stress] FOLDER...
//
// --stress puts rules of its own in place of ours: for each fact one that is never satisfied with
// the value a config states, so that every key of every dialect is written once.
// Ends with 1 when a promise is broken.

#include "catalog/catalog.h"
#include "cli/disk_reader.h"
#include "edit/fix.h"
#include "engine/engine.h"
#include "plan/fact_table.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace gpulint;

/// Answers for single files from memory; everything else is the disk's.
class OneText final : public FileReader {
 public:
  OneText(const FileReader& disk, const std::vector<FixedText>& texts)
      : disk_(disk), texts_(texts) {}
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    for (const FixedText& text : texts_) {
      if (text.path == path) return text.after;
    }
    return disk_.read(path, limit);
  }
  FileKind kind(const std::string& path) const override { return disk_.kind(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    return disk_.list(directory);
  }
  std::string canonical(const std::string& path) const override { return disk_.canonical(path); }

 private:
  const FileReader& disk_;
  const std::vector<FixedText>& texts_;
};

/// Every value of a document as its loader sees it: aliases and merge keys followed, so that a
/// change of shared text shows at each place it counts.
class LoaderView {
 public:
  explicit LoaderView(const Document& document) : document_(document) {
    for (const NodeId root : document.roots()) {
      add(root, root == document.root() ? "" : fmt::format("#{}", root));
    }
  }
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  static std::string escaped(std::string_view key) {
    std::string text;
    for (const char c : key) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
  }
  void add(NodeId id, const std::string& pointer) {
    constexpr std::size_t kMostValues = 200'000;  // aliases can multiply
    const NodeId node = document_.resolve(id);
    if (node == kNoNode || values_.size() > kMostValues) return;
    switch (document_.kind(node)) {
      case NodeKind::mapping:
        for (const Member& member : document_.members(node)) {
          const std::string_view key = document_.scalar(document_.resolve(member.key));
          add(member.value, pointer + "/" + escaped(key));
        }
        return;
      case NodeKind::sequence: {
        std::size_t number = 0;
        for (const NodeId item : document_.items(node)) {
          add(item, fmt::format("{}/{}", pointer, number++));
        }
        return;
      }
      case NodeKind::scalar:
      case NodeKind::alias:
        values_[pointer] = std::string(document_.scalar(node));
    }
  }
  const Document& document_;
  std::map<std::string, std::string> values_;
};

struct Figures {
  std::int64_t files = 0, offered = 0, applied = 0, files_changed = 0, violations = 0;
  std::map<std::string, std::int64_t> refused, rolled_back, rules;
};

/// "the value is shared through the anchor &base" without what differs from file to file.
std::string kind_of_reason(std::string reason) {
  for (const FactRow& row : fact_table()) {
    const std::string name = fmt::format(" {}", row.name);
    for (std::size_t at = reason.find(name); at != std::string::npos;
         at = reason.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if (end == reason.size() || reason[end] == ' ' || reason[end] == ',') {
        reason.replace(at, name.size(), " FACT");
      }
    }
  }
  for (const std::string_view before :
       {" &", " word for ", "would still be reported", "bring in "}) {
    const std::size_t at = reason.find(before);
    if (at == std::string::npos) continue;
    if (before.front() != ' ' && before.front() != 'b')
      return "the finding would still be reported";
    reason.resize(at + before.size());
  }
  return reason;
}

class Checker {
 public:
  Checker(const FileReader& disk, LintRequest request)
      : disk_(disk), request_(std::move(request)) {}

  void check(const SessionView& session, const std::string& path) {
    LintRequest request = request_;
    request.paths = {path};
    ++figures.files;
    const LintResult before = lint(session, request);
    const bool some = std::any_of(before.findings.begin(), before.findings.end(),
                                  [](const Finding& finding) { return finding.fix.has_value(); });
    if (!some) return;
    const FixResult fixed = fix(session, request, {.unsafe = true});
    count(fixed);
    if (fixed.texts.empty()) return;
    ++figures.files_changed;
    check_values(path, fixed);
    check_findings(path, before, fixed);
    const OneText changed(disk_, fixed.texts);
    const FixResult again = fix(session.over(changed), request, {.unsafe = true});
    if (!again.texts.empty()) violation(path, "a second run changes the file again");
  }

  Figures figures;

 private:
  void violation(const std::string& path, const std::string& what) {
    ++figures.violations;
    fmt::print("VIOLATION {}: {}\n", path, what);
  }

  void count(const FixResult& result) {
    for (const FixRecord& record : result.records) {
      switch (record.state) {
        case FixState::applied:
          ++figures.offered;
          ++figures.applied;
          ++figures.rules[record.rule];
          break;
        case FixState::rolled_back:
          ++figures.offered;
          ++figures.rolled_back[record.rule + ": " + kind_of_reason(record.reason)];
          break;
        case FixState::shown:
          if (!record.reason.empty()) ++figures.refused[kind_of_reason(record.reason)];
          break;
        case FixState::held_back:
          violation(record.path, "a fix was held back although all were asked for");
          break;
      }
    }
  }

  void check_values(const std::string& path, const FixResult& fixed) {
    std::set<std::string> meant;
    for (const FixRecord& record : fixed.records) {
      if (record.state == FixState::applied) {
        meant.insert(record.changed.begin(), record.changed.end());
      }
    }
    for (const FixedText& text : fixed.texts) {
      const auto was = read_document(text.path, text.before, 0);
      const auto is = read_document(text.path, text.after, 0);
      if (!is) return violation(path, "the file no longer reads");
      if (!was) continue;
      std::map<std::string, std::string> old_values = LoaderView(*was).values();
      std::map<std::string, std::string> new_values = LoaderView(*is).values();
      for (const std::string& pointer : meant) {
        old_values.erase(pointer);
        new_values.erase(pointer);
      }
      if (old_values != new_values) violation(path, "another value changed");
      if (was->comments().size() != is->comments().size()) violation(path, "a comment is lost");
    }
  }

  void check_findings(const std::string& path, const LintResult& before, const FixResult& fixed) {
    const auto errors = [](const LintResult& result) {
      std::map<std::string, int> count;
      for (const Finding& finding : result.findings) {
        if (finding.severity == Severity::error) ++count[finding.rule];
      }
      return count;
    };
    const auto old_errors = errors(before);
    for (const auto& [rule, count] : errors(fixed.lint)) {
      const auto old = old_errors.find(rule);
      if (count > (old == old_errors.end() ? 0 : old->second)) {
        violation(path, "a new error: " + rule);
      }
    }
    for (const FixRecord& record : fixed.records) {
      if (record.state != FixState::applied) continue;
      for (const Finding& finding : fixed.lint.findings) {
        if (finding.rule == record.rule && finding.pointer == record.pointer) {
          violation(path, record.rule + " is reported after its fix");
        }
      }
    }
  }

  const FileReader& disk_;
  LintRequest request_;
};

/// Two values of a fact, so that whatever a config states one of them is another; canonical texts.
std::vector<std::string> values_for(const FactRow& row) {
  if (std::holds_alternative<Maybe<bool> TrainingPlan::*>(row.member)) return {"true", "false"};
  if (!row.choices.empty()) {
    return {fmt::format("'\"{}\"'", row.choices.front()),
            fmt::format("'\"{}\"'", row.choices.back())};
  }
  const bool whole = std::holds_alternative<Maybe<std::int64_t> TrainingPlan::*>(row.member);
  const bool real = std::holds_alternative<Maybe<double> TrainingPlan::*>(row.member);
  if (whole) return {"2", "1000"};
  if (real) return {"0.00025", "0.5"};
  return {};
}

std::optional<Rule> stress_rule(const FactRow& row, std::size_t variant) {
  const std::vector<std::string> values = values_for(row);
  if (values.empty() || type_of(row).unit != expr::kNoUnit) return std::nullopt;
  const std::string& value = values[variant % values.size()];
  const std::string bare = value.front() == '\'' ? value.substr(1, value.size() - 2) : value;
  const bool flag = value == "true" || value == "false";
  std::string id = fmt::format("stress-{}", row.name);
  std::replace(id.begin(), id.end(), '_', '-');
  const std::string text = fmt::format(
      "summary: s\nseverity: note\nsince: 0.1.0\nwhen: {0}\nat: {1}\nmessage: m\n"
      "fix: {{kind: unsafe, advice: a, set: {{{1}: {2}}}}}\nwhy: w\nsources: [s]\n"
      "samples: {{bad: [{{config: \"a: 1\", expect: [1]}}], ok: [{{config: \"a: 1\"}}]}}\n",
      flag ? fmt::format("known({0}) and {0} == {1}", row.name, value == "true" ? "false" : "true")
           : fmt::format("'known({0}) and {0} != {1}'", row.name, bare),
      row.name, value);
  const auto document = read_yaml("rules/stress/" + id + ".yaml", text, 0);
  if (!document) return std::nullopt;
  auto rule = parse_rule(*document);
  if (!rule) {
    fmt::print(stderr, "{}\n", rule.error().to_string());
    return std::nullopt;
  }
  return std::move(*rule);
}

std::vector<Rule> stress_rules(std::size_t variant) {
  std::vector<Rule> rules;
  for (const FactRow& row : fact_table()) {
    if (auto rule = stress_rule(row, variant)) rules.push_back(std::move(*rule));
  }
  return rules;
}

void print(const Figures& figures, double seconds) {
  fmt::print(
      "{} files, {} fixes tried in {} changed files: {} applied, {} taken back, {} violations; "
      "{:.1f} s\n",
      figures.files, figures.offered, figures.files_changed, figures.applied,
      figures.offered - figures.applied, figures.violations, seconds);
  const auto table = [](std::string_view title, const std::map<std::string, std::int64_t>& counts) {
    std::vector<std::pair<std::int64_t, std::string>> rows;
    for (const auto& [name, count] : counts) rows.emplace_back(-count, name);
    std::sort(rows.begin(), rows.end());
    if (!rows.empty()) fmt::print("{}\n", title);
    for (const auto& [count, name] : rows) fmt::print("  {:6} {}\n", -count, name);
  };
  table("applied", figures.rules);
  table("taken back", figures.rolled_back);
  table("only shown", figures.refused);
}

struct Options {
  LintOptions lint;
  bool stress = false;
  std::vector<std::string> folders;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--gpu" && i + 1 < argc) {
      options.lint.gpu = argv[++i];
    } else if (word == "--host" && i + 1 < argc) {
      options.lint.host = argv[++i];
    } else if (word == "--stress") {
      options.stress = true;
    } else {
      options.folders.push_back(word);
    }
  }
  return options;
}

/// Over the shipped rules, or over `rules` in their place.
Result<Session> open_session(const FileReader& disk, const std::vector<Rule>* rules) {
  if (rules == nullptr) return Session::open(disk);
  auto catalog = Catalog::open(embedded_data());
  if (!catalog) return fail(std::move(catalog).error());
  auto engine = Engine::bind(*rules);
  if (!engine) return fail(std::move(engine).error());
  return Session::of(disk, std::move(*catalog), std::move(*engine));
}

}  // namespace

int main(int argc, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  const Options options = read_options(argc, argv);
  if (options.folders.empty()) {
    fmt::print(stderr, "usage: fix_property [--gpu ID] [--host ID] [--stress] FOLDER...\n");
    return 2;
  }
  const DiskReader disk;
  constexpr std::size_t kVariants = 2;
  std::deque<std::vector<Rule>> rules;  // an engine refers to its rules
  std::vector<Session> sessions;
  for (std::size_t variant = 0; variant < (options.stress ? kVariants : 1); ++variant) {
    auto session =
        open_session(disk, options.stress ? &rules.emplace_back(stress_rules(variant)) : nullptr);
    if (!session) {
      fmt::print(stderr, "{}\n", session.error().to_string());
      return 2;
    }
    sessions.push_back(std::move(*session));
  }
  LintRequest request{.paths = options.folders, .options = options.lint};
  request.options.jobs = 1;
  Checker checker(disk, request);
  const LintResult all = lint(sessions.front(), request);
  std::size_t number = 0;
  for (const FileReport& file : all.files) {
    if (file.state != FileState::linted) continue;
    checker.check(sessions[number++ % sessions.size()], file.path);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print(checker.figures, took.count());
  return checker.figures.violations == 0 ? 0 : 1;
}

#pragma once

// What the linter said about the open documents, and which of it is out of date. Documents that
// read one another are judged in one request: a base is judged as a part of the runs that are open,
// and an edit of it shows in all of them.

#include "lint/lint.h"
#include "lsp/documents.h"
#include "lsp/projects.h"
#include "lsp/settings.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint::lsp {

/// One request and what came of it.
struct Check {
  std::string root;                // of its session
  std::vector<std::string> paths;  // of the documents it names, sorted
  SessionView view;                // what was seen
  LintRequest request;
  LintResult result;
  std::map<std::string, std::set<std::string>> reads;  // by document: real paths of other files
  std::map<std::string, Json> diagnostics = {};        // by path, filled by whoever shows them
  std::optional<LintResult> closely = {};              // with plans, made when somebody asks
  std::optional<LintResult> proven = {};               // likewise, with fixes that hold

  bool names(const std::string& path) const;
};

/// The result with the plans kept, which `check` also judges: what hovers and hints show.
const LintResult& close_look(Check& check);

/// The result with the fixes that linting what they make of the texts refutes turned into advice.
const LintResult& proven_result(Check& check);

class Checks {
 public:
  using SettingsOf = std::function<const Settings&(const std::string& root)>;

  /// All must outlive this. `today`: the day suppressions are judged on.
  Checks(Projects& projects, const Documents& documents, SettingsOf settings,
         std::function<std::optional<Date>()> today)
      : projects_(projects),
        documents_(documents),
        settings_(std::move(settings)),
        today_(std::move(today)) {}

  /// A document changed, or what is known of it may be out of date.
  void mark(const std::string& path);
  void mark_all();
  /// A document was closed: those that read it see the disk again.
  void forget(const OpenDocument& document);
  bool is_pending() const { return !pending_.empty(); }

  /// What one request changed.
  struct Outcome {
    std::vector<std::unique_ptr<Check>> gone;
    Check* made = nullptr;  // nullptr: only documents left
    std::optional<Error> error = {};
  };
  /// Judges the document marked last with those that belong to it; nullopt where none is marked.
  std::optional<Outcome> settle();
  /// The same for one document, where it is marked.
  std::optional<Outcome> settle(const std::string& path);
  /// What closing documents left behind.
  std::vector<std::unique_ptr<Check>> take_orphans();

  /// nullptr: nothing was said about it yet.
  Check* of(const std::string& path) const;
  const std::vector<std::unique_ptr<Check>>& all() const { return checks_; }

 private:
  std::set<std::string> belonging_to(const std::string& path) const;
  bool joins_more(const Check& check, std::set<std::string>& paths) const;
  Result<std::unique_ptr<Check>> check(const std::string& root, const std::set<std::string>& paths);
  Outcome settle_with(const std::string& path);

  Projects& projects_;
  const Documents& documents_;
  SettingsOf settings_;
  std::function<std::optional<Date>()> today_;
  std::vector<std::string> pending_;  // the one marked last comes last
  std::vector<std::unique_ptr<Check>> checks_;
  std::vector<std::unique_ptr<Check>> orphans_;
};

}  // namespace gpulint::lsp

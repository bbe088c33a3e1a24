#pragma once

#include "base/file_reader.h"
#include "catalog/catalog.h"
#include "engine/engine.h"
#include "estimate/estimate.h"
#include "finding/finding.h"
#include "plan/plan.h"
#include "source/read.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// Target and behaviour given on the command line; unset members fall to the config, then
/// `.gpulint.yaml`.
struct LintOptions {
  std::optional<std::string> gpu;
  std::optional<std::string> host;
  std::vector<std::pair<std::string, std::string>> facts;  // --set fact=value
  bool previews = false;
  unsigned jobs = 0;  // 0 = one per core
  ReadLimits limits;
  bool keep_plans = false;       // for `facts` and `estimate`
  bool explain_silence = false;  // fill PlanReport::silences
};

/// A text handed in instead of a path (standard input).
struct InMemoryFile {
  std::string path;
  std::string text;
};

struct LintRequest {
  const Catalog* catalog = nullptr;
  const Engine* engine = nullptr;
  const FileReader* reader = nullptr;
  std::vector<std::string> paths;  // files and folders as named by the user
  std::optional<InMemoryFile> standard_input;
  LintOptions options;
};

enum class FileState : std::uint8_t { linted, skipped, unreadable };

/// One run (phase) of a linted file with everything a report shows.
struct PlanReport {
  std::optional<std::string> phase = {};
  /// Only with LintOptions::keep_plans: thousands of plans would cost tens of MB.
  std::optional<Plan> plan = {};
  Estimate estimate = {};  // empty unless `estimated`
  bool estimated = false;  // true with a target, and with LintOptions::keep_plans
  const Gpu* gpu = nullptr;
  const Host* host = nullptr;
  std::string target_reason = {};  // where the target came from, or why there is none
  std::vector<Silence> silences = {};
};

struct FileReport {
  std::string path;
  FileState state = FileState::skipped;
  std::string dialect = {};  // "" unless recognised
  std::string reason = {};   // why it was skipped or unreadable
  std::vector<PlanReport> plans = {};
};

/// Text of a file some finding or fact points into; empty text for the others, so that memory stays
/// small.
struct SourceText {
  std::string path;
  std::string text;
  LineIndex lines;
};

struct LintResult {
  std::vector<FileReport> files;    // sorted by path
  std::vector<SourceText> sources;  // indexed by FileId
  std::vector<Finding> findings;    // sorted by path, offset, rule
  std::vector<Error>
      errors;  // environment failures: named paths that cannot be read, broken .gpulint.yaml
};

/// Lints everything the request names; never fails on what a config contains.
LintResult lint(const LintRequest& request);

/// Files below `paths` that may be configs (.yaml .yml .json .env), gitignore-aware, sorted, each
/// file once even through links; `named` tells which were given by name and so are read whatever
/// they are called. Missing paths and unreadable folders are added to `errors`.
struct DiscoveredFile {
  std::string path;
  bool named = false;
};
std::vector<DiscoveredFile> discover(const FileReader& reader,
                                     const std::vector<std::string>& paths,
                                     std::vector<Error>& errors);
/// By its name alone: a file discovery would take.
bool may_be_config(std::string_view name);

}  // namespace gpulint

#pragma once

#include "base/file_reader.h"
#include "engine/engine.h"
#include "estimate/estimate.h"
#include "finding/finding.h"
#include "finding/suppression.h"
#include "lint/session.h"
#include "plan/plan.h"
#include "search/conditions.h"
#include "search/fleet.h"
#include "search/least_devices.h"
#include "search/what_if.h"
#include "source/read.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  std::vector<std::pair<std::string, std::string>> facts;  // --set fact=value: win over the config
  std::vector<std::pair<std::string, std::string>> default_facts;  // --gpus, --nodes: fill it
  /// Changes to the config's own keys in Hydra's spelling: `a.b=c`, `+a.b=c`, `~a.b` (plan/run.h).
  std::vector<std::string> overrides = {};
  bool previews = false;
  /// Ids of rules: findings of others are left out, unless a file could not be read. A preview rule
  /// that is selected runs. Empty: all.
  std::vector<std::string> select = {};
  std::vector<std::string> ignore = {};  // findings of these are left out
  /// Named files are treated like found ones: exclusions hold and what is not a training config is
  /// skipped, unreadable text included. A hook names every file of a commit.
  bool force_exclude = false;
  unsigned jobs = 0;  // 0 = one per core
  ReadLimits limits;
  bool read_code = true;    // the project's scripts say what the keys of a config mean
  bool keep_plans = false;  // for `facts` and `estimate`
  /// With keep_plans: no more is estimated than the rules need, because only findings and facts are
  /// compared.
  bool only_compares = false;
  /// GPUs every run is also estimated on (PlanReport::fleet), of the session's catalog or measured.
  std::vector<const Gpu*> fleet = {};
  bool explain_silence = false;  // fill PlanReport::silences
  bool suppose = false;          // fill PlanReport::what_if and conditions
  /// What this machine measured (SessionView::measured) is used for every target, for the GPU of
  /// this id, or where `.gpulint.yaml` says so.
  bool use_measured = false;
  std::optional<std::string> local_gpu = {};
  bool keep_undecided = false;  // fill FileReport::undecided
};

/// How far a lint has come, for who looks on from another thread.
struct LintProgress {
  std::atomic<std::size_t> files{0};
  std::atomic<std::size_t> done{0};
};

struct LintRequest {
  std::vector<std::string> paths = {};  // files, folders and buffers as named by the user
  /// Files joined by hand into one run each; the first that is not a supplement names the run.
  std::vector<std::vector<std::string>> runs = {};
  LintOptions options = {};
  /// Decides which suppressions have ended; unset: none has. The library reads no clock.
  std::optional<Date> today = {};
  /// Of the files found below `paths` only these, spelled as discovery spells them; unset: all.
  std::optional<std::set<std::string>> only = {};
  /// Judged for what their runs say of the files below `paths`: configs that read those.
  std::vector<std::string> readers = {};
  /// What the learning rate of a file is compared with, by path: its previous version.
  std::map<std::string, LearningRateReference> previous = {};
  LintProgress* progress = nullptr;  // must outlive the lint
};

enum class FileState : std::uint8_t { linted, skipped, unreadable };

/// One run (phase) of a linted file with everything a report shows.
struct PlanReport {
  std::optional<std::string> phase = {};
  /// Only with LintOptions::keep_plans, and elsewhere than in the report: a plan takes 20 KB, and
  /// so would the room for one in each of thousands of reports.
  std::shared_ptr<Plan> plan = {};
  std::vector<RunSource> sources = {};  // the run's files, the strongest first; kept with `plan`
  /// The run as it was judged, and the models it may name; kept with `plan`.
  std::optional<ResolvedRun> run = {};
  std::shared_ptr<const KnownModels> models = {};
  std::vector<Measurement> measurements = {};  // of the project; kept with `plan`
  double headroom = kDefaultHeadroom;          // likewise
  Estimate estimate = {};                      // empty unless `estimated`
  bool estimated = false;  // true with a target, and with LintOptions::keep_plans
  const Gpu* gpu = nullptr;
  const Host* host = nullptr;
  std::optional<WhatIf> what_if = {};        // with LintOptions::suppose
  std::vector<Condition> conditions = {};    // likewise
  std::optional<LeastDevices> devices = {};  // with a GPU
  std::vector<FleetCell> fleet = {};         // on LintOptions::fleet, in that order
  std::string target_reason = {};            // where the target came from, or why there is none
  std::vector<Silence> silences = {};
};

struct FileReport {
  std::string path;
  FileState state = FileState::skipped;
  std::string dialect = {};                  // "" unless recognised
  std::string reason = {};                   // why it was skipped or unreadable
  std::optional<std::int64_t> version = {};  // of the buffer that was read in its place
  /// Other files its runs were read from (references, `runs`), sorted: when one of them changes,
  /// so may the verdict on this one.
  std::vector<std::string> reads = {};
  /// The one of them that names a run of its own, which this file is a variant of ("": none).
  std::string variant_of = {};
  /// Runs of the same lint that read this file as a part of theirs, sorted: it is judged there.
  std::vector<std::string> part_of = {};
  std::vector<PlanReport> plans = {};
  /// Rules that could not decide, because something they ask for is unknown; sorted. Only where the
  /// file holds suppressions, and with LintOptions::keep_undecided.
  std::vector<std::string> undecided = {};
  /// Rules whose findings nothing may hide here, as `.gpulint.yaml` says.
  std::vector<std::string> unignorable = {};
};

/// Text of a file some finding or fact points into; empty text for the others, so that memory stays
/// small.
struct SourceText {
  std::string path;
  std::string text;
  LineIndex lines;
};

struct LintResult {
  std::vector<FileReport> files;              // sorted by path
  std::vector<SourceText> sources;            // indexed by FileId
  std::vector<Finding> findings;              // sorted by path, offset, rule
  std::vector<SuppressedFinding> suppressed;  // those a suppression or a baseline hides, likewise
  std::vector<Error>
      errors;  // environment failures: named paths that cannot be read, broken .gpulint.yaml
  /// Training scripts of the folders beyond the first ones, which were not looked at.
  std::size_t programs_left_out = 0;
  /// What the reports point at, GPUs and models, lives as long as this.
  std::shared_ptr<const void> keeps = {};
};

/// Lints everything the request names; never fails on what a config contains. Thread-safe.
LintResult lint(const SessionView& session, const LintRequest& request);

/// Configs the request does not name whose runs read one of the files it names one by one.
std::vector<std::string> readers_of(const SessionView& session, const LintRequest& request);

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
/// By its path and its text: a config written in Python. Others are code, whatever they assign.
bool is_python_config(std::string_view path, std::string_view text);

}  // namespace gpulint

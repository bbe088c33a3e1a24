#pragma once

#include "base/severity.h"
#include "base/units.h"
#include "cli/review.h"
#include "report/format.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::cli {

enum class Command : std::uint8_t {
  check,
  facts,
  runs,
  estimate,
  fit,
  diff,
  list,
  step,
  explain,
  confirm,
  config,
  schema,
  completions,
  man,
  init,
  lsp,
  watch
};
/// What becomes of the fixes of findings.
enum class FixMode : std::uint8_t {
  offered,  // shown, nothing is written
  written,  // --fix: written, and what remains is reported
  only,     // --fix-only: written, nothing is reported
  diff,     // --diff: printed as a diff, nothing is written
};
enum class ColorChoice : std::uint8_t { automatic, always, never };

struct OutputTarget {
  const OutputFormat* format = &default_format();
  std::string path;  // "" = standard output
};

/// A command line that made sense.
struct Arguments {
  Command command = Command::check;
  bool command_named = false;            // else the first word is a path
  std::vector<std::string> paths;        // check: files and folders; facts, estimate: one file
  std::string topic;                     // list, schema, completions: what; explain: a rule id
  std::vector<std::string> gpus;         // estimate may have several
  bool measured = false;                 // use this machine's measured figures for every GPU
  std::optional<std::string> local_gpu;  // what `--gpu auto` found: its measured figures are used
  std::optional<std::string> host;
  std::vector<std::pair<std::string, std::string>> facts;          // --set: over the config
  std::vector<std::pair<std::string, std::string>> default_facts;  // --gpus, --nodes: under it
  std::vector<std::string> overrides;                              // --set a.b=c, +a.b=c, ~a.b
  std::vector<std::vector<std::string>> runs;                      // --run: files joined by hand
  std::optional<Severity> fail_on = Severity::warning;             // nullopt: never
  std::vector<OutputTarget> outputs;
  std::optional<std::string> data;
  std::string stdin_filename;
  std::optional<std::string> explain_silence;
  unsigned jobs = 0;
  bool verbose = false;
  bool quiet = false;
  bool statistics = false;
  std::vector<std::string> select;  // rules and families whose findings are reported; empty: all
  std::vector<std::string> ignore;  // rules and families whose findings are not
  bool unread = false;
  std::string why;        // facts: how this key or fact comes about; "" = all facts
  bool no_code = false;   // of the project's Python files
  bool previews = false;  // rules whose precision is not established yet speak too
  bool force_exclude = false;
  FixMode fixes = FixMode::offered;
  bool unsafe_fixes = false;
  bool follow_symlinks = false;
  ReviewArguments review;
  ColorChoice color = ColorChoice::automatic;
  bool to_stdout = false;     // init: show, write nothing
  bool force = false;         // init: replace an existing file
  std::string report_folder;  // confirm: this rank's report goes there; "" = none
  std::string merge_folder;   // confirm: compare the reports of this folder; "" = measure
  bool use_library = true;    // confirm: time products by cuBLASLt where a safe one is found
  std::string cublaslt;       // confirm: this one; "" = searched for
  std::string python;         // confirm: among the packages of this python; "" = the environment's
  bool host_probe = false;    // confirm: this machine without its GPU
  bool links = false;         // confirm: all cards, what joins them, and collectives over them
  std::string nccl;           // confirm --links: this NCCL; "" = searched for
  std::string meet;           // confirm --links: where the processes of a job meet; "" = unknown
  std::string data_path;      // confirm --host: what is read and decoded; "" = unknown
  bool share = false;         // confirm: play the footprint beside other processes
  double deadline = 10;       // confirm: seconds from the driver's start
  int sustain = 0;            // confirm: seconds of one product afterwards
  bool trials_only = false;   // confirm: run each kernel once, time nothing
  bool find_batch = false;    // confirm: search the largest batch that fits
  bool timing = true;         // confirm: time rates and the step
  bool newest_products = true;     // confirm: with wgmma where there is one
  std::optional<Bytes> footprint;  // confirm: allocated in place of a config's
  bool save = true;                // confirm: keep what was measured for `list gpus`
};

/// Either arguments, or a text that ends the program: help and version on standard output with code
/// 0, a usage error on standard error with code 2.
struct ParsedCommandLine {
  std::optional<Arguments> arguments;
  std::string text = {};
  int exit_code = 0;
};

/// Some report shows every config on every GPU named; the first is the one rules judge for.
bool has_matrix(const std::vector<OutputTarget>& outputs);

/// `words`: the command line without the program's name.
ParsedCommandLine parse_command_line(const std::vector<std::string>& words);

}  // namespace gpulint::cli

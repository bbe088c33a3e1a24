#pragma once

// What each command accepts, declared once: the parser, --help, the completions and the man page
// all read it.

#include "cli/arguments.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::cli {

struct CommandName {
  std::string_view name;
  Command command;
};
/// In the order the help shows them; aliases behind the name they stand for.
std::span<const CommandName> command_names();

/// Texts as typed; `Arguments` holds what they mean.
struct RawOptions {
  std::vector<std::string> positional;  // of check
  std::string single;                   // the one word of the other commands
  std::vector<std::string> gpus;
  std::vector<std::string> hosts;
  std::vector<std::string> sets;
  std::vector<std::string> runs;
  std::vector<std::string> outputs;
  std::int64_t gpus_per_node = 0;
  std::int64_t nodes = 0;
  bool measured = false;
  std::string fail_on;  // "" = warning
  bool exit_zero = false;
  std::string color = "auto";
  std::string data;
  std::string stdin_filename;
  std::string explain_silence;
  unsigned jobs = 0;
  bool verbose = false;
  bool quiet = false;
  bool statistics = false;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  bool unread = false;
  std::string why;
  bool no_code = false;
  bool previews = false;
  bool force_exclude = false;
  RawReview review;
  bool fix = false;
  bool fix_only = false;
  bool diff = false;
  bool unsafe_fixes = false;
  bool follow_symlinks = false;
  bool to_stdout = false;
  bool force = false;
  std::string report_folder;
  std::string merge_folder;
  bool no_save = false;
  bool no_library = false;
  std::string cublaslt;
  bool links = false;
  std::string nccl;
  std::string meet;
  std::string python;
  bool host_probe = false;
  std::string data_path;
  bool share = false;
  double deadline = 0;  // seconds; 0 = not said
  int sustain = 0;      // seconds
  bool trials_only = false;
  bool no_timing = false;
  bool find_batch = false;
  bool no_wgmma = false;
  std::string footprint;
  bool stdio = false;
};

/// Declares what `command` takes; the words land in `raw`, which must outlive `app`.
void add_options(CLI::App& app, Command command, RawOptions& raw);

}  // namespace gpulint::cli

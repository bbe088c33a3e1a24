#include "cli/help.h"

#include "probe/confirmation.h"

#include <fmt/format.h>

namespace gpulint::cli {
namespace {

constexpr std::string_view kIntroduction =
    R"(gpulint reads deep-learning training configs and says what will crash, waste the GPU or train worse.

Examples:
  gpulint configs/                              lint all training configs of a folder
  gpulint --gpu a10g train.yaml                 ... against one GPU
  gpulint --host g5.xlarge train.yaml           ... or a whole machine
  gpulint facts train.yaml                      what gpulint understood, and from where
  gpulint estimate train.yaml --gpu a10g        the memory budget, term by term
  gpulint explain amp-disabled                  why a rule exists, with examples
  cat train.yaml | gpulint --stdin-filename train.yaml -

Commands:
)";

constexpr std::string_view kExitCodes =
    R"(
Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong usage or unreadable file, 3 internal error.
The target hardware, key names and severities of a project are read from the nearest .gpulint.yaml.
)";

std::string command_line(std::string_view usage, Command command) {
  return fmt::format("  {:<45}{}\n", usage, purpose_of(command));
}

}  // namespace

std::string_view purpose_of(Command command) {
  switch (command) {
    case Command::check:
      return "Lint files and folders (the default command).";
    case Command::facts:
      return "Show every fact understood from one config.";
    case Command::estimate:
      return "Show the memory budget of one config.";
    case Command::list:
      return "List what the program knows.";
    case Command::explain:
      return "Explain one rule.";
    case Command::confirm:
      return "Measure this machine's GPU; not yet validated on hardware.";
  }
  return "";
}

std::string epilogue_of(Command command) {
  if (command != Command::confirm) return "";
  return fmt::format(
      "Shows the first visible device, its memory totals and the cost of a CUDA context, and\n"
      "compares them with the database. Choose another device with CUDA_VISIBLE_DEVICES.\n"
      "Nothing of this was run on a real GPU yet.\n"
      "not yet: {}\n"
      "Exit codes: 0 nothing contradicted, 1 contradicted, 2 wrong usage, 3 the measuring process\n"
      "failed, 4 no usable device.\n",
      fmt::join(probe::kNotYet, "; "));
}

std::string main_help(std::string_view check_options) {
  std::string text(kIntroduction);
  text += command_line("check [PATHS...], lint", Command::check);
  text += command_line("facts CONFIG", Command::facts);
  text += command_line("estimate CONFIG", Command::estimate);
  text += command_line("list rules|gpus|hosts|models|dialects|facts", Command::list);
  text += command_line("explain RULE", Command::explain);
  text += command_line("confirm", Command::confirm);
  text += "\n";
  text += check_options;
  text += "  --version                   Print the version and exit\n";
  text += kExitCodes;
  return text;
}

}  // namespace gpulint::cli

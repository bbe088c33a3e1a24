#include "cli/help.h"

#include "cli/choices.h"
#include "cli/shell_texts.h"
#include "probe/confirmation.h"
#include "report/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint::cli {
namespace {

constexpr std::string_view kPurpose =
    "gpulint reads deep-learning training configs and says what will crash, waste the GPU or "
    "train worse.";

constexpr std::string_view kExamples =
    R"(

Examples:
  gpulint configs/                              lint all training configs of a folder
  gpulint --gpu a10g train.yaml                 ... against one GPU
  gpulint --host g5.xlarge train.yaml           ... or a whole machine
  gpulint facts train.yaml                      what gpulint understood, and from where
  gpulint estimate train.yaml --gpu a10g        the memory budget, term by term
  gpulint diff main                             what this branch changes, config by config
  gpulint explain amp-disabled                  why a rule exists, with examples
  cat train.yaml | gpulint --stdin-filename train.yaml -

Commands:
)";

constexpr std::string_view kExitCodes =
    "0 no finding at or above --fail-on, 1 findings, 2 wrong usage or unreadable file, 3 internal "
    "error; confirm also: 4 no usable device.";

constexpr std::string_view kProjectFile =
    R"(The nearest .gpulint.yaml sets the target hardware, key names and severities of a project.
)";

/// In the order of the help.
constexpr std::array kShown{
    Command::check,  Command::facts,  Command::runs,        Command::estimate, Command::fit,
    Command::diff,   Command::list,   Command::step,        Command::explain,  Command::confirm,
    Command::config, Command::schema, Command::completions, Command::man,      Command::init,
    Command::lsp,    Command::watch};

}  // namespace

std::string_view program_purpose() { return kPurpose; }
std::string_view exit_codes() { return kExitCodes; }

std::string usage_of(Command command) {
  switch (command) {
    case Command::check:
      return "check [PATHS...], lint";
    case Command::facts:
      return "facts CONFIG";
    case Command::runs:
      return "runs [PATHS...]";
    case Command::diff:
      return "diff [BASE] [PATHS...]";
    case Command::estimate:
      return "estimate CONFIG";
    case Command::fit:
      return "fit CONFIG";
    case Command::list:
      return "list WHAT";
    case Command::step:
      return "step MODEL";
    case Command::explain:
      return "explain RULE";
    case Command::confirm:
      return "confirm [CONFIG]";
    case Command::config:
      return "config verify [PATHS...]";
    case Command::schema:
      return "schema KIND";
    case Command::completions:
      return "completions SHELL";
    case Command::man:
      return "man";
    case Command::init:
      return "init [PATHS...]";
    case Command::lsp:
      return "lsp";
    case Command::watch:
      return "watch [PATHS...]";
  }
  return "";
}

std::string purpose_of(Command command) {
  switch (command) {
    case Command::check:
      return "Lint files and folders (the default command).";
    case Command::facts:
      return "Show what gpulint understood from one config, and from which line.";
    case Command::runs:
      return "List the runs of a project: the files of each, and which file wins.";
    case Command::diff:
      return "Show what a change does to memory, time, cost and learning rate.";
    case Command::estimate:
      return "Show memory, step time and cost of one config.";
    case Command::fit:
      return "Show which batch sizes fit on which GPU, and what to change.";
    case Command::list:
      return fmt::format("List what the program knows: {}.", in_words(kListTopics));
    case Command::step:
      return "Show what one training step of a model keeps in memory, to the byte, as JSON.";
    case Command::explain:
      return "Explain one rule.";
    case Command::confirm:
      return "Check predictions on this machine's GPU (not yet validated on hardware) or host.";
    case Command::config:
      return "Check .gpulint.yaml files and show what they set.";
    case Command::schema:
      return fmt::format("Print the JSON Schema of a kind of file: {}.", in_words(kSchemaKinds));
    case Command::completions:
      return fmt::format("Print a completion script for {}.", in_words(kShells));
    case Command::man:
      return "Print the manual page.";
    case Command::init:
      return "Propose a .gpulint.yaml for the configs in this folder.";
    case Command::lsp:
      return "Run the language server for an editor, on standard input and output.";
    case Command::watch:
      return "Lint again whenever a file changes, until interrupted.";
  }
  return "";
}

std::string epilogue_of(Command command) {
  if (command != Command::confirm) return "";
  return fmt::format(
      "Shows the first visible device, its memory totals and the cost of a CUDA context, and\n"
      "compares them with the database. Times copies, launches and matrix products, with your\n"
      "cuBLASLt and with gpulint's own kernels.\n"
      "With a CONFIG, it also allocates the predicted footprint and says whether the prediction\n"
      "holds, except if other processes use the GPU (see --share) or the config cannot fit.\n"
      "Choose another device with CUDA_VISIBLE_DEVICES.\n"
      "With --links it measures all devices together: copies between them and from the host,\n"
      "NCCL's collectives, health. The processes of a job meet at the place given with --meet.\n"
      "With --host it measures the machine apart from its GPU, and needs no GPU.\n"
      "None of this has run on a real GPU yet.\n"
      "Not measured: {}.\n"
      "Exit codes: 0 nothing contradicted, 1 contradicted, 2 wrong usage, 3 the measuring process\n"
      "failed, 4 no usable device. With --links, 1 also means that a card or link stands out.\n"
      "With --merge: 1 a card stands out, 2 no readable report.\n",
      probe::kNotMeasured);
}

std::string main_help(std::string_view check_options) {
  std::string text = fmt::format("{}{}", kPurpose, kExamples);
  std::size_t width = 0;
  for (const Command command : kShown) width = std::max(width, usage_of(command).size());
  for (const Command command : kShown) {
    text += fmt::format("  {:<{}}  {}\n", usage_of(command), width, purpose_of(command));
  }
  text += fmt::format("\n{}", check_options);
  text += "  --version                   Print the version and exit; so does gpulint version\n";
  text += fmt::format("\nExit codes: {}\n{}gpulint help COMMAND shows the options of a command.\n",
                      kExitCodes, kProjectFile);
  return text;
}

}  // namespace gpulint::cli

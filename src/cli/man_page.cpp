#include "cli/help.h"
#include "cli/shell_texts.h"
#include "report/format.h"
#include "report/report.h"

#include <fmt/format.h>

namespace gpulint::cli {
namespace {

/// Text of a page: hyphens are literal (people copy options), and a line that starts with a dot or
/// a quote must not be taken for a request.
std::string roff(std::string_view text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

std::string option_entry(const OptionSurface& option) {
  std::string head = fmt::format("\\fB{}\\fR", roff(option.name));
  if (!option.value.empty()) head += fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n{}\n{}\n", head, roff(option.help));
}

std::string command_section(const CommandSurface& command) {
  std::string text =
      fmt::format(".SS gpulint {}\n{}\n", roff(command.usage), roff(command.purpose));
  for (const OptionSurface& option : command.options) {
    if (!option.name.empty() && option.name != "--help") text += option_entry(option);
  }
  return text;
}

std::string formats_section() {
  std::string text;
  for (const OutputFormat* format : output_formats()) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{} ({})\n", roff(format->id), roff(format->readers),
                        roff(commands_of(*format)));
  }
  return text;
}

}  // namespace

std::string man_page(std::span<const CommandSurface> commands) {
  std::string text = fmt::format(
      ".\\\" written by `gpulint man`\n"
      ".TH GPULINT 1 \"\" \"gpulint {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "gpulint \\- lint deep\\-learning training configs\n"
      ".SH SYNOPSIS\n"
      ".B gpulint\n[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR] [\\fIPATHS\\fR]\n"
      ".SH DESCRIPTION\n{}\n"
      ".SH COMMANDS\n",
      kVersion, roff(program_purpose()));
  for (const CommandSurface& command : commands) text += command_section(command);
  text += fmt::format(
      ".SH OUTPUT FORMATS\n{}"
      ".SH EXIT STATUS\n{}\n"
      ".SH FILES\n.TP\n.I .gpulint.yaml\n{}\n"
      ".TP\n.I .gpulint/\n{}\n"
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n{}\n",
      formats_section(), roff(exit_codes()),
      roff(
          "Target hardware, facts, severities and exclusions of a project; the nearest one above a "
          "config counts."),
      roff("More rules/, hardware_db/, dialects/, knowledge/ and model_db/ for the project."),
      roff("If it is set to anything, colours are off."));
  return text;
}

}  // namespace gpulint::cli

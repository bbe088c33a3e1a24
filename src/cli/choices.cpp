#include "cli/choices.h"

#include "report/format.h"

#include <optional>

namespace gpulint::cli {
namespace {

std::optional<ReportKind> report_kind_of(Command command) {
  switch (command) {
    case Command::check:
    case Command::watch:
      return ReportKind::check;
    case Command::facts:
      return ReportKind::facts;
    case Command::runs:
      return ReportKind::runs;
    case Command::estimate:
      return ReportKind::estimate;
    case Command::fit:
      return ReportKind::fit;
    case Command::diff:
      return ReportKind::diff;
    case Command::confirm:
      return ReportKind::confirm;
    case Command::list:
      return ReportKind::list;
    case Command::explain:
      return ReportKind::explain;
    case Command::step:
    case Command::config:
    case Command::schema:
    case Command::completions:
    case Command::man:
    case Command::init:
    case Command::lsp:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> format_ids(Command command) {
  const std::optional<ReportKind> kind = report_kind_of(command);
  if (!kind) return {};
  std::vector<std::string_view> ids;
  for (const OutputFormat* format : formats_of(*kind)) ids.push_back(format->id);
  return ids;
}

std::string in_words(std::span<const std::string_view> choices, std::string_view preferred) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i != 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
    if (choices[i] == preferred) text += " (default)";
  }
  return text;
}

}  // namespace gpulint::cli

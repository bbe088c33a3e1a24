#include "report/format.h"

#include <algorithm>

namespace gpulint {
const OutputFormat& default_format() { return *output_formats().front(); }

const OutputFormat* find_format(std::string_view id) {
  const auto all = output_formats();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto* format) { return format->id == id; });
  return found == all.end() ? nullptr : *found;
}

bool can_show(const OutputFormat& format, ReportKind kind) {
  switch (kind) {
    case ReportKind::check:
      return format.check != nullptr;
    case ReportKind::facts:
      return format.facts != nullptr;
    case ReportKind::estimate:
      return format.estimate != nullptr;
    case ReportKind::fit:
      return format.fit != nullptr;
    case ReportKind::diff:
      return format.diff != nullptr;
    case ReportKind::confirm:
      return format.confirm != nullptr;
    case ReportKind::merge:
      return format.merge != nullptr;
    case ReportKind::runs:
      return format.runs != nullptr;
    case ReportKind::list:
      return format.list != nullptr;
    case ReportKind::explain:
      return format.explain != nullptr;
  }
  return false;
}

std::vector<const OutputFormat*> formats_of(ReportKind kind) {
  std::vector<const OutputFormat*> found;
  for (const OutputFormat* format : output_formats()) {
    if (can_show(*format, kind)) found.push_back(format);
  }
  return found;
}

std::string commands_of(const OutputFormat& format) {
  struct Named {
    ReportKind kind;
    std::string_view name;
  };
  static constexpr Named kCommands[] = {
      {ReportKind::check, "check"},       {ReportKind::facts, "facts"},
      {ReportKind::estimate, "estimate"}, {ReportKind::fit, "fit"},
      {ReportKind::diff, "diff"},         {ReportKind::confirm, "confirm"},
      {ReportKind::runs, "runs"},         {ReportKind::list, "list"},
      {ReportKind::explain, "explain"}};
  std::string names;
  for (const Named& command : kCommands) {
    if (!can_show(format, command.kind)) continue;
    if (!names.empty()) names += ' ';
    names += command.name;
  }
  return names;
}

}  // namespace gpulint

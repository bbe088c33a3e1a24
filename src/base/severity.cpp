#include "base/severity.h"

namespace gpulint {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

std::optional<Severity> severity_from(std::string_view name) {
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    if (name == name_of(severity)) return severity;
  }
  return std::nullopt;
}

}  // namespace gpulint

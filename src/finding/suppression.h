#pragma once

// Suppressions written into a config. A comment:
//
//   lr: 0.1          # gpulint: ignore[rule, rule] until=2027-01-31 -- reason
//   # gpulint: ignore[rule] -- reason        (alone on its line: the next entry with all below it)
//   # gpulint: file-ignore[rule] -- reason   (anywhere: the whole file)
//
// JSON has no comments, so there the same words are the value, or the values, of a key "//gpulint"
// and hold for the object it stands in. That key can be no identifier, so it cannot collide with an
// option or be matched by a prefix of one; it is as harmless as any unknown key is to a loader.
//
// Rules must be named. A bare "ignore" hides what is found years later, which is why ESLint and
// ruff ask for names too.

#include "base/source_span.h"
#include "finding/finding.h"
#include "source/document.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

using Date = std::chrono::year_month_day;
/// "2027-01-31"; nullopt for anything else, days that do not exist included.
std::optional<Date> date_from(std::string_view text);
std::string to_string(Date date);

/// The key that holds suppressions in JSON.
inline constexpr std::string_view kSuppressionKey = "//gpulint";

struct Suppression {
  SourceSpan span;      // what is pointed at: the directive
  SourceSpan list;      // between its brackets
  SourceSpan removed;   // bytes to delete so that nothing of it is left
  std::string pointer;  // of the key that holds it (JSON), else ""
  bool whole_file = false;
  SourceSpan covers;  // findings that begin in here; meaningless when `whole_file`
  std::vector<std::string> rules;
  std::string reason;
  std::optional<Date> until;  // the last day it counts
  std::string mistake;        // not empty: it could not be read and does nothing

  bool names(std::string_view rule) const;
  /// By place alone.
  bool reaches(SourceSpan place) const;
  bool expired(std::optional<Date> today) const { return until && today && *today > *until; }
};

/// All suppressions of a document in text order, those that could not be read included.
std::vector<Suppression> read_suppressions(const Document& document);

/// How a finding came to be left out of a report.
enum class SuppressionKind : std::uint8_t { in_source, baseline };

struct SuppressedFinding {
  Finding finding;
  SuppressionKind kind = SuppressionKind::in_source;
  std::string reason;  // as written; may be empty
  SourceSpan by;       // the directive; unknown for a baseline
};

}  // namespace gpulint

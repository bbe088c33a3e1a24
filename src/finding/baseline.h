#pragma once

// Findings that were there before gpulint was, kept in a file so that only new ones count.
//
// An entry is rule + path + JSON pointer + value as written, never a line or a column, so it
// survives reordering, reindenting and edits elsewhere in the file. The value of something that
// spans lines is left empty: it changes with every edit inside it, and the pointer says enough.
// Two ways in which keys do change are followed, the surer one first: an item inserted into a list
// shifts the numbers in pointers, and a renamed file keeps rule, pointer and value once its old
// path is gone.

#include "base/result.h"
#include "source/document.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct BaselineEntry {
  std::string path;  // relative to the baseline's folder
  std::string pointer;
  std::string rule;
  std::string value;
  friend auto operator<=>(const BaselineEntry&, const BaselineEntry&) = default;
};

/// Sorted; equal entries stand for as many equal findings.
using Baseline = std::vector<BaselineEntry>;

/// Strict: an Error names the place. `document` is JSON as `baseline_text` writes it.
Result<Baseline> parse_baseline(const Document& document);
/// One entry per line, so that a review shows what came and went.
std::string baseline_text(Baseline entries);

/// A finding's text as an entry holds it: one line without quotes, shortened, safe to print; empty
/// for what spans lines.
std::string baseline_value(std::string_view text);

/// Which entry answers for which finding.
struct BaselineMatch {
  std::vector<std::optional<std::size_t>> entry_of;  // by finding
  std::vector<bool> used;                            // by entry
};
/// Each entry answers for one finding. `gone`: no file has this path any more.
BaselineMatch match_baseline(std::span<const BaselineEntry> entries,
                             std::span<const BaselineEntry> findings,
                             const std::function<bool(const std::string& path)>& gone);

}  // namespace gpulint

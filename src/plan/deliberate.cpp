#include "plan/deliberate.h"

#include "base/text.h"
#include "plan/fact_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

/// Words of a comment that says why, as opposed to what.
constexpr std::array<std::string_view, 22> kReasons = {
    "debug",    "deliberate", "on purpose",    "intention", "stab",          "nan",
    "overflow", "underflow",  "diverge",       "numerical", "because",       "required",
    "must",     "needs",      "avoid",         "otherwise", "not supported", "unsupported",
    "clarity",  "reproduc",   "does not work", "precise"};

/// The rest of the line behind a span.
std::string_view rest_of_line(const Document& document, const SourceSpan& span) {
  constexpr std::uint32_t kLongest =
      256;                   // bytes in which a comment has to begin and give its reason
  std::uint32_t length = 0;  // as much of it as the text has
  for (std::uint32_t step = kLongest; step > 0; step /= 2) {
    if (!document.text_at({span.file, span.end, span.end + length + step}).empty()) length += step;
  }
  const std::string_view text = document.text_at({span.file, span.end, span.end + length});
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

std::string_view comment_behind(const Document& document, const SourceSpan& span) {
  const std::string_view rest = rest_of_line(document, span);
  const std::size_t comment = rest.find('#');
  return comment == std::string_view::npos ? std::string_view{} : rest.substr(comment);
}

namespace {

bool has_reason(const Document& document, const Provenance& from) {
  if (from.origin != Origin::stated || !from.span.known()) return false;
  const std::string words = to_lower(comment_behind(document, from.span));
  if (words.empty()) return false;
  return std::any_of(kReasons.begin(), kReasons.end(), [&](std::string_view reason) {
    return words.find(reason) != std::string::npos;
  });
}

bool is_set_otherwise(const std::vector<Plan>& plans, const Plan& plan, const FactRow& row) {
  const std::string own = canonical_text(plan.facts, row);
  return std::any_of(plans.begin(), plans.end(), [&](const Plan& other) {
    const Provenance* from = provenance_of(other.facts, row);
    return from != nullptr && from->origin == Origin::stated &&
           canonical_text(other.facts, row) != own;
  });
}

}  // namespace

void note_deliberate(const Document& document, std::vector<Plan>& plans) {
  for (Plan& plan : plans) {
    for (const FactRow& row : fact_table()) {
      const Provenance* from = provenance_of(plan.facts, row);
      if (from == nullptr || from->origin != Origin::stated) continue;
      if (has_reason(document, *from) || is_set_otherwise(plans, plan, row)) {
        plan.deliberate.emplace_back(row.name);
      }
    }
  }
}

}  // namespace gpulint

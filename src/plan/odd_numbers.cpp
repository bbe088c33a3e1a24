#include "plan/odd_numbers.h"

#include "base/text.h"
#include "source/scalar.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <variant>

namespace gpulint {

namespace {

bool is_infinity(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity");
}

}  // namespace

bool is_impossible_number(std::string_view text) {
  std::string_view word = text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
  if (word.starts_with('.')) word.remove_prefix(1);
  for (std::string_view special : {"nan", "inf", "infinity"}) {
    if (equals_ignoring_case(word, special)) return true;
  }
  // Digits that no double holds are a number all the same.
  return lenient_number(text).has_value() ||
         (!word.empty() && word.find_first_not_of("0123456789_.eE+-") == std::string_view::npos &&
          word.front() >= '0' && word.front() <= '9');
}

bool is_number(const FactRow& row) {
  return std::holds_alternative<Maybe<std::int64_t> TrainingPlan::*>(row.member) ||
         std::holds_alternative<Maybe<double> TrainingPlan::*>(row.member);
}

bool may_be_sentinel(const FactRow& row, std::string_view text) {
  const std::optional<double> number = lenient_number(text);
  if (is_infinity(text) || (number && std::isinf(*number))) return true;
  if (!number) return false;
  const bool is_share = *number > 0 && *number < 1 &&
                        std::holds_alternative<Maybe<std::int64_t> TrainingPlan::*>(row.member);
  // Code compares steps with one another, and so takes 132.5 of them.
  const bool is_part = *number > 0 && *number != std::floor(*number) && row.unit == "steps";
  return *number == 0 || *number == -1 || is_share || is_part;
}

}  // namespace gpulint

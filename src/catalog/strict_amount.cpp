// Amounts of the files of knowledge/: numbers from 0 on with their unit, where most are known as a
// range.

#include "catalog/strict_amount.h"

#include "base/text.h"

#include <charconv>
#include <string>

namespace gpulint {
namespace {

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || rest != end || !(value >= 0)) return std::nullopt;
  return value;
}

/// "2", "0.5" or "8/768": fractions are written as their source has them.
std::optional<double> number_or_fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return number_in(text);
  const auto above = number_in(text.substr(0, slash));
  const auto below = number_in(text.substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

bool is_unit(std::string_view word, std::string_view unit) {
  const bool plural = unit.ends_with('s');
  return word == unit || (plural && word == unit.substr(0, unit.size() - 1));
}

}  // namespace

std::optional<double> read_count_of(Complaints& complaints, NodeId node, std::string_view unit) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const std::size_t space = word.find(' ');
  const auto number = number_or_fraction(word.substr(0, space));
  const std::string_view behind =
      space == std::string_view::npos ? std::string_view() : trim(word.substr(space));
  if (number && is_unit(behind, unit)) return number;
  complaints.about(node, "expected a number of " + std::string(unit) + " from 0, as in \"2 " +
                             std::string(unit) + "\", found \"" + escape_for_display(word) + "\"");
  return std::nullopt;
}

std::optional<AmountRange> read_amount(Complaints& complaints, NodeId node, std::string_view unit) {
  if (node == kNoNode) return std::nullopt;
  if (complaints.document().kind(node) == NodeKind::scalar) {
    const auto one = read_count_of(complaints, node, unit);
    if (!one) return std::nullopt;
    return AmountRange{*one, *one, *one};
  }
  StrictMapping ends(complaints, node);
  const auto low = read_count_of(complaints, ends.need("low"), unit);
  const auto usual = read_count_of(complaints, ends.need("usual"), unit);
  const auto high = read_count_of(complaints, ends.need("high"), unit);
  ends.refuse_unknown_keys();
  if (!low || !usual || !high) return std::nullopt;
  if (*low > *usual || *usual > *high) {
    complaints.about(node, "\"low\", \"usual\" and \"high\" are not in this order");
  }
  return AmountRange{*low, *usual, *high};
}

}  // namespace gpulint

#include "base/text.h"
#include "catalog/catalog.h"
#include "plan/fact_table.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

namespace gpulint {

namespace {

template <class T>
expr::Value value_in(const Maybe<T>& fact) {
  if (!fact) return {};
  if constexpr (std::is_same_v<T, Bytes>) {
    return expr::Value(fact->value.count());
  } else if constexpr (std::is_same_v<T, TextList>) {
    expr::List list;
    for (const std::string& item : fact->value) list.emplace_back(item);
    return expr::Value(std::move(list));
  } else {
    return expr::Value(fact->value);
  }
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return fmt::format("{} B", value.count());
  } else if constexpr (std::is_same_v<T, TextList>) {
    return join(value, ",");
  } else {
    return fmt::format("{}", value);
  }
}

/// "samples" -> "sample", "batches" -> "batch", "samples per second" -> "sample per second".
std::string singular(std::string_view unit) {
  const std::size_t end = std::min(unit.find(' '), unit.size());
  const std::string_view word = unit.substr(0, end);
  std::size_t ending = word.ends_with('s') ? 1 : 0;
  if (word.ends_with("ches") || word.ends_with("sses")) ending = 2;
  return std::string(word.substr(0, word.size() - ending)).append(unit.substr(end));
}

template <class T>
std::string display_value(const T& value, std::string_view unit) {
  if constexpr (std::is_same_v<T, Bytes>) {
    return format_decimal(value) + (unit == "bytes per second" ? "/s" : "");
  } else {
    std::string text = text_of(value);
    bool one = false;
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) one = value == T{1};
    if (!unit.empty()) text.append(" ").append(one ? singular(unit) : std::string(unit));
    return text;
  }
}

bool in_range(double number, FactRange range) {
  return std::isfinite(number) && number >= range.low && number <= range.high;
}

std::optional<std::int64_t> whole_number(std::string_view text, FactRange range) {
  const std::optional<double> number = lenient_number(text);
  if (!number || !in_range(*number, range) || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// A size needs its unit, except where the fact's name already says bytes.
std::optional<Bytes> size_in_bytes(std::string_view text, const FactRow& row) {
  if (row.unit == "bytes per second" && text.ends_with("/s")) text.remove_suffix(2);
  const std::optional<ParsedBytes> parsed = parse_bytes(trim(text));
  if (!parsed || !in_range(parsed->bytes, row.range)) return std::nullopt;
  const bool name_says_bytes = row.name.find("bytes") != std::string_view::npos;
  if (!parsed->had_unit && !name_says_bytes) return std::nullopt;
  return Bytes::rounded(parsed->bytes);
}

std::optional<std::string> word(std::string_view text, const FactRow& row) {
  constexpr std::size_t kLongestWord = 512;  // names and paths; longer text is not a fact
  if (text.empty() || text.size() > kLongestWord) return std::nullopt;
  if (row.choices.empty()) return std::string(text);
  for (std::string_view choice : row.choices) {
    if (equals_ignoring_case(choice, text)) return std::string(choice);
  }
  return std::nullopt;
}

TextList words(std::string_view text) {
  TextList list;
  for (std::string_view part : split(text, ',')) {
    if (const std::string_view item = trim(part); !item.empty()) list.emplace_back(item);
  }
  return list;
}

template <class T>
std::optional<T> read_as(std::string_view text, const FactRow& row) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return whole_number(text, row.range);
  } else if constexpr (std::is_same_v<T, double>) {
    const std::optional<double> number = lenient_number(text);
    return number && in_range(*number, row.range) ? number : std::nullopt;
  } else if constexpr (std::is_same_v<T, bool>) {
    return lenient_boolean(text);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return size_in_bytes(text, row);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return word(text, row);
  } else {
    return words(text);
  }
}

// Limits from here on only keep arithmetic sane; nobody below them needs to read them.
constexpr double kSaneArithmetic = 1e9;

std::string range_words(FactRange range) {
  std::string text = fmt::format(" from {}", range.low);
  if (range.high < kSaneArithmetic) text += fmt::format(" to {}", range.high);
  return text;
}

std::string expected(const Maybe<std::int64_t> TrainingPlan::*, const FactRow& row) {
  const std::string of = row.unit.empty() ? "" : fmt::format(" of {}", row.unit);
  return "a whole number" + of + range_words(row.range);
}
std::string expected(const Maybe<double> TrainingPlan::*, const FactRow& row) {
  return "a number" + range_words(row.range);
}
std::string expected(const Maybe<bool> TrainingPlan::*, const FactRow&) { return "true or false"; }
std::string expected(const Maybe<std::string> TrainingPlan::*, const FactRow& row) {
  if (row.choices.empty()) return "a word";
  return fmt::format("one of {}", fmt::join(row.choices, ", "));
}
std::string expected(const Maybe<Bytes> TrainingPlan::*, const FactRow& row) {
  return row.unit == "bytes per second" ? "a speed with its unit, such as 500 MB/s"
                                        : "a size with its unit, such as 80 GiB or 62 GB";
}
std::string expected(const Maybe<TextList> TrainingPlan::*, const FactRow&) {
  return "names separated by commas";
}

template <class T>
constexpr bool kIsNumber = std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>;

template <class T>
expr::Type type_for(const FactRow& row) {
  if constexpr (std::is_same_v<T, bool>) {
    return {expr::Kind::boolean};
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return {expr::Kind::number,
            row.unit == "bytes per second" ? expr::kBytesPerSecond : expr::kBytes};
  } else if constexpr (std::is_same_v<T, TextList>) {
    return {expr::Kind::list, expr::kNoUnit, expr::Kind::string};
  } else if constexpr (kIsNumber<T>) {
    return {expr::Kind::number,
            row.unit.starts_with("US dollars") ? expr::kDollars : expr::kNoUnit};
  } else {
    expr::Type type{expr::Kind::string};
    type.choices.assign(row.choices.begin(), row.choices.end());
    return type;
  }
}

/// The limit that expectation_of() leaves out, for a number above it.
std::string limit_words(std::string_view text, const FactRow& row) {
  const bool is_number =
      std::visit([]<class T>(Maybe<T> TrainingPlan::*) { return kIsNumber<T>; }, row.member);
  if (!is_number || row.range.high < kSaneArithmetic) return "";
  const std::optional<double> number = lenient_number(trim(text));
  if (!number || *number <= row.range.high) return "";
  return fmt::format(" to {:.0f}", row.range.high);
}

}  // namespace

expr::Type type_of(const FactRow& row) {
  return std::visit([&]<class T>(Maybe<T> TrainingPlan::*) { return type_for<T>(row); },
                    row.member);
}

expr::Value value_of(const TrainingPlan& plan, const FactRow& row) {
  return std::visit([&](auto member) { return value_in(plan.*member); }, row.member);
}

const Provenance* provenance_of(const TrainingPlan& plan, const FactRow& row) {
  return std::visit(
      [&](auto member) -> const Provenance* {
        return plan.*member ? &(plan.*member)->from : nullptr;
      },
      row.member);
}

std::string display(const TrainingPlan& plan, const FactRow& row) {
  return std::visit(
      [&](auto member) {
        return plan.*member ? display_value((plan.*member)->value, row.unit) : std::string();
      },
      row.member);
}

std::string canonical_text(const TrainingPlan& plan, const FactRow& row) {
  return std::visit(
      [&](auto member) { return plan.*member ? text_of((plan.*member)->value) : std::string(); },
      row.member);
}

namespace {

/// `max_epochs: 10000000000`: as long as something else lets it.
bool is_endless(const FactRow& row, std::string_view text) {
  const std::optional<double> number = lenient_number(trim(text));
  return row.group == "run length" && row.range.high > 0 && number &&
         *number > row.range.high;
}

}  // namespace

bool set_fact(TrainingPlan& plan, const FactRow& row, std::string_view text, Provenance from,
              std::string* why) {
  const bool done = std::visit(
      [&]<class T>(Maybe<T> TrainingPlan::*member) {
        std::optional<T> value = read_as<T>(trim(text), row);
        if (!value) return false;
        plan.*member = Fact<T>{std::move(*value), std::move(from)};
        return true;
      },
      row.member);
  if (!done && is_endless(row, text)) return true;  // nobody knows how long
  if (!done && why != nullptr) *why = "expected " + expectation_of(row) + limit_words(text, row);
  return done;
}

std::string expectation_of(const FactRow& row) {
  return std::visit([&](auto member) { return expected(member, row); }, row.member);
}

std::string undescribed_word(const FactRow& row, std::string_view text, const Catalog& catalog) {
  if (!row.words || text == kOff || catalog.has(row.words->kind, text)) return {};
  const std::vector<std::string_view> known = catalog.ids(row.words->kind);
  const std::string similar = did_you_mean(text, known);
  return fmt::format(
      "no {} is called \"{}\"{}", name_of(row.words->kind), escape_for_display(text),
      similar.empty() ? fmt::format("; known are {}", fmt::join(known, ", ")) : similar);
}

std::string misspelt_word(const FactRow& row, std::string_view text, const Catalog& catalog) {
  const bool others = row.words && row.words->others;
  if (others && did_you_mean(text, catalog.ids(row.words->kind)).empty()) return {};
  return undescribed_word(row, text, catalog);
}

void clear_fact(TrainingPlan& plan, const FactRow& row) {
  std::visit([&](auto member) { (plan.*member).reset(); }, row.member);
}

}  // namespace gpulint

// Numbers and quantities of data files: a quantity without its unit is refused with the way to
// write it, because 80 GB and 80 GiB differ by 7 %.

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "source/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gpulint {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kPeta = 1e15;

/// The number a text starts with and the unit behind it, blanks removed.
struct NumberAndUnit {
  double number = 0;
  std::string_view unit;
};

std::optional<NumberAndUnit> split_quantity(std::string_view text) {
  NumberAndUnit result;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, result.number);
  if (error != std::errc{} || !std::isfinite(result.number)) return std::nullopt;
  result.unit = trim(std::string_view(rest, static_cast<std::size_t>(end - rest)));
  return result;
}

void complain_about_quantity(Complaints& complaints, NodeId node, std::string_view text,
                             std::string_view number, std::string_view example_units) {
  const std::string shown = "\"" + escape_for_display(text) + "\"";
  const std::string stated(number.empty() ? "80" : number);
  std::string examples;
  for (const std::string_view unit : split(example_units, '|')) {
    examples += (examples.empty() ? "\"" : " or \"") + stated + " " + std::string(unit) + "\"";
  }
  complaints.about(
      node, number.empty()
                ? shown + " is not a quantity; write a number and its unit, as in " + examples
                : shown + " has no unit; write " + examples);
}

/// Complains about a quantity that does not read as `example_units` want it.
void refuse_quantity(Complaints& complaints, NodeId node, std::string_view text,
                     std::string_view example_units) {
  const std::optional<NumberAndUnit> parts = split_quantity(text);
  const bool bare_number = parts && parts->unit.empty();
  complain_about_quantity(complaints, node, text, bare_number ? text : std::string_view{},
                          example_units);
}

bool refuse_unless_positive(Complaints& complaints, NodeId node, double value) {
  if (value > 0) return false;
  complaints.about(node, "must be above zero");
  return true;
}

}  // namespace

std::optional<bool> read_boolean(Complaints& complaints, NodeId node) {
  const std::string_view word = read_word(complaints, node);
  if (word == "true") return true;
  if (word == "false") return false;
  if (!word.empty()) {
    complaints.about(node, "expected true or false, found \"" + escape_for_display(word) + "\"");
  }
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(Complaints& complaints, NodeId node, std::int64_t least,
                                         std::int64_t greatest) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc{} && rest == end && value >= least && value <= greatest) return value;
  complaints.about(node, "expected a whole number from " + std::to_string(least) + " to " +
                             std::to_string(greatest) + ", found \"" + escape_for_display(word) +
                             "\"");
  return std::nullopt;
}

std::optional<double> read_fraction(Complaints& complaints, NodeId node, double above,
                                    double most) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const std::optional<NumberAndUnit> parts = split_quantity(word);
  if (parts && parts->unit.empty() && parts->number > above && parts->number <= most) {
    return parts->number;
  }
  const auto print = [](double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  complaints.about(node, "expected a number above " + print(above) + " and at most " + print(most) +
                             ", found \"" + escape_for_display(word) + "\"");
  return std::nullopt;
}

std::optional<Bytes> read_bytes(Complaints& complaints, NodeId node) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const std::optional<ParsedBytes> parsed = parse_bytes(word);
  if (!parsed || !parsed->had_unit) {
    refuse_quantity(complaints, node, word, "GiB|GB");
    return std::nullopt;
  }
  if (refuse_unless_positive(complaints, node, parsed->bytes)) return std::nullopt;
  return Bytes::rounded(parsed->bytes);
}

std::optional<PerSecond> read_bandwidth(Complaints& complaints, NodeId node) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const bool per_second = word.ends_with("/s");
  const std::optional<ParsedBytes> parsed =
      parse_bytes(per_second ? word.substr(0, word.size() - 2) : word);
  if (!parsed || !parsed->had_unit || !per_second) {
    refuse_quantity(complaints, node, word, "GB/s");
    return std::nullopt;
  }
  if (refuse_unless_positive(complaints, node, parsed->bytes)) return std::nullopt;
  return PerSecond{parsed->bytes};
}

std::optional<PerSecond> read_flops(Complaints& complaints, NodeId node) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const std::optional<NumberAndUnit> parts = split_quantity(word);
  double scale = 0;
  if (parts && parts->unit == "GFLOP/s") scale = kGiga;
  if (parts && parts->unit == "TFLOP/s") scale = kTera;
  if (parts && parts->unit == "PFLOP/s") scale = kPeta;
  if (scale == 0) {
    refuse_quantity(complaints, node, word, "TFLOP/s");
    return std::nullopt;
  }
  if (refuse_unless_positive(complaints, node, parts->number)) return std::nullopt;
  return PerSecond{parts->number * scale};
}

std::optional<double> read_quantity(Complaints& complaints, NodeId node, std::string_view unit) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const std::optional<NumberAndUnit> parts = split_quantity(word);
  if (!parts || parts->unit != unit) {
    refuse_quantity(complaints, node, word, unit);
    return std::nullopt;
  }
  if (refuse_unless_positive(complaints, node, parts->number)) return std::nullopt;
  return parts->number;
}

std::vector<std::string> read_sources(Complaints& complaints, NodeId file, NodeId sources,
                                      std::span<const std::string_view> fields) {
  if (sources == kNoNode) return {};
  const Document& document = complaints.document();
  if (document.kind(sources) != NodeKind::mapping) {
    std::vector<std::string> citations = read_words(complaints, sources);
    if (citations.empty()) complaints.about(sources, "names no source; cite at least one");
    return citations;
  }
  std::vector<std::string> citations;
  std::vector<std::string_view> covered;
  for (const auto& [field, value] : read_entries(complaints, sources)) {
    covered.push_back(field);
    if (field != "others" && document.find(file, field) == kNoNode) {
      complaints.about(value, "a source for something this file does not state");
    }
    for (const std::string& citation : read_words(complaints, value)) {
      citations.push_back(std::string(field) + ": " + citation);
    }
  }
  const auto covers = [&](std::string_view field) {
    return std::find(covered.begin(), covered.end(), field) != covered.end();
  };
  for (const std::string_view field : fields) {
    if (document.find(file, field) == kNoNode || covers(field) || covers("others")) continue;
    complaints.about(sources, "no source for \"" + std::string(field) + "\"");
  }
  return citations;
}

}  // namespace gpulint

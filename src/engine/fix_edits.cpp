// A fix sets facts to canonical values; a config spells them its own way. The edit replaces the
// value's bytes only, in the spelling the dialect's value map gives back, and keeps quotes and the
// case of booleans. Whatever is not plainly invertible (references, aliases, lists, conversions,
// two native words for one meaning) is left to the reader: no edit, the advice stays.

#include "base/text.h"
#include "engine/finding_builder.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gpulint {
namespace {

/// Keys are one name in any letter case and with '-' or '_', as dialects read them.
bool same_key(std::string_view a, std::string_view b) {
  const auto plain = [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return plain(x) == plain(y); });
}

/// `pattern` (dotted, `*` = one component) equals the last components of a JSON pointer.
bool is_tail_of(std::string_view pattern, std::string_view pointer) {
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  const std::vector<std::string_view> wanted = split(pattern, '.');
  const std::vector<std::string_view> there = split(pointer, '/');
  if (wanted.size() > there.size()) return false;
  return std::equal(
      wanted.rbegin(), wanted.rend(), there.rbegin(),
      [](std::string_view a, std::string_view b) { return a == "*" || same_key(a, b); });
}

/// The one mapping of the dialect that read this fact from this place; nullptr when none or
/// several differing ones could have.
const KeyMapping* mapping_behind(const Dialect& dialect, std::string_view fact,
                                 std::string_view pointer) {
  const KeyMapping* found = nullptr;
  for (const KeyMapping& mapping : dialect.mapping->keys) {
    if (mapping.fact != fact || !is_tail_of(mapping.path, pointer)) continue;
    if (found == nullptr || mapping.path.size() > found->path.size()) found = &mapping;
  }
  return found;
}

/// True when the same native key states other facts too: setting one would change the others.
bool states_other_facts(const Dialect& dialect, const KeyMapping& mapping) {
  return std::any_of(dialect.mapping->keys.begin(), dialect.mapping->keys.end(),
                     [&](const KeyMapping& other) {
                       return other.path == mapping.path && other.fact != mapping.fact;
                     });
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBooleanWords = {{
    {"true", "false"},
    {"yes", "no"},
    {"on", "off"},
    {"1", "0"},
}};

/// `word` in the letter case of `model`: true, True or TRUE.
std::string in_case_of(std::string_view model, std::string_view word) {
  std::string result(word);
  if (model.empty() || !std::isupper(static_cast<unsigned char>(model[0]))) return result;
  const bool all_upper = model.size() > 1 && std::isupper(static_cast<unsigned char>(model[1]));
  for (std::size_t i = 0; i < (all_upper ? result.size() : 1); ++i) {
    result[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(result[i])));
  }
  return result;
}

/// The boolean `value` in the words the config uses now ("False" -> "True", "off" -> "on").
std::optional<std::string> boolean_like(std::string_view current, bool value) {
  for (const auto& [yes, no] : kBooleanWords) {
    if (equals_ignoring_case(current, yes) || equals_ignoring_case(current, no)) {
      return in_case_of(current, value ? yes : no);
    }
  }
  return std::nullopt;
}

/// Shortest text of a number that every YAML loader reads as one: PyYAML takes 2e-05 for a string
/// and 2.0e-05 for a number.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

std::string canonical_text(const expr::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value.data)) return *text;
  if (const double* number = std::get_if<double>(&value.data)) return number_text(*number);
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *count);
  return {};
}

/// A mapping's own words and those of the value map it names; nullopt when that map is not at hand.
std::optional<std::vector<ValueMapping>> all_words(const Subject& subject,
                                                   const KeyMapping& mapping) {
  std::vector<ValueMapping> words = mapping.values;
  if (mapping.value_map.empty()) return words;
  const auto add = [&](const Dialect& dialect) {
    for (const ValueMap& map : dialect.value_maps) {
      if (map.name != mapping.value_map) continue;
      words.insert(words.end(), map.values.begin(), map.values.end());
      return true;
    }
    return false;
  };
  if (add(*subject.dialect)) return words;
  for (const Dialect& dialect : subject.dialects) {
    if (add(dialect)) return words;
  }
  return std::nullopt;
}

std::vector<std::string_view> words_for(const std::vector<ValueMapping>& map,
                                        std::string_view canonical) {
  std::vector<std::string_view> words;
  for (const ValueMapping& value : map) {
    if (value.native != "*" && value.canonical == canonical) words.push_back(value.native);
  }
  return words;
}

bool contains_word(const std::vector<std::string_view>& words, std::string_view wanted) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return equals_ignoring_case(word, wanted); });
}

/// The native word for a canonical value. A switch that is written as on or off stays one, and is
/// turned on for either kind of half precision. Of several words for one meaning only the canonical
/// one is taken, and only where the present value is canonical too.
std::optional<std::string> native_word(const std::vector<ValueMapping>& map,
                                       const std::string& canonical, std::string_view current) {
  const std::vector<std::string_view> words = words_for(map, canonical);
  const bool half = canonical == "bf16" || canonical == "fp16";
  const std::vector<std::string_view> on = half ? words_for(map, "enabled") : words;
  for (const bool flag : {true, false}) {
    const std::optional<std::string> styled = boolean_like(current, flag);
    if (styled && contains_word(on, *styled)) return styled;
  }
  if (words.size() == 1) return std::string(words.front());
  const auto canonical_already = [&](const ValueMapping& value) {
    return value.canonical && equals_ignoring_case(*value.canonical, current) &&
           equals_ignoring_case(value.native, current);
  };
  if (contains_word(words, canonical) && std::any_of(map.begin(), map.end(), canonical_already)) {
    return canonical;
  }
  return std::nullopt;
}

std::optional<std::string> native_text(const Subject& subject, const KeyMapping& mapping,
                                       const expr::Value& value, std::string_view current) {
  // `name` and `first_element` read a plain scalar as it stands; other conversions are one-way.
  if (!mapping.transform.empty() && mapping.transform != "name" &&
      mapping.transform != "first_element") {
    return std::nullopt;
  }
  const auto words = all_words(subject, mapping);
  if (!words) return std::nullopt;
  const bool text = std::holds_alternative<std::string>(value.data);
  if (!words->empty() && (text || std::holds_alternative<bool>(value.data))) {
    return native_word(*words, canonical_text(value), current);
  }
  if (const bool* flag = std::get_if<bool>(&value.data)) return boolean_like(current, *flag);
  if (std::holds_alternative<expr::List>(value.data)) return std::nullopt;
  return canonical_text(value);
}

struct PlainScalar {
  std::string_view text;  // without quotes
  char quote = 0;
};

/// The scalar at a span when it is written on one line and stands for itself.
std::optional<PlainScalar> plain_scalar(const Document& document, const SourceSpan& span) {
  if (span.file != document.file() || span.end > document.text().size() || span.begin >= span.end) {
    return std::nullopt;
  }
  PlainScalar scalar{document.text().substr(span.begin, span.end - span.begin), 0};
  const char first = scalar.text.front();
  if (first == '"' || first == '\'') {
    if (scalar.text.size() < 2 || scalar.text.back() != first) return std::nullopt;
    scalar.quote = first;
    scalar.text = scalar.text.substr(1, scalar.text.size() - 2);
  }
  if (scalar.text.empty() ||
      scalar.text.find_first_of("\n\r${}[]&*!|>\"'\\") != std::string::npos) {
    return std::nullopt;
  }
  return scalar;
}

/// Where the value of `fact` is written in the config, if an edit may touch it there. A rule about
/// one observation may change that place only.
std::optional<SourceSpan> editable_place(const SubjectEnvironment& environment,
                                         const Provenance* from) {
  if (from == nullptr || from->origin != Origin::stated) return std::nullopt;
  if (environment.item() != nullptr && environment.item()->span != from->span) return std::nullopt;
  return from->span;
}

/// The edit that gives `fact` this value; no span in it when it has that value already, nullopt
/// when it cannot be written.
std::optional<Edit> edit_of(const SubjectEnvironment& environment, std::string_view fact,
                            const expr::Value& value) {
  const Subject& subject = environment.subject();
  const FactRow* row = find_fact(fact);
  if (subject.document == nullptr || subject.dialect == nullptr || row == nullptr) return {};
  const Provenance* from = provenance_of(environment.facts(), *row);
  const std::optional<SourceSpan> place = editable_place(environment, from);
  if (!place || !value.known()) return {};
  const std::optional<PlainScalar> scalar = plain_scalar(*subject.document, *place);
  const KeyMapping* mapping = mapping_behind(*subject.dialect, fact, from->pointer);
  if (!scalar || mapping == nullptr || states_other_facts(*subject.dialect, *mapping)) return {};
  const std::optional<std::string> text = native_text(subject, *mapping, value, scalar->text);
  if (!text) return {};
  if (*text == scalar->text) return Edit{};
  std::string replacement = *text;
  if (scalar->quote != 0) replacement = fmt::format("{0}{1}{0}", scalar->quote, *text);
  return Edit{*place, std::move(replacement)};
}

}  // namespace

std::vector<Edit> fix_edits(const Rule& rule, const SubjectEnvironment& environment) {
  std::vector<Edit> edits;
  const Observation* item = environment.item();
  for (const auto& [fact, expression] : rule.fix_set) {
    if (item != nullptr && !item->fact.empty() && item->fact != fact) continue;
    std::optional<Edit> edit = edit_of(environment, fact, expression.evaluate(environment));
    if (!edit) return {};
    if (edit->span.known()) edits.push_back(std::move(*edit));
  }
  return edits;
}

}  // namespace gpulint

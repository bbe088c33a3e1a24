#include "plan/taken_values.h"

#include "base/text.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpulint {

bool takes_choices(std::span<const TakenBy> by) {
  return std::all_of(by.begin(), by.end(), [](const TakenBy& each) {
    return std::all_of(each.entries.begin(), each.entries.end(),
                       [](const TakenKey* entry) { return !entry->choices.empty(); });
  });
}

TakenChoices choices_of(std::span<const TakenBy> by, std::string_view value) {
  TakenChoices taken;
  for (const TakenBy& each : by) {
    for (const TakenKey* entry : each.entries) {
      taken.are_checked = taken.are_checked || entry->checked;
      for (const TakenChoice& choice : entry->choices) {
        if (is_same_plain_value(choice.name, value)) taken.releases |= choice.releases;
        taken.names.push_back(choice.name);
      }
    }
  }
  std::sort(taken.names.begin(), taken.names.end());
  taken.names.erase(std::unique(taken.names.begin(), taken.names.end()), taken.names.end());
  return taken;
}

std::string words_taken(const TakenChoices& choices, std::string_view value) {
  constexpr std::size_t kMostShown = 4;
  const std::vector<std::string_view>& names = choices.names;
  const std::string_view meant = closest(value, names);
  if (!meant.empty()) return fmt::format("no such word; did you mean {}?", meant);
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostShown; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  if (names.size() > kMostShown) text += fmt::format(" and {} more", names.size() - kMostShown);
  return text;
}

std::string expected_number(const TakenBy& by, std::string_view text) {
  bool takes_fractions = false;
  bool takes_switches = false;
  std::optional<double> low;
  for (const TakenKey* entry : by.entries) {
    for (const std::string& type : entry->types) {
      if (type != "int" && type != "float" && type != "bool") return {};
      takes_fractions = takes_fractions || type == "float";
      takes_switches = takes_switches || type == "bool";
    }
    if (entry->types.empty()) return {};
    low = entry->low;
  }
  const std::optional<double> number = lenient_number(text);
  if (!number) {
    if (lenient_boolean(text)) return {};
    return takes_switches ? "true or false" : "a number";
  }
  if (!takes_fractions && !takes_switches && std::floor(*number) != *number) {
    return "a whole number";
  }
  return low && *number < *low ? fmt::format("at least {:g}", *low) : "";
}

}  // namespace gpulint

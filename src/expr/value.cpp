#include "expr/value.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace gpulint::expr {
namespace {

std::string power(std::string_view name, int exponent) {
  std::string text{name};
  if (exponent > 1) text.append("^").append(std::to_string(exponent));
  return text;
}

std::string element_name(Kind element, Unit unit) {
  switch (element) {
    case Kind::boolean:
      return "true or false";
    case Kind::number:
      return unit == kNoUnit ? "plain numbers" : "quantities in " + to_string(unit);
    case Kind::string:
      return "text";
    case Kind::list:
      return "lists";
  }
  return {};
}

std::string choices_name(const std::vector<std::string>& choices) {
  std::string text = "one of ";
  for (std::size_t i = 0; i < choices.size(); ++i) text += (i == 0 ? "" : ", ") + choices[i];
  return text;
}

}  // namespace

double Value::number() const {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&data)) {
    return static_cast<double>(*whole);
  }
  const double* number = std::get_if<double>(&data);
  return number == nullptr ? 0 : *number;
}

std::string to_string(Unit unit) {
  const std::array<std::pair<std::string_view, int>, 4> parts{{{"USD", unit.dollars},
                                                               {"bytes", unit.bytes},
                                                               {"operations", unit.operations},
                                                               {"s", unit.seconds}}};
  std::string above;
  std::string below;
  for (const auto& [name, exponent] : parts) {
    std::string& side = exponent > 0 ? above : below;
    if (exponent == 0) continue;
    if (!side.empty()) side += '*';
    side += power(name, std::abs(exponent));
  }
  if (below.empty()) return above;
  if (above.empty()) above += '1';
  return above.append("/").append(below);
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::number:
      return type.unit == kNoUnit ? "a plain number" : "a quantity in " + to_string(type.unit);
    case Kind::string:
      return type.choices.empty() ? "text" : choices_name(type.choices);
    case Kind::list:
      return "a list of " + element_name(type.element, type.unit);
  }
  return {};
}

}  // namespace gpulint::expr

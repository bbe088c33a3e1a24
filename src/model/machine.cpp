#include "model/operator_table.h"

namespace gpulint::model {

namespace {

std::optional<std::int64_t> whole(const expr::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return *number;
  if (const auto* number = std::get_if<double>(&value.data)) {
    const std::int64_t rounded = saturating_round(*number);
    if (static_cast<double>(rounded) == *number) return rounded;
  }
  return std::nullopt;
}

}  // namespace

Tensor Machine::tensor(std::string_view name) {
  for (std::size_t i = tensors_.size(); i-- > 0;) {
    if (tensors_[i].first == name) return tensors_[i].second;
  }
  tape.refuse("no tensor is named \"" + std::string(name) + "\" here");
  return tape.create({}, DType::fp32, StorageKind::buffer, false);
}

bool Machine::has_tensor(std::string_view name) const {
  for (const auto& [known, tensor] : tensors_) {
    if (known == name) return true;
  }
  return false;
}

void Machine::name_tensor(std::string name, const Tensor& tensor) {
  tensors_.emplace_back(std::move(name), tensor);
}

Tensor Machine::weight(std::string_view name, const Dims& sizes) {
  if (name.empty()) return tape.parameter(sizes);
  for (const auto& [known, weight] : weights_) {
    if (known != name) continue;
    if (!(weight.sizes == sizes)) {
      tape.refuse("the weight \"" + std::string(name) + "\" of " + to_string(weight.sizes) +
                  " cannot serve as one of " + to_string(sizes));
    }
    return weight;
  }
  weights_.emplace_back(std::string(name), tape.parameter(sizes));
  return weights_.back().second;
}

const expr::Value* Arguments::find(std::string_view name) const {
  for (const Argument& argument : arguments_) {
    // Most names differ in length or in their first letter.
    const bool alike = argument.name.size() == name.size() && argument.name[0] == name[0];
    if (alike && argument.name == name) return argument.value;
  }
  return nullptr;
}

void Arguments::refuse(std::string_view name, std::string_view expected) const {
  const expr::Value* value = find(name);
  const std::string found = value == nullptr ? "nothing" : expr::format(*value, expr::kNoUnit, "");
  tape_.refuse(std::string(name) + ": expected " + std::string(expected) + ", found " + found);
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t fallback) const {
  const expr::Value* value = find(name);
  if (value == nullptr) return fallback;
  const std::optional<std::int64_t> number = whole(*value);
  if (!number) refuse(name, "a whole number");
  return number.value_or(fallback);
}

double Arguments::real(std::string_view name, double fallback) const {
  const expr::Value* value = find(name);
  if (value == nullptr) return fallback;
  if (!std::holds_alternative<std::int64_t>(value->data) &&
      !std::holds_alternative<double>(value->data)) {
    refuse(name, "a number");
    return fallback;
  }
  return value->number();
}

bool Arguments::flag(std::string_view name, bool fallback) const {
  const expr::Value* value = find(name);
  if (value == nullptr) return fallback;
  if (const bool* flag = std::get_if<bool>(&value->data)) return *flag;
  refuse(name, "true or false");
  return fallback;
}

std::string Arguments::word(std::string_view name, std::string_view fallback) const {
  const expr::Value* value = find(name);
  if (value == nullptr) return std::string(fallback);
  if (const std::string* word = std::get_if<std::string>(&value->data)) return *word;
  refuse(name, "a word");
  return std::string(fallback);
}

Dims Arguments::sizes(std::string_view name, std::size_t count, std::int64_t fallback) const {
  Dims result;
  const expr::Value* value = find(name);
  const auto* list = value == nullptr ? nullptr : std::get_if<expr::List>(&value->data);
  if (list == nullptr) {
    const std::int64_t each = integer(name, fallback);
    for (std::size_t i = 0; i < count; ++i) result.push_back(each);
    return result;
  }
  for (const expr::Value& item : *list) {
    const std::optional<std::int64_t> number = whole(item);
    if (!number || !result.push_back(*number)) break;
  }
  if (result.size() != count || list->size() != count) {
    refuse(name, "one whole number or " + std::to_string(count) + " of them");
    while (result.size() < count) result.push_back(fallback);
  }
  return result;
}

Dims Arguments::list(std::string_view name) const {
  const expr::Value* value = find(name);
  const auto* list = value == nullptr ? nullptr : std::get_if<expr::List>(&value->data);
  if (list == nullptr) return sizes(name, 1, 0);
  if (list->size() > kMaxRank) {
    refuse(name, "at most " + std::to_string(kMaxRank) + " numbers");
    return {};
  }
  return sizes(name, list->size(), 0);
}

std::vector<std::string> Arguments::words(std::string_view name) const {
  std::vector<std::string> result;
  const expr::Value* value = find(name);
  if (value == nullptr) return result;
  if (const auto* word = std::get_if<std::string>(&value->data)) return {*word};
  if (const auto* list = std::get_if<expr::List>(&value->data)) {
    for (const expr::Value& item : *list) {
      if (const auto* word = std::get_if<std::string>(&item.data)) result.push_back(*word);
    }
    if (result.size() == list->size()) return result;
  }
  refuse(name, "words");
  return {};
}

}  // namespace gpulint::model

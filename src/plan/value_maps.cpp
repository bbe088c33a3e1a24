#include "plan/value_maps.h"

#include "base/text.h"
#include "source/scalar.h"

namespace gpulint {

namespace {

bool begins_like_a_number(std::string_view text) {
  return !text.empty() && (text.front() == '-' || text.front() == '.' ||
                           (text.front() >= '0' && text.front() <= '9'));
}

// "-1." is -1 for every loader.
const ValueMapping* entry_for_number(std::span<const ValueMapping> values, std::string_view text) {
  if (!begins_like_a_number(text)) return nullptr;
  const std::optional<double> number = lenient_number(text);
  if (!number) return nullptr;
  for (const ValueMapping& value : values) {
    if (begins_like_a_number(value.native) && lenient_number(value.native) == number) return &value;
  }
  return nullptr;
}

const ValueMapping* entry_for(std::span<const ValueMapping> values, std::string_view text) {
  for (const ValueMapping& value : values) {
    if (equals_ignoring_case(value.native, text)) return &value;
  }
  if (const ValueMapping* number = entry_for_number(values, text)) return number;
  // "lora_*": a beginning; "*lora*": a part; "*_lora": an end
  for (const ValueMapping& value : values) {
    const std::string_view native = value.native;
    if (native.size() <= 1) continue;
    if (native.starts_with('*') && !native.ends_with('*')) {
      if (to_lower(text).ends_with(to_lower(native.substr(1)))) return &value;
    }
    if (!native.ends_with('*')) continue;
    if (native.size() > 2 && native.starts_with('*')) {
      const std::string part = to_lower(native.substr(1, native.size() - 2));
      if (to_lower(text).find(part) != std::string::npos) return &value;
    } else if (starts_with_ignoring_case(text, native.substr(0, native.size() - 1))) {
      return &value;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> map_value(std::span<const ValueMapping> own,
                                     std::span<const ValueMapping> shared, std::string text) {
  for (const auto& values : {own, shared}) {
    const ValueMapping* entry = entry_for(values, text);
    if (entry == nullptr) entry = entry_for(values, kEveryOther);
    if (entry != nullptr) return entry->canonical;
  }
  return text;
}

const ValueMap* find_value_map(std::span<const Dialect> dialects, std::string_view name) {
  for (const Dialect& dialect : dialects) {
    for (const ValueMap& map : dialect.value_maps) {
      if (map.name == name) return &map;
    }
  }
  return nullptr;
}

}  // namespace gpulint

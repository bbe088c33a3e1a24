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

/// "lora_*": a beginning; "*lora*": a part; "*_lora": an end. "*" alone stands for the rest, and
/// fits nothing here.
bool fits_pattern(std::string_view pattern, std::string_view text) {
  const bool starts_freely = pattern.starts_with('*');
  const bool ends_freely = pattern.ends_with('*');
  if (pattern.size() <= 1) return false;
  if (starts_freely) pattern.remove_prefix(1);
  if (ends_freely) pattern.remove_suffix(1);
  if (starts_freely && ends_freely)
    return to_lower(text).find(to_lower(pattern)) != std::string::npos;
  if (starts_freely) return to_lower(text).ends_with(to_lower(pattern));
  return ends_freely && starts_with_ignoring_case(text, pattern);
}

const ValueMapping* entry_for(std::span<const ValueMapping> values, std::string_view text) {
  for (const ValueMapping& value : values) {
    if (equals_ignoring_case(value.native, text)) return &value;
  }
  if (const ValueMapping* number = entry_for_number(values, text)) return number;
  for (const ValueMapping& value : values) {
    if (fits_pattern(value.native, text)) return &value;
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

#include "plan/transforms.h"

#include "base/text.h"
#include "model/model_names.h"
#include "plan/list_transforms.h"
#include "source/data_files.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpulint {

namespace {

using State = NativeValue::State;
using Text = std::optional<std::string>;

Text same(const Document&, const NativeValue& value) {
  return value.state == State::text ? Text(value.text) : std::nullopt;
}

Text name(const Document&, const NativeValue& value) {
  if (value.state != State::text) return std::nullopt;
  std::string_view text = trim(value.text);
  text = text.substr(0, text.find('('));
  if (is_data_file_name(text)) return std::nullopt;  // that file says it
  const std::size_t cut = text.find_last_of("./");
  if (cut != std::string_view::npos) text.remove_prefix(cut + 1);
  return to_lower(text);
}

// `!name:torch.optim.AdamW` before a mapping of arguments.
Text tag_name(const Document& document, const NativeValue& value) {
  std::string_view tag = document.tag(value.node);
  const std::size_t cut = tag.find_last_of(".:");
  if (cut == std::string_view::npos || cut + 1 == tag.size()) return std::nullopt;
  tag.remove_prefix(cut + 1);
  return to_lower(tag);
}

Text file_name_of(const Document&, const NativeValue& value) {
  if (value.state != State::text) return std::nullopt;
  std::string_view path = value.text;
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(file_name(path));
}

// Of a checkpoint's file: the name of a model where it says how large that is, else nothing.
Text sized_file_name(const Document& document, const NativeValue& value) {
  Text name = file_name_of(document, value);
  if (!name) return name;
  const std::size_t dot = name->rfind('.');
  const bool has_ending =
      dot != std::string::npos && name->find_first_of("0123456789", dot) == std::string::npos;
  if (has_ending) name->resize(dot);
  return model::size_in_name(*name) ? name : Text(kAbsent);
}

// A hub's "organisation/name" stays whole; of a path on disk only the file's name is a model's.
Text model_name(const Document& document, const NativeValue& value) {
  if (value.state != State::text) return std::nullopt;
  const std::string_view path = value.text;
  const bool is_hub_name = std::count(path.begin(), path.end(), '/') == 1 && path.front() != '/' &&
                           path.front() != '.' && !path.ends_with('/') &&
                           path.find('\\') == std::string_view::npos &&
                           !path.ends_with(".safetensors") && !path.ends_with(".ckpt");
  return is_hub_name ? Text(value.text) : file_name_of(document, value);
}

Text first_element(const Document& document, const NativeValue& value) {
  if (value.state == State::text) return value.text;
  const auto texts = item_texts(document, value);
  return texts && !texts->empty() ? Text(texts->front()) : std::nullopt;
}

Text last_element(const Document& document, const NativeValue& value) {
  const auto texts = item_texts(document, value);
  return texts && !texts->empty() ? Text(texts->back()) : std::nullopt;
}

/// Of whole numbers: the one that decides memory where each is used in turn.
Text largest_element(const Document& document, const NativeValue& value) {
  if (value.state == State::text) return value.text;
  const auto texts = item_texts(document, value);
  std::int64_t largest = 0;
  for (const std::string& text : texts.value_or(std::vector<std::string>{})) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    largest = std::max(largest, number);
  }
  return largest > 0 ? Text(std::to_string(largest)) : std::nullopt;
}

Text list(const Document& document, const NativeValue& value) {
  const auto texts = item_texts(document, value);
  return texts && !texts->empty() ? Text(join(*texts, ",")) : std::nullopt;
}

Text list_length(const Document& document, const NativeValue& value) {
  if (!is_list(document, value)) return std::nullopt;
  return fmt::format("{}", document.items(value.node).size());
}

// "0,1" or [0, 1] or "0,": device indices, which are all whole numbers from 0 or UUIDs.
Text count_of_ids(const Document& document, const NativeValue& value) {
  const auto texts = item_texts(document, value);
  if (!texts || texts->empty()) return std::nullopt;
  const bool indices = std::all_of(texts->begin(), texts->end(), [](const std::string& text) {
    return whole(text).value_or(-1) >= 0;
  });
  return indices ? Text(fmt::format("{}", texts->size())) : std::nullopt;
}

Text device_count(const Document& document, const NativeValue& value) {
  if (value.state != State::text) return count_of_ids(document, value);
  if (value.text.find_first_of(",[") != std::string::npos) return count_of_ids(document, value);
  // All there are, of which whoever starts the run may say how many.
  if (value.text == "-1" || equals_ignoring_case(value.text, "auto")) return std::string(kAbsent);
  const std::int64_t count = whole(value.text).value_or(-1);
  return count > 0 ? Text(fmt::format("{}", count)) : std::nullopt;
}

/// "gpu:a100:4", "a100:4", "4", "gpu": how many of a resource a batch system gives to each node.
Text resource_count(const Document&, const NativeValue& value) {
  if (value.state != State::text) return std::nullopt;
  std::string_view text = value.text;
  for (const std::string_view part : split(value.text, ',')) {
    if (part.starts_with("gpu")) text = part;
  }
  text = text.substr(0, text.find('('));
  const bool names_gpu = text.starts_with("gpu");
  const std::size_t colon = text.rfind(':');
  if (names_gpu && colon == std::string_view::npos) return "1";
  const std::string_view last = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (const std::int64_t count = whole(last).value_or(-1); count > 0)
    return fmt::format("{}", count);
  // "gpu:a100" is one of them; another resource says nothing.
  return names_gpu ? Text("1") : std::nullopt;
}

/// "gpu:a100:4", "A100:4", "A100": which GPU a batch system is asked for; a plain number asks for
/// any.
Text resource_kind(const Document&, const NativeValue& value) {
  if (value.state != State::text) return std::nullopt;
  std::string_view text = value.text;
  for (const std::string_view part : split(value.text, ',')) {
    if (part.starts_with("gpu")) text = part;
  }
  text = trim(text.substr(0, text.find('(')));
  if (text.starts_with("gpu:")) text.remove_prefix(4);
  const std::size_t colon = text.find(':');
  const bool is_counted = colon != std::string_view::npos;
  const std::string_view kind = text.substr(0, colon);
  const bool names = !kind.empty() && kind != "gpu" && !whole(kind) &&
                     (!is_counted || whole(text.substr(colon + 1)));
  return names ? Text(std::string(kind)) : std::nullopt;
}

/// "localhost:0,1@host:0,1": the slots of each host, where all have as many.
Text slot_count(const Document&, const NativeValue& value) {
  if (value.state != State::text) return std::nullopt;
  std::optional<std::size_t> count;
  for (const std::string_view host : split(value.text, '@')) {
    const std::size_t colon = host.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::size_t slots = split(host.substr(colon + 1), ',').size();
    if (count && *count != slots) return std::nullopt;
    count = slots;
  }
  return count ? Text(fmt::format("{}", *count)) : std::nullopt;
}

Text id_count(const Document& document, const NativeValue& value) {
  return count_of_ids(document, value);
}

Text percent(const Document&, const NativeValue& value) {
  const std::optional<double> number =
      value.state == State::text ? lenient_number(value.text) : std::nullopt;
  return number ? Text(fmt::format("{}", *number / 100)) : std::nullopt;
}

// Warm-up that is a count from 1 and a share of the run below it.
bool is_share(const NativeValue& value) {
  const std::optional<double> number = lenient_number(value.text);
  return number && *number > 0 && *number < 1;
}

Text count_not_share(const Document& document, const NativeValue& value) {
  return is_share(value) ? Text(kAbsent) : same(document, value);
}

Text share_not_count(const Document& document, const NativeValue& value) {
  return is_share(value) ? same(document, value) : Text(kAbsent);
}

Text boolean_or_string(const Document& document, const NativeValue& value) {
  if (value.state == State::text) {
    if (const std::optional<bool> flag = lenient_boolean(value.text)) {
      return *flag ? "true" : "false";
    }
    return equals_ignoring_case(value.text, "none") ? "false" : "true";
  }
  if (value.state != State::structure) return std::nullopt;
  if (document.kind(value.node) != NodeKind::mapping) return std::nullopt;
  for (std::string_view key : {"enabled", "enable"}) {
    const NodeId enabled = document.find(value.node, key);
    if (enabled != kNoNode) return same(document, read_native(document, enabled));
  }
  return "true";
}

Text positive(const Document& document, const NativeValue& value) {
  const std::optional<double> number =
      value.state == State::text ? lenient_number(value.text) : std::nullopt;
  if (!number) return boolean_or_string(document, value);
  return *number > 0 ? "true" : "false";
}

/// Of a list of mappings: `field` of the one named so by its tag or its `name`. A list without it
/// does not speak of the fact.
Text item_field(const Document& document, const NativeValue& value, std::string_view argument) {
  const std::size_t dot = argument.find('.');
  if (!is_list(document, value) || dot == std::string_view::npos) return std::nullopt;
  const std::string_view wanted = argument.substr(0, dot);
  for (const NodeId item : document.items(value.node)) {
    if (document.kind(item) != NodeKind::mapping) continue;
    const NodeId name = document.find(item, "name");
    const bool is_wanted = document.tag(item).ends_with(wanted) ||
                           (name != kNoNode && document.scalar(name) == wanted);
    if (!is_wanted) continue;
    const NodeId field = document.find(item, argument.substr(dot + 1));
    return field == kNoNode ? Text(kAbsent) : same(document, read_native(document, field));
  }
  return std::string(kAbsent);
}

/// On a command line `--gpus 0` is as often the first GPU as none.
Text count_in_file(const Document& document, const NativeValue& value) {
  if (value.state != State::text || document.format() == Format::shell) return std::nullopt;
  return Text(value.text);
}

// "cuda:3" -> 3
Text device_index(const Document&, const NativeValue& value) {
  constexpr std::string_view kPrefix = "cuda:";
  if (value.state != State::text || !starts_with_ignoring_case(value.text, kPrefix)) {
    return std::string(kAbsent);
  }
  const std::optional<std::int64_t> index = whole(value.text.substr(kPrefix.size()));
  return index && *index >= 0 ? Text(fmt::format("{}", *index)) : std::nullopt;
}

/// "100ba" before "ba" -> "100". A number of another unit says nothing about this fact.
Text number_before(const Document&, const NativeValue& value, std::string_view unit) {
  if (value.state != State::text) return std::nullopt;
  const std::string_view text = trim(value.text);
  if (!text.ends_with(unit)) return std::string(kAbsent);
  const std::string_view number = text.substr(0, text.size() - unit.size());
  return lenient_number(number) ? Text(std::string(number)) : std::nullopt;
}

/// "2x8": factor 1 is 2, factor 2 is 8.
Text factor(const Document&, const NativeValue& value, std::string_view argument) {
  if (value.state != State::text) return std::nullopt;
  const std::vector<std::string_view> parts = split(value.text, 'x');
  const std::optional<std::int64_t> at = whole(argument);
  const auto index = static_cast<std::size_t>(at.value_or(0));
  if (index == 0 || index > parts.size()) return std::string(kAbsent);
  return whole(parts[index - 1]) ? Text(std::string(trim(parts[index - 1]))) : std::nullopt;
}

/// "64G", "64gb", "64000": a size whose prefixes are powers of 1,024, `unit` where it has none.
Text binary_size(const Document&, const NativeValue& value, std::string_view unit) {
  if (value.state != State::text) return std::nullopt;
  const std::string text = to_lower(trim(value.text));
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, end);
  std::string suffix = end == std::string::npos ? to_lower(unit) : text.substr(end);
  if (!suffix.empty() && suffix.back() == 'b') suffix.pop_back();
  if (!suffix.empty() && suffix.back() == 'i') suffix.pop_back();
  constexpr std::string_view kPrefixes = "kmgt";
  const bool has_prefix = suffix.size() == 1 && kPrefixes.find(suffix[0]) != kPrefixes.npos;
  if (!lenient_number(number) || (!suffix.empty() && !has_prefix)) return std::nullopt;
  return fmt::format("{} {}", number, has_prefix ? suffix + "iB" : std::string("B"));
}

using Conversion = Text (*)(const Document&, const NativeValue&);
using ConversionBy = Text (*)(const Document&, const NativeValue&, std::string_view argument);

constexpr std::array<std::pair<std::string_view, ConversionBy>, 7> kByArgument = {{
    {"item_field", item_field},
    {"first_item_field", first_item_field},
    {"number_before", number_before},
    {"factor", factor},
    {"volume_edge", volume_edge},
    {"pipeline_edge", pipeline_edge},
    {"binary_size", binary_size},
}};

constexpr std::array<std::pair<std::string_view, Conversion>, 26> kConversions = {{
    {"", same},
    {"name", name},
    {"tag_name", tag_name},
    {"file_name", file_name_of},
    {"sized_file_name", sized_file_name},
    {"model_name", model_name},
    {"first_element", first_element},
    {"last_element", last_element},
    {"largest_element", largest_element},
    {"list", list},
    {"list_length", list_length},
    {"device_count", device_count},
    {"id_count", id_count},
    {"resource_count", resource_count},
    {"resource_kind", resource_kind},
    {"slot_count", slot_count},
    {"percent", percent},
    {"count_not_share", count_not_share},
    {"share_not_count", share_not_count},
    {"boolean_or_string", boolean_or_string},
    {"positive", positive},
    {"image_height", image_height},
    {"image_width", image_width},
    {"image_channels", image_channels},
    {"device_index", device_index},
    {"count_in_file", count_in_file},
}};

}  // namespace

std::optional<Transform> find_transform(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) {
    for (const auto& [name, conversion] : kConversions) {
      if (name == text) return Transform(conversion);
    }
    return std::nullopt;
  }
  const std::string_view argument = trim(text.substr(blank));
  for (const auto& [name, conversion] : kByArgument) {
    if (name == text.substr(0, blank)) return Transform(conversion, argument);
  }
  return std::nullopt;
}

bool takes_known_end(std::string_view transform) { return transform == "sized_file_name"; }

}  // namespace gpulint

#include "plan/list_transforms.h"

#include "base/text.h"
#include "source/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gpulint {

using State = NativeValue::State;
using Text = std::optional<std::string>;

bool is_list(const Document& document, const NativeValue& value) {
  return value.state == State::structure && document.kind(value.node) == NodeKind::sequence;
}

std::optional<std::vector<std::string>> item_texts(const Document& document,
                                                   const NativeValue& value) {
  std::vector<std::string> texts;
  if (value.state == State::text) {
    std::string_view text = trim(value.text);
    if (text.size() >= 2 && (text.front() == '[' || text.front() == '(')) {
      text = text.substr(1, text.size() - 2);
    }
    for (std::string_view part : split(text, ',')) {
      if (const std::string_view item = trim(part); !item.empty()) texts.emplace_back(item);
    }
    return texts;
  }
  constexpr std::uint32_t kMostItems = 4096;  // device, module and shape lists are far shorter
  if (!is_list(document, value) || document.node(value.node).child_count > kMostItems) {
    return std::nullopt;
  }
  for (NodeId item : document.items(value.node)) {
    NativeValue native = read_native(document, item);
    if (native.state != State::text) return std::nullopt;
    texts.push_back(std::move(native.text));
  }
  return texts;
}

std::optional<std::int64_t> whole(std::string_view text) {
  const std::optional<double> number = lenient_number(text);
  constexpr double kExact = 1e15;
  if (!number || std::floor(*number) != *number || std::abs(*number) > kExact) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

namespace {

// Image shapes: one number, height and width, or channels, height and width. A first number beyond
// any channel count means a volume or a list of training resolutions: not one image size.
struct ImageShape {
  Text channels, height, width;
};
ImageShape image_shape(const Document& document, const NativeValue& value) {
  constexpr std::int64_t kMostChannels = 4;
  const auto texts = item_texts(document, value);
  ImageShape shape;
  if (!texts) return shape;
  if (texts->size() == 1) shape.height = texts->front();
  if (texts->size() == 2) {
    shape.height = texts->front();
    shape.width = texts->back();
  }
  if (texts->size() == 3 && whole(texts->front()).value_or(kMostChannels + 1) <= kMostChannels) {
    shape.channels = texts->front();
    shape.height = (*texts)[1];
    shape.width = texts->back();
  }
  return shape;
}

}  // namespace

Text image_height(const Document& document, const NativeValue& value) {
  return image_shape(document, value).height;
}

Text image_width(const Document& document, const NativeValue& value) {
  return image_shape(document, value).width.value_or(std::string(kAbsent));
}

Text image_channels(const Document& document, const NativeValue& value) {
  return image_shape(document, value).channels.value_or(std::string(kAbsent));
}

Text volume_edge(const Document& document, const NativeValue& value, std::string_view argument) {
  constexpr double kLeastVoxels = 32 * 32 * 32;
  constexpr std::int64_t kLeastEdge = 16;
  const auto texts = item_texts(document, value);
  const auto at = static_cast<std::size_t>(whole(argument).value_or(0));
  if (!texts || texts->size() != 3 || at < 1 || at > 3) return std::string(kAbsent);
  double voxels = 1;
  for (const std::string& each : *texts) {
    const std::int64_t edge = whole(each).value_or(0);
    voxels *= edge < kLeastEdge ? 0 : static_cast<double>(edge);
  }
  if (voxels < kLeastVoxels) return std::string(kAbsent);
  return (*texts)[at - 1];
}

namespace {

struct Edges {
  std::int64_t shorter = 0;
  std::int64_t longer = 0;
};

/// Whole numbers of a size: 224, [800, 1333], or of several such ([[1333, 640], [1333, 800]]), the
/// largest edges; nullopt where it is none, as shares of an image (`scale: [0.08, 1.0]`).
std::optional<Edges> edges_of(const Document& document, NodeId node, int depth = 0) {
  constexpr std::int64_t kLeastEdge = 16;
  const NativeValue value = read_native(document, node);
  if (const auto texts = item_texts(document, value); texts && !texts->empty()) {
    if (texts->size() > 2) return std::nullopt;
    const std::int64_t a = whole(texts->front()).value_or(0);
    const std::int64_t b = whole(texts->back()).value_or(0);
    if (std::min(a, b) < kLeastEdge) return std::nullopt;
    return Edges{std::min(a, b), std::max(a, b)};
  }
  if (depth > 0 || !is_list(document, value)) return std::nullopt;
  Edges largest;
  for (const NodeId item : document.items(value.node)) {
    const auto one = edges_of(document, document.resolve(item), depth + 1);
    if (!one) return std::nullopt;
    largest.shorter = std::max(largest.shorter, one->shorter);
    largest.longer = std::max(largest.longer, one->longer);
  }
  return largest.shorter > 0 ? std::optional(largest) : std::nullopt;
}

}  // namespace

Text pipeline_edge(const Document& document, const NativeValue& value, std::string_view argument) {
  constexpr std::array<std::string_view, 6> kSizes = {"crop_size", "scale", "scales",
                                                      "img_scale", "size",  "input_size"};
  if (!is_list(document, value)) return std::string(kAbsent);
  std::optional<Edges> last;
  for (const NodeId item : document.items(value.node)) {
    const NodeId step = document.resolve(item);
    if (step == kNoNode || document.kind(step) != NodeKind::mapping) return std::string(kAbsent);
    // Steps among which chance chooses.
    if (document.find(step, "transforms") != kNoNode) return std::string(kAbsent);
    for (const std::string_view key : kSizes) {
      const NodeId size = document.find(step, key);
      const auto edges = size == kNoNode ? std::nullopt : edges_of(document, document.resolve(size));
      if (!edges) continue;
      last = edges;
      break;
    }
  }
  const bool is_longer = argument == "longer";
  if (!last || (is_longer && last->longer == last->shorter)) return std::string(kAbsent);
  return std::to_string(is_longer ? last->longer : last->shorter);
}

namespace {

/// `type=LinearLR`, `begin?0`, `!end_factor`.
bool holds(const Document& document, NodeId item, std::string_view condition) {
  if (condition.starts_with('!')) return document.find(item, condition.substr(1)) == kNoNode;
  const std::size_t sign = condition.find_first_of("=?");
  if (sign == std::string_view::npos) return false;
  const NodeId field = document.find(item, condition.substr(0, sign));
  if (field == kNoNode) return condition[sign] == '?';
  const NativeValue given = read_native(document, field);
  return given.state == State::text &&
         equals_ignoring_case(given.text, condition.substr(sign + 1));
}

}  // namespace

Text first_item_field(const Document& document, const NativeValue& value,
                      std::string_view argument) {
  const std::vector<NodeId> items =
      is_list(document, value) ? document.items(value.node) : std::vector<NodeId>();
  const NodeId item = items.empty() ? kNoNode : document.resolve(items.front());
  if (item == kNoNode || document.kind(item) != NodeKind::mapping) return std::string(kAbsent);
  const std::vector<std::string_view> words = split(argument, ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!holds(document, item, words[i])) return std::string(kAbsent);
  }
  const NodeId field = document.find(item, words.front());
  if (field == kNoNode) return std::string(kAbsent);
  const NativeValue found = read_native(document, field);
  return found.state == State::text ? Text(found.text) : std::nullopt;
}

}  // namespace gpulint

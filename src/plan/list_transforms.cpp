#include "plan/list_transforms.h"

#include "base/text.h"
#include "source/scalar.h"

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

}  // namespace gpulint

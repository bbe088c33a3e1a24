#include "plan/native_value.h"

#include "base/text.h"
#include "source/interpolation.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {

namespace {

constexpr std::string_view kHyperReference = "!ref";

bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// Plain words that some loader reads as a boolean.
std::string_view spelled_boolean(std::string_view text) {
  constexpr std::size_t kLongest = 5;
  if (text.size() < 2 || text.size() > kLongest) return text;
  for (std::string_view word : {"true", "yes", "on"}) {
    if (equals_ignoring_case(word, text)) return "true";
  }
  for (std::string_view word : {"false", "no", "off"}) {
    if (equals_ignoring_case(word, text)) return "false";
  }
  return text;
}

NativeValue read_scalar(const Document& document, NodeId value, std::string_view text) {
  NativeValue native;
  native.node = value;
  native.quoted = document.node(value).quoting != Quoting::plain;
  if (native.quoted ? text.empty() : is_null(text)) return native;
  native.state = is_placeholder(text) ? NativeValue::State::unknown : NativeValue::State::text;
  native.text = native.quoted ? text : spelled_boolean(text);
  return native;
}

NativeValue read_written(const Document& document, NodeId value) {
  if (document.kind(value) == NodeKind::scalar) {
    return read_scalar(document, value, document.scalar(value));
  }
  NativeValue native;
  native.node = value;
  native.state = NativeValue::State::structure;
  return native;
}

// HyperPyYAML's `!ref <batch_size>` stands for the key of that name at the top; arithmetic and
// parts of sections are unknown.
NativeValue read_hyper_reference(const Document& document, NodeId reference) {
  NodeId target = reference;
  constexpr int kMostSteps = 8;  // a chain of names is shorter, or it is a circle
  for (int step = 0; step < kMostSteps; ++step) {
    const std::string_view text = trim(document.scalar(target));
    if (text.size() <= 2 || !text.starts_with('<') || !text.ends_with('>')) break;
    const NodeId found =
        document.find(document.resolve(document.root()), text.substr(1, text.size() - 2));
    target = found == kNoNode ? kNoNode : document.resolve(found);
    if (target == kNoNode || document.kind(target) != NodeKind::scalar) break;
    if (document.tag(target) == kHyperReference) continue;
    NativeValue native = read_written(document, target);
    native.reference = std::string(text);
    return native;
  }
  return {NativeValue::State::unknown, reference};
}

}  // namespace

NativeValue read_native(const Document& document, NodeId value) {
  const NodeId target = value == kNoNode ? kNoNode : document.resolve(value);
  if (target == kNoNode) return {NativeValue::State::unknown, value};
  if (document.kind(target) != NodeKind::scalar) return read_written(document, target);
  if (document.tag(target) == kHyperReference) return read_hyper_reference(document, target);
  const std::string_view text = document.scalar(target);
  if (text.find("${") == std::string_view::npos) return read_written(document, target);

  Resolved resolved = resolve_reference(document, target);
  NativeValue native;
  switch (resolved.state) {
    case Resolved::State::literal:
      return read_written(document, target);
    case Resolved::State::unknown:
      native.state = NativeValue::State::unknown;
      native.node = target;
      break;
    case Resolved::State::value:
      if (resolved.node != kNoNode) {
        native = read_written(document, resolved.node);
      } else {
        native = read_scalar(document, target, resolved.text);
      }
      break;
  }
  native.reference = std::string(text);
  return native;
}

}  // namespace gpulint

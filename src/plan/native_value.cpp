#include "plan/native_value.h"

#include "base/text.h"
#include "plan/hyper_reference.h"
#include "source/interpolation.h"
#include "source/scalar.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {

namespace {

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
  if (native.quoted ? text.empty() : is_yaml_null(text)) return native;
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

NativeValue read_hyper_reference(const Document& document, NodeId reference) {
  const HyperTarget target = resolve_hyper_reference(document, reference);
  NativeValue native{NativeValue::State::unknown, reference};
  if (target.node != kNoNode) {
    native = read_written(document, target.node);
  } else if (target.number) {
    native = read_scalar(document, reference, *target.number);
  }
  native.reference = std::string(trim(document.scalar(reference)));
  return native;
}

}  // namespace

std::optional<std::string> end_of_path(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view end = trim(text.substr(slash + 1));
  const bool is_known = !end.empty() && end.find_first_of("${}()@%<>?") == end.npos;
  return is_known ? std::optional(std::string(end)) : std::nullopt;
}

NativeValue read_native(const Document& document, NodeId value) {
  const NodeId target = value == kNoNode ? kNoNode : document.resolve(value);
  if (target == kNoNode) return {NativeValue::State::unknown, value};
  if (document.kind(target) != NodeKind::scalar) return read_written(document, target);
  if (is_hyper_reference(document, target)) return read_hyper_reference(document, target);
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

#include "code/config_value.h"

#include "base/text.h"
#include "source/interpolation.h"
#include "source/scalar.h"

#include <charconv>
#include <map>
#include <optional>
#include <variant>

namespace gpulint {
namespace {

using python::Kind;
using python::Value;

constexpr int kDeepest = 48;
constexpr std::size_t kMostMembers = 5'000;
constexpr std::size_t kMostKeys = 2'000;  // of one mapping
constexpr std::string_view kIncludes = "!include";
constexpr std::string_view kDefaults = "defaults";  // Hydra's list of what a config is made of

class ConfigWriter {
 public:
  ConfigWriter(python::Interpreter& in, const Document& document, bool is_composed,
               const OpenIncluded& included, std::size_t count = 0)
      : in_(in),
        document_(document),
        is_composed_(is_composed),
        included_(included),
        count_(count) {}

  Value write(NodeId node, int depth) {
    const NodeId target = node == kNoNode ? kNoNode : document_.resolve(node);
    if (target == kNoNode || depth > kDeepest || count_++ > kMostMembers) return {};
    switch (document_.kind(target)) {
      case NodeKind::mapping:
        return mapping(target, depth);
      case NodeKind::sequence:
        return sequence(target, depth);
      case NodeKind::scalar:
        return scalar(target, depth);
      case NodeKind::alias:
        break;
    }
    return {};
  }

 private:
  Value mapping(NodeId node, int depth) {
    Value made = in_.make_object(Kind::dict);
    made.from = document_.span(node);
    made.origin = python::Origin::given;
    const std::vector<Member> members = document_.members(node);
    if (members.size() > kMostKeys) {  // data, a vocabulary for example
      in_.object(made.ref).open = true;
      return made;
    }
    for (const Member& member : members) {
      const std::string_view name = document_.scalar(document_.resolve(member.key));
      if (is_composed_ && name == kDefaults && is_sequence(member.value)) continue;
      const Value value = write(member.value, depth + 1);
      in_.set(made.ref, in_.intern(name), value, document_.span(member.key));
    }
    return made;
  }

  bool is_sequence(NodeId node) const {
    const NodeId target = node == kNoNode ? kNoNode : document_.resolve(node);
    return target != kNoNode && document_.kind(target) == NodeKind::sequence;
  }

  Value sequence(NodeId node, int depth) {
    Value made = in_.make_object(Kind::list);
    made.from = document_.span(node);
    made.origin = python::Origin::given;
    for (const NodeId item : document_.items(node)) {
      const NodeId target = document_.resolve(item);
      const bool is_scalar = target != kNoNode && document_.kind(target) == NodeKind::scalar;
      const bool stands_for_more = is_scalar && document_.scalar(target) == "...";
      if (stands_for_more) in_.object(made.ref).open = true;
      if (!stands_for_more) in_.append(made.ref, write(item, depth + 1));
    }
    return made;
  }

  Value scalar(NodeId node, int depth) {
    Value made;
    made.from = document_.span(node);
    made.origin = python::Origin::given;
    const std::string_view text = document_.scalar(node);
    if (document_.tag(node) == kIncludes) return included(text, depth).value_or(made);
    if (document_.tag(node).starts_with('!')) return made;
    if (text.find("${") != std::string_view::npos) return reference(node, depth);
    if (is_placeholder(text)) return made;
    read(made, node, text);
    return made;
  }

  /// What another file holds.
  std::optional<Value> included(std::string_view name, int depth) {
    const Document* document = included_ ? included_(document_, name) : nullptr;
    if (document == nullptr) return std::nullopt;
    ConfigWriter below(in_, *document, false, included_, count_);
    const Value made = below.write(document->root(), depth + 1);
    count_ = below.count_;
    return made;
  }

  Value reference(NodeId node, int depth) {
    const Resolved resolved = resolve_reference(document_, node);
    Value made;
    made.from = document_.span(node);
    made.origin = python::Origin::given;
    if (resolved.state != Resolved::State::value) return made;
    if (resolved.node != kNoNode) return write(resolved.node, depth + 1);
    Value text = in_.make_text(resolved.text, made.from, python::Origin::given);
    return text;
  }

  void read(Value& made, NodeId node, std::string_view text) {
    const ScalarValue value = interpret(document_, node, ScalarSchema::yaml11);
    if (const auto* flag = std::get_if<bool>(&value)) {
      made.kind = Kind::boolean;
      made.integer = *flag ? 1 : 0;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      made.kind = Kind::integer;
      made.integer = *whole;
    } else if (const auto* real = std::get_if<double>(&value)) {
      made.kind = Kind::real;
      made.real = *real;
    } else if (std::holds_alternative<std::string>(value)) {
      made.kind = Kind::text;
      made.ref = in_.intern(text);
    } else {
      made.kind = Kind::none;
    }
  }

  python::Interpreter& in_;
  const Document& document_;
  bool is_composed_;
  const OpenIncluded& included_;
  std::size_t count_;
};

/// Where the values of each line stand, by the numbers of the lines; where one holds several, the
/// outermost.
class ValuePlaces {
 public:
  explicit ValuePlaces(const Document& document) : document_(document) {
    add(document.root(), 0);
  }

  SourceSpan in_line(std::uint32_t line) const {
    const auto found = places_.find(line);
    return found == places_.end() ? SourceSpan{} : found->second;
  }

 private:
  void add(NodeId node, int depth) {
    const NodeId target = node == kNoNode ? kNoNode : document_.resolve(node);
    if (target == kNoNode || depth > kDeepest) return;
    if (document_.kind(target) == NodeKind::mapping) {
      for (const Member& member : document_.members(target)) below(member.value, depth);
    } else if (document_.kind(target) == NodeKind::sequence) {
      for (const NodeId item : document_.items(target)) below(item, depth);
    }
  }

  void below(NodeId node, int depth) {
    const SourceSpan span = document_.span(node);
    const std::uint32_t line = document_.line_column(span.begin).line;
    if (document_.kind(node) == NodeKind::scalar || !in_block(node)) places_.emplace(line, span);
    add(node, depth + 1);
  }

  /// A mapping or a list whose members stand in lines of their own.
  bool in_block(NodeId node) const {
    const std::string_view text = document_.text_at(document_.span(node));
    return !text.starts_with('[') && !text.starts_with('{');
  }

  const Document& document_;
  std::map<std::uint32_t, SourceSpan> places_;
};

}  // namespace

Value config_lines(python::Interpreter& interpreter, const Document& document) {
  const ValuePlaces places(document);
  const Value made = interpreter.make_object(Kind::list);
  std::uint32_t number = 0;
  for (std::string_view line : split(document.text(), '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const SourceSpan from = places.in_line(++number);
    interpreter.append(made.ref, interpreter.make_text(line, from, python::Origin::given));
  }
  return made;
}

Value config_value(python::Interpreter& interpreter, const Document& document, NodeId node,
                   bool is_composed, const OpenIncluded& included) {
  return ConfigWriter(interpreter, document, is_composed, included).write(node, 0);
}

}  // namespace gpulint

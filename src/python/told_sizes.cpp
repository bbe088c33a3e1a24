// What code around a tensor that nobody knows says of it: how many dimensions it has, by what it is
// multiplied with; and how a library's result is taken apart.

#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint::python {

/// `mask.mul(scores)` of something nobody knows is what `mask * scores` is.
std::optional<Value> Interpreter::arithmetic_method(const Value& self, std::string_view name,
                                                    const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, Operator>, 6> kMethods = {{
      {"add", Operator::add},
      {"sub", Operator::subtract},
      {"mul", Operator::multiply},
      {"div", Operator::divide},
      {"matmul", Operator::matrix},
      {"bmm", Operator::matrix},
  }};
  if (following_ == 0 || self.known() || arguments.list.size() != 1) return std::nullopt;
  const auto at = std::find_if(kMethods.begin(), kMethods.end(),
                               [&](const auto& each) { return each.first == name; });
  const Value& other = arguments.list.front().value;
  if (at == kMethods.end() || !is_followed(other)) return std::nullopt;
  return tensor_arithmetic(at->second, self, other);
}

/// What a library's result is in a tuple of so many (`states, pooled = bert(x)`).
std::optional<std::vector<Value>> Interpreter::taken_apart(const Value& value, std::size_t count) {
  if (value.kind != Kind::instance) return std::nullopt;
  const std::uint32_t type = objects_[value.ref].type;
  if (type == kNone || !types_[type].module->is_library) return std::nullopt;
  const Value* says = own_method(type, intern("__taken_apart__"), 0);
  if (says == nullptr || says->kind != Kind::function) return std::nullopt;
  Arguments arguments;
  arguments.list.push_back({kNone, make_integer(static_cast<std::int64_t>(count)), kNoSyntax});
  bool all = false;
  std::vector<Value> items = known_items(call_function(says->ref, &value, arguments), all);
  return all ? std::optional(std::move(items)) : std::nullopt;
}

/// Of `x.dim()`, `x.ndim`, `len(x.shape)`, `x.size()` and `x.shape`: x; and whether the sizes are
/// asked for, not their number. kNoSyntax: it is none of these.
std::pair<SyntaxId, bool> Interpreter::measured(SyntaxId id) {
  const SyntaxNode& at = node(id);
  const auto is_plain = [this](SyntaxId of) {
    return node(of).kind == Syntax::name || node(of).kind == Syntax::attribute;
  };
  const std::pair<SyntaxId, bool> none = {kNoSyntax, false};
  if (at.kind == Syntax::attribute && is_plain(at.first)) {
    const std::string_view name = tree().text(id);
    if (name == "ndim") return {at.first, false};
    return name == "shape" ? std::pair(at.first, true) : none;
  }
  if (at.kind != Syntax::call) return none;
  const SyntaxId argument = node(at.first).next;
  const bool is_method = node(at.first).kind == Syntax::attribute && argument == kNoSyntax;
  const std::string_view name = tree().text(at.first);
  if (is_method && is_plain(node(at.first).first)) {
    const SyntaxId of = node(at.first).first;
    if (name == "dim" || name == "ndimension") return {of, false};
    return name == "size" ? std::pair(of, true) : none;
  }
  const bool is_length = node(at.first).kind == Syntax::name && name == "len" &&
                         argument != kNoSyntax && node(argument).next == kNoSyntax;
  const auto sizes = is_length ? measured(argument) : none;
  return sizes.second ? std::pair(sizes.first, false) : none;
}

/// `assert x.dim() == 3`, or `if x.ndim != 3: raise`, each with other conditions beside it: how
/// many dimensions an input has.
void Interpreter::note_dimensions(SyntaxId condition, Operator says) {
  if (following_ == 0 || doubts_ > followed_doubts_ || condition == kNoSyntax) return;
  const SyntaxNode& test = node(condition);
  const auto is = [&test](Operator op) { return test.op == static_cast<std::uint8_t>(op); };
  const bool asserts = says == Operator::equal;
  if (test.kind == Syntax::boolean &&
      is(asserts ? Operator::logical_and : Operator::logical_or)) {
    for (SyntaxId part = test.first; part != kNoSyntax; part = node(part).next)
      note_dimensions(part, says);
    return;
  }
  if (test.kind != Syntax::compare || !is(says)) return;
  const auto [of, of_sizes] = measured(test.first);
  if (of == kNoSyntax) return;
  const Value input = eval(of);
  if (!is_open_tensor(input)) return;
  const TensorId tensor = objects_[input.ref].tensor;
  const Value wanted = eval(node(test.first).next);
  std::size_t count = 0;
  if (!of_sizes && wanted.kind == Kind::integer && wanted.integer > 0)
    count = static_cast<std::size_t>(wanted.integer);
  bool all = false;
  if (of_sizes && (wanted.kind == Kind::tuple || wanted.kind == Kind::list))
    count = known_items(wanted, all).size();
  if ((of_sizes && !all) || count == 0 || host_.open_dimensions(tensor)) return;
  host_.has_dimensions(tensor, count);
}

/// A branch that only raises.
bool Interpreter::only_raises(SyntaxId block) const {
  SyntaxId last = node(block).first;
  while (last != kNoSyntax && node(last).next != kNoSyntax) last = node(last).next;
  return last != kNoSyntax && node(last).kind == Syntax::raise;
}

}  // namespace gpulint::python

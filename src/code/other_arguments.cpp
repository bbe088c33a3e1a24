#include "code/other_arguments.h"

#include "base/text.h"
#include "code/call_text.h"

namespace gpulint {

using python::Argument;
using python::Kind;
using python::Value;

int position_in(const ConsumingCall& known, std::string_view name) {
  for (const ConsumedArgument& each : known.arguments) {
    if (each.name == name) return each.position;
  }
  return -1;
}

const Value* member_of(const python::Interpreter& in, const Value& holder, std::string_view name) {
  for (const python::Entry& entry : in.object(holder.ref).entries) {
    if (in.text(entry.key) == name) return &entry.value;
  }
  return nullptr;
}

const Value* of_another(const python::Interpreter& in, const python::Call& call,
                        const ConsumingCall& known, const ConsumedArgument& argument) {
  for (const std::string_view word : split(argument.without, ' ')) {
    const Argument* other = argument_of(in, call, word, position_in(known, word));
    if (other == nullptr || other->value.kind != Kind::instance) continue;
    if (in.object(other->value.ref).made_by != python::kNone) continue;
    const Value* held = member_of(in, other->value, argument.name);
    if (held != nullptr && held->is_number()) return held;
  }
  return nullptr;
}

Value of_batches(const python::Interpreter& in, const python::Call& call,
                 const ConsumedArgument& argument) {
  const Argument* data = argument_of(in, call, argument.none_of, 0);
  if (data == nullptr || data->value.kind != Kind::instance) return {};
  const Value* held = member_of(in, data->value, argument.name);
  return held == nullptr ? Value{} : *held;
}

std::optional<double> share_of_another(const python::Interpreter& in, const python::Call& call,
                                       const ConsumedArgument& argument, const Argument& given) {
  if (argument.share.empty() || given.value.known()) return std::nullopt;
  const Argument* whole = argument_of(in, call, argument.share_of, argument.share_at);
  if (whole == nullptr) return std::nullopt;
  const auto share = in.share_of(given.value, whole->value, whole->node);
  return share && *share > 0 && *share < 1 ? share : std::nullopt;
}

}  // namespace gpulint

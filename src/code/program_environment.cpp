// The environment variables that a program finds, as far as its command says.

#include "base/text.h"
#include "code/config_host.h"
#include "code/config_value.h"

namespace gpulint {

using python::Interpreter;
using python::Kind;
using python::Value;

std::optional<Value> ConfigHost::environment(Interpreter& in) {
  const ProgramEnvironment& known = request_.environment;
  if (setting_.looks_only || known.document == nullptr) return std::nullopt;
  is_alike_ = false;
  const Value made = in.make_object(Kind::dict);
  if (known.variables != kNoNode) {
    for (const Member& member : known.document->members(known.variables)) {
      const std::string_view name = known.document->scalar(known.document->resolve(member.key));
      Value value = config_value(in, *known.document, member.value);
      if (value.known())  // whatever is written, it is text
        value = in.make_text(known.document->scalar(known.document->resolve(member.value)),
                             value.from, python::Origin::given);
      in.set(made.ref, in.intern(name), value);
    }
  }
  for (const auto& [name, value] : known.first)
    in.set(made.ref, in.intern(name), in.make_text(value));
  for (const std::string& name : known.ranks)
    in.set(made.ref, in.intern(name), {.kind = Kind::devices, .integer = python::kRanks});
  return made;
}

bool ConfigHost::is_unset(std::string_view variable) {
  return contains(request_.environment.unset, variable);
}

}  // namespace gpulint

#include "code/script_start.h"

#include <utility>

namespace gpulint {

ScriptProfile::ScriptProfile() : starts(std::make_shared<ScriptStarts>()) {}

std::shared_ptr<const ScriptStart> ScriptStarts::of(Kind kind) const {
  const std::scoped_lock lock(mutex_);
  return known(kind).start;
}

python::SyntaxId ScriptStarts::wanted_at(Kind kind) const {
  const std::scoped_lock lock(mutex_);
  return known(kind).start != nullptr ? python::kNoSyntax : known(kind).end;
}

void ScriptStarts::ended_at(Kind kind, python::SyntaxId statement) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(known(kind).is_met, true)) known(kind).end = statement;
}

void ScriptStarts::keep(Kind kind, ScriptStart start) {
  auto made = std::make_shared<const ScriptStart>(std::move(start));
  const std::scoped_lock lock(mutex_);
  if (known(kind).start == nullptr) known(kind).start = std::move(made);
}

}  // namespace gpulint

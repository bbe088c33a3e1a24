// What starts a program, and what it starts in processes of its own: its environment variables,
// torch.multiprocessing.spawn, Process(target=...).

#include "base/text.h"
#include "python/interpreter.h"
#include "python/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::python {

/// Unknown where nobody knows what starts the program.
Value Interpreter::environment() {
  if (!environment_) {
    environment_ = host_.environment(*this).value_or(Value{});
    if (environment_->known()) objects_[environment_->ref].open = true;
  }
  return *environment_;
}

/// The object may hold something under this name, though nobody saw it.
bool Interpreter::may_hold(ObjectId object, TextId name) const {
  if (!objects_[object].open) return false;
  return !is_environment(object) || !host_.is_unset(text(name));
}

bool Interpreter::is_environment(ObjectId object) const {
  return environment_ && environment_->known() && environment_->ref == object;
}

/// What a launcher puts into a variable, where nobody shows one: WORLD_SIZE is the number of ranks,
/// whatever a program takes for it that is started alone.
Value Interpreter::launched_as(const Value& variable) {
  if (variable.kind != Kind::text) return {};
  const std::string name = fmt::format("{}.{}", running::kEnvironment, text(variable.ref));
  return host_.behaviour(name) == Behaviour::ranks ? devices_of(Behaviour::ranks) : Value{};
}

/// `os.getenv("NAME", 4)`: what holds where nothing of the project sets the variable.
std::optional<Value> Interpreter::own_default(const Value& variable, const Arguments& arguments) {
  const Argument* given = argument(arguments, 1, "default", *this);
  if (given == nullptr || variable.kind != Kind::text) return std::nullopt;
  const Value& value = given->value;
  const bool is_told = value.is_number() || (value.kind == Kind::text && !text(value.ref).empty());
  if (!is_told || !host_.is_left_to_default(text(variable.ref))) return std::nullopt;
  return value;
}

/// `os.environ["NAME"] = value`, as a call of `os.environ.NAME` with the value and how many parts
/// it has between commas. A text that is put together, of a rank perhaps, has an unknown number.
void Interpreter::report_variable(const Value& of, const Value& name, const Value& value,
                                  SyntaxId at) {
  const bool is_known = of.kind == Kind::dict && is_environment(of.ref);
  const bool is_unknown = of.kind == Kind::external && text(of.ref) == running::kEnvironment;
  if ((!is_known && !is_unknown) || name.kind != Kind::text) return;
  const std::string_view listed = value.kind == Kind::text ? text(value.ref) : std::string_view();
  const bool is_one = value.kind == Kind::integer && value.integer >= 0;
  Value parts;
  const bool has_parts = !trim(listed).empty() && trim(listed).front() != '-';  // "-1" is none
  if (!value.computed && (is_one || has_parts)) {
    parts = make_integer(1 + std::count(listed.begin(), listed.end(), ','));
    parts.from = value.from;
    parts.origin = value.origin;
  }
  const Arguments given = {{{kNone, value, at}, {kNone, parts, at}}, false};
  report(fmt::format("{}.{}", running::kEnvironment, text(name.ref)), given, at, {});
}

/// A function of the project that something outside calls, in each process or on its own.
Value Interpreter::spawn(Arguments& arguments, SyntaxId at, std::string_view name) {
  report(name, arguments, at, {});
  const auto is_own = [](const Argument& each) {
    return each.value.kind == Kind::function || each.value.kind == Kind::method;
  };
  const auto found = std::find_if(arguments.list.begin(), arguments.list.end(), is_own);
  if (found == arguments.list.end()) return {};
  const Value function = found->value;
  Arguments passed;
  if (const Argument* list = argument(arguments, 1, "args", *this)) {
    const auto items = items_of(list->value);
    passed.list.push_back({kNone, make_integer(0), kNoSyntax});  // the rank of the first
    passed.open = !items;
    for (const Value& item : items ? *items : std::vector<Value>())
      passed.list.push_back({kNone, item, kNoSyntax});
  }
  return call(function, std::move(passed), at);
}

/// `{"parameters": {"lr": {"value": 0.1}, "seed": {"values": [1, 2]}}}`: what a run of the sweep
/// finds. Of several values nobody knows which.
Value Interpreter::swept(const Value& sweep, int depth) {
  constexpr int kDeepest = 8;
  const auto entry = [this](const Value& mapping, std::string_view name) -> const Entry* {
    return mapping.kind == Kind::dict ? find(mapping.ref, intern(name)) : nullptr;
  };
  const Entry* parameters = entry(sweep, "parameters");
  if (parameters == nullptr || parameters->value.kind != Kind::dict || depth > kDeepest) return {};
  const Value made = make_object(Kind::dict);
  objects_[made.ref].open = objects_[parameters->value.ref].open;
  const std::vector<Entry> all = objects_[parameters->value.ref].entries;
  for (const Entry& each : all) {
    const Entry* value = entry(each.value, "value");
    const Entry* values = entry(each.value, "values");
    const auto items = values == nullptr ? std::nullopt : items_of(values->value);
    Value chosen = value != nullptr ? value->value : swept(each.value, depth + 1);
    if (items && items->size() == 1) chosen = items->front();
    set(made.ref, each.key, chosen, each.key_span);
  }
  return made;
}

/// What is drawn of a list of one; of several nobody knows which.
Value Interpreter::only_one(const Value& list) {
  const auto items = items_of(list);
  return items && items->size() == 1 ? items->front() : Value{};
}

/// `tune.run(f, config={…})`: a function of the project, called with what a search drew.
Value Interpreter::trial(const Arguments& arguments, SyntaxId at, std::string_view name) {
  report(name, arguments, at, {});
  const Value function = argument_value(arguments, 0, "run_or_experiment");
  const bool is_own = function.kind == Kind::function || function.kind == Kind::method;
  if (!is_own && function.kind != Kind::type) return {};
  const Argument* config = argument(arguments, kByName, "config", *this);
  Arguments passed;
  passed.list.push_back({kNone, config == nullptr ? Value{} : config->value, kNoSyntax});
  call(function, std::move(passed), at);
  return {};
}

/// `Process(target=f, args=(…), kwargs={…})`, which will be started.
Value Interpreter::process(const Arguments& arguments, SyntaxId at) {
  const Value function = argument_value(arguments, 1, "target");
  Arguments passed;
  if (const Argument* list = argument(arguments, 3, "args", *this)) {
    const auto items = items_of(list->value);
    passed.open = !items;
    if (items) {
      for (const Value& item : *items) passed.list.push_back({kNone, item, kNoSyntax});
    }
  }
  if (const Argument* named = argument(arguments, 4, "kwargs", *this))
    add_unpacked(passed, named->value);
  ++doubts_;  // another process
  call(function, std::move(passed), at);
  --doubts_;
  return {};
}

}  // namespace gpulint::python

// What a program starts in processes of its own: torch.multiprocessing.spawn, Process(target=...).

#include "base/text.h"
#include "python/interpreter.h"
#include "python/running.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {

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
    passed.list.push_back({});  // the rank
    passed.open = !items;
    for (const Value& item : items ? *items : std::vector<Value>())
      passed.list.push_back({kNone, item, kNoSyntax});
  }
  return call(function, std::move(passed), at);
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

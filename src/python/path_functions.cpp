// Functions that take and make paths: os.path, open(), pathlib.Path().

#include "base/text.h"
#include "python/interpreter.h"
#include "python/running.h"

#include <algorithm>
#include <string>

namespace gpulint::python {

/// All of them below one another; unknown where one of them is.
Value Interpreter::joined_path(std::string path, const Arguments& parts, const Value& from) {
  for (const Argument& each : parts.list) {
    if (each.value.kind != Kind::text) return {};
    path = path.empty() ? std::string(text(each.value.ref)) : join_path(path, text(each.value.ref));
  }
  return made_from(make_text(normalize_path(path)), from, from);
}

std::optional<Value> Interpreter::path_function(std::string_view name, const Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "");
  const bool keeps = is_one_of(name, {"open", "io.open", "pathlib.Path", "pathlib.PurePath",
                                      "os.path.abspath", "os.path.realpath", "os.path.normpath",
                                      "os.path.expanduser", "codecs.open", "os.fspath"});
  const bool joins = name == "os.path.join" || (name.starts_with("pathlib.") && keeps &&
                                                arguments.list.size() > 1);
  if (keeps && !joins) {
    Value same = first.kind == Kind::text ? first : Value{};
    if (same.known() && name.ends_with("open")) same.integer = kOpened;
    return same;
  }
  if (joins) return joined_path({}, arguments, first);
  if (first.kind != Kind::text) {
    return name.starts_with("os.path.") ? std::optional<Value>(Value{}) : std::nullopt;
  }
  if (is_one_of(name, {"os.path.exists", "os.path.isfile"}) && host_.is_never_made(text(first.ref)))
    return make_bool(false);
  if (name == "os.path.splitext") {
    const std::string whole(text(first.ref));
    const std::string ending = extension(whole);
    const std::size_t stem = whole.size() - (ending.empty() ? 0 : ending.size() + 1);
    const Value made = make_object(Kind::tuple);
    append(made.ref, made_from(make_text(whole.substr(0, stem)), first, first));
    append(made.ref, make_text(whole.substr(stem)));
    return made;
  }
  if (name == "os.path.relpath" && arguments.list.size() == 2) {
    const Value from = argument_value(arguments, 1, "start");
    const std::string below = std::string(text_of(from)) + "/";
    const bool is_below = from.kind == Kind::text && text(first.ref).starts_with(below);
    return is_below ? make_text(text(first.ref).substr(below.size())) : Value{};
  }
  if (name == "os.path.dirname") {
    return made_from(make_text(std::string(parent_path(text(first.ref)))), first, first);
  }
  if (name == "os.path.isabs")
    return made_from(make_bool(text(first.ref).starts_with('/')), first, first);
  if (name == "os.path.basename") {
    return made_from(make_text(std::string(file_name(text(first.ref)))), first, first);
  }
  return name.starts_with("os.path.") ? std::optional<Value>(Value{}) : std::nullopt;
}

/// `open(path).readlines()`, `Path(path).read_text().splitlines()`; nullopt: no method for lines.
std::optional<Value> Interpreter::text_lines(const Value& self, std::string_view method,
                                             const Arguments& arguments) {
  const Value by = argument_value(arguments, 0, "sep");
  const bool splits = method == "split" && by.kind == Kind::text && text(by.ref) == "\n";
  if (self.integer == kOpened && (splits || is_one_of(method, {"splitlines", "readlines"})))
    return host_.lines(*this, self).value_or(Value{});
  if (method != "splitlines" || !arguments.list.empty()) return std::nullopt;
  const Value made = make_object(Kind::list);
  const std::string whole(text(self.ref));
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = std::min(whole.find('\n', begin), whole.size());
    Value line = self;
    line.ref = intern(whole.substr(begin, end - begin));
    append(made.ref, line);
    begin = end + 1;
  }
  return made;
}

}  // namespace gpulint::python

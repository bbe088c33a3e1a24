// Instances of classes of fields as mappings, and copies of them: `asdict(cfg)`.

#include "python/interpreter.h"
#include "python/running.h"

#include <optional>
#include <string_view>
#include <vector>

namespace gpulint::python {

/// Fields that are instances of such classes become mappings too.
Value Interpreter::as_dict(const Value& of, int depth) {
  constexpr int kDeepest = 16;
  Value made = of;
  if (of.kind == Kind::list || of.kind == Kind::tuple) {
    const std::vector<Value> items = objects_[of.ref].items;
    bool is_same = true;
    std::vector<Value> own;
    for (const Value& item : items) {
      own.push_back(as_dict(item, depth + 1));
      is_same = is_same && own.back().ref == item.ref && own.back().kind == item.kind;
    }
    if (is_same) return of;
    made.ref = make_object(of.kind).ref;
    objects_[made.ref].items = std::move(own);
    objects_[made.ref].open = objects_[of.ref].open;
    return made;
  }
  const std::uint32_t type = of.kind == Kind::instance ? objects_[of.ref].type : kNone;
  const bool has_fields = type != kNone && fields_of(type, 0) != Behaviour::none;
  if (!has_fields || depth > kDeepest || !step()) return of;
  made.kind = Kind::dict;
  made.ref = make_object(Kind::dict).ref;
  objects_[made.ref].open = objects_[of.ref].open;
  const std::vector<Entry> entries = objects_[of.ref].entries;
  for (const Entry& each : entries)
    set(made.ref, each.key, as_dict(each.value, depth + 1), each.key_span);
  return made;
}

/// nullopt: the function is about something else.
std::optional<Value> Interpreter::of_data_class(std::string_view name, const Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "");
  const std::uint32_t type = first.kind == Kind::type       ? first.ref
                             : first.kind == Kind::instance ? objects_[first.ref].type
                                                            : kNone;
  if (name == "dataclasses.field") {
    const Value made = make_object(Kind::instance);
    objects_[made.ref].made_by = intern(name);
    for (const Argument& each : arguments.list) {
      if (each.name != kNone) set(made.ref, each.name, each.value);
    }
    return made;
  }
  if (name == "dataclasses.asdict") {
    Value same = as_dict(first, 0);
    if (same.kind == Kind::instance) same.kind = Kind::dict;
    return same;
  }
  if (name == "dataclasses.is_dataclass") {
    const bool is_plain = first.kind == Kind::dict || first.kind == Kind::list ||
                          first.kind == Kind::tuple || first.kind == Kind::text ||
                          first.kind == Kind::none || first.is_number();
    if (is_plain) return make_bool(false);
    if (type == kNone) return Value{};
    return make_bool(fields_of(type, 0) != Behaviour::none);
  }
  if (name == "dataclasses.replace") {
    if (first.kind != Kind::instance || arguments.open) return Value{};
    const Value made = make_object(Kind::instance);
    objects_[made.ref] = objects_[first.ref];
    for (const Argument& each : arguments.list) {
      if (each.name != kNone) set(made.ref, each.name, each.value, keyword_span(each));
    }
    return made;
  }
  if (name != "dataclasses.fields") return std::nullopt;
  if (type == kNone) return Value{};
  const Value made = make_object(Kind::list);
  const std::vector<Entry> fields = objects_[fields_by_name(type).ref].entries;
  for (const Entry& field : fields) append(made.ref, field.value);
  return made;
}

/// What the body of a class binds, as `vars(Config)` has it.
Value Interpreter::names_of_class(const Value& type) {
  const Value made = make_object(Kind::dict);
  const std::vector<Entry> entries = objects_[types_[type.ref].scope].entries;
  for (const Entry& each : entries)
    if (!text(each.key).starts_with("__")) set(made.ref, each.key, each.value, each.key_span);
  objects_[made.ref].open = objects_[types_[type.ref].scope].open;
  return made;
}

/// `Net.from_pretrained` of a project's class: what the one class outside has that it derives from.
Value Interpreter::of_outside_base(std::uint32_t type, std::string_view method, int depth) {
  constexpr int kDeepest = 8;
  Value found;
  if (depth > kDeepest) return found;
  for (const Value& base : types_[type].bases) {
    Value here;
    if (base.kind == Kind::type) here = of_outside_base(base.ref, method, depth + 1);
    const bool is_class =
        base.kind == Kind::external && text(base.ref).find('.') != std::string_view::npos &&
        !text(base.ref).starts_with("abc.") && !text(base.ref).starts_with("typing.");
    if (is_class) here = external(std::string(text(base.ref)).append(".").append(method));
    if (here.known() && found.known()) return {};  // nobody knows of which
    if (here.known()) found = here;
  }
  return found;
}

}  // namespace gpulint::python

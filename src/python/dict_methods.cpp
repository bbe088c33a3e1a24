// Methods of dicts.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <vector>

namespace gpulint::python {

/// Nobody knows which of its entries were set, and to what.
void Interpreter::forget_entries(ObjectId object) {
  objects_[object].open = true;
  const std::vector<Entry> entries = objects_[object].entries;
  for (const Entry& entry : entries) set(object, entry.key, {});
}

std::optional<Value> Interpreter::dict_method(const Value& self, std::string_view name,
                                              Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "");
  if (name == "get" || name == "pop" || name == "setdefault") {
    const TextId key = key_of(first);
    const SyntaxId literal = arguments.list.empty() ? kNoSyntax : arguments.list.front().node;
    note_asked(self, key, literal, literal);
    const Entry* entry = key == kNone ? nullptr : find(self.ref, key);
    if (entry != nullptr) {
      const Value found = chosen_by(first, entry->value);
      if (name == "pop" && sides_.empty()) {
        std::erase_if(objects_[self.ref].entries,
                      [&](const Entry& each) { return each.key == key; });
      }
      return found;
    }
    if (key == kNone && name == "setdefault") objects_[self.ref].open = true;
    if (key == kNone || may_hold(self.ref, key)) {
      if (!is_environment(self.ref)) return Value{};
      const auto own = name == "get" ? own_default(first, arguments) : std::nullopt;
      return own ? *own : launched_as(first);
    }
    const bool has_default = arguments.list.size() > 1;
    const Value otherwise =
        has_default ? arguments.list[1].value : Value{.kind = Kind::none, .origin = Origin::code};
    if (name == "setdefault") set_item(self, first, otherwise, {});
    return otherwise;
  }
  if (name == "update" || name == "merge_update") {
    for (const Argument& each : arguments.list) {
      if (each.name != kNone) {
        set(self.ref, each.name, each.value, each.value.from);
        continue;
      }
      if (each.value.kind != Kind::dict && each.value.kind != Kind::instance) {
        if (!set_pairs(self, each.value)) objects_[self.ref].open = true;
        continue;
      }
      const std::vector<Entry> entries = objects_[each.value.ref].entries;
      for (const Entry& entry : entries) set(self.ref, entry.key, entry.value, entry.key_span);
      if (objects_[each.value.ref].open) objects_[self.ref].open = true;
      if (objects_[each.value.ref].has_number_keys) objects_[self.ref].has_number_keys = true;
    }
    if (arguments.open) objects_[self.ref].open = true;
    return Value{.kind = Kind::none};
  }
  if (is_one_of(name, {"copy", "clone", "to_dict", "toDict"})) return deep_copy(self, 31);
  // Python 2's, which some mappings of Python 3 still have.
  constexpr std::string_view kIterates = "iter";
  if (is_one_of(name, {"iteritems", "iterkeys", "itervalues"}))
    name.remove_prefix(kIterates.size());
  if (name == "items" || name == "keys" || name == "values") {
    const Value made = make_object(Kind::list);
    objects_[made.ref].open = objects_[self.ref].open;
    const std::vector<Entry> entries = objects_[self.ref].entries;
    for (const Entry& entry : entries) {
      const Value key = key_value(self, entry);
      if (name != "items") {
        append(made.ref, name == "keys" ? key : entry.value);
        continue;
      }
      const Value pair = make_object(Kind::tuple);
      append(pair.ref, key);
      append(pair.ref, entry.value);
      append(made.ref, pair);
    }
    return made;
  }
  return std::nullopt;
}

}  // namespace gpulint::python

#include "python/sets.h"

#include <algorithm>

namespace gpulint::python {
namespace {

/// Items that can be told apart; nullopt: nobody knows them all.
std::optional<std::vector<Value>> plain_items(const Interpreter& in, const Value& of) {
  std::vector<Value> items;
  if (of.kind == Kind::dict && !in.object(of.ref).open) {
    for (const Entry& entry : in.object(of.ref).entries) {
      Value key{.kind = Kind::text, .origin = Origin::code};
      key.ref = entry.key;
      items.push_back(key);
    }
    return in.object(of.ref).has_number_keys ? std::nullopt : std::optional(items);
  }
  bool all = false;
  items = in.known_items(of, all);
  const bool is_plain = std::all_of(items.begin(), items.end(), [](const Value& item) {
    return item.kind == Kind::text || item.kind == Kind::none || item.is_number();
  });
  return all && is_plain ? std::optional(items) : std::nullopt;
}

bool has(const Interpreter& in, const std::vector<Value>& items, const Value& wanted) {
  return std::any_of(items.begin(), items.end(), [&](const Value& item) {
    return in.equal(item, wanted) == std::optional(true);
  });
}

bool has_all(const Interpreter& in, const std::vector<Value>& items,
             const std::vector<Value>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const Value& item) { return has(in, items, item); });
}

Value truth_value(bool value) {
  Value made{.kind = Kind::boolean, .origin = Origin::code};
  made.integer = value ? 1 : 0;
  return made;
}

}  // namespace

std::optional<bool> holds_all(const Interpreter& in, const Value& set, const Value& some) {
  const auto items = plain_items(in, set);
  const auto wanted = plain_items(in, some);
  return items && wanted ? std::optional(has_all(in, *items, *wanted)) : std::nullopt;
}

std::optional<Value> set_method(Interpreter& in, const Value& self, std::string_view name,
                                const std::vector<Argument>& arguments) {
  const auto own = plain_items(in, self);
  if (name == "copy" && own) {
    const Value made = in.make_object(Kind::set);
    in.object(made.ref).items = *own;
    return made;
  }
  const bool is_of_one = arguments.size() == 1 && arguments.front().name == kNone;
  const auto other = is_of_one ? plain_items(in, arguments.front().value) : std::nullopt;
  if (!own || !other) return std::nullopt;
  if (name == "issubset") return truth_value(has_all(in, *other, *own));
  if (name == "issuperset") return truth_value(has_all(in, *own, *other));
  std::vector<Value> kept;
  if (name == "isdisjoint" || name == "intersection") {
    for (const Value& item : *own)
      if (has(in, *other, item)) kept.push_back(item);
    if (name == "isdisjoint") return truth_value(kept.empty());
  } else if (name == "union") {
    kept = *own;
    for (const Value& item : *other)
      if (!has(in, kept, item)) kept.push_back(item);
  } else if (name == "difference" || name == "symmetric_difference") {
    for (const Value& item : *own)
      if (!has(in, *other, item)) kept.push_back(item);
    for (const Value& item : *other)
      if (name != "difference" && !has(in, *own, item)) kept.push_back(item);
  } else {
    return std::nullopt;
  }
  const Value made = in.make_object(Kind::set);
  in.object(made.ref).items = std::move(kept);
  return made;
}

}  // namespace gpulint::python

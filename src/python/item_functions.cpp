// What Python brings itself to go over items: sorted, any, next, functools.reduce and their like.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {

std::vector<Value> each_once(const std::vector<Value>& items) {
  std::vector<Value> kept;
  for (const Value& item : items) {
    const bool is_plain = item.kind == Kind::text || item.is_number();
    const bool is_there =
        is_plain && std::any_of(kept.begin(), kept.end(), [&](const Value& each) {
          const bool is_text = each.kind == Kind::text && item.kind == Kind::text;
          return is_text ? each.ref == item.ref
                         : each.is_number() && item.is_number() && each.number() == item.number();
        });
    if (!is_there) kept.push_back(item);
  }
  return kept;
}

/// Numbers, texts, and pairs that begin with one; nullopt: nobody knows their order.
std::optional<std::vector<Value>> Interpreter::ordered_by(const std::vector<Value>& items,
                                                          const Value& key) {
  std::vector<std::pair<Value, Value>> keyed;  // what decides, item
  bool has_rest = false;                       // more would decide between those that begin alike
  for (const Value& item : items) {
    if (!step()) return std::nullopt;
    const bool is_plain = key.kind == Kind::none;
    Value by = is_plain ? item : call(key, {{{kNone, item, kNoSyntax}}, false}, kNoSyntax);
    bool all = false;
    const std::vector<Value> parts =
        by.kind == Kind::tuple ? known_items(by, all) : std::vector<Value>{};
    has_rest = has_rest || parts.size() > 1;
    if (!parts.empty()) by = parts.front();
    const bool is_kind = by.kind == Kind::text || (by.is_number() && !has_lanes(by));
    const bool is_like = keyed.empty() || keyed.front().first.is_number() == by.is_number();
    if (!is_kind || !is_like) return std::nullopt;
    keyed.emplace_back(by, item);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [this](const auto& a, const auto& b) {
    if (a.first.kind == Kind::text) return text(a.first.ref) < text(b.first.ref);
    return a.first.number() < b.first.number();
  });
  const auto is_same = [](const auto& a, const auto& b) {
    return a.first.kind == Kind::text ? a.first.ref == b.first.ref
                                      : a.first.number() == b.first.number();
  };
  if (has_rest && std::adjacent_find(keyed.begin(), keyed.end(), is_same) != keyed.end())
    return std::nullopt;
  std::vector<Value> ordered;
  for (auto& [by, item] : keyed) ordered.push_back(std::move(item));
  return ordered;
}

/// `namedtuple("Size", "width height", defaults=(1,))`, and what a call of it makes.
Value Interpreter::named_tuple(std::string_view name, const Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "typename");
  const Value second = argument_value(arguments, 1, "field_names");
  if (name != running::kNamedTuple) {
    Value names = second;
    if (names.kind == Kind::text) {
      std::string words(text(names.ref));
      std::replace(words.begin(), words.end(), ',', ' ');
      const Value made = make_object(Kind::list);
      for (const std::string_view word : split(words, ' ')) {
        if (!word.empty()) append(made.ref, make_text(word));
      }
      names = made;
    }
    if (!items_of(names)) return {};
    Arguments given;
    given.list.push_back({kNone, external(std::string(running::kNamedTuple)), kNoSyntax});
    given.list.push_back({kNone, names, kNoSyntax});
    given.list.push_back({kNone, argument_value(arguments, kByName, "defaults"), kNoSyntax});
    return partial_of(given);
  }
  const auto names = items_of(first);
  const auto defaults = items_of(second);
  if (!names || arguments.open) return {};
  const Value made = make_object(Kind::instance);
  for (std::size_t k = 0; k < names->size(); ++k) {
    const TextId field = key_of((*names)[k]);
    if (field == kNone) return {};
    const Argument* stated = argument(arguments, k + 2, text(field), *this);
    const std::size_t behind = names->size() - k;
    const bool has_default = defaults && behind <= defaults->size();
    const Value otherwise = has_default ? (*defaults)[defaults->size() - behind] : Value{};
    set(made.ref, field, stated != nullptr ? stated->value : otherwise);
  }
  list_fields(made);
  return made;
}

/// The fields of a named tuple are its items as well.
void Interpreter::list_fields(const Value& self) {
  Object& object = objects_[self.ref];
  object.is_sequence = true;
  for (const Entry& entry : object.entries) object.items.push_back(entry.value);
}

/// Of an enumeration, where each stands for its value; nullopt where one is no number and no text
/// that is known.
std::optional<std::vector<Value>> Interpreter::members_of(std::uint32_t type) const {
  std::vector<Value> members;
  for (const Entry& entry : objects_[types_[type].scope].entries) {
    if (entry.value.kind == Kind::function || text(entry.key).starts_with('_')) continue;
    if (!entry.value.is_number() && entry.value.kind != Kind::text) return std::nullopt;
    members.push_back(entry.value);
  }
  return each_once(members);  // two names of one value are one member
}

std::optional<Value> Interpreter::item_function(std::string_view name, Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "");
  const Value second = argument_value(arguments, 1, "");
  if (name == "any" || name == "all") {
    bool whole = false;
    const bool decides = name == "any";
    for (const Value& item : known_items(first, whole)) {
      const auto is_true = truth(item);
      if (is_true == std::optional(decides)) return make_bool(decides);
      whole = whole && is_true.has_value();
    }
    return whole ? make_bool(!decides) : Value{};
  }
  if (name == "dict.fromkeys") {
    const auto keys = items_of(first);
    const Value made = make_object(Kind::dict);
    if (!keys) objects_[made.ref].open = true;
    const bool has_value = arguments.list.size() > 1;
    const Value each = has_value ? second : Value{.kind = Kind::none};
    for (const Value& key : keys ? *keys : std::vector<Value>()) set_item(made, key, each, {});
    return made;
  }
  if (name == "iter" && arguments.list.size() == 1) {
    bool whole = false;
    const std::vector<Value> items = known_items(first, whole);
    if (!whole) return Value{};
    const Value made = make_object(Kind::list);
    objects_[made.ref].items = items;
    return made;
  }
  if (name == "next") {
    if (first.kind != Kind::list || loops_ > 0) return Value{};  // of which round?
    std::vector<Value>& items = objects_[first.ref].items;
    if (items.empty()) return objects_[first.ref].open ? Value{} : second;
    const Value made = items.front();
    record(first.ref, kNone);
    items.erase(items.begin());
    return made;
  }
  if (name == "pow" && arguments.list.size() == 2 && first.is_number() && second.is_number())
    return binary(Operator::power, first, second, {});
  if (name == "divmod" && first.is_number() && second.is_number()) {
    const Value made = make_object(Kind::tuple);
    append(made.ref, binary(Operator::floor_divide, first, second, {}));
    append(made.ref, binary(Operator::modulo, first, second, {}));
    return made;
  }
  if (name == "callable") {
    const bool is_one = is_callable(first);
    const bool is_container = first.kind == Kind::list || first.kind == Kind::tuple ||
                              first.kind == Kind::set || first.kind == Kind::dict;
    const bool is_none = first.kind == Kind::none || first.is_number() ||
                         first.kind == Kind::text ||
                         (is_container && objects_[first.ref].type == kNone);
    return is_one || is_none ? make_bool(is_one) : Value{};
  }
  if (name == "functools.reduce") {
    const auto items = items_of(second);
    if (!items || (items->empty() && arguments.list.size() < 3)) return Value{};
    const bool begins = arguments.list.size() > 2;
    Value made = begins ? argument_value(arguments, 2, "initial") : items->front();
    for (std::size_t i = begins ? 0 : 1; i < items->size(); ++i) {
      if (!step()) return Value{};
      made = call(first, {{{kNone, made, kNoSyntax}, {kNone, (*items)[i], kNoSyntax}}, false},
                  kNoSyntax);
    }
    return made;
  }
  if (name == "operator.mul" || name == "operator.add") {
    const Operator op = name == "operator.mul" ? Operator::multiply : Operator::add;
    return binary(op, first, second, {});
  }
  if (name == "itertools.product" || name == "itertools.repeat") {
    const Value made = make_object(Kind::list);
    if (name == "itertools.repeat") {
      const auto most = static_cast<std::int64_t>(limits_.max_items);
      if (second.kind != Kind::integer || second.integer > most) return Value{};
      for (std::int64_t i = 0; i < second.integer; ++i) append(made.ref, first);
      return made;
    }
    std::vector<std::vector<Value>> rows = {{}};
    for (const Argument& each : arguments.list) {
      const auto items = items_of(each.value);
      if (!items || each.name != kNone || rows.size() * items->size() > limits_.max_items)
        return Value{};
      std::vector<std::vector<Value>> longer;
      for (const std::vector<Value>& row : rows) {
        for (const Value& item : *items) {
          longer.push_back(row);
          longer.back().push_back(item);
        }
      }
      rows = std::move(longer);
    }
    for (const std::vector<Value>& row : rows) {
      const Value members = make_object(Kind::tuple);
      for (const Value& item : row) append(members.ref, item);
      append(made.ref, members);
    }
    return made;
  }
  return std::nullopt;
}

/// The first item of a list or a set that equals what is given. False: nobody knows which that is.
bool Interpreter::take_out(const Value& of, const Arguments& arguments) {
  if (objects_[of.ref].open || arguments.open || arguments.list.size() != 1) return false;
  const Value item = arguments.list.front().value;
  const std::vector<Value> items = objects_[of.ref].items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<bool> is_it = equal(items[i], item);
    if (!is_it) return false;
    if (!*is_it) continue;
    record(of.ref, kNone);
    std::vector<Value>& left = objects_[of.ref].items;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

}  // namespace gpulint::python

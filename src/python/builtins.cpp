#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <cmath>

namespace gpulint::python {

/// Bytes of the name of `name=value`: it stands before the value.
SourceSpan Interpreter::keyword_span(const Argument& argument) const {
  if (argument.node == kNoSyntax || argument.name == kNone) return argument.value.from;
  SourceSpan key = span(argument.node);
  const std::string_view code = tree().source();
  std::uint32_t at = key.begin;
  while (at > 0 && (code[at - 1] == ' ' || code[at - 1] == '=' || code[at - 1] == '(')) --at;
  const auto size = static_cast<std::uint32_t>(text(argument.name).size());
  key.begin = at >= size ? at - size : 0;
  key.end = at;
  return key;
}

/// Lists nobody knows are as long as those beside them: that is what they are zipped for.
Value Interpreter::zipped(const Arguments& arguments) {
  std::vector<std::optional<std::vector<Value>>> columns;
  std::optional<std::size_t> rows;
  for (const Argument& each : arguments.list) {
    if (each.name != kNone) continue;  // strict
    columns.push_back(items_of(each.value));
    if (const auto& column = columns.back())
      rows = std::min(rows.value_or(column->size()), column->size());
  }
  if (!rows) return {};
  const Value made = make_object(Kind::list);
  for (std::size_t row = 0; row < *rows; ++row) {
    const Value members = make_object(Kind::tuple);
    for (const auto& column : columns) append(members.ref, column ? (*column)[row] : Value{});
    append(made.ref, members);
  }
  return made;
}

/// `dict(mapping, key=value)`.
Value Interpreter::dict_of(const Arguments& arguments) {
  Value made = make_object(Kind::dict);
  const bool has_first = !arguments.list.empty() && arguments.list.front().name == kNone;
  if (has_first) {
    const Value first = arguments.list.front().value;
    if (first.kind == Kind::dict) {
      objects_[made.ref] = objects_[first.ref];
      objects_[made.ref].type = kNone;
    } else if (!set_pairs(made, first)) {
      objects_[made.ref].open = true;
    }
  }
  for (const Argument& each : arguments.list) {
    if (each.name == kNone) continue;
    set(made.ref, each.name, each.value, keyword_span(each));
  }
  objects_[made.ref].open = objects_[made.ref].open || arguments.open;
  return made;
}

/// `exec(open(path).read(), names)`: what the config of that path sets.
Value Interpreter::names_of_config(const Value& code, const Value& names) {
  const bool is_file = code.kind == Kind::text && code.integer == kOpened;
  const Value config = host_.load(*this, is_file ? code : Value{}, "exec").value_or(Value{});
  if (config.kind != Kind::dict) {
    forget_entries(names.ref);
    objects_[names.ref].open = true;
    return Value{.kind = Kind::none};
  }
  const std::vector<Entry> entries = objects_[config.ref].entries;
  for (const Entry& entry : entries) set(names.ref, entry.key, entry.value, entry.key_span);
  return Value{.kind = Kind::none};
}

/// `dict.update(self, more)`: whatever the class of the mapping makes of it.
std::optional<Value> Interpreter::method_of_dict(std::string_view name, Arguments& arguments) {
  const std::string method(name.substr(name.find('.') + 1));
  const Value self = arguments.list.front().value;
  if (method == "__getitem__") return subscript(self, argument_value(arguments, 1, ""));
  if (method == "__setitem__") {
    set_item(self, argument_value(arguments, 1, ""), argument_value(arguments, 2, ""), {});
    return Value{.kind = Kind::none};
  }
  Arguments others = arguments;
  others.list.erase(others.list.begin());
  return dict_method(self, method, others);
}

/// What Python brings itself; nullopt: it is none of these.
std::optional<Value> Interpreter::builtin(std::string_view name, Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "");
  if (is_one_of(name, {"int", "float", "bool", "str"})) {
    if (!arguments.list.empty()) return conversion(name, single_number(first).value_or(first));
    if (name == "str") return make_text("");
    const Value zero = name == "bool" ? make_bool(false) : make_integer(0);
    return name == "float" ? conversion(name, zero) : zero;
  }
  if (is_one_of(name, {"isinstance", "issubclass", "getattr", "setattr", "hasattr", "vars"})) {
    return reflection(name, arguments);
  }
  if (name == "object.__setattr__") return reflection("setattr", arguments);
  if (name.starts_with("dict.") && first.kind == Kind::dict) return method_of_dict(name, arguments);
  if (is_one_of(name, {"sys.exit", "exit", "quit", "os._exit"})) {
    const bool fails =
        first.kind == Kind::text || (first.kind == Kind::integer && first.integer != 0);
    return external(fails ? running::kFails : "sys.exit()");
  }
  if (is_one_of(name, {"sys.path.append", "sys.path.insert"})) {
    search_below(name.ends_with("append") ? first : argument_value(arguments, 1, ""));
    return Value{.kind = Kind::none};
  }
  if (is_one_of(name, {"print", "warnings.warn"})) return Value{.kind = Kind::none};
  if (name == "len" && is_followed(first)) {
    const auto sizes = known_shape(first);
    return sizes && !sizes->empty() ? lane_number(sizes->front(), true) : Value{};
  }
  if (name == "len") {
    const auto items = items_of(first);
    if (first.kind == Kind::text)
      return make_integer(static_cast<std::int64_t>(text(first.ref).size()));
    const bool is_all = !first.has_object() || !objects_[first.ref].may_be_longer;
    return items && is_all ? make_integer(static_cast<std::int64_t>(items->size())) : Value{};
  }
  if (is_one_of(name, {"list", "tuple", "set", "frozenset", "sorted"})) {
    const bool is_set = name.ends_with("set");
    const Value made = make_object(name == "tuple" ? Kind::tuple
                                   : is_set          ? Kind::set
                                                   : Kind::list);
    const auto items = items_of(first);
    objects_[made.ref].may_be_longer = first.has_object() && objects_[first.ref].may_be_longer;
    if (!items && !arguments.list.empty()) objects_[made.ref].open = true;
    if (items) objects_[made.ref].items = is_set ? each_once(*items) : *items;
    if (name == "sorted" && items) {
      const Argument* key = argument(arguments, kByName, "key", *this);
      const Argument* reverse = argument(arguments, kByName, "reverse", *this);
      const auto backwards = reverse == nullptr ? std::optional(false) : truth(reverse->value);
      const Value none{.kind = Kind::none};
      auto ordered =
          backwards ? ordered_by(*items, key == nullptr ? none : key->value) : std::nullopt;
      if (ordered && *backwards) std::reverse(ordered->begin(), ordered->end());
      // Who reads the items whatever their order still finds them.
      if (ordered) objects_[made.ref].items = std::move(*ordered);
      if (!ordered && (first.from.known() || building_ > 0)) objects_[made.ref].open = true;
      if (!ordered && building_ > 0) objects_[made.ref].items.clear();  // any may be the first
    }
    const bool is_begun = following_ > 0 && first.kind == Kind::tuple;  // `list(x.shape)`
    if (!items && (holds_parameters(first) || is_begun)) {
      bool all = false;
      objects_[made.ref].items = known_items(first, all);
    }
    return made;
  }
  if (name == "dict") return dict_of(arguments);
  if (name == "collections.defaultdict") {
    Arguments filled = arguments;
    const bool has_maker = !filled.list.empty() && filled.list.front().name == kNone;
    if (has_maker) filled.list.erase(filled.list.begin());
    const Value made = dict_of(filled);
    if (has_maker && first.kind != Kind::none) makers_[made.ref] = first;
    return made;
  }
  if (name == "range" && building_ > 0) return counted(arguments);
  if (name == "range" && counts_) {
    constexpr std::size_t kMostListed = 256;
    counts_ = false;
    const Value made = counted(arguments);
    const bool is_short = made.known() && objects_[made.ref].items.size() <= kMostListed;
    return is_short ? made : Value{};
  }
  if (name == "range") {
    const Value second = argument_value(arguments, 1, "");
    const bool one = arguments.list.size() == 1;
    const Value stop = one ? first : second;
    constexpr std::int64_t kMostRun = 16;  // more rounds are one round of an unknown number
    const std::int64_t start = one ? 0 : first.integer;
    const bool small = stop.kind == Kind::integer && (one || first.kind == Kind::integer) &&
                       arguments.list.size() < 3 && stop.integer - start <= kMostRun &&
                       stop.origin != Origin::given && !loops_;
    if (!small) return Value{};
    const Value made = make_object(Kind::list);
    for (std::int64_t i = start; i < stop.integer; ++i) append(made.ref, make_integer(i));
    return made;
  }
  if (name == "zip") return zipped(arguments);
  if (name == "enumerate" || name == "reversed") {
    const auto items = items_of(first);
    const Argument* start = argument(arguments, 1, "start", *this);
    const bool counts = start == nullptr || start->value.kind == Kind::integer;
    if (!items || arguments.list.size() > 2 || !counts) return Value{};
    const Value made = make_object(Kind::list);
    const std::int64_t from = start == nullptr ? 0 : start->value.integer;
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (name == "reversed") {
        append(made.ref, (*items)[items->size() - 1 - i]);
        continue;
      }
      const Value pair = make_object(Kind::tuple);
      append(pair.ref, make_integer(from + static_cast<std::int64_t>(i)));
      append(pair.ref, (*items)[i]);
      append(made.ref, pair);
    }
    return made;
  }
  if (name == "min" || name == "max") {
    const auto listed = arguments.list.size() == 1 ? items_of(first) : std::nullopt;
    std::vector<Value> of = listed ? *listed : std::vector<Value>{};
    if (!listed) {
      for (const Argument& each : arguments.list) of.push_back(each.value);
    }
    if (of.empty()) return Value{};
    Value best = of.front();
    for (const Value& each : of) {  // max(1, batch_size // gpus)
      if (each.kind == Kind::share) return each;
      if (each.kind == Kind::devices) return Value{.kind = Kind::devices, .integer = each.integer};
    }
    for (const Value& each : of) {
      if (!each.is_number() || !best.is_number()) return Value{};
      const bool better =
          name == "min" ? each.number() < best.number() : each.number() > best.number();
      if (better) best = each;
    }
    if (std::any_of(of.begin(), of.end(), [this](const Value& each) { return has_lanes(each); })) {
      Lanes all = lanes_of(of.front());
      for (const Value& each : of) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const double other = lanes_of(each)[lane];
          all[lane] = name == "min" ? std::min(all[lane], other) : std::max(all[lane], other);
        }
      }
      return lane_number(all, best.kind == Kind::integer);
    }
    best.computed = true;
    return best;
  }
  if (name == "type" && arguments.list.size() == 1) return type_of(first);
  if (auto known = item_function(name, arguments)) return *known;
  if (name == "globals") {
    Value made;
    made.kind = Kind::module;
    made.ref = frames_.back().module_scope;
    return made;
  }
  if (name == "exec") {  // `exec(open("configurator.py").read())` sets the names of a config
    const Value names = argument_value(arguments, 1, "globals");
    if (names.kind == Kind::dict) return names_of_config(first, names);
    if (first.kind == Kind::text && first.integer != kOpened && arguments.list.size() == 1)
      return executed(first, arguments.list.front().node);
    const Value config = host_.load(*this, {}, name).value_or(Value{});
    const std::vector<Entry> entries =
        config.kind == Kind::dict ? objects_[config.ref].entries : std::vector<Entry>();
    for (const Entry& entry : entries)
      set(frames_.back().module_scope, entry.key, entry.value, entry.key_span);
    const Module* code =
        first.kind == Kind::text ? host_.module(std::string(text(first.ref))) : nullptr;
    if (code != nullptr && code->text.find("sys.argv") != std::string::npos)
      set_names_by_options(frames_.back().module_scope);
    return Value{};
  }
  if (name == "__import__" && first.kind == Kind::text) {
    const Argument* parts = argument(arguments, 3, "fromlist", *this);
    const auto listed = items_of(parts == nullptr ? Value{} : parts->value);
    const std::string whole(text(first.ref));
    if (parts != nullptr && (!listed || !listed->empty())) return import_module(whole, 0);
    return import_module(whole.substr(0, whole.find('.')), 0);  // `import a.b` binds a
  }
  if (name == "ast.literal_eval") return literal(first);
  if (name == "eval") {
    if (first.kind != Kind::text) return Value{};
    const Value named = evaluated_name(first);
    return named.known() ? named : evaluated(first, arguments.list.front().node);
  }
  if (name == "abs" || name == "round") {
    if (has_lanes(first) && name == "round" && arguments.list.size() == 1) {
      Lanes all = lanes_of(first);
      for (double& each : all) each = std::nearbyint(each);
      return lane_number(all, true);
    }
    if (building_ > 0 && first.kind == Kind::real && arguments.list.size() == 1) {
      if (name == "abs") return Value{};
      return make_integer(static_cast<std::int64_t>(std::nearbyint(first.real)));
    }
    if (first.kind == Kind::integer) {
      Value made = first;
      if (name == "abs" && made.integer < 0) made.integer = -made.integer;
      return made;
    }
    return !first.known() && first.real != 0 ? first : Value{};
  }
  if (name == "collections.namedtuple" || name == running::kNamedTuple)
    return named_tuple(name, arguments);
  if (auto made = of_data_class(name, arguments)) return made;
  if (auto listed = folder_listing(name, arguments)) return listed;
  return path_function(name, arguments);
}

}  // namespace gpulint::python

// Lists, tuples, sets and dicts: written out, looped together, and what is taken from them.

#include "python/interpreter.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::python {
namespace {

constexpr std::size_t kLongTable = 64;  // rows
constexpr std::size_t kTableRows = 16;  // that are worked out of a long table

}  // namespace

Value Interpreter::sequence(SyntaxId id, Kind kind) {
  Value made = make_object(kind);
  made.from = span(id);
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    const Value item = eval(at);
    if (node(at).kind != Syntax::star) {
      append(made.ref, item);
      continue;
    }
    const auto items = items_of(item);
    if (!items) objects_[made.ref].open = true;
    if (items) {
      for (const Value& each : *items) append(made.ref, each);
    }
  }
  if (kind == Kind::set) objects_[made.ref].items = each_once(objects_[made.ref].items);
  return made;
}

Value Interpreter::dict(SyntaxId id) {
  Value made = make_object(Kind::dict);
  made.from = span(id);
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    if (node(at).kind == Syntax::double_star) {
      const Value more = eval(node(at).first);
      if (more.kind != Kind::dict || objects_[more.ref].open) objects_[made.ref].open = true;
      if (more.kind != Kind::dict) continue;
      const std::vector<Entry> entries = objects_[more.ref].entries;
      for (const Entry& entry : entries) set(made.ref, entry.key, entry.value, entry.key_span);
      if (objects_[more.ref].has_number_keys) objects_[made.ref].has_number_keys = true;
      continue;
    }
    const SyntaxId value = node(at).next;
    if (value == kNoSyntax) break;
    const Value key = eval(at);
    targets_.push_back(source(at));
    const Value worth = eval(value);
    targets_.pop_back();
    set_item(made, key, worth, span(at));
    at = value;
  }
  return made;
}

/// What stands for a key among names; of a tuple of plain values, a name that no text is.
std::optional<std::string> ProgramState::key_name(const Value& value) const {
  constexpr std::size_t kMost = 8;
  if (value.kind == Kind::text) return std::string(text(value.ref));
  if (value.kind == Kind::integer || value.kind == Kind::boolean)
    return has_lanes(value) ? std::nullopt : std::optional(std::to_string(value.integer));
  if (value.kind != Kind::tuple) return std::nullopt;
  const Object& tuple = objects_[value.ref];
  if (tuple.open || tuple.items.size() > kMost) return std::nullopt;
  std::string name;
  for (const Value& item : tuple.items) {
    const std::optional<std::string> part =
        item.kind == Kind::tuple ? std::nullopt : key_name(item);
    if (!part && item.kind != Kind::none) return std::nullopt;
    name += item.kind == Kind::text ? "\x1f'" : item.kind == Kind::none ? "\x1f-" : "\x1f";
    name += part.value_or("");
  }
  return name + '\x1f';
}

TextId ProgramState::key_of(const Value& value) {
  if (value.kind == Kind::text) return value.ref;
  const bool is_none = value.kind == Kind::none;
  const std::optional<std::string> name = is_none ? "\x1f" : key_name(value);
  const TextId key = name ? intern(*name) : kNone;
  if (is_none || (key != kNone && value.kind == Kind::tuple)) unspelt_keys_.emplace(key, value);
  return key;
}

/// False when nobody knows the key: the mapping may hold any then.
bool ProgramState::set_item(const Value& mapping, const Value& key, const Value& value,
                           SourceSpan key_span) {
  const TextId name = key_of(key);
  if (name == kNone) {
    objects_[mapping.ref].open = true;
    return false;
  }
  if (key.kind == Kind::integer || key.kind == Kind::boolean)
    objects_[mapping.ref].has_number_keys = true;
  set(mapping.ref, name, value, key_span);
  return true;
}

/// The key as a loop over the mapping gets it.
Value Interpreter::key_value(const Value& mapping, const Entry& entry) {
  if (const auto unspelt = unspelt_keys_.find(entry.key); unspelt != unspelt_keys_.end())
    return unspelt->second;
  const std::string_view word = texts_[entry.key];
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = objects_[mapping.ref].has_number_keys && error == std::errc{} &&
                         end == word.data() + word.size();
  if (!is_number) return make_text(word, entry.key_span);
  Value made = make_integer(number);
  made.from = entry.key_span;
  return made;
}

Value Interpreter::subscript(const Value& of, const Value& index) {
  const bool is_sequence = of.kind == Kind::instance && objects_[of.ref].is_sequence;
  if (of.kind == Kind::list || of.kind == Kind::tuple || is_sequence) {
    if (index.kind != Kind::integer && index.kind != Kind::boolean) return {};
    const Object& list = objects_[of.ref];
    const auto size = static_cast<std::int64_t>(list.items.size());
    if (index.integer < 0 && list.open) return {};
    const std::int64_t at = index.integer < 0 ? index.integer + size : index.integer;
    return at < 0 || at >= size ? Value{} : list.items[static_cast<std::size_t>(at)];
  }
  if (of.kind == Kind::text && of.integer != kOpened && index.kind == Kind::integer) {
    const std::string letters(text(of.ref));
    const auto size = static_cast<std::int64_t>(letters.size());
    const std::int64_t at = index.integer < 0 ? index.integer + size : index.integer;
    const bool is_plain = std::all_of(letters.begin(), letters.end(), [](char c) { return c > 0; });
    if (!is_plain || at < 0 || at >= size) return {};
    return made_from(make_text(letters.substr(static_cast<std::size_t>(at), 1)), of, of);
  }
  if (of.kind == Kind::instance && objects_[of.ref].type != kNone) {
    if (const Value* method = own_method(objects_[of.ref].type, intern("__getitem__"), 0)) {
      return call_function(method->ref, &of, {{{kNone, index, kNoSyntax}}, false});
    }
  }
  const std::string_view names = text_of(of);  // `vars(torch.optim)["Adam"]`
  if (of.kind == Kind::external && names == "sys.argv" && index.integer == 1) {
    const std::string_view word = host_.subcommand();
    if (!word.empty()) return make_text(word);
    // The only one that the program looks at is the config, if it takes one so.
    const bool is_only = running_code().find("sys.argv[2]") == std::string_view::npos;
    return (is_only ? host_.argument(*this, "config") : std::nullopt).value_or(Value{});
  }
  if (of.kind == Kind::external && names == "sys.modules" && index.kind == Kind::text) {
    const std::string_view word = text(index.ref);
    if (word == running::kOwnName || word == "__main__")  // sys.modules[__name__]
      return {.kind = Kind::module, .ref = frames_.back().module_scope};
    return import_module(word, 0);
  }
  if (of.kind == Kind::external && names.ends_with(running::kNames) && index.kind == Kind::text) {
    const Value made = external(std::string(names.substr(0, names.size() - running::kNames.size())) +
                          "." + std::string(text(index.ref)));
    return chosen_by(index, made);
  }
  if (of.kind == Kind::type && has_base(of.ref, Behaviour::enumeration, 0))
    return index.kind == Kind::text ? class_attribute(of.ref, index.ref, of, 0) : Value{};
  // `DataLoader[Sample](...)`: a class with the type of what it holds.
  const std::string_view last = names.substr(names.rfind('.') + 1);
  const bool is_class = of.kind == Kind::type || (of.kind == Kind::external && !last.empty() &&
                                                  last.front() >= 'A' && last.front() <= 'Z');
  if (is_class && index.kind != Kind::text && !index.is_number()) return of;
  if (of.kind == Kind::external && names == running::kEnvironment) return launched_as(index);
  if (!of.has_object()) return {};
  const TextId key = key_of(index);
  const Entry* entry = key == kNone ? nullptr : find(of.ref, key);
  if (entry != nullptr) return chosen_by(index, entry->value);
  if (key != kNone && is_environment(of.ref) && may_hold(of.ref, key)) return launched_as(index);
  const bool is_of_network = of.kind == Kind::dict && objects_[of.ref].part == Part::network;
  if (is_of_network && key != kNone && text(key) == running::kModules) return modules_of(of);
  if (const auto maker = makers_.find(of.ref); of.kind == Kind::dict && maker != makers_.end()) {
    // Of keys nobody knows, there may be the value of another round.
    const bool may_be_there =
        objects_[of.ref].open || (key == kNone && !objects_[of.ref].entries.empty());
    const Value made = call(Value(maker->second), {}, kNoSyntax);
    if (key == kNone) objects_[of.ref].open = true;
    if (key != kNone) set(of.ref, key, may_be_there ? Value{} : made);
    return may_be_there ? Value{} : made;
  }
  if (key != kNone || index.known()) return {};
  const Value* some = some_item(of);
  if (some == nullptr) some = only_choice(of);
  return some == nullptr ? Value{} : *some;
}

/// `{"cnn": Net}[name]`: with any other key the program ends.
const Value* Interpreter::only_choice(const Value& of) const {
  if (of.kind != Kind::dict || reach_.imports_unknown) return nullptr;
  const Object& held = objects_[of.ref];
  if (held.open || held.is_shared || held.entries.size() != 1) return nullptr;
  const Value& only = held.entries.front().value;
  const bool is_called = only.kind == Kind::type || only.kind == Kind::function;
  return is_called ? &only : nullptr;
}

/// `{"adam": torch.optim.Adam}[cfg.name]`: the config chooses what is called.
Value Interpreter::chosen_by(const Value& key, Value found) {
  if (found.kind != Kind::external || key.origin != Origin::given) return found;
  found.origin = key.origin;
  found.from = key.from;
  return found;
}

/// An instance that a container holds under a key nobody knows, or among items that are not all
/// known: the others are made as it was.
const Value* Interpreter::some_item(const Value& of) const {
  if (!of.has_object() || !objects_[of.ref].open) return nullptr;
  const auto is_own = [this](const Value& value) {
    return value.kind == Kind::instance && objects_[value.ref].type != kNone;
  };
  if (of.kind == Kind::list) {
    const std::vector<Value>& items = objects_[of.ref].items;
    return items.empty() || !is_own(items.front()) ? nullptr : &items.front();
  }
  const std::optional<TextId> key = texts_.find(running::kSomeKey);
  if (of.kind != Kind::dict || !key) return nullptr;
  const Entry* entry = find(of.ref, *key);
  return entry != nullptr && is_own(entry->value) ? &entry->value : nullptr;
}

/// Where `[a:b]` of so many items begins and ends.
std::optional<std::pair<std::int64_t, std::int64_t>> Interpreter::slice_bounds(SyntaxId slice,
                                                                              std::size_t count) {
  const auto size = static_cast<std::int64_t>(count);
  const SyntaxId lower = node(slice).first;
  const SyntaxId upper = node(lower).next;
  const Value from = node(lower).kind == Syntax::error ? make_integer(0) : eval(lower);
  const Value to = node(upper).kind == Syntax::error ? make_integer(size) : eval(upper);
  if (from.kind != Kind::integer || to.kind != Kind::integer) return std::nullopt;
  const auto place = [size](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const std::int64_t begin = place(from.integer);
  return std::pair(begin, std::max(begin, place(to.integer)));
}

Value Interpreter::sliced(const Value& of, SyntaxId slice) {
  const SyntaxId lower = node(slice).first;
  const SyntaxId upper = node(lower).next;
  const bool is_sequence = of.kind == Kind::instance && objects_[of.ref].is_sequence;
  const bool is_list = of.kind == Kind::list || of.kind == Kind::tuple || is_sequence;
  const auto items = is_list ? items_of(of) : std::nullopt;
  const bool is_text = of.kind == Kind::text;
  const TensorId input = of.kind == Kind::tuple ? objects_[of.ref].tensor : kNone;
  if (!items && input != kNone) return sizes_like(make_object(Kind::tuple), input);
  if (!items && !is_text) return {};
  const SyntaxId by = node(upper).next;
  std::int64_t every = 1;
  if (by != kNoSyntax) {
    const Value step = eval(by);
    const bool turns = items && node(lower).kind == Syntax::error &&
                       node(upper).kind == Syntax::error && step.kind == Kind::integer &&
                       step.integer == -1;
    const bool leaps =
        !is_text && step.kind == Kind::integer && step.integer > 0 && !has_lanes(step);
    if (!turns && !leaps) return {};
    if (turns) {
      const Value made = make_object(is_sequence ? Kind::list : of.kind);
      objects_[made.ref].items.assign(items->rbegin(), items->rend());
      return made;
    }
    every = step.integer;
  }
  const std::size_t size = is_text ? text(of.ref).size() : items->size();
  const auto bounds = slice_bounds(slice, size);
  if (!bounds) return {};
  const auto [begin, end] = *bounds;
  if (is_text) {
    return made_from(make_text(std::string(text(of.ref).substr(
                         static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)))),
                     of, of);
  }
  const Value made = make_object(of.kind);
  if (is_sequence) {
    objects_[made.ref].type = objects_[of.ref].type;
    objects_[made.ref].part = objects_[of.ref].part;
    objects_[made.ref].is_sequence = true;
    if (is_tensor(made)) objects_[made.ref].elements = end - begin;
  }
  for (std::int64_t i = begin; i < end; i += every)
    append(made.ref, (*items)[static_cast<std::size_t>(i)]);
  return input == kNone ? made : sizes_like(made, input);
}

Value Interpreter::comprehension(SyntaxId id) {
  const SyntaxId element = node(id).first;
  const auto makes = static_cast<Operator>(node(id).op);
  const bool is_dict = makes == Operator::makes_dict;
  const SyntaxId value = is_dict ? node(element).next : kNoSyntax;
  const SyntaxId loop = node(is_dict ? value : element).next;
  const Value made = make_object(is_dict                        ? Kind::dict
                                 : makes == Operator::makes_set ? Kind::set
                                                                : Kind::list);
  Frame frame = frames_.back();
  frame.scope = new_object();
  objects_[frame.scope].parent = frames_.back().scope;
  frame.returns.clear();
  frames_.push_back(std::move(frame));
  comprehend(loop, element, value, made);
  frames_.pop_back();
  if (made.kind == Kind::set) objects_[made.ref].items = each_once(objects_[made.ref].items);
  return made;
}

/// Of items nobody knows: what is made of one of them, for all.
void Interpreter::comprehend_once(SyntaxId loop, SyntaxId element, SyntaxId value,
                                  const Value& into) {
  if (building_ > 0 || silent_ > 0 || node(loop).next != kNoSyntax || !step()) return;
  assign(node(loop).first, {});
  ++doubts_;
  ++loops_;
  if (value != kNoSyntax) eval(element);
  const Value made = eval(value == kNoSyntax ? element : value);
  --loops_;
  --doubts_;
  const bool is_own = made.kind == Kind::instance && objects_[made.ref].type != kNone;
  if (!is_own) return;
  if (value == kNoSyntax) append(into.ref, made);
  if (value != kNoSyntax) set(into.ref, intern(running::kSomeKey), made);
}

/// Of a long table, as of sines and cosines for each position, the size is wanted and not the
/// numbers: rows that are as long as all before them need not be worked out.
bool Interpreter::fill_table(const Value& table, std::size_t rows) {
  const std::vector<Value> made = objects_[table.ref].items;
  if (made.size() != kTableRows) return false;
  const auto length = [this](const Value& row) {
    return row.kind == Kind::list && !objects_[row.ref].open ? objects_[row.ref].items.size() : 0;
  };
  const std::size_t columns = length(made.front());
  const bool is_table =
      columns > 0 && std::all_of(made.begin(), made.end(), [&](const Value& row) {
        if (length(row) != columns) return false;
        const std::vector<Value>& items = objects_[row.ref].items;
        return std::all_of(items.begin(), items.end(),
                           [](const Value& item) { return item.is_number() || !item.known(); });
      });
  if (!is_table) return false;
  const Value row = make_object(Kind::list);
  objects_[row.ref].items.resize(columns);
  for (std::size_t i = made.size(); i < rows; ++i) append(table.ref, row);
  return true;
}

void Interpreter::comprehend(SyntaxId loop, SyntaxId element, SyntaxId value, const Value& into) {
  const SyntaxId target = node(loop).first;
  const SyntaxId iterable = node(target).next;
  // As many items as the config says are listed: rounds of training are a statement.
  counts_ = loops_ == 0 && node(iterable).kind == Syntax::call &&
            source(node(iterable).first) == "range";
  const std::size_t listed_in = std::exchange(listed_in_, frames_.size());
  const Value over = eval(iterable);
  listed_in_ = listed_in;
  counts_ = false;
  auto items = items_of(over);
  if (!items) {
    objects_[into.ref].open = true;
    if (!holds_parameters(over)) return comprehend_once(loop, element, value, into);
    bool all = false;
    items = known_items(over, all);
  }
  const PartsApart apart(*this, over);
  const bool makes_all = into.kind == Kind::list && node(iterable).next == kNoSyntax &&
                         node(loop).next == kNoSyntax && items->size() > kLongTable;
  for (const Value& item : *items) {
    if (!step()) return;
    if (makes_all && fill_table(into, items->size())) return;
    assign(target, item);
    std::optional<bool> wanted = true;
    for (SyntaxId test = node(iterable).next; test != kNoSyntax; test = node(test).next) {
      const auto decided = truth(eval(test));
      if (!decided || !*decided) wanted = decided;
    }
    if (!wanted) objects_[into.ref].open = true;
    if (!wanted || !*wanted) continue;
    if (node(loop).next != kNoSyntax) {
      comprehend(node(loop).next, element, value, into);
    } else if (value == kNoSyntax) {
      append(into.ref, eval(element));
    } else {
      const Value name = eval(element);
      set_item(into, name, eval(value), name.from);
    }
  }
}

}  // namespace gpulint::python

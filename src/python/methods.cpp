// Methods of texts and lists.

#include "base/text.h"
#include "python/interpreter.h"
#include "python/sets.h"
#include "python/texts.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {

std::optional<Value> Interpreter::method_of(const Value& self, std::string_view name,
                                            Arguments& arguments, SyntaxId at) {
  if (name == "__getattribute__") {  // a spelling of getattr
    const Value named = argument_value(arguments, 0, "");
    return named.kind == Kind::text ? attribute(self, named.ref, kNoSyntax) : Value{};
  }
  switch (self.kind) {
    case Kind::text:
      return text_method(self, name, arguments);
    case Kind::list:
      if (name == "remove" && take_out(self, arguments)) return Value{.kind = Kind::none};
      return list_method(self, name, arguments);
    case Kind::set:
      if ((name == "remove" || name == "discard") && take_out(self, arguments))
        return Value{.kind = Kind::none};
      if (auto known = set_method(*this, self, name, arguments.list)) return known;
      if (name == "add" || (name == "update" && arguments.list.size() == 1)) {
        auto made = list_method(self, name == "add" ? "append" : "extend", arguments);
        objects_[self.ref].items = each_once(objects_[self.ref].items);
        return made;
      }
      if (name.starts_with("is") || name.ends_with("union") || name.ends_with("section") ||
          name.ends_with("difference"))
        return Value{};
      record(self.ref, kNone);  // discard, pop, …: nobody knows what is left
      objects_[self.ref].open = true;
      return std::nullopt;
    case Kind::dict:
      return dict_method(self, name, arguments);
    case Kind::instance:
      if (objects_[self.ref].made_by == intern("argparse.ArgumentParser")) {
        return parser_method(self, name, arguments);
      }
      if (objects_[self.ref].made_by == intern(running::kClassParser)) {
        return classes_of_config(self, name, arguments, at);
      }
      if (objects_[self.ref].made_by == intern("re.compile")) {
        Arguments all{{{kNone, self, kNoSyntax}}, arguments.open};
        all.list.insert(all.list.end(), arguments.list.begin(), arguments.list.end());
        return regular_expression("re." + std::string(name), all);
      }
      if (objects_[self.ref].made_by == intern("os.DirEntry") && name.starts_with("is_"))
        return make_bool(name == "is_file");
      if (name == "items" || name == "get" || name == "keys" || name == "update" || name == "pop") {
        const bool is_outside = objects_[self.ref].type == kNone;
        return is_outside ? std::nullopt : dict_method(self, name, arguments);
      }
      return std::nullopt;
    case Kind::external:  // `torch.optim.__dict__.get(name)`
      return name == "get" ? std::optional(subscript(self, argument_value(arguments, 0, "key")))
                           : std::nullopt;
    case Kind::module:
      if (name == "load_module") return self;
      return dict_method(names_of_module(self), name, arguments);
    case Kind::integer:
    case Kind::real:
      return name == "item" ? std::optional(self) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Value> Interpreter::text_method(const Value& self, std::string_view name,
                                              const Arguments& arguments) {
  const std::string_view own = text(self.ref);
  const Value first = argument_value(arguments, 0, "");
  const auto same = [&](std::string made) {
    Value value = self;
    value.ref = intern(made);
    return value;
  };
  if (name == "lower" || name == "casefold") return same(to_lower(own));
  if (name == "upper") {
    std::string made(own);
    std::transform(made.begin(), made.end(), made.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return same(std::move(made));
  }
  if (name == "split" && arguments.list.empty()) {
    const Value made = make_object(Kind::list);
    const std::string words(own);
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t begin = words.find_first_not_of(" \t\n", at);
      if (begin == words.npos) break;
      at = std::min(words.find_first_of(" \t\n", begin), words.size());
      append(made.ref, same(words.substr(begin, at - begin)));
    }
    return made;
  }
  if (name.ends_with("strip") && arguments.list.size() < 2) {
    const bool is_plain = arguments.list.empty() || first.kind == Kind::none;
    if (!is_plain && first.kind != Kind::text) return Value{};
    const std::string_view cut = is_plain ? " \t\n\r\f\v" : text(first.ref);
    const std::size_t begin = name == "rstrip" ? 0 : own.find_first_not_of(cut);
    const std::size_t end = name == "lstrip" ? own.size() : own.find_last_not_of(cut) + 1;
    return same(begin < end ? std::string(own.substr(begin, end - begin)) : std::string());
  }
  if (first.kind == Kind::tuple && (name == "startswith" || name == "endswith")) {
    bool all = false;
    for (const Value& each : known_items(first, all)) {
      all = all && each.kind == Kind::text;
      const std::string_view part = all ? text(each.ref) : "";
      if (all && (name == "startswith" ? own.starts_with(part) : own.ends_with(part)))
        return made_from(make_bool(true), self, each);
    }
    return all ? made_from(make_bool(false), self, self) : Value{};
  }
  if (auto listed = path_listing(self, name, first)) return listed;
  if (auto lines = text_lines(self, name, arguments)) return lines;
  if (auto found = text_search(own, name, arguments)) return made_from(*found, self, first);
  if (name == "resolve" || name == "absolute" || name == "read" || name == "read_text" ||
      name == "open" || name == "as_posix" || name == "expanduser" || name == "__str__") {
    Value read = self;
    if (name.starts_with("read") || name == "open") read.integer = kOpened;
    return read;
  }
  if (name == "is_absolute") return made_from(make_bool(own.starts_with('/')), self, self);
  if (name == "format") return filled_text(self, arguments);
  if (name == "join") {
    const auto parts = items_of(first);
    std::string made;
    for (std::size_t i = 0; parts && i < parts->size(); ++i) {
      if ((*parts)[i].kind != Kind::text || made.size() > kLongestMade) return Value{};
      made += (i == 0 ? "" : std::string(own)) + std::string(text((*parts)[i].ref));
    }
    return parts ? make_text(made) : Value{};
  }
  if (name == "joinpath" && first.kind == Kind::text) {
    return joined_path(std::string(own), arguments, self);
  }
  if (name == "with_suffix" && first.kind == Kind::text) {
    const std::size_t dot = own.rfind('.');
    return same(std::string(own.substr(0, dot)) + std::string(text(first.ref)));
  }
  if (first.kind == Kind::text) {
    const std::string_view part = text(first.ref);
    if (name == "startswith") return made_from(make_bool(own.starts_with(part)), self, first);
    if (name == "endswith") return made_from(make_bool(own.ends_with(part)), self, first);
    if (name == "removeprefix")
      return same(std::string(own.substr(own.starts_with(part) ? part.size() : 0)));
    if (name == "removesuffix")
      return same(std::string(own.substr(0, own.size() - (own.ends_with(part) ? part.size() : 0))));
    if ((name == "partition" || name == "rpartition") && !part.empty()) {
      const std::size_t at = name == "partition" ? own.find(part) : own.rfind(part);
      const bool is_there = at != own.npos;
      const std::string rest(is_there ? own.substr(at + part.size()) : "");
      const std::string before(own.substr(0, is_there ? at : own.size()));
      const bool keeps_behind = !is_there && name == "rpartition";
      const Value made = make_object(Kind::tuple);
      append(made.ref, same(keeps_behind ? "" : before));
      append(made.ref, same(is_there ? std::string(part) : ""));
      append(made.ref, same(keeps_behind ? before : rest));
      return made;
    }
    const Value most = argument_value(arguments, 1, "maxsplit");
    const bool once = most.kind == Kind::integer && most.integer == 1;
    const bool splits = name == "split" || name == "rsplit";
    if (splits && !part.empty() && (once || arguments.list.size() == 1)) {
      const Value made = make_object(Kind::list);
      const std::size_t at = name == "split" ? own.find(part) : own.rfind(part);
      if (once && at != std::string_view::npos) {
        append(made.ref, same(std::string(own.substr(0, at))));
        append(made.ref, same(std::string(own.substr(at + part.size()))));
        return made;
      }
      const std::string whole(own);
      const std::string by(part);
      for (std::size_t begin = 0; begin <= whole.size();) {
        const std::size_t end = once ? whole.size() : std::min(whole.find(by, begin), whole.size());
        append(made.ref, same(whole.substr(begin, end - begin)));
        begin = end + by.size();
      }
      return made;
    }
    const Value by = argument_value(arguments, 1, "");
    if (name == "replace" && by.kind == Kind::text && !part.empty()) {
      std::string made;
      std::size_t at = 0;
      for (std::size_t found = own.find(part); found != own.npos; found = own.find(part, at)) {
        made += own.substr(at, found - at);
        made += text(by.ref);
        at = found + part.size();
      }
      return same(made + std::string(own.substr(at)));
    }
  }
  return Value{};
}

/// What texts are asked about themselves; nullopt: it is none of these.
std::optional<Value> Interpreter::text_search(std::string_view own, std::string_view name,
                                              const Arguments& arguments) {
  const auto all = [this, own](auto is_meant) {
    return make_bool(!own.empty() && std::all_of(own.begin(), own.end(), is_meant));
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_ascii = std::all_of(own.begin(), own.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (name.starts_with("is") && !is_ascii) return Value{};
  if (name == "isdigit" || name == "isnumeric" || name == "isdecimal") return all(is_digit);
  if (name == "isalpha") return all([&](char c) { return is_upper(c) || is_lower(c); });
  if (name == "isupper")
    return make_bool(std::any_of(own.begin(), own.end(), is_upper) &&
                     std::none_of(own.begin(), own.end(), is_lower));
  if (name == "islower")
    return make_bool(std::any_of(own.begin(), own.end(), is_lower) &&
                     std::none_of(own.begin(), own.end(), is_upper));
  const Value first = argument_value(arguments, 0, "");
  if (first.kind != Kind::text || arguments.list.size() != 1) return std::nullopt;
  const std::string_view part = text(first.ref);
  if (name == "count" && !part.empty()) {
    std::int64_t count = 0;
    for (std::size_t at = own.find(part); at != own.npos; at = own.find(part, at + part.size()))
      ++count;
    return make_integer(count);
  }
  const bool is_last = name == "rindex" || name == "rfind";
  if (!is_last && name != "index" && name != "find") return std::nullopt;
  const std::size_t at = is_last ? own.rfind(part) : own.find(part);
  if (at == own.npos) return name.ends_with("find") ? make_integer(-1) : Value{};
  return make_integer(static_cast<std::int64_t>(at));
}

/// `"{}/{name}.yaml".format(a, name=b)`; unknown where a value or how it is shown is.
Value Interpreter::filled_text(const Value& pattern, const Arguments& arguments) {
  const std::string form(text(pattern.ref));
  std::string made;
  Value from = pattern;
  std::size_t next = 0;
  for (std::size_t at = 0; at < form.size() && made.size() <= kLongestMade; ++at) {
    const bool is_twice = at + 1 < form.size() && form[at + 1] == form[at];
    if ((form[at] != '{' && form[at] != '}') || is_twice) {
      made += form[at];
      at += (form[at] == '{' || form[at] == '}') ? 1 : 0;
      continue;
    }
    const std::size_t end = form.find('}', at);
    if (form[at] == '}' || end == form.npos) return {};
    std::string_view field = std::string_view(form).substr(at + 1, end - at - 1);
    const std::size_t colon = field.find(':');
    const auto width = whole_number_width(colon == field.npos ? "d" : field.substr(colon + 1));
    field = field.substr(0, colon);
    if (!width || field.find_first_of("!.[") != field.npos) return {};
    const bool is_digit = field.size() == 1 && field.front() >= '0' && field.front() <= '9';
    const std::size_t place = is_digit        ? static_cast<std::size_t>(field.front() - '0')
                              : field.empty() ? next++
                                              : kByName;
    const Value value = argument_value(arguments, place, place == kByName ? field : "");
    const std::optional<std::string> piece = shown(value);
    if (piece && colon == std::string_view::npos) {
      made += *piece;
    } else if (value.kind == Kind::integer && !has_lanes(value) &&
               (width->empty() || value.integer >= 0)) {
      made += padded_digits(std::to_string(value.integer), *width);
    } else {
      return {};
    }
    if (value.origin == Origin::given) from = value;
    at = end;
  }
  return made_from(make_text(made), from, from);
}

std::optional<Value> Interpreter::list_method(const Value& self, std::string_view name,
                                              const Arguments& arguments) {
  const Value first = argument_value(arguments, 0, "");
  if (name == "append") {
    append(self.ref, first);
    if (!endless_.empty() && self.ref < endless_.back()) objects_[self.ref].may_be_longer = true;
    return Value{.kind = Kind::none};
  }
  if (name == "extend") {
    const auto items = items_of(first);
    if (!items) {
      record(self.ref, kNone);
      objects_[self.ref].open = true;
    } else {
      for (const Value& item : *items) append(self.ref, item);
    }
    return Value{.kind = Kind::none};
  }
  if (name == "copy") return deep_copy(self, 32);
  if (name == "index" || name == "count") {
    if (objects_[self.ref].open) return Value{};
    std::int64_t count = 0;
    const std::vector<Value> items = objects_[self.ref].items;
    for (std::size_t at = 0; at < items.size(); ++at) {
      const std::optional<bool> same = equal(items[at], first);
      if (!same) return Value{};
      if (*same && name == "index") return make_integer(static_cast<std::int64_t>(at));
      count += *same ? 1 : 0;
    }
    return name == "count" ? make_integer(count) : Value{};
  }
  if (name == "pop" || name == "insert" || name == "reverse") {
    Object& list = objects_[self.ref];
    const auto size = static_cast<std::int64_t>(list.items.size());
    const std::int64_t given = name == "pop" && arguments.list.empty() ? -1 : first.integer;
    const std::int64_t at = given < 0 ? given + size : given;
    const bool is_plain =
        !list.open && (first.kind == Kind::integer || arguments.list.empty()) && at >= 0;
    if (is_plain && (name == "insert" ? at <= size : at < size || name == "reverse")) {
      record(self.ref, kNone);
      Value taken{.kind = Kind::none};
      if (name == "reverse") std::reverse(list.items.begin(), list.items.end());
      if (name == "insert")
        list.items.insert(list.items.begin() + at, argument_value(arguments, 1, ""));
      if (name == "pop") {
        taken = list.items[static_cast<std::size_t>(at)];
        list.items.erase(list.items.begin() + at);
      }
      return taken;
    }
  }
  record(self.ref, kNone);
  objects_[self.ref].open = true;  // insert, pop, sort, …
  return Value{};
}

}  // namespace gpulint::python

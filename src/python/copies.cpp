// Copies of values: merged, and copied with all they hold.

#include "base/text.h"
#include "python/interpreter.h"

#include <unordered_map>
#include <vector>

namespace gpulint::python {

Value Interpreter::merge_into(const Value& base, const Value& over, int depth) {
  constexpr int kDeepest = 32;
  const bool both =
      (base.kind == Kind::dict || base.kind == Kind::instance) && over.kind == Kind::dict;
  if (!both) return over.known() || !base.known() ? over : Value{};
  if (depth > kDeepest && depth != 100) return {};
  Value made = make_object(base.kind);
  const Object left = objects_[base.ref];
  objects_[made.ref] = left;
  made.from = base.from;
  objects_[made.ref].open = left.open || objects_[over.ref].open;
  const std::vector<Entry> entries = objects_[over.ref].entries;
  for (const Entry& entry : entries) {
    const Entry* old = find(made.ref, entry.key);
    const bool merges = old != nullptr && depth != 100 && entry.value.kind == Kind::dict;
    const Value value = merges ? merge_into(old->value, entry.value, depth + 1) : entry.value;
    set(made.ref, entry.key, value, entry.key_span);
  }
  return made;
}

/// Such configs read a text that is a tuple of numbers or texts in Python as one: `GPUS: (0, 1)`.
/// Unknown where there are brackets inside.
Value Interpreter::decoded(const Value& value) {
  const std::string_view whole = value.kind == Kind::text ? trim(text(value.ref)) : "";
  if (!whole.starts_with('(') || !whole.ends_with(')')) return value;
  const std::string inside(whole.substr(1, whole.size() - 2));
  if (inside.find_first_of("()[]{}") != std::string::npos) return {};
  const std::vector<std::string_view> parts = split(inside, ',');
  std::vector<Value> items;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    if (part.empty() && i + 1 == parts.size()) break;  // a comma at the end, or nothing at all
    const bool is_quoted = part.size() > 1 && (part.front() == '\'' || part.front() == '"') &&
                           part.back() == part.front();
    const Value word = make_text(is_quoted ? part.substr(1, part.size() - 2) : part);
    Value item = is_quoted ? word : conversion("int", word).value_or(Value{});
    if (!item.known()) item = conversion("float", word).value_or(Value{});
    if (!item.known()) return value;
    items.push_back(item);
  }
  if (parts.size() == 1 && items.size() == 1) return made_from(items.front(), value, value);
  Value made = make_object(Kind::tuple);
  objects_[made.ref].items = std::move(items);
  return made_from(made, value, value);
}

/// `ast.literal_eval("[1, 2]")`: the value that a text is written like in Python. What is a plain
/// word raises.
Value Interpreter::literal(const Value& written) {
  if (written.kind != Kind::text) return written.is_number() ? Value{} : written;
  const std::string whole(trim(text(written.ref)));
  if (whole.empty()) return {};
  const auto stated = [&](Value made) { return made_from(std::move(made), written, written); };
  if (whole == "None") return stated(Value{.kind = Kind::none, .origin = Origin::code});
  if (whole == "True" || whole == "False") return stated(make_bool(whole == "True"));
  const bool is_list = whole.front() == '[' && whole.back() == ']';
  if (is_list || whole.front() == '(') {
    const std::string inside = whole.substr(1, whole.size() - 2);
    const bool is_empty = trim(inside).empty();
    const Value items = decoded(make_text("(" + inside + (is_list && !is_empty ? ",)" : ")")));
    if (!items.has_object() || !is_list) return items.kind == Kind::text ? Value{} : stated(items);
    const Value made = make_object(Kind::list);
    objects_[made.ref].items = objects_[items.ref].items;
    return stated(made);
  }
  const char quote = whole.front();
  if (quote == '\'' || quote == '"') {
    const bool is_plain = whole.size() > 1 && whole.find_first_of("'\"\\", 1) == whole.size() - 1;
    return is_plain ? stated(make_text(whole.substr(1, whole.size() - 2))) : Value{};
  }
  const bool is_word = std::all_of(whole.begin(), whole.end(), [](char c) {
    return is_name_part(c) || c == '-' || c == '.' || c == '/';
  });
  const bool was_raised = std::exchange(converted_no_number_, false);
  Value number = conversion("int", written).value_or(Value{});
  if (!number.known()) number = conversion("float", written).value_or(Value{});
  converted_no_number_ = was_raised;
  if (number.known()) return number;
  const bool begins_as_name = is_name_part(quote) && (quote < '0' || quote > '9');
  converted_no_number_ = converted_no_number_ || (is_word && begins_as_name);
  return {};
}

/// Lays `over` into a mapping that others may hold too. What is not known may have set any key.
void Interpreter::lay_over(const Value& mapping, const Value& over, SyntaxId at, int depth) {
  constexpr int kDeepest = 32;
  if (depth > kDeepest || !step()) return;
  if (over.kind != Kind::dict) {
    forget_entries(mapping.ref);
    return;
  }
  const std::vector<Entry> entries = objects_[over.ref].entries;
  for (const Entry& entry : entries) {
    refuse_overlaid(mapping, entry, at);
    const Entry* old = find(mapping.ref, entry.key);
    if (old != nullptr && old->value.kind == Kind::dict && entry.value.kind == Kind::dict) {
      const Value inner = old->value;
      lay_over(inner, entry.value, at, depth + 1);
    } else {
      set(mapping.ref, entry.key, decoded(entry.value), entry.key_span);
    }
  }
  if (objects_[over.ref].open) objects_[mapping.ref].open = true;
}

Value Interpreter::deep_copy(const Value& value, int depth) {
  std::unordered_map<ObjectId, ObjectId> made;
  return deep_copy(value, depth, made);
}

/// `copies`: what was copied already, so that what is shared stays shared.
Value Interpreter::deep_copy(const Value& value, int depth,
                             std::unordered_map<ObjectId, ObjectId>& copies) {
  constexpr int kDeepest = 32;
  if (!value.has_object() || value.kind == Kind::module || depth > kDeepest || !step())
    return value;
  Value made = value;
  if (const auto known = copies.find(value.ref); known != copies.end()) {
    made.ref = known->second;
    return made;
  }
  made.ref = new_object();
  copies.emplace(value.ref, made.ref);
  objects_[made.ref] = objects_[value.ref];
  for (std::size_t i = 0; i < objects_[made.ref].entries.size(); ++i) {
    const Value copy = deep_copy(objects_[made.ref].entries[i].value, depth + 1, copies);
    objects_[made.ref].entries[i].value = copy;
  }
  for (std::size_t i = 0; i < objects_[made.ref].items.size(); ++i) {
    const Value copy = deep_copy(objects_[made.ref].items[i], depth + 1, copies);
    objects_[made.ref].items[i] = copy;
  }
  return made;
}

}  // namespace gpulint::python

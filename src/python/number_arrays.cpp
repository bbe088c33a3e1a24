// Arrays whose numbers are known: networks keep the widths of their stages in them.

#include "python/interpreter.h"

#include <algorithm>
#include <cstddef>

namespace gpulint::python {

/// `array([64, 128])`: a tensor that knows its numbers; of anything else, its size alone.
Value Interpreter::numbers(const Value& data) {
  bool all = false;
  const std::vector<Value> items = known_items(data, all);
  const bool are_plain = std::all_of(items.begin(), items.end(), [this](const Value& item) {
    return item.is_number() && !has_lanes(item);
  });
  const bool is_listing = data.kind == Kind::list || data.kind == Kind::tuple;
  const Value made = holding(data);
  if (!is_listing || !all || !are_plain || items.empty()) return made;
  objects_[made.ref].is_sequence = true;
  objects_[made.ref].items = items;
  return made;
}

bool Interpreter::knows_numbers(const Value& value) const {
  return is_tensor(value) && !is_followed(value) && objects_[value.ref].is_sequence &&
         !objects_[value.ref].open;
}

/// `tensor([w])` of a network's forward pass: a size that is computed with further.
Value Interpreter::size_in_tensor(const Value& data) {
  bool all = false;
  const std::vector<Value> items = known_items(data, all);
  const Value made = holding(data);
  const bool is_listing = data.kind == Kind::list || data.kind == Kind::tuple;
  const bool is_one = is_listing && all && items.size() == 1 && items.front().is_number();
  if (following_ == 0 || !is_one || items.front().kind == Kind::boolean) return made;
  objects_[made.ref].is_sequence = true;
  objects_[made.ref].items = items;
  return made;
}

/// The number of an array that holds one alone and knows it.
std::optional<Value> Interpreter::single_number(const Value& value) const {
  if (!knows_numbers(value) || objects_[value.ref].items.size() != 1) return std::nullopt;
  const Value& number = objects_[value.ref].items.front();
  return number.is_number() ? std::optional(number) : std::nullopt;
}

/// Arithmetic on each number of an array; nullopt where one of them is not known.
std::optional<Value> Interpreter::by_elements(Operator op, const Value& a, const Value& b,
                                              SourceSpan at) {
  const bool is_left = knows_numbers(a);
  const bool is_right = knows_numbers(b);
  const bool goes = (is_left && (is_right || b.is_number())) || (is_right && a.is_number());
  if (!goes || op == Operator::matrix || has_lanes(a) || has_lanes(b)) return std::nullopt;
  const std::vector<Value> left = is_left ? objects_[a.ref].items : std::vector<Value>{a};
  const std::vector<Value> right = is_right ? objects_[b.ref].items : std::vector<Value>{b};
  const std::size_t count = std::max(left.size(), right.size());
  const auto fits = [count](std::size_t size) { return size == count || size == 1; };
  if (!fits(left.size()) || !fits(right.size())) return std::nullopt;
  const Value made = like(is_left && left.size() == count ? a : b);
  std::vector<Value> items;
  for (std::size_t i = 0; i < count; ++i) {
    const Value& x = left.size() == 1 ? left.front() : left[i];
    const Value& y = right.size() == 1 ? right.front() : right[i];
    items.push_back(binary(op, x, y, at));
    if (!items.back().is_number()) return std::nullopt;
  }
  objects_[made.ref].is_sequence = true;
  objects_[made.ref].items = std::move(items);
  return made;
}

/// `widths[1:] = [4, 8]`; false where it is not known which items are written, or with what.
bool Interpreter::write_slice(const Value& of, SyntaxId slice, const Value& value) {
  const bool has_step = node(node(node(slice).first).next).next != kNoSyntax;
  if (has_step || objects_[of.ref].open) return false;
  const auto bounds = slice_bounds(slice, objects_[of.ref].items.size());
  if (!bounds) return false;
  const auto [begin, end] = *bounds;
  const bool is_array = is_tensor(of);
  bool all = false;
  std::vector<Value> written = known_items(value, all);
  if (is_array && value.is_number()) {
    written.assign(static_cast<std::size_t>(end - begin), value);
    all = true;
  }
  const bool fits = !is_array || static_cast<std::int64_t>(written.size()) == end - begin;
  if (!all || !fits) return false;
  record(of.ref, kNone);
  std::vector<Value>& items = objects_[of.ref].items;
  const auto first = items.erase(items.begin() + begin, items.begin() + end);
  items.insert(first, written.begin(), written.end());
  return true;
}

/// Some item was written, and nobody knows which: no number is known any more.
void Interpreter::forget_numbers(const Value& of) {
  record(of.ref, kNone);
  for (Value& item : objects_[of.ref].items)
    if (item.is_number()) item = {};
  objects_[of.ref].open = true;
}

}  // namespace gpulint::python

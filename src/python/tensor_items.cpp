// Tensors that nothing follows: their sizes after an operation, and views of any tensor by `[]`.

#include "python/interpreter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpulint::python {

/// Of a tensor, or the numbers of a listing; nullopt where one of them is unknown or depends on the
/// input.
std::optional<Sizes> Interpreter::sizes_of(const Value& value) const {
  if (is_tensor(value)) {
    const auto shape = known_shape(value);
    if (!shape) return std::nullopt;
    Sizes sizes;
    for (const Lanes& size : *shape) {
      const auto is_other = [&](double each) { return each != size.front(); };
      if (std::any_of(size.begin(), size.end(), is_other)) return std::nullopt;
      sizes.push_back(static_cast<std::int64_t>(size.front()));
    }
    return sizes;
  }
  bool all = false;
  Sizes numbers;
  for (const Value& item : known_items(value, all)) {
    if (item.kind != Kind::integer || has_lanes(item)) return std::nullopt;
    numbers.push_back(item.integer);
  }
  return all ? std::optional(std::move(numbers)) : std::nullopt;
}

Value Interpreter::of_sizes(const Sizes& sizes) {
  Arguments listed;
  for (const std::int64_t size : sizes)
    listed.list.push_back({kNone, make_integer(size), kNoSyntax});
  return sized(listed);
}

/// What an operation makes of a tensor that nothing follows.
Value Interpreter::resized(std::string_view operation, const Value& tensor,
                           const Arguments& arguments) {
  const auto stated = [&](std::string_view name) {
    return argument_value(arguments, kByName, name);
  };
  std::optional<Sizes> made;
  if (operation == "concatenate") {
    bool all = false;
    std::vector<Sizes> parts;
    for (const Value& part : known_items(stated("of"), all)) {
      const auto sizes = is_tensor(part) ? sizes_of(part) : std::nullopt;
      all = all && sizes.has_value();
      if (sizes) parts.push_back(*sizes);
    }
    const Value dimension = stated("dimension");
    if (all && dimension.kind == Kind::integer) made = concatenated(parts, dimension.integer);
    return made ? of_sizes(*made) : make_tensor(Part::tensor);
  }
  if (!is_tensor(tensor)) return like(tensor);
  const SizeArguments given = {
      .number =
          [&](std::string_view name) {
            const Value number = stated(name);
            const bool is_known = number.kind == Kind::integer && !has_lanes(number);
            return is_known ? std::optional(number.integer) : std::nullopt;
          },
      .list = [&](std::string_view name) { return sizes_of(stated(name)); },
      .is_none = [&](std::string_view name) { return stated(name).kind == Kind::none; },
      .truth = [&](std::string_view name) { return truth(stated(name)); }};
  if (operation == "reshape") {
    if (const auto shape = given.list("sizes"))
      made = reshaped(objects_[tensor.ref].elements, *shape);
  } else if (const auto sizes = sizes_of(tensor)) {
    made = sizes_after(operation, *sizes, given);
  }
  if (made) return of_sizes(*made);
  return keeps_elements(operation) ? like(tensor) : make_tensor(Part::tensor);
}

/// `x[:, :3]` of what nobody knows yet: something else of as many rows, where all rows are taken.
Value Interpreter::open_slice(const Value& open, SyntaxId index,
                              const std::vector<SyntaxId>& parts) {
  const auto is_error = [this](SyntaxId at) { return node(at).kind == Syntax::error; };
  const auto is_whole = [&](SyntaxId part) {
    if (node(part).kind != Syntax::slice) return source(part) == "...";
    const SyntaxId lower = node(part).first;
    return is_error(lower) && is_error(node(lower).next);
  };
  for (const SyntaxId part : parts) eval(part);
  const bool takes_all = std::all_of(parts.begin(), parts.end(), is_whole);
  if (takes_all || !is_whole(parts.front())) return open;
  const bool is_of_channels =
      parts.size() > 1 && std::all_of(parts.begin() + 2, parts.end(), is_whole);
  const std::string name =
      (is_of_channels ? "channels " : "slice ") + std::string(source(index));
  const TensorId part = host_.data_tensor(name, objects_[open.ref].tensor);
  return part == kNone ? open : tensor_value({part, {}});
}

/// Rows of a table that nobody knows, by an index that is data: data of as many rows.
Value Interpreter::rows_by_data(const Value& table, const std::vector<SyntaxId>& parts) {
  if (following_ == 0 || objects_[table.ref].part != Part::tensor) return {};
  Arguments indices;
  indices.list.push_back({kNone, eval(parts.front()), kNoSyntax});
  return data_from("[]", indices).value_or(Value{});
}

/// `x[:, 0]`, `x[..., :n]`, `x[None]`: views, one after the other.
Value Interpreter::tensor_item(const Value& tensor, SyntaxId index) {
  std::vector<SyntaxId> parts;
  if (node(index).kind == Syntax::tuple) {
    for (SyntaxId at = node(index).first; at != kNoSyntax; at = node(at).next) parts.push_back(at);
  } else {
    parts.push_back(index);
  }
  const auto is_dots = [this](SyntaxId at) { return source(at) == "..."; };
  const auto is_none = [this](SyntaxId at) {
    return node(at).kind == Syntax::constant && source(at) == "None";
  };
  Value x = tensor;
  std::int64_t dimension = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_tensor(x)) return {};
    const bool follows = is_followed(x);
    const auto sizes = follows ? host_.sizes_of(objects_[x.ref].tensor) : known_shape(x);
    if (!sizes && !follows) return rows_by_data(x, parts);
    if (!sizes) {  // of something that nobody knows: one of its items
      if (parts.size() > 1) return open_slice(x, index, parts);
      return open_item(x, key_of(eval(parts[i])));
    }
    const auto rank = static_cast<std::int64_t>(sizes->size());
    Arguments given;
    const auto give = [&](const char* name, const Value& value) {
      given.list.push_back({intern(name), value, kNoSyntax});
    };
    const auto run = [&](std::string_view name) {
      return follows ? operation(name, x, given) : resized(name, x, given);
    };
    give("dimension", make_integer(dimension));
    if (is_dots(parts[i])) {
      std::int64_t behind = 0;
      for (std::size_t k = i + 1; k < parts.size(); ++k) behind += is_none(parts[k]) ? 0 : 1;
      dimension = std::max(dimension, rank - behind);
      continue;
    }
    if (is_none(parts[i])) {
      x = run("unsqueeze");
      ++dimension;
      continue;
    }
    if (dimension >= rank) return {};
    const Lanes size = (*sizes)[static_cast<std::size_t>(dimension)];
    if (node(parts[i]).kind != Syntax::slice) {
      const Value at = eval(parts[i]);
      if (at.kind == Kind::integer) {
        x = run("select");
        continue;
      }
      if (tensor_of(at) == kNone) return {};
      give("index", at);
      x = run("pick");
      ++dimension;
      continue;
    }
    const SyntaxId lower = node(parts[i]).first;
    const SyntaxId upper = node(lower).next;
    const SyntaxId by = node(upper).next;
    const bool from_start = node(lower).kind == Syntax::error;
    const bool to_end = node(upper).kind == Syntax::error;
    const Value from = from_start ? make_integer(0) : eval(lower);
    const Value to = to_end ? make_integer(0) : eval(upper);
    const Value step =
        by == kNoSyntax || node(by).kind == Syntax::error ? make_integer(1) : eval(by);
    if (!from.is_number() || !to.is_number() || !step.is_number() || step.number() < 1) return {};
    if (from_start && to_end && step.number() == 1) {
      ++dimension;
      continue;
    }
    Lanes count;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double whole = size[lane];
      const auto place = [&](double at) {
        return std::clamp(at < 0 ? at + whole : at, 0.0, whole);
      };
      const double begin = place(lanes_of(from)[lane]);
      const double end = to_end ? whole : place(lanes_of(to)[lane]);
      const bool is_cut = !to_end && has_lanes(to) && lanes_of(to)[lane] > whole;
      if (following_ > 0 && is_cut) host_.cut_short();
      count[lane] = std::ceil(std::max(0.0, end - begin) / lanes_of(step)[lane]);
    }
    give("size", lane_number(count, true));
    if (step.number() != 1) give("step", step);
    x = run("slice");
    ++dimension;
  }
  return x;
}

}  // namespace gpulint::python

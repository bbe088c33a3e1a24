// Sizes of tensors that are made while a network is built and that nothing follows: of parameters,
// masks and positions. What is not certain is unknown.

#include "python/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {
namespace {

/// A dimension counted from the front; nullopt: there is none such.
std::optional<std::size_t> place(const Value& dimension, std::size_t count) {
  if (dimension.kind != Kind::integer) return std::nullopt;
  const auto all = static_cast<std::int64_t>(count);
  const std::int64_t at = dimension.integer < 0 ? dimension.integer + all : dimension.integer;
  if (at < 0 || at >= all) return std::nullopt;
  return static_cast<std::size_t>(at);
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(all, size, &all)) return -1;
  }
  return all;
}

}  // namespace

/// nullopt where one of them is unknown.
std::optional<std::vector<std::int64_t>> Interpreter::whole_numbers(const Value& listing) {
  bool all = false;
  std::vector<std::int64_t> numbers;
  for (const Value& item : known_items(listing, all)) {
    if (item.kind != Kind::integer || has_lanes(item)) return std::nullopt;
    numbers.push_back(item.integer);
  }
  return all ? std::optional(std::move(numbers)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> Interpreter::sizes_of(const Value& tensor) {
  if (tensor.kind != Kind::instance) return std::nullopt;
  const Entry* shape = find(tensor.ref, intern("shape"));
  return shape == nullptr ? std::nullopt : whole_numbers(Value(shape->value));
}

Value Interpreter::of_sizes(const std::vector<std::int64_t>& sizes) {
  Arguments listed;
  for (const std::int64_t size : sizes)
    listed.list.push_back({kNone, make_integer(size), kNoSyntax});
  return sized(listed);
}

/// As much as is left when the others are filled: -1.
Value Interpreter::reshaped(const Value& tensor, const Value& sizes) {
  auto wanted = whole_numbers(sizes);
  const std::int64_t elements = objects_[tensor.ref].elements;
  if (!wanted) return like(tensor);
  const auto open = std::find(wanted->begin(), wanted->end(), -1);
  if (open != wanted->end()) {
    *open = 1;
    const std::int64_t others = product(*wanted);
    if (elements < 0 || others <= 0 || elements % others != 0) return like(tensor);
    *open = elements / others;
  }
  return product(*wanted) == elements ? of_sizes(*wanted) : like(tensor);
}

/// Parts put beside one another along a dimension.
Value Interpreter::concatenated(const Value& parts, const Value& dimension) {
  bool all = false;
  std::optional<std::vector<std::int64_t>> sum;
  for (const Value& part : known_items(parts, all)) {
    const auto sizes = sizes_of(part);
    const auto at = place(dimension, sizes ? sizes->size() : 0);
    if (!at || (sum && sum->size() != sizes->size())) return make_tensor(Part::tensor);
    if (sum) (*sum)[*at] += (*sizes)[*at];
    if (!sum) sum = sizes;
  }
  return all && sum ? of_sizes(*sum) : make_tensor(Part::tensor);
}

/// What an operation makes of a tensor that nothing follows.
Value Interpreter::resized(std::string_view operation, const Value& tensor,
                           const Arguments& arguments) {
  const auto stated = [&](std::string_view name) {
    return argument_value(arguments, kByName, name);
  };
  if (operation == "concatenate") return concatenated(stated("of"), stated("dimension"));
  if (!is_tensor(tensor)) return like(tensor);
  const bool keeps_all =
      is_one_of(operation, {"identity", "detach", "copy", "contiguous", "activation", "scale",
                            "roll", "softmax", "like", "mask_fill", "dropout", "power"});
  auto sizes = sizes_of(tensor);
  if (is_one_of(operation, {"add", "multiply", "divide"})) {  // others may stretch it
    const auto others = sizes_of(stated("with_"));
    return sizes && others && *sizes == *others ? of_sizes(*sizes) : make_tensor(Part::tensor);
  }
  if (keeps_all) return sizes ? of_sizes(*sizes) : like(tensor);
  if (operation == "reshape") return reshaped(tensor, stated("sizes"));
  if (!sizes) {
    const bool keeps_elements = is_one_of(
        operation, {"unsqueeze", "squeeze", "squeeze_all", "transpose", "permute", "flatten"});
    return keeps_elements ? like(tensor) : make_tensor(Part::tensor);
  }
  const std::size_t count = sizes->size();
  if (operation == "unsqueeze") {
    const auto at = place(stated("dimension"), count + 1);
    if (!at) return like(tensor);
    sizes->insert(sizes->begin() + static_cast<std::ptrdiff_t>(*at), 1);
    return of_sizes(*sizes);
  }
  if (operation == "squeeze") {
    const auto at = place(stated("dimension"), count);
    if (!at) return like(tensor);
    if ((*sizes)[*at] == 1) sizes->erase(sizes->begin() + static_cast<std::ptrdiff_t>(*at));
    return of_sizes(*sizes);
  }
  if (operation == "squeeze_all") {
    std::erase(*sizes, 1);
    return of_sizes(*sizes);
  }
  if (operation == "transpose") {
    const auto a = place(stated("a"), count);
    const auto b = place(stated("b"), count);
    if (!a || !b) return like(tensor);
    std::swap((*sizes)[*a], (*sizes)[*b]);
    return of_sizes(*sizes);
  }
  if (operation == "permute") {
    const auto order = whole_numbers(stated("order"));
    std::vector<std::int64_t> moved;
    for (const std::int64_t each : order.value_or(std::vector<std::int64_t>{})) {
      const auto at = place(make_integer(each), count);
      if (at) moved.push_back((*sizes)[*at]);
    }
    return moved.size() == count ? of_sizes(moved) : like(tensor);
  }
  if (operation == "flatten") {
    const auto from = place(stated("from_"), count);
    const auto to = place(stated("to"), count);
    if (!from || !to || *from > *to) return like(tensor);
    const auto begin = sizes->begin() + static_cast<std::ptrdiff_t>(*from);
    const auto end = sizes->begin() + static_cast<std::ptrdiff_t>(*to) + 1;
    *begin = product(std::vector<std::int64_t>(begin, end));
    sizes->erase(begin + 1, end);
    return of_sizes(*sizes);
  }
  if (operation == "repeat" || operation == "expand") {
    const auto wanted = whole_numbers(stated("sizes"));
    if (!wanted || wanted->size() < count) return make_tensor(Part::tensor);
    const std::size_t more = wanted->size() - count;
    std::vector<std::int64_t> made = *wanted;
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t& size = made[more + i];
      size = operation == "repeat" ? size * (*sizes)[i] : size == -1 ? (*sizes)[i] : size;
    }
    return of_sizes(made);
  }
  if (operation == "mean" || operation == "reduce") {
    if (stated("dimensions").kind == Kind::none) return of_sizes({});
    const auto dimensions = whole_numbers(stated("dimensions"));
    const auto keeps = truth(stated("keep"));
    if (!dimensions || !keeps) return make_tensor(Part::tensor);
    for (const std::int64_t each : *dimensions) {
      const auto at = place(make_integer(each), count);
      if (!at) return make_tensor(Part::tensor);
      (*sizes)[*at] = -1;
    }
    if (!*keeps) std::erase(*sizes, -1);
    std::replace(sizes->begin(), sizes->end(), std::int64_t{-1}, std::int64_t{1});
    return of_sizes(*sizes);
  }
  if (operation == "slice" || operation == "select") {
    const auto at = place(stated("dimension"), count);
    const Value size = stated("size");
    if (!at || (operation == "slice" && (size.kind != Kind::integer || has_lanes(size))))
      return make_tensor(Part::tensor);
    if (operation == "select") sizes->erase(sizes->begin() + static_cast<std::ptrdiff_t>(*at));
    if (operation == "slice") (*sizes)[*at] = size.integer;
    return of_sizes(*sizes);
  }
  return make_tensor(Part::tensor);
}

}  // namespace gpulint::python

#include "python/tensor_sizes.h"

#include "python/running.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {
namespace {

/// A dimension counted from the front; nullopt: there is none such.
std::optional<std::size_t> place(std::optional<std::int64_t> dimension, std::size_t count) {
  if (!dimension) return std::nullopt;
  const auto all = static_cast<std::int64_t>(count);
  const std::int64_t at = *dimension < 0 ? *dimension + all : *dimension;
  if (at < 0 || at >= all) return std::nullopt;
  return static_cast<std::size_t>(at);
}

auto nth(Sizes& sizes, std::size_t at) { return sizes.begin() + static_cast<std::ptrdiff_t>(at); }

std::optional<std::int64_t> product(const Sizes& sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(all, size, &all)) return std::nullopt;
  }
  return all;
}

bool keeps_sizes(std::string_view operation) {
  return is_one_of(operation, {"identity", "detach", "copy", "contiguous", "activation", "scale",
                               "roll", "softmax", "like", "mask_fill", "dropout", "power"});
}

std::optional<Sizes> permuted(const Sizes& sizes, const std::optional<Sizes>& order) {
  Sizes moved;
  for (const std::int64_t each : order.value_or(Sizes{})) {
    if (const auto at = place(each, sizes.size())) moved.push_back(sizes[*at]);
  }
  return moved.size() == sizes.size() ? std::optional(moved) : std::nullopt;
}

std::optional<Sizes> flattened(Sizes sizes, const SizeArguments& given) {
  const auto from = place(given.number("from_"), sizes.size());
  const auto to = place(given.number("to"), sizes.size());
  if (!from || !to || *from > *to) return std::nullopt;
  const auto whole = product(Sizes(nth(sizes, *from), nth(sizes, *to + 1)));
  if (!whole) return std::nullopt;
  sizes[*from] = *whole;
  sizes.erase(nth(sizes, *from + 1), nth(sizes, *to + 1));
  return sizes;
}

/// Missing dimensions stand in front; -1 of an expanded one is the size it has.
std::optional<Sizes> stretched(const Sizes& sizes, std::optional<Sizes> by, bool repeats) {
  if (!by || by->size() < sizes.size()) return std::nullopt;
  const std::size_t more = by->size() - sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t& size = (*by)[more + i];
    size = repeats ? size * sizes[i] : size == -1 ? sizes[i] : size;
  }
  return by;
}

/// Sizes that are missing or 1 are stretched to those of the other tensor.
std::optional<Sizes> joined(const Sizes& a, const std::optional<Sizes>& b) {
  if (!b) return std::nullopt;
  Sizes made = a.size() >= b->size() ? a : *b;
  const Sizes& shorter = a.size() >= b->size() ? *b : a;
  for (std::size_t back = 1; back <= shorter.size(); ++back) {
    std::int64_t& size = made[made.size() - back];
    const std::int64_t other = shorter[shorter.size() - back];
    if (size != other && size != 1 && other != 1) return std::nullopt;
    if (size == 1) size = other;
  }
  return made;
}

/// Of matrices, and of as many of them as there are in front.
std::optional<Sizes> product_of(const Sizes& a, const std::optional<Sizes>& b) {
  if (!b || a.size() < 2 || b->size() < 2 || a.back() != (*b)[b->size() - 2]) return std::nullopt;
  auto made = joined(Sizes(a.begin(), a.end() - 2), Sizes(b->begin(), b->end() - 2));
  if (!made) return std::nullopt;
  made->push_back(a[a.size() - 2]);
  made->push_back(b->back());
  return made;
}

std::optional<Sizes> padded(Sizes sizes, const std::optional<Sizes>& by) {
  if (!by || by->size() != sizes.size()) return std::nullopt;
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += (*by)[i];
  return sizes;
}

std::optional<Sizes> reduced(Sizes sizes, const SizeArguments& given) {
  constexpr std::int64_t kGone = -1;
  if (given.is_none("dimensions")) return Sizes{};
  const auto dimensions = given.list("dimensions");
  const auto keeps = given.truth("keep");
  if (!dimensions || !keeps) return std::nullopt;
  for (const std::int64_t each : *dimensions) {
    const auto at = place(each, sizes.size());
    if (!at) return std::nullopt;
    sizes[*at] = kGone;
  }
  if (!*keeps) std::erase(sizes, kGone);
  std::replace(sizes.begin(), sizes.end(), kGone, std::int64_t{1});
  return sizes;
}

}  // namespace

bool keeps_elements(std::string_view operation) {
  return keeps_sizes(operation) ||
         is_one_of(operation, {"reshape", "unsqueeze", "squeeze", "squeeze_all", "transpose",
                               "permute", "flatten"});
}

std::optional<Sizes> reshaped(std::int64_t elements, Sizes shape) {
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {
    *open = 1;
    const auto others = product(shape);
    if (!others || *others <= 0 || elements < 0 || elements % *others != 0) return std::nullopt;
    *open = elements / *others;
  }
  return product(shape) == std::optional(elements) ? std::optional(shape) : std::nullopt;
}

std::optional<Sizes> concatenated(const std::vector<Sizes>& parts, std::int64_t dimension) {
  std::optional<Sizes> sum;
  for (const Sizes& part : parts) {
    const auto at = place(dimension, part.size());
    if (!at || (sum && sum->size() != part.size())) return std::nullopt;
    if (sum) (*sum)[*at] += part[*at];
    if (!sum) sum = part;
  }
  return sum;
}

std::optional<Sizes> sizes_after(std::string_view operation, Sizes sizes,
                                 const SizeArguments& given) {
  const std::size_t count = sizes.size();
  if (keeps_sizes(operation)) return sizes;
  if (is_one_of(operation, {"add", "multiply", "divide"}))
    return joined(sizes, given.list("with_"));
  if (operation == "matmul") return product_of(sizes, given.list("with_"));
  if (is_one_of(operation, {"copy", "custom"})) return given.list("sizes");
  if (operation == "pad") return padded(std::move(sizes), given.list("amount"));
  if (operation == "squeeze_all") {
    std::erase(sizes, 1);
    return sizes;
  }
  if (operation == "transpose") {
    const auto a = place(given.number("a"), count);
    const auto b = place(given.number("b"), count);
    if (!a || !b) return std::nullopt;
    std::swap(sizes[*a], sizes[*b]);
    return sizes;
  }
  if (operation == "permute") return permuted(sizes, given.list("order"));
  if (operation == "flatten") return flattened(std::move(sizes), given);
  if (operation == "repeat" || operation == "expand")
    return stretched(sizes, given.list("sizes"), operation == "repeat");
  if (operation == "mean" || operation == "reduce") return reduced(std::move(sizes), given);
  const bool adds_one = operation == "unsqueeze";
  const auto at = place(given.number("dimension"), count + (adds_one ? 1 : 0));
  if (!at) return std::nullopt;
  if (adds_one) {
    sizes.insert(nth(sizes, *at), 1);
    return sizes;
  }
  if (operation == "select" || operation == "squeeze") {
    if (operation == "select" || sizes[*at] == 1) sizes.erase(nth(sizes, *at));
    return sizes;
  }
  const auto size = given.number("size");
  if (operation != "slice" || !size) return std::nullopt;
  sizes[*at] = *size;
  return sizes;
}

}  // namespace gpulint::python

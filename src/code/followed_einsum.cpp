// Products of two tensors by letters, or by names of dimensions: einsum.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gpulint {

using namespace followed;
using python::kNone;
using python::TensorId;

namespace {

constexpr std::string_view kAnyDimensions = "...";

struct Einsum {
  using Names = std::vector<std::string>;
  Names x = {};
  Names other = {};
  Names made = {};
};

/// Names of dimensions: letters, or words where `named`.
Einsum::Names names_of(std::string_view side, bool named) {
  Einsum::Names names;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) names.push_back(std::exchange(word, {}));
  };
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (side.substr(i, kAnyDimensions.size()) == kAnyDimensions) {
      end_word();
      names.emplace_back(kAnyDimensions);
      i += kAnyDimensions.size() - 1;
    } else if (side[i] == ' ') {
      end_word();
    } else {
      word += side[i];
      if (!named) end_word();
    }
  }
  end_word();
  return names;
}

std::optional<Einsum> read_einsum(std::string_view pattern, bool named) {
  const std::size_t comma = pattern.find(',');
  const std::size_t arrow = pattern.find("->");
  if (comma == pattern.npos || arrow == pattern.npos) return std::nullopt;
  if (pattern.find(',', comma + 1) != pattern.npos) return std::nullopt;
  return Einsum{names_of(pattern.substr(0, comma), named),
                names_of(pattern.substr(comma + 1, arrow - comma - 1), named),
                names_of(pattern.substr(arrow + 2), named)};
}

}  // namespace

std::optional<FollowedStep::Product> FollowedStep::factors_of(const Statement& statement) {
  Product made;
  std::string pattern;
  bool named = false;
  for (const Argument& each : statement.arguments) {
    if (each.name == "pattern") pattern = each.word;
    if (each.name == "named") named = each.flag == std::optional(true);
    if (each.name == "with" && !each.tensors.empty()) made.other = each.tensors.front();
  }
  const auto read = read_einsum(pattern, named);
  if (!read || made.other == kNone) return std::nullopt;
  made.x = read->x;
  made.by = read->other;
  made.made = read->made;
  return made;
}

/// Both operands are kept.
bool FollowedStep::translate_einsum(Statement& statement) {
  const auto product = factors_of(statement);
  if (!product) return false;
  std::map<std::string, Lanes> sizes;
  std::vector<Lanes> dots;
  const auto read = [&](const std::vector<std::string>& names, const Known& tensor) {
    const auto at = std::find(names.begin(), names.end(), kAnyDimensions);
    const std::size_t named = names.size() - (at == names.end() ? 0 : 1);
    if (tensor.sizes.size() < named) return false;
    const std::size_t behind_dots = at == names.end() ? 0 : tensor.sizes.size() - named;
    if (at == names.end() && tensor.sizes.size() != named) return false;
    std::size_t i = 0;
    for (const std::string& name : names) {
      if (name != kAnyDimensions) {
        sizes[name] = tensor.sizes[i++];
        continue;
      }
      const auto begin = tensor.sizes.begin() + static_cast<std::ptrdiff_t>(i);
      i += behind_dots;
      if (behind_dots > dots.size())
        dots.assign(begin, begin + static_cast<std::ptrdiff_t>(behind_dots));
    }
    return true;
  };
  if (!read(product->x, tensors_[statement.from]) || !read(product->by, tensors_[product->other]))
    return false;
  Argument made{.name = "sizes", .is_list = true};
  for (const std::string& name : product->made) {
    if (name == kAnyDimensions) {
      made.numbers.insert(made.numbers.end(), dots.begin(), dots.end());
    } else if (sizes.contains(name)) {
      made.numbers.push_back(sizes[name]);
    } else {
      return false;
    }
  }
  statement.name = "custom";
  statement.arguments = {std::move(made),
                         {.name = "of", .is_list = true, .tensors = {product->other}},
                         {.name = "keeps", .numbers = {all(0), all(1)}, .is_list = true}};
  return true;
}

/// The sizes of the input at which its tensor would have those of the weights that it is multiplied
/// with; empty: it has them, or nobody knows.
std::vector<std::int64_t> FollowedStep::sizes_by_factor(const Statement& statement) const {
  if (!in_pass_ || statement.name != "einsum" || statement.from == kNone) return {};
  const auto product = factors_of(statement);
  if (!product || product->other >= tensors_.size() || tensors_[product->other].open) return {};
  const std::vector<Lanes>& own = tensors_[statement.from].sizes;
  const std::vector<Lanes>& weights = tensors_[product->other].sizes;
  if (own.size() != product->x.size() || weights.size() != product->by.size()) return {};
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto at = std::find(product->by.begin(), product->by.end(), product->x[i]);
    if (at == product->by.end()) continue;
    const Lanes& wanted = weights[static_cast<std::size_t>(at - product->by.begin())];
    if (wanted == own[i] || wanted == all(1) || !is_constant(wanted)) continue;
    if (const auto size = size_at(own[i], wanted[0])) sizes.push_back(*size);
  }
  return sizes;
}

/// An input that is multiplied with weights has a row per sample, and words behind it where the
/// pattern has one more dimension that the weights do not have.
bool FollowedStep::bind_einsum(const Statement& statement, const Lanes& batch) {
  const auto product = factors_of(statement);
  if (!product || product->other >= tensors_.size() || tensors_[product->other].open) return false;
  const std::vector<Lanes>& weights = tensors_[product->other].sizes;
  if (product->by.size() != weights.size() || product->x.size() < 2) return false;
  std::vector<Lanes> sizes;
  bool has_length = false;
  for (const std::string& name : product->x) {
    const auto at = std::find(product->by.begin(), product->by.end(), name);
    if (name == kAnyDimensions) {
      if (!sizes.empty()) return false;
      sizes.push_back(batch);
      if (!reads_rows(statement.from, false)) continue;
      sizes.push_back(size_lanes(Input::tokens, 0));
      has_length = true;
    } else if (at != product->by.end()) {
      sizes.push_back(weights[static_cast<std::size_t>(at - product->by.begin())]);
    } else if (sizes.empty()) {
      sizes.push_back(batch);
    } else if (!has_length) {
      sizes.push_back(size_lanes(Input::tokens, 0));
      has_length = true;
    } else {
      return false;
    }
  }
  bind_as(statement.from, has_length ? Input::tokens : Input::vector, false, std::move(sizes));
  return true;
}

}  // namespace gpulint

// Sizes of an input that a network is made for: at any other, tensors do not go together.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace gpulint {

using namespace followed;
using python::kNone;
using python::TensorId;

namespace {

Lanes product_of(std::span<const Lanes> sizes) {
  Lanes all_of = all(1);
  for (const Lanes& size : sizes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) all_of[lane] *= size[lane];
  return all_of;
}

/// The whole number at which a quadratic through three points has a value; the larger of two.
std::optional<std::int64_t> where(const std::array<double, 3>& x, const std::array<double, 3>& y,
                                  double wanted) {
  const double slope = (y[1] - y[0]) / (x[1] - x[0]);
  const double square = ((y[2] - y[0]) / (x[2] - x[0]) - slope) / (x[2] - x[1]);
  const double linear = slope - square * (x[0] + x[1]);
  const double rest = y[0] - linear * x[0] - square * x[0] * x[0] - wanted;
  constexpr double kVanishes = 1e-9;
  double root = 0;
  if (std::abs(square) < kVanishes) {
    if (std::abs(linear) < kVanishes) return std::nullopt;
    root = -rest / linear;
  } else {
    const double under = linear * linear - 4 * square * rest;
    if (under < 0) return std::nullopt;
    root = (-linear + std::copysign(std::sqrt(under), square)) / (2 * square);
  }
  constexpr double kMost = 1'000'000;
  const double whole = std::round(root);
  const bool is_exact = std::abs(root - whole) < 1e-6 * std::max(1.0, whole);
  if (!is_exact || whole < 1 || whole > kMost) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

/// Where a table of positions ended before an input that is as long as `own`; nullopt: it did not.
std::optional<double> end_of_table(const Lanes& own, const Lanes& cut) {
  const double end = *std::max_element(cut.begin(), cut.end());
  if (is_constant(cut) || end >= *std::max_element(own.begin(), own.end())) return std::nullopt;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    if (cut[lane] != std::min(own[lane], end)) return std::nullopt;
  return end;
}

}  // namespace

/// What a layer reads that has weights for another number of features; empty: it does not.
std::string FollowedStep::misread(const Statement& statement) const {
  if (statement.from == kNone || tensors_[statement.from].open) return {};
  const std::vector<Lanes>& sizes = tensors_[statement.from].sizes;
  for (const Argument& each : statement.arguments) {
    if (each.name != "in" || each.numbers.size() != 1 || sizes.empty()) continue;
    const bool is_linear = statement.name == "linear";
    const bool is_convolution = statement.name == "conv" && sizes.size() > 2;
    if (!is_linear && !is_convolution) return {};
    const Lanes& features = is_linear ? sizes.back() : sizes[1];
    if (features == each.numbers.front()) return {};
    return fmt::format("cannot read {:.0f} features with weights for {:.0f}", features[0],
                       each.numbers.front()[0]);
  }
  return {};
}

/// A map that is made as large as a label, which nobody knows: as large as the images of the step,
/// where there are no others. The argument that says so comes last then.
bool FollowedStep::takes_sizes_of_label(Statement& statement,
                                        std::span<const std::string> unknown) {
  const bool is_upsampled = statement.name == "upsample" && statement.from != kNone &&
                            !tensors_[statement.from].open && unknown.size() == 1 &&
                            unknown.front() == "output";
  if (!is_upsampled || statement.arguments.empty()) return false;
  Argument& output = statement.arguments.back();
  const bool is_label = output.name == "output" && output.like != kNone &&
                        tensors_[output.like].open &&
                        tensors_[output.like].rows == rows_of_batch_;
  if (!is_label || tensors_[statement.from].sizes.size() != 4) return false;
  std::optional<std::vector<Lanes>> edges;
  for (const Known& each : tensors_) {
    if (!each.input || *each.input == Input::vector) continue;
    if (*each.input != Input::image || each.sizes.size() != 4) return false;
    std::vector<Lanes> own(each.sizes.begin() + 2, each.sizes.end());
    if (edges && *edges != own) return false;
    edges = std::move(own);
  }
  if (!edges) return false;
  output.numbers = std::move(*edges);
  output.is_list = true;
  return true;
}

/// A number that depends on the size of the input, and what it would have to be.
std::optional<std::int64_t> FollowedStep::size_at(const Lanes& own, double wanted) const {
  std::optional<Input> input;
  for (const TensorId each : pass_bound_) {
    const std::optional<Input> of = tensors_[each].input;
    if (!of || *of == Input::vector) continue;
    if (input && *input != *of) return std::nullopt;
    input = of;
  }
  if (!input || !stated_sizes_.empty()) return std::nullopt;
  const Lanes sizes = size_lanes(*input, 0);
  std::array<double, 3> x{};
  std::array<double, 3> y{};
  const auto& lanes = *input == Input::image ? kByImage : kByLength;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    x[i] = sizes[lanes[i]];
    y[i] = own[lanes[i]];
  }
  const bool is_by_size_alone = y[0] != y[1] && own[0] == own[1];
  if (!is_by_size_alone) return std::nullopt;
  return where(x, y, wanted);
}

/// One of several inputs is longer than the table of positions that is added to it, which ends
/// before it: it is as long as the table at most, whatever the others are. False: it is none.
bool FollowedStep::limited(const Statement& statement) {
  const bool may_be_cut = is_cut_short_ || !stated_sizes_.empty();
  if (!may_be_cut || statement.name != "add" || statement.from == kNone) return false;
  for (const Argument& each : statement.arguments) {
    if (each.name != "with" || each.tensors.size() != 1 || tensors_[each.tensors.front()].open)
      continue;
    for (const auto& [long_one, table] : {std::pair(statement.from, each.tensors.front()),
                                          std::pair(each.tensors.front(), statement.from)}) {
      const TensorId input = tensors_[long_one].made_of;
      if (input == kNone || input == kSeveral || tensors_[table].made_of != kNone) continue;
      const bool is_alone =
          std::none_of(pass_bound_.begin(), pass_bound_.end(), [&](TensorId other) {
            return other != input && tensors_[other].input != Input::vector;
          });
      Known& known = tensors_[input];
      if (is_alone || known.input != Input::tokens || known.sizes.size() < 2) continue;
      const std::vector<Lanes>& own = tensors_[long_one].sizes;
      const std::vector<Lanes>& other = tensors_[table].sizes;
      for (std::size_t back = 2; back <= std::min(own.size(), other.size()); ++back) {
        const Lanes length = own[own.size() - back];
        const Lanes& end = other[other.size() - back];
        const double most = *std::max_element(end.begin(), end.end());
        const bool is_cut = length == known.sizes[1] && most > 1 &&
                            most < *std::max_element(length.begin(), length.end());
        if (!is_cut) continue;
        std::vector<Lanes> sizes = known.sizes;
        sizes[1] = all(most);
        bind_as(input, Input::tokens, known.is_integers, std::move(sizes));
        tensors_[input].supposed = kNone;
        supposed_.erase(input);
        is_limited_ = true;
        return true;
      }
    }
  }
  return false;
}

/// A state that is made for batches of a size that is written down (`torch.zeros(64, hidden)`)
/// meets a batch, which can only be of that size: it counts as one of the size that the batch has.
bool FollowedStep::has_own_batch(Statement& statement) {
  const bool joins = statement.name == "add" || statement.name == "multiply" ||
                     statement.name == "concatenate";
  if (!joins) return false;
  std::vector<TensorId*> operands;
  if (statement.from != kNone) operands.push_back(&statement.from);
  for (Argument& each : statement.arguments)
    for (TensorId& tensor : each.tensors) operands.push_back(&tensor);
  const auto sizes = [this](const TensorId* tensor) { return tensors_[*tensor].sizes; };
  const auto is_batch = std::find_if(operands.begin(), operands.end(), [&](const TensorId* each) {
    return !sizes(each).empty() && sizes(each).front() == kBatches;
  });
  if (is_batch == operands.end()) return false;
  const std::size_t rank = sizes(*is_batch).size();
  bool any = false;
  for (TensorId* each : operands) {
    std::vector<Lanes> own = sizes(each);
    const Known& known = tensors_[*each];
    const bool is_state = known.is_constant && own.size() == rank && is_constant(own.front()) &&
                          own.front() != all(1);
    if (!is_state) continue;
    own.front() = kBatches;
    const TensorId made = constant(own, "weights");
    if (made == kNone) return false;
    *each = made;
    any = true;
  }
  return any;
}

/// At which size of the input the operation that was refused would be possible.
std::optional<std::int64_t> FollowedStep::fitting(const Statement& statement) const {
  TensorId first = statement.from;
  std::size_t joined_at = 0;  // of a concatenation, counted from the last dimension; 0: none
  for (const Argument& each : statement.arguments) {
    if (first == kNone && !each.tensors.empty()) first = each.tensors.front();
    if (statement.name != "concatenate" || each.name != "dimension" || first == kNone) continue;
    const double at = each.numbers.front()[0];
    const auto rank = static_cast<double>(tensors_[first].sizes.size());
    joined_at = static_cast<std::size_t>(std::max(0.0, at < 0 ? -at : rank - at));
  }
  if (first == kNone || tensors_[first].open) return std::nullopt;
  const std::vector<Lanes>& own = tensors_[first].sizes;
  const auto fitted = [&](const Lanes& a, const Lanes& b) -> std::optional<std::int64_t> {
    if (const auto end = end_of_table(a, b)) return size_at(a, *end);
    if (const auto end = end_of_table(b, a)) return size_at(b, *end);
    if (is_constant(a) == is_constant(b)) return std::nullopt;
    return is_constant(b) ? size_at(a, b[0]) : size_at(b, a[0]);
  };
  for (const Argument& each : statement.arguments) {
    if (each.name == "in" && each.numbers.size() == 1) {
      const std::size_t at = statement.name == "linear" ? own.size() - 1 : 1;
      return at < own.size() ? fitted(own[at], each.numbers.front()) : std::nullopt;
    }
    if (statement.name == "reshape" && each.name == "sizes" && each.numbers.size() > 1) {
      const std::span<const Lanes> wanted(each.numbers);
      const bool is_of_batch = wanted[0][0] < 0 || wanted[0][0] != wanted[0][1];
      if (!is_of_batch || own.size() < 2) return std::nullopt;
      return fitted(product_of(std::span(own).subspan(1)), product_of(wanted.subspan(1)));
    }
    for (const TensorId id : each.tensors) {
      if (tensors_[id].open) continue;
      const std::vector<Lanes>& other = tensors_[id].sizes;
      for (std::size_t back = 1; back <= std::min(own.size(), other.size()); ++back) {
        if (back == joined_at) continue;
        const Lanes& a = own[own.size() - back];
        const Lanes& b = other[other.size() - back];
        const bool goes = a == b || a == all(1) || b == all(1);
        if (goes) continue;
        if (const auto size = fitted(a, b)) return size;
      }
    }
  }
  return std::nullopt;
}

}  // namespace gpulint

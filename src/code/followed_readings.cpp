// How an input is read that a layer takes in more than one form: a vector per sample, or rows of
// them. The code around it may say how many dimensions it has; where it does not, one form after
// the other is tried, until the tensors of the step go together.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <algorithm>
#include <array>

namespace gpulint {

using namespace followed;
using python::kNone;
using python::TensorId;

namespace {

// Inputs whose forms are tried in all combinations.
constexpr std::size_t kMostMixed = 3;

/// Operations that leave as many dimensions as there were.
bool keeps_dimensions(std::string_view name) {
  constexpr std::array<std::string_view, 22> kNames = {
      "power",      "slice",      "transpose",     "softmax",
      "normalize",  "mask_fill",  "roll",          "pad",
      "upsample",   "max_pool",   "like",          "cumsum",
      "layer_norm", "group_norm", "instance_norm", "batch_norm",
      "rms_norm",   "clamp",      "average_pool",  "adaptive_average_pool",
      "copy",       "adaptive_max_pool"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Of these, operations that leave as many channels along the same axes.
bool keeps_channels(std::string_view name) {
  constexpr std::array<std::string_view, 13> kNames = {
      "power",      "softmax",    "normalize",     "mask_fill",  "roll",     "pad",  "cumsum",
      "layer_norm", "group_norm", "instance_norm", "batch_norm", "rms_norm", "clamp"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

void FollowedStep::has_dimensions(TensorId tensor, std::size_t count) {
  if (tensor < tensors_.size() && tensors_[tensor].open) tensors_[tensor].dimensions = count;
}

std::optional<std::size_t> FollowedStep::open_dimensions(TensorId tensor) const {
  if (tensor >= tensors_.size() || !tensors_[tensor].open) return std::nullopt;
  return tensors_[tensor].dimensions;
}

/// Of what an operation makes of an open tensor; nullopt: nobody knows.
std::optional<std::size_t> FollowedStep::dimensions_after(const Statement& statement) const {
  const auto find = [&](std::string_view name) -> const Argument* {
    for (const Argument& each : statement.arguments)
      if (each.name == name) return &each;
    return nullptr;
  };
  const auto listed = [&](std::string_view name) -> std::optional<std::size_t> {
    const Argument* list = find(name);
    if (list == nullptr || list->items == 0) return std::nullopt;
    return list->items;
  };
  const std::string& name = statement.name;
  if (name == "reshape" || name == "expand" || name == "repeat") return listed("sizes");
  if (name == "permute") return listed("order");
  if (name == "rearrange") return rearranged_input(statement).after;
  const std::optional<std::size_t> own =
      statement.from < tensors_.size() ? tensors_[statement.from].dimensions : std::nullopt;
  if (!own) return std::nullopt;
  if (keeps_dimensions(name)) return own;
  if (name == "unsqueeze" || name == "windows") return *own + 1;
  if (name == "select" && *own > 1) return *own - 1;
  return std::nullopt;
}

/// Whether another dimension is the last one of what an operation makes.
bool FollowedStep::moves_last(const Statement& statement) {
  for (const Argument& each : statement.arguments) {
    const std::size_t count = each.numbers.size();
    if (statement.name == "permute" && each.name == "order" && count > 1 && count == each.items) {
      const double last = each.numbers.back()[0];
      return last != -1 && last != static_cast<double>(count - 1);
    }
    // `transpose(1, 2)` of three dimensions; of more of them it leaves the last in its place.
    const bool is_side = each.name == "a" || each.name == "b";
    if (statement.name == "transpose" && is_side && count == 1 && each.numbers[0][0] == -1)
      return true;
  }
  return statement.name == "transpose" &&
         number_of(statement, "a") + number_of(statement, "b") == 3;
}

/// What is made of an input that nobody knows yet, with what is known of it.
TensorId FollowedStep::waiting(const Statement& statement, TensorId from,
                               std::optional<Lanes> rows) {
  // A permutation and a pattern name all dimensions of what they are given.
  std::optional<std::size_t> before;
  if (statement.name == "permute") before = dimensions_after(statement);
  if (statement.name == "rearrange") before = rearranged_input(statement).before;
  if (before && !statement.doubtful) has_dimensions(from, *before);
  const TensorId made = derived(from, statement.name, rows);
  if (tensors_[made].open && from < tensors_.size() && tensors_[from].open &&
      keeps_channels(statement.name))
    tensors_[made].source = from;
  Known& known = tensors_[made];
  if (known.open && !known.dimensions) known.dimensions = dimensions_after(statement);
  if (known.open && from < tensors_.size())
    known.is_turned = tensors_[from].is_turned != moves_last(statement);
  return made;
}

/// Whether an input that a layer reads in either form is taken for rows in this pass.
bool FollowedStep::reads_rows(TensorId input, bool supposed) {
  const auto is_it = [&](const Choice& each) { return each.input == input; };
  auto at = std::find_if(choices_.begin(), choices_.end(), is_it);
  if (at == choices_.end()) at = choices_.insert(choices_.end(), {input, supposed});
  if (reading_ == Reading::supposed) return supposed;
  if (reading_ != Reading::mixed) return true;
  const auto place = static_cast<std::size_t>(at - choices_.begin());
  const bool is_other = place < kMostMixed && (mixture_ >> place & 1U) != 0;
  return supposed != is_other;
}

/// An operation names a dimension that a vector per sample does not have: something was rows.
bool FollowedStep::lacks_dimension(const Statement& statement) const {
  const bool may_be_rows =
      reading_ == Reading::supposed && std::any_of(choices_.begin(), choices_.end(),
                                                   [](const Choice& each) { return !each.rows; });
  if (!may_be_rows || statement.from == kNone) return false;
  const auto rank = static_cast<double>(tensors_[statement.from].sizes.size());
  return std::any_of(statement.arguments.begin(), statement.arguments.end(),
                     [&](const Argument& each) {
                       const bool is_place =
                           each.name == "a" || each.name == "b" || each.name == "dimension";
                       return is_place && each.numbers.size() == 1 && each.numbers[0][0] >= rank;
                     });
}

/// The pass was refused. Whether there is another way to read its inputs, which the next one takes.
bool FollowedStep::has_other_reading() {
  if (reading_ == Reading::none_left) return false;
  if (reading_ == Reading::supposed) {
    mixture_ = 0;
    const auto is_vector = [](const Choice& each) { return !each.rows; };
    if (std::any_of(choices_.begin(), choices_.end(), is_vector)) {
      reading_ = Reading::all_rows;
      return true;
    }
  }
  // Where another size of the input would have made the pass possible, it was read rightly.
  return fitting_.empty() && has_mixed_reading();
}

/// The next combination of forms, and after all of them what they were taken for before.
bool FollowedStep::has_mixed_reading() {
  const std::size_t count = std::min(choices_.size(), kMostMixed);
  const bool is_alone = pass_bound_.size() < 2;  // refused for another reason
  if (count == 0 || choices_.size() > kMostMixed || is_alone) return false;
  std::uint32_t vectors = 0;  // as all of them were taken for rows
  for (std::size_t i = 0; i < count; ++i)
    if (!choices_[i].rows) vectors |= std::uint32_t{1} << i;
  ++mixture_;
  if (mixture_ == vectors) ++mixture_;
  const bool is_last = mixture_ >= std::uint32_t{1} << count;
  reading_ = is_last ? Reading::none_left : Reading::mixed;
  return true;
}

}  // namespace gpulint

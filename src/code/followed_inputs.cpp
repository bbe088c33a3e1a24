// Inputs of a step whose sizes nobody states: the layer that reads one tells them. What is made of
// an input before that waits for the layer as well; only its first size, the rows of the batch, is
// worked out on the way.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {

using namespace followed;
using model::DType;
using python::kNone;
using python::Operated;
using python::TensorId;

namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// As large as the input.
constexpr std::array<std::string_view, 7> kSame = {"scale",   "cast",       "contiguous", "detach",
                                                   "dropout", "activation", "identity"};
// Of other sizes, with as many rows.
constexpr std::array<std::string_view, 29> kOfBatch = {"add",
                                                       "multiply",
                                                       "divide",
                                                       "power",
                                                       "select",
                                                       "slice",
                                                       "transpose",
                                                       "permute",
                                                       "softmax",
                                                       "normalize",
                                                       "mask_fill",
                                                       "roll",
                                                       "pad",
                                                       "upsample",
                                                       "max_pool",
                                                       "average_pool",
                                                       "adaptive_average_pool",
                                                       "adaptive_max_pool",
                                                       "windows",
                                                       "squeeze_all",
                                                       "like",
                                                       "matmul",
                                                       "cumsum",
                                                       "layer_norm",
                                                       "instance_norm",
                                                       "group_norm",
                                                       "batch_norm",
                                                       "rms_norm",
                                                       "clamp"};

// What the interpreter calls such a part of data (python/tensor_items.cpp).
constexpr std::string_view kChannels = "channels ";

constexpr std::array<std::string_view, 4> kJoining = {"add", "multiply", "divide", "matmul"};

}  // namespace

Lanes FollowedStep::rows_of_samples() { return kBatches; }

TensorId FollowedStep::open_tensor() {
  Known known;
  known.open = true;
  known.rows = rows_of_batch_;
  return add(std::move(known));
}

TensorId FollowedStep::data_tensor(std::string_view by, TensorId from) {
  std::optional<Lanes> rows = rows_of_batch_;
  if (from != kNone) {
    if (from >= tensors_.size()) return kNone;
    rows = rows_of(from);
    const bool is_of_batch = rows ? (*rows)[0] != (*rows)[1] : !rows_of_batch_;
    if (!is_of_batch || needs_gradient(from)) return kNone;
  }
  return derived(from, by, rows);
}

std::optional<Lanes> FollowedStep::open_rows(TensorId tensor) const {
  if (tensor >= tensors_.size() || !tensors_[tensor].open) return std::nullopt;
  return tensors_[tensor].rows;
}

Lanes FollowedStep::size_lanes(Input input, std::size_t axis) const {
  if (!stated_sizes_.empty())
    return all(static_cast<double>(stated_sizes_[std::min(axis, stated_sizes_.size() - 1)]));
  switch (input) {
    case Input::image:
      return kImages;
    case Input::tokens:
      return kTokens;
    case Input::length:
      return kLengths;
    case Input::volume:
      return kVolumes;
    case Input::vector:
      break;
  }
  return all(1);
}

void FollowedStep::bind_as(TensorId tensor, Input input, bool is_integers,
                           std::vector<Lanes> sizes) {
  tensor = source_of(tensor);
  Known& known = tensors_[tensor];
  const std::optional<Lanes> rows = known.rows;
  const std::optional<std::size_t> dimensions = known.dimensions;
  const TensorId root = root_of(tensor);
  const bool is_turned = known.is_turned;
  known = {};
  known.is_turned = is_turned;
  known.rows = rows;
  known.dimensions = dimensions;
  known.root = root;
  known.made_of = input == Input::vector ? kNone : tensor;
  known.input = input;
  known.is_integers = is_integers;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    Form& form = known.lanes[lane];
    for (const Lanes& size : sizes) form.sizes.push_back(static_cast<std::int64_t>(size[lane]));
    form.strides = model::contiguous_strides(form.sizes);
    form.dtype = is_integers ? DType::int64 : DType::fp32;
  }
  known.sizes = std::move(sizes);
  // A size that one input must have says nothing of the others, apart from other channels of it.
  const bool is_alone = std::all_of(pass_bound_.begin(), pass_bound_.end(), [&](TensorId each) {
    return tensors_[each].root == root;
  });
  if (!stated_sizes_.empty() && !is_alone && input != Input::vector) {
    known.supposed = tensor;
    supposed_.insert(tensor);
  }
  if (std::find(pass_bound_.begin(), pass_bound_.end(), tensor) == pass_bound_.end())
    pass_bound_.push_back(tensor);
  bound_ = true;
}

/// The first layer that reads an input tells what it must be; false where it does not.
bool FollowedStep::bind(const Statement& statement) {
  const auto number = [&](std::string_view name) -> std::optional<double> {
    for (const Argument& each : statement.arguments)
      if (each.name == name && each.numbers.size() == 1) return each.numbers.front()[0];
    return std::nullopt;
  };
  const std::optional<Lanes> batch = tensors_[statement.from].rows;
  if (!batch || tensors_[statement.from].column == 0) return false;
  const auto in = number("in");
  const auto axes = number("axes");
  const std::optional<std::size_t> dimensions = tensors_[statement.from].dimensions;
  const auto may_have = [&](double count) {
    return !dimensions || static_cast<double>(*dimensions) == count;
  };
  const auto shaped = [&](Input input, double features, std::size_t count) {
    std::vector<Lanes> sizes = {*batch, all(features)};
    for (std::size_t axis = 0; axis < count; ++axis) sizes.push_back(size_lanes(input, axis));
    bind_as(statement.from, input, false, std::move(sizes));
    return true;
  };
  const auto rows = [&](double features) {
    bind_as(statement.from, Input::tokens, false,
            {*batch, size_lanes(Input::tokens, 0), all(features)});
    return true;
  };
  if (statement.name == "embedding") {
    if (dimensions && *dimensions > 2) return false;
    const bool is_row = dimensions ? *dimensions == 2 : reads_rows(statement.from, true);
    std::vector<Lanes> sizes = {*batch};
    if (is_row) sizes.push_back(size_lanes(Input::tokens, 0));
    bind_as(statement.from, is_row ? Input::tokens : Input::vector, true, std::move(sizes));
    return true;
  }
  if (statement.name == "einsum") return bind_einsum(statement, *batch);
  if (!in) return false;
  if (axes && !may_have(*axes + 2)) return false;
  if (axes == 2.0) return shaped(Input::image, *in, 2);
  if (axes == 1.0) return shaped(Input::length, *in, 1);
  if (axes == 3.0) return shaped(Input::volume, *in, 3);
  if (statement.name == "recurrent") return may_have(3) && rows(*in);
  if (statement.name == "linear" || statement.name == "layer_norm" ||
      statement.name == "batch_norm") {
    if (dimensions && *dimensions != 2 && *dimensions != 3) return false;
    const bool is_turned = tensors_[statement.from].is_turned;
    const bool is_rows =
        dimensions ? *dimensions == 3 : is_turned || reads_rows(statement.from, false);
    if (!is_rows) return shaped(Input::vector, *in, 0);
    rows(*in);
    // Features that stood where rows stand: how many rows there are the length does not say.
    if (is_turned) {
      const TensorId bound = source_of(statement.from);
      tensors_[bound].supposed = bound;
      supposed_.insert(bound);
    }
    return true;
  }
  return false;
}

std::optional<Lanes> FollowedStep::rows_of(TensorId tensor) const {
  const Known& known = tensors_[tensor];
  if (known.open) return known.rows;
  return known.sizes.empty() ? std::nullopt : std::optional(known.sizes.front());
}

/// How many rows an operation on an open tensor leaves; nullopt: nobody can tell.
std::optional<Lanes> FollowedStep::rows_after(const Statement& statement) const {
  const auto find = [&](std::string_view name) -> const Argument* {
    for (const Argument& each : statement.arguments)
      if (each.name == name && !each.numbers.empty()) return &each;
    return nullptr;
  };
  const bool is_alone = statement.from != kNone && tensors_[statement.from].column == 0;
  const std::optional<Lanes> own =
      statement.from == kNone || is_alone ? std::nullopt : rows_of(statement.from);
  const std::string& name = statement.name;
  if (is_one_of(name, kOfBatch)) return own;
  if (name == "rearrange") return rearranged_input(statement).rows;
  if (name == "unsqueeze" || name == "squeeze") {
    const Argument* at = find("dimension");
    if (at != nullptr && at->numbers.front()[0] != 0) return own;
    // A batch of one, which only a sample by itself is made (`if x.dim() == 3: x = x[None]`).
    return at != nullptr && name == "unsqueeze" && own ? std::optional(all(1)) : std::nullopt;
  }
  if (name == "flatten") {
    const Argument* from = find("from");
    return from != nullptr && from->numbers.front()[0] >= 1 ? own : std::nullopt;
  }
  if (name == "mean" || name == "reduce") {
    const Argument* over = find("dimensions");
    const bool keeps_rows =
        over != nullptr && std::none_of(over->numbers.begin(), over->numbers.end(),
                                        [](const Lanes& each) { return each[0] == 0; });
    return keeps_rows ? own : std::nullopt;
  }
  if (name == "reshape" || name == "copy" || name == "custom" || name == "expand" ||
      name == "repeat") {
    const Argument* sizes = find("sizes");
    if (sizes == nullptr || !own) return std::nullopt;
    Lanes first = sizes->numbers.front();
    if (first[0] < 0) return name == "expand" ? own : std::nullopt;
    if (name == "repeat")
      for (std::size_t lane = 0; lane < kLanes; ++lane) first[lane] *= (*own)[lane];
    return first;
  }
  return std::nullopt;
}

/// What is made of an input that nobody knows yet: the same in each pass.
TensorId FollowedStep::derived(TensorId from, std::string_view by, std::optional<Lanes> rows) {
  const std::string key = fmt::format("{} {}", from, by);
  const int count = derivations_[key]++;
  const auto [at, is_new] = derived_.emplace(fmt::format("{} {}", key, count), kNone);
  if (is_new) at->second = open_tensor();
  if (tensors_[at->second].open) {
    tensors_[at->second].rows = rows;
    if (by.starts_with(kChannels)) tensors_[at->second].root = root_of(from);
  }
  return at->second;
}

/// The input whose channels an open tensor takes some of.
TensorId FollowedStep::root_of(TensorId tensor) const {
  const TensorId root = tensors_[tensor].root;
  return root == kNone ? tensor : root;
}

/// The input that an open tensor was padded or normalized from, say: what a layer tells of the one
/// holds for the other, but for what the padding adds.
TensorId FollowedStep::source_of(TensorId tensor) const {
  while (tensors_[tensor].source != kNone && tensors_[tensors_[tensor].source].open)
    tensor = tensors_[tensor].source;
  return tensor;
}

/// An operand, or where nobody knows it, one of the sizes of what it meets.
TensorId FollowedStep::known_or_like(TensorId tensor, const Known& x, std::string_view role) {
  if (tensor < tensors_.size() && !tensors_[tensor].open) return tensor;
  return constant(x.sizes, role == "mask" ? "boolean" : "weights");
}

/// What an operation makes that reads an input whose sizes are not known yet: it has to wait for
/// them too. nullopt: the operation can be run.
std::optional<std::optional<Operated>> FollowedStep::awaited(const Statement& statement,
                                                             std::span<const std::string> unknown,
                                                             SourceSpan place) {
  using Made = std::optional<Operated>;
  const auto is_open = [this](TensorId tensor) { return tensors_[tensor].open; };
  const auto waits = [&](TensorId from, std::optional<Lanes> rows) {
    return Made(Operated{waiting(statement, from, rows), {}});
  };
  if (statement.name == "concatenate") {
    for (const Argument& each : statement.arguments) {
      const auto open = std::find_if(each.tensors.begin(), each.tensors.end(), is_open);
      if (open == each.tensors.end()) continue;
      const bool adds_rows =
          std::any_of(statement.arguments.begin(), statement.arguments.end(), [](const auto& some) {
            return some.name == "dimension" && some.numbers.size() == 1 && some.numbers[0][0] == 0;
          });
      // Something nobody knows beside data, with no gradient, is data too.
      const bool is_data = std::none_of(each.tensors.begin(), each.tensors.end(),
                                        [this](TensorId part) { return needs_gradient(part); });
      if (!unknown.empty() && (adds_rows || !is_data)) return Made();
      std::optional<Lanes> rows = adds_rows ? all(0) : rows_of(*open);
      for (const TensorId part : each.tensors) {
        const std::optional<Lanes> more = rows_of(part);
        if (!adds_rows || !rows) break;
        if (!more) rows.reset();
        for (std::size_t lane = 0; rows && lane < kLanes; ++lane) (*rows)[lane] += (*more)[lane];
      }
      return waits(*open, rows);
    }
    if (!unknown.empty()) return Made();
  }
  const bool reads = statement.from != kNone;
  const auto is_lost = [&] {
    // Nobody knows what a layer with weights is given: it is not counted.
    if (statement.layer != kNone) lost_of(statement, place);
    return Made();
  };
  if (!reads && statement.name == "concatenate") return std::nullopt;
  if (!reads) {
    // Something nobody knows joined with data is data of as many rows.
    const bool joins = statement.layer == kNone && is_one_of(statement.name, kJoining);
    for (const Argument& each : statement.arguments) {
      const bool is_data = joins && each.name == "with" && each.tensors.size() == 1 &&
                           is_open(each.tensors.front());
      if (is_data) return waits(each.tensors.front(), rows_of(each.tensors.front()));
    }
    return is_lost();
  }
  // `filters @ x`: what a matrix makes of data is data of as many rows.
  if (statement.name == "matmul" && !is_open(statement.from)) {
    for (const Argument& each : statement.arguments) {
      if (each.name != "with" || each.tensors.size() != 1 || !is_open(each.tensors.front()))
        continue;
      const TensorId data = each.tensors.front();
      if (!needs_gradient(statement.from)) return waits(data, rows_of(data));
      if (!statement.detached) lost(statement.name, place);
      return Made();
    }
  }
  // Rows of a table by an index that nobody knows.
  if ((statement.name == "pick" || statement.name == "gather_rows") && !is_open(statement.from)) {
    for (const Argument& each : statement.arguments) {
      if (each.name != "index" || each.tensors.size() != 1 || !is_open(each.tensors.front()))
        continue;
      const TensorId index = each.tensors.front();
      const std::optional<Lanes> rows = tensors_[index].rows;
      if (rows && statement.name == "gather_rows") {
        bind_as(index, Input::tokens, true, {*rows, size_lanes(Input::tokens, 0)});
        return std::nullopt;
      }
      if (!needs_gradient(statement.from)) return waits(index, rows);
      // How many items it takes nobody knows.
      lost("an index that depends on data", place);
      return Made();
    }
  }
  if (statement.name == "gather" && !is_open(statement.from) && !takes_column(statement, unknown)) {
    if (needs_gradient(statement.from)) lost("an index that depends on data", place);
    return Made();
  }
  if (!is_open(statement.from)) return std::nullopt;
  if (bind(statement)) {  // or what it was made from, which the next pass makes it of
    if (is_open(statement.from)) return Made();
    return std::nullopt;
  }
  if (is_one_of(statement.name, kSame)) return Made(Operated{statement.from, {}});
  // Still something of the input's batch, whose sizes the layer that reads it will tell.
  const bool has_weights = statement.layer != kNone;
  const std::optional<Lanes> rows = has_weights ? std::nullopt : rows_after(statement);
  if (!rows) return is_lost();
  const Made made = waits(statement.from, rows);
  if (statement.name == "unsqueeze")
    tensors_[made->tensor].column = static_cast<std::int64_t>(number_of(statement, "dimension"));
  return made;
}

}  // namespace gpulint

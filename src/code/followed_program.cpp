// The step that was followed, written down in the model language.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace gpulint {

using namespace followed;
using model::DType;
using python::kNone;
using python::Operated;
using python::TensorId;

/// Share of what a step keeps that counts where all of it is open: 0 would say that nothing was
/// followed (ModelLibrary::Found::followed).
constexpr double kLeastShare = 0.001;

namespace {

// What the facts call the size of an input that is no image.
constexpr std::string_view kLength = "sequence_length";
constexpr std::string_view kVolume = "volume_size";

using Three = std::array<double, 3>;

std::string plain(double number) {
  return number == std::floor(number) ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
}

bool is_about(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b) + 1e-9; }

Three at(const Lanes& lanes, const std::array<std::size_t, 3>& places) {
  return {lanes[places[0]], lanes[places[1]], lanes[places[2]]};
}

/// How many windows of one size stand beside each other, where that does not divide all three
/// sizes: their number or its square, times a whole number, and a number more.
std::optional<std::string> windows(const Three& sizes, const Three& values,
                                   std::string_view symbol) {
  constexpr int kLargest = 64;
  for (int window = 2; window <= kLargest; ++window) {
    Three x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = std::floor(sizes[i] / window);
    if (x[0] * window == sizes[0] && x[1] * window == sizes[1]) continue;
    for (int power = 1; power <= 2; ++power) {
      Three y;
      for (std::size_t i = 0; i < 3; ++i) y[i] = std::pow(x[i], static_cast<double>(power));
      const double slope = (values[1] - values[0]) / (y[1] - y[0]);
      const bool is_whole = slope >= 1 && slope == std::floor(slope);
      if (!is_whole || values[2] - values[0] != slope * (y[2] - y[0])) continue;
      std::string made = fmt::format("floor({} / {})", symbol, window);
      if (power == 2) made = fmt::format("{} * {}", made, made);
      if (slope != 1) made = fmt::format("{} * {}", made, plain(slope));
      return fmt::format("({} + {})", made, plain(values[0] - slope * y[0]));
    }
  }
  return std::nullopt;
}

/// A power of a size, times a number, and a number more, that has three values at three sizes.
std::optional<std::string> term(const Three& sizes, const Three& values, std::string_view symbol) {
  for (int power = 1; power <= 3; ++power) {
    Three x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = std::pow(sizes[i], static_cast<double>(power));
    const double slope = (values[1] - values[0]) / (x[1] - x[0]);
    if (std::abs((values[2] - values[0]) - slope * (x[2] - x[0])) >
        1e-6 * std::abs(values[0]) + 1e-9)
      continue;
    const double offset = values[0] - slope * x[0];
    std::string made(symbol);
    for (int i = 1; i < power; ++i) made += fmt::format(" * {}", symbol);
    if (slope == 0) continue;
    const double inverse = 1 / slope;
    if (std::abs(inverse - std::round(inverse)) < 1e-9 && std::abs(inverse) > 1)
      made = fmt::format("floor({} / {:.0f})", made, inverse);
    else if (slope != 1)
      made = fmt::format("floor({} * {})", made, slope);
    if (std::abs(offset) > 1e-9) made = fmt::format("({} + {})", made, plain(std::round(offset)));
    return made;
  }
  return windows(sizes, values, symbol);
}

}  // namespace

/// A number as an expression over `batch` and the sizes of the inputs.
std::optional<std::string> FollowedStep::expression(const Lanes& lanes) const {
  if (is_constant(lanes)) return plain(lanes[0]);
  const bool by_batch = lanes[0] != lanes[1];
  if (by_batch && lanes[0] * kBatches[1] != lanes[1] * kBatches[0]) return std::nullopt;
  const std::string batch = by_batch ? "batch * " : "";
  Lanes own = lanes;
  for (double& each : own) each /= by_batch ? kBatches[0] : 1;
  const bool by_image = own[0] != own[2] || own[0] != own[3];
  const bool by_length = own[0] != own[4] || own[2] != own[5];
  if (!by_image && !by_length) return batch + plain(own[0]);
  if ((by_image && !by_image_) || (by_length && !by_length_)) return std::nullopt;
  std::optional<std::string> of_image;
  if (by_image) of_image = term(at(kImages, kByImage), at(own, kByImage), "image_size");
  if (by_image && !of_image) return std::nullopt;
  if (!by_length) return batch + *of_image;
  const Lanes& lengths = *by_length_ == Input::tokens   ? kTokens
                         : *by_length_ == Input::length ? kLengths
                                                        : kVolumes;
  const Three sizes = at(lengths, kByLength);
  const std::string_view symbol = *by_length_ == Input::volume ? kVolume : kLength;
  if (!by_image) {
    const auto of_length = term(sizes, at(own, kByLength), symbol);
    return of_length ? std::optional(batch + *of_length) : std::nullopt;
  }
  // Of both: a sum of the two, or one times the other, where the length counts once.
  const double more = (own[4] - own[0]) / (sizes[1] - sizes[0]) * (sizes[2] - sizes[0]);
  const bool is_sum = is_about(own[5], own[2] + more);
  const bool is_product = own[0] != 0 && is_about(own[5], own[2] * (1 + more / own[0]));
  const double first = is_sum ? 0 : own[0];
  if (!is_sum && !is_product) return std::nullopt;
  const auto of_length = term(sizes, {first, first + own[4] - own[0], first + more}, symbol);
  if (!of_length) return std::nullopt;
  if (is_sum) return fmt::format("{}({} + {})", batch, *of_image, *of_length);
  return fmt::format("{}floor({} * {} / {})", batch, *of_image, *of_length, plain(own[0]));
}

/// What tells one weight from another: several layers may have the same.
python::ObjectId FollowedStep::weight_of(const Statement& statement) {
  const model::OperatorRule* rule = model::find_operator(statement.name);
  const bool may_share = rule != nullptr && has_parameter(*rule, "shared");
  return may_share && statement.weight != kNone ? statement.weight : statement.layer;
}

/// Parameters by layer. A weight that several layers have counts for the first of them; what the
/// smallest of them has is the weight.
std::map<python::ObjectId, std::int64_t> FollowedStep::parameters_of_layers(
    std::size_t first, std::size_t last) const {
  std::map<python::ObjectId, std::int64_t> counts;
  std::map<python::ObjectId, std::set<python::ObjectId>> layers_of;  // by weight
  for (std::size_t at = first; at < last; ++at) {
    const Statement& each = statements_[at];
    if (each.layer == kNone || each.detached) continue;
    counts[each.layer] = each.parameters;
    layers_of[weight_of(each)].insert(each.layer);
  }
  for (const auto& [weight, layers] : layers_of) {
    std::int64_t least = counts[*layers.begin()];
    for (const python::ObjectId layer : layers) least = std::min(least, counts[layer]);
    for (const python::ObjectId layer : layers)
      if (layer != *layers.begin()) counts[layer] -= least;
  }
  return counts;
}

/// Of the operands of an attention: keys may be more than queries.
FollowedStep::Lanes FollowedStep::longest(const Statement& attention) const {
  Lanes most = all(0);
  const auto add = [&](TensorId tensor) {
    if (tensor == kNone || tensors_[tensor].sizes.size() < 2) return;
    const std::vector<Lanes>& sizes = tensors_[tensor].sizes;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      most[lane] = std::max(most[lane], sizes[sizes.size() - 2][lane]);
  };
  add(attention.from);
  for (const Argument& each : attention.arguments)
    for (const TensorId tensor : each.tensors) add(tensor);
  return most;
}

/// Elements that networks without gradients take at most beside their weights: all that one of
/// them makes on its way, of which most is freed at once. `fixed`: what has no rows of a batch.
FollowedStep::Lanes FollowedStep::of_copies(std::size_t first, std::size_t last,
                                            double& fixed) const {
  Lanes trained = all(0);
  Lanes detached = all(0);
  for (std::size_t at = 0; at < statements_.size(); ++at) {
    const Statement& each = statements_[at];
    if (each.name == "parameter" || (!each.detached && (at < first || at >= last))) continue;
    Lanes elements = all(1);
    const std::vector<Lanes>& sizes = tensors_[each.result].sizes;
    for (const Lanes& size : sizes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) elements[lane] *= size[lane];
    // Scores, where they are written out, once more as probabilities and dropped out.
    constexpr double kScores = 3;
    if (each.name == "attention" && sizes.size() > 1)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        elements[lane] += kScores * elements[lane] * longest(each)[lane] /
                          std::max(1.0, sizes.back()[lane]);
    if (is_constant(elements)) fixed += elements[0];
    if (is_constant(elements)) continue;
    Lanes& sum = each.detached ? detached : trained;
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += elements[lane];
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    trained[lane] = std::max(trained[lane], detached[lane]);
  return trained;
}

std::optional<FollowedNetwork> FollowedStep::program(
    const std::function<bool(python::ObjectId)>& frozen, const Counts& counts,
    const Place& place) const {
  // The step that keeps most, up to its backward pass; what no backward pass follows is none, where
  // others have one.
  std::vector<std::size_t> ends = ends_;
  if (ends.empty()) ends.push_back(statements_.size());
  std::size_t first = 0;
  std::size_t last = 0;
  double most = -1;
  for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++]) {
    double saved = 0;
    for (std::size_t at = begin; at < ends[i]; ++at)
      if (!statements_[at].detached) saved += static_cast<double>(statements_[at].saved);
    if (saved <= most) continue;
    most = saved;
    first = begin;
    last = ends[i];
  }
  if (most <= 0) return std::nullopt;
  FollowedNetwork made;
  std::map<TensorId, const Statement*> by_result;
  for (std::size_t at = 0; at < statements_.size(); ++at)
    by_result[statements_[at].result] = &statements_[at];
  std::map<python::ObjectId, int> uses;
  for (std::size_t at = first; at < last; ++at)
    if (!statements_[at].detached && statements_[at].layer != kNone)
      ++uses[weight_of(statements_[at])];
  std::set<TensorId> written;
  std::set<TensorId> inputs;
  std::string body;
  bool has_numbers = true;
  // `expression` asks what the symbols for sizes stand for.
  FollowedStep symbols = *this;
  for (const Known& each : tensors_) {
    if (!each.input || *each.input == Input::vector || is_fixed_) continue;
    const bool varies = std::any_of(each.sizes.begin(), each.sizes.end(), [](const Lanes& size) {
      return size[0] != size[2] || size[0] != size[4];
    });
    if (!varies) continue;
    symbols.by_image_ = symbols.by_image_ || *each.input == Input::image;
    if (*each.input == Input::image) continue;
    if (!symbols.by_length_) symbols.by_length_ = each.input;
    if (*symbols.by_length_ != *each.input) has_numbers = false;
  }
  const auto number = [&](const Lanes& lanes) -> std::string {
    const auto text = symbols.expression(lanes);
    if (!text) has_numbers = false;
    return text.value_or("0");
  };
  const auto list = [&](const std::vector<Lanes>& numbers) {
    std::string text = "[";
    for (const Lanes& each : numbers) text += (text.size() > 1 ? ", " : "") + number(each);
    return text + "]";
  };
  std::string constants;
  const auto need = [&](TensorId tensor, std::string& into) {
    if (written.contains(tensor)) return;
    const Known& known = tensors_[tensor];
    if (known.input) {
      if (inputs.insert(tensor).second) written.insert(tensor);
      return;
    }
    const char* kind = known.lanes[0].dtype == DType::boolean ? ", kind: boolean"
                       : known.lanes[0].dtype == DType::int64 ? ", kind: int64"
                                                              : "";
    into += fmt::format("  - {{constant: {{sizes: {}{}}}, as: {}}}\n", list(known.sizes), kind,
                        name(tensor));
    written.insert(tensor);
  };
  bool supposes = false;
  bool supposes_rows = false;
  double doubtful = 0;
  double saved = 0;
  for (std::size_t at = first; at < last; ++at) {
    const Statement& each = statements_[at];
    const bool is_weight = each.name == "parameter";
    if (each.detached && !is_weight) continue;
    saved += static_cast<double>(each.saved);
    const bool is_supposed = supposed_.contains(each.supposed);
    const bool is_turned = is_supposed && tensors_[each.supposed].is_turned;
    const bool is_label = is_supposed && tensors_[each.supposed].open;
    supposes = supposes || (is_supposed && !is_turned && !is_label);
    supposes_rows = supposes_rows || (is_turned && !is_label);
    const bool is_doubtful = each.doubtful || each.recomputed || is_supposed || is_at_most_;
    if (is_doubtful) doubtful += static_cast<double>(each.saved);
    const model::OperatorRule* rule = model::find_operator(each.name);
    if (each.from != kNone) need(each.from, body);
    std::string arguments;
    const auto add_argument = [&](std::string_view name, std::string_view text) {
      arguments += fmt::format("{}{}: {}", arguments.empty() ? "" : ", ", name, text);
    };
    for (const Argument& argument : each.arguments) {
      if (!has_parameter(*rule, argument.name)) continue;
      if (argument.flag) {
        add_argument(argument.name, *argument.flag ? "true" : "false");
      } else if (!argument.tensors.empty()) {
        std::string names;
        for (const TensorId tensor : argument.tensors) {
          need(tensor, body);
          names += (names.empty() ? "" : ", ") + name(tensor);
        }
        add_argument(argument.name, argument.is_list ? "[" + names + "]" : names);
      } else if (!argument.word.empty()) {
        add_argument(argument.name, argument.word);
      } else if (argument.is_list) {
        add_argument(argument.name, list(argument.numbers));
      } else {
        add_argument(argument.name, number(argument.numbers.front()));
      }
    }
    const bool is_shared =
        each.layer != kNone && uses[weight_of(each)] > 1 && has_parameter(*rule, "shared");
    if (is_shared) add_argument("shared", fmt::format("w{}", weight_of(each)));
    std::string line =
        fmt::format("{{{}: {}", each.name, arguments.empty() ? "~" : "{" + arguments + "}");
    if (each.from != kNone) line += ", from: " + name(each.from);
    line += fmt::format(", as: {}}}", name(each.result));
    if (each.layer != kNone && frozen(each.layer)) {
      body += fmt::format("  - {{section: frozen, body: [{}]}}\n", line);
    } else {
      body += "  - " + line + "\n";
    }
    written.insert(each.result);
  }
  const auto of_layers = parameters_of_layers(first, last);
  for (const auto& [layer, count] : of_layers) made.parameters += count;
  std::int64_t trained_here = 0;
  for (const auto& [layer, count] : of_layers) trained_here += frozen(layer) ? 0 : count;
  const std::int64_t others = std::max<std::int64_t>(0, counts.all - made.parameters);
  const std::int64_t still =
      std::clamp<std::int64_t>(others - (counts.trained - trained_here), 0, others);
  const auto add_others = [&](std::int64_t count, std::string_view name, bool is_still) {
    if (count <= 0) return;
    const std::string line = fmt::format("{{parameter: {{sizes: [{}], name: {}}}}}", count, name);
    body += is_still ? fmt::format("  - {{section: frozen, body: [{}]}}\n", line)
                     : fmt::format("  - {}\n", line);
  };
  add_others(others - still, "others", false);
  add_others(still, "others_frozen", true);
  const auto is_of_step = [](const Statement& each) {
    return !each.detached && each.name != "parameter";
  };
  const auto from =
      std::find_if(statements_.rbegin() + static_cast<std::ptrdiff_t>(statements_.size() - last),
                   statements_.rend(), is_of_step);
  if (counts.of_copies > 0 && from != statements_.rend()) {
    auto fixed = static_cast<double>(counts.of_copies);
    const Lanes elements = of_copies(first, last, fixed);
    body += fmt::format(
        "  - {{constant: {{sizes: [{}]}}, as: copies}}\n"
        "  - {{constant: {{sizes: [{}]}}, as: of_copies}}\n"
        "  - {{custom: {{of: [copies, of_copies], keeps: [1, 2], sizes: [1]}}, from: {}, "
        "as: beside}}\n",
        number(all(fixed)), number(elements), name(from->result));
    constexpr double kBytes = 4;
    const double bytes = kBytes * (elements[0] + fixed);
    saved += bytes;
    doubtful += bytes;
  }
  std::string dimensions;
  if (symbols.by_image_) dimensions = "image_size: ~";
  if (symbols.by_length_)
    dimensions += fmt::format("{}{}: ~", dimensions.empty() ? "" : ", ",
                              *symbols.by_length_ == Input::volume ? kVolume : kLength);
  std::string heads;
  for (const TensorId tensor : inputs) {
    heads += fmt::format("{}{}: {}", heads.empty() ? "" : ", ", name(tensor),
                         list(tensors_[tensor].sizes));
  }
  if (heads.empty()) heads = "none: [batch]";
  made.text =
      fmt::format("dimensions: {{{}}}\ninput: {{{}}}\nprogram:\n{}sources: [\"the project\"]\n",
                  dimensions, heads, body);
  std::set<std::string> named;
  for (const Lost& each : lost_) {
    if (each.at < first || each.at > last || each.beside) continue;
    // What goes in is not what the network takes: no figure of it is a bound.
    if (each.contradicts) return std::nullopt;
    const std::string at = place(each.place);
    named.insert(at.empty() ? each.what : each.what + " at " + at);
  }
  if (supposes) named.insert("the size of a second input");
  if (supposes_rows) named.insert("how many rows a transposed input has");
  if (!has_numbers) named.insert("sizes that do not follow from those of its input");
  made.missing.assign(named.begin(), named.end());
  made.certain_share = saved > 0 ? std::max(1 - doubtful / saved, kLeastShare) : 1;
  return made;
}

}  // namespace gpulint

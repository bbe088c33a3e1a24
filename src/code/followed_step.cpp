#include "code/followed_step.h"

#include "code/followed_lanes.h"
#include "python/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint {

using namespace followed;
using model::DType;
using python::kNone;
using python::Operated;
using python::TensorId;

namespace {

// Elements: less is a loss or a statistic, and no activation.
constexpr std::int64_t kNoLoss = 4096;

}  // namespace

/// The model language takes inputs of such names for whole numbers.
std::string FollowedStep::name(TensorId tensor) const {
  const bool is_integers = tensors_[tensor].input && tensors_[tensor].is_integers;
  return fmt::format("t{}{}", tensor, is_integers ? "_ids" : "");
}

TensorId FollowedStep::add(Known known) {
  tensors_.push_back(std::move(known));
  return static_cast<TensorId>(tensors_.size() - 1);
}

TensorId FollowedStep::constant(std::span<const Lanes> sizes, std::string_view kind) {
  Statement statement;
  statement.name = "constant";
  statement.arguments.push_back({.name = "sizes",
                                 .numbers = std::vector<Lanes>(sizes.begin(), sizes.end()),
                                 .is_list = true});
  if (kind != "weights") statement.arguments.push_back({.name = "kind", .word = std::string(kind)});
  statement.detached = true;
  const auto made = run(std::move(statement), {});
  if (made) tensors_[made->tensor].is_constant = kind == "weights";
  return made ? made->tensor : kNone;
}

TensorId FollowedStep::weight(python::ObjectId parameter, std::span<const Lanes> sizes) {
  Statement statement;
  statement.name = "parameter";
  statement.layer = parameter;
  statement.arguments.push_back({.name = "sizes",
                                 .numbers = std::vector<Lanes>(sizes.begin(), sizes.end()),
                                 .is_list = true});
  statement.arguments.push_back({.name = "name", .word = fmt::format("w{}", parameter)});
  const auto made = run(std::move(statement), {});
  return made ? made->tensor : kNone;
}

std::optional<std::vector<Lanes>> FollowedStep::sizes_of(TensorId tensor) const {
  if (tensor >= tensors_.size() || tensors_[tensor].open) return std::nullopt;
  return tensors_[tensor].sizes;
}

bool FollowedStep::needs_gradient(TensorId tensor) const {
  if (tensor >= tensors_.size() || tensors_[tensor].open) return false;
  const Form& form = tensors_[tensor].lanes[0];
  return form.requires_grad && model::element_count(form.sizes) >= kNoLoss;
}

/// How the operators of the model language refuse sizes that do not go together.
constexpr std::string_view kCannot = "cannot ";

void FollowedStep::ended() {
  if (in_pass_) return;
  if (ends_.empty() ? !statements_.empty() : ends_.back() < statements_.size())
    ends_.push_back(statements_.size());
}

bool FollowedStep::follows(python::ObjectId network) {
  constexpr std::size_t kMostSteps = 4;
  std::vector<std::size_t>& steps = steps_of_[network];
  if (!steps.empty() && steps.back() == ends_.size()) return true;
  if (steps.size() == kMostSteps) return false;
  steps.push_back(ends_.size());
  return true;
}

void FollowedStep::begin_pass(std::span<const std::int64_t> sizes, bool is_stated) {
  in_pass_ = true;
  is_stated_ = is_stated;
  if (sizes.empty()) is_cut_short_ = false;
  derivations_.clear();
  bound_ = refused_ = false;
  fitting_.clear();
  stated_sizes_.assign(sizes.begin(), sizes.end());
  if (sizes.empty()) {
    pass_statements_ = statements_.size();
    pass_lost_ = lost_.size();
  } else {  // instead of a pass that was not possible
    statements_.resize(pass_statements_);
    lost_.resize(pass_lost_);
  }
}

python::Host::Pass FollowedStep::end_pass() {
  using Pass = python::Host::Pass;
  in_pass_ = false;
  const auto drop = [&] {
    statements_.resize(pass_statements_);
    lost_.resize(pass_lost_);
  };
  if (bound_) {
    drop();
    return Pass::again;
  }
  const bool was_limited = std::exchange(is_limited_, false);
  const auto open_again = [&] {
    for (const TensorId tensor : pass_bound_) {
      Known& known = tensors_[tensor];
      Known open;
      open.open = true;
      open.rows = known.rows;
      open.dimensions = known.dimensions;
      open.is_turned = known.is_turned;
      open.root = known.root == tensor ? kNone : known.root;
      open.source = known.source;
      known = std::move(open);
      supposed_.erase(tensor);
    }
    pass_bound_.clear();
  };
  if (refused_ && has_other_reading()) {
    open_again();
    drop();
    return Pass::again;
  }
  reading_ = Reading::supposed;
  choices_.clear();
  if (refused_) {
    open_again();
    // What was followed before the refusal stays, should nothing else be tried.
    return Pass::impossible;
  }
  if (!pass_bound_.empty() && !stated_sizes_.empty()) {
    is_fixed_ = true;
    is_at_most_ = is_at_most_ || (is_cut_short_ && !is_stated_);
  }
  is_at_most_ = is_at_most_ || was_limited;
  pass_bound_.clear();
  return Pass::done;
}

/// Values may outlive the step they were followed in.
bool FollowedStep::are_mine(const python::Operation& operation) const {
  const auto is_mine = [&](TensorId tensor) { return tensor < tensors_.size(); };
  if (operation.tensor != kNone && !is_mine(operation.tensor)) return false;
  return std::all_of(operation.arguments.begin(), operation.arguments.end(),
                     [&](const python::OperationArgument& each) {
                       return std::all_of(each.tensors.begin(), each.tensors.end(), is_mine);
                     });
}

std::optional<Operated> FollowedStep::operated(const python::Operation& operation) {
  if (refused_ && in_pass_) return std::nullopt;
  if (!are_mine(operation)) return std::nullopt;
  cause_ = operation.cause;
  for (const python::OperationArgument& each : operation.arguments)
    if (cause_ == python::kNoCause) cause_ = each.cause;
  const auto made = worked_out(operation);
  cause_ = python::kNoCause;
  return made;
}

std::optional<Operated> FollowedStep::worked_out(const python::Operation& operation) {
  Statement statement;
  statement.name = operation.name;
  statement.from = operation.tensor;
  statement.layer = operation.layer;
  statement.weight = operation.weight;
  statement.detached = operation.detached;
  statement.doubtful = operation.is_doubtful;
  statement.recomputed = operation.is_recomputed;
  using As = python::OperationArgument::Kind;
  std::vector<std::string> unknown;
  std::vector<Argument> begun;  // lists of which the rest is not known
  for (const python::OperationArgument& each : operation.arguments) {
    Argument made;
    made.name = each.name;
    made.is_list = each.is_list;
    made.items = each.items;
    made.like = each.like;
    if (each.kind == As::unknown) {
      unknown.push_back(made.name);
      made.numbers = each.numbers;  // the first of them
      made.tensors = each.tensors;
      const bool is_like = each.like != kNone && each.like < tensors_.size();
      if (!made.numbers.empty() || !made.tensors.empty() || is_like)
        begun.push_back(std::move(made));
      continue;
    }
    if (each.kind == As::flag) made.flag = each.flag;
    if (each.kind == As::word) made.word = each.word;
    made.numbers = each.numbers;
    made.tensors = each.tensors;
    statement.arguments.push_back(std::move(made));
  }
  const std::size_t whole = statement.arguments.size();
  statement.arguments.insert(statement.arguments.end(), begun.begin(), begun.end());
  if (const auto made = awaited(statement, unknown, operation.place)) return *made;
  const bool is_as_label = takes_sizes_of_label(statement, unknown);
  if (is_as_label) {
    const TensorId label = statement.arguments.back().like;
    statement.arguments.erase(statement.arguments.begin() + static_cast<std::ptrdiff_t>(whole),
                              statement.arguments.end() - 1);
    const auto made = run(std::move(statement), operation.place);
    if (!made) return made;
    tensors_[made->tensor].supposed = label;
    supposed_.insert(label);
    return made;
  }
  statement.arguments.resize(whole);
  const bool reads = statement.from != kNone;
  if (statement.name == "like") {
    const std::vector<Lanes> sizes = tensors_[statement.from].sizes;
    const TensorId made = constant(sizes, "weights");
    return made == kNone ? std::nullopt : std::optional(Operated{made, sizes});
  }
  // Where a size is not known, neither is what is made.
  const bool is_pattern = statement.name == "rearrange";
  const bool is_product = statement.name == "matmul";  // of which the other factor has sizes too
  const bool is_open = std::any_of(unknown.begin(), unknown.end(), [&](const std::string& name) {
    if (is_product && name == "with") return true;
    // A size of a pattern that is not known follows from the tensor, where it is the only one.
    if (is_pattern) return name == "pattern";
    constexpr std::array<std::string_view, 12> kOptions = {
        "with", "mask",   "target", "inplace", "probability", "dropout",
        "bias", "affine", "keep",   "weight",  "offset",      "index"};
    return std::find(kOptions.begin(), kOptions.end(), name) == kOptions.end();
  });
  if (is_open) {
    if (reads) lost_of(statement, operation.place);
    return std::nullopt;
  }
  if (std::find(unknown.begin(), unknown.end(), "probability") != unknown.end())
    statement.arguments.push_back({.name = "probability", .numbers = {all(0.1)}});
  // An operand nobody knows is taken to be as large as what it meets.
  for (const std::string_view role : {"with", "mask", "target"}) {
    const bool is_unknown = std::find(unknown.begin(), unknown.end(), role) != unknown.end();
    if (is_unknown && reads && !tensors_[statement.from].open) {
      const TensorId like = known_or_like(kNone, Known(tensors_[statement.from]), role);
      if (like == kNone) return std::nullopt;
      statement.arguments.push_back({.name = std::string(role), .tensors = {like}});
    }
  }
  if (statement.name == "gather")  // by one item of each row
    std::erase_if(statement.arguments, [this](const Argument& each) {
      return each.name == "index" && tensors_[each.tensors.front()].open;
    });
  for (Argument& each : statement.arguments) {
    for (TensorId& tensor : each.tensors) {
      if (!tensors_[tensor].open) continue;
      if (!reads || each.is_list) return std::nullopt;
      tensor = known_or_like(tensor, Known(tensors_[statement.from]), each.name);
      if (tensor == kNone) return std::nullopt;
    }
  }
  if (statement.name == "rearrange") return rearranged(statement, operation.place);
  if (auto sizes = sizes_by_factor(statement); !sizes.empty()) {
    if (fitting_.empty()) fitting_ = std::move(sizes);
    lost(statement.name + " (" + std::string(kCannot) + "multiply them)", operation.place);
    if (!lost_.empty()) lost_.back().contradicts = true;
    refused_ = true;
    return std::nullopt;
  }
  if (!translate(statement)) {
    refused_ = refused_ || (in_pass_ && lacks_dimension(statement));
    if (reads && needs_gradient(statement.from) && !statement.detached)
      lost(operation.name, operation.place);
    return std::nullopt;
  }
  return run(std::move(statement), operation.place);
}

/// What is made of an input whose size is only supposed. Added to something as large that has its
/// size from elsewhere, the input has that size.
void FollowedStep::suppose(Statement& statement, Known& made) {
  if (supposed_.empty()) return;
  const auto of = [this](TensorId tensor) {
    const TensorId input = tensor == kNone ? kNone : tensors_[tensor].supposed;
    return input != kNone && supposed_.contains(input) ? input : kNone;
  };
  const TensorId own = of(statement.from);
  statement.supposed = made.supposed = own;
  const bool is_by_element = statement.name == "add" || statement.name == "multiply";
  for (const Argument& each : statement.arguments) {
    for (const TensorId tensor : each.tensors) {
      const TensorId other = of(tensor);
      if (other == own) continue;
      const auto is_as_large = [&] {
        const std::vector<Lanes>& a = tensors_[statement.from].sizes;
        const std::vector<Lanes>& b = tensors_[tensor].sizes;
        return a.size() == b.size() && a.size() > 1 &&
               std::equal(a.begin() + 1, a.end(), b.begin() + 1);
      };
      if (is_by_element && statement.from != kNone && is_as_large()) {
        if (own == kNone || other == kNone) supposed_.erase(own == kNone ? other : own);
      } else if (statement.supposed == kNone) {
        statement.supposed = other;
      }
    }
  }
}

TensorId FollowedStep::made_of(const Statement& statement) const {
  TensorId input = kNone;
  const auto add = [&](TensorId tensor) {
    const TensorId more = tensor == kNone ? kNone : tensors_[tensor].made_of;
    if (more == kNone || more == input) return;
    input = input == kNone ? more : kSeveral;
  };
  add(statement.from);
  for (const Argument& each : statement.arguments)
    for (const TensorId tensor : each.tensors) add(tensor);
  return input;
}

std::optional<Operated> FollowedStep::run(Statement statement, SourceSpan place,
                                          bool is_retried) {
  constexpr std::size_t kMostStatements = 20'000;
  if (statements_.size() >= kMostStatements) {
    lost("a step of more operations than are followed", place);
    return std::nullopt;
  }
  Known known;
  std::string error = misread(statement);
  if (!error.empty() || !apply(statement, known.lanes, error)) {
    if (in_pass_ && !is_retried && has_own_batch(statement))
      return run(std::move(statement), place, true);
    if (in_pass_ && limited(statement)) {  // the next pass will tell
      refused_ = true;
      return std::nullopt;
    }
    if (in_pass_ && fitting_.empty())
      if (const auto size = fitting(statement)) fitting_ = {*size};
    if (!statement.detached || in_pass_) {
      lost(statement.name + (error.empty() ? "" : " (" + error + ")"), place);
      if (!lost_.empty()) lost_.back().contradicts = error.starts_with(kCannot);
      refused_ = refused_ || in_pass_;
    }
    return std::nullopt;
  }
  for (std::size_t i = 0; i < known.lanes[0].sizes.size(); ++i) {
    Lanes size;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      size[lane] = static_cast<double>(known.lanes[lane].sizes[i]);
    known.sizes.push_back(size);
  }
  known.is_result = true;
  known.made_of = made_of(statement);
  suppose(statement, known);
  Operated made{add(std::move(known)), {}};
  statement.result = made.tensor;
  made.sizes = tensors_[made.tensor].sizes;
  statements_.push_back(std::move(statement));
  return made;
}

std::set<python::ObjectId> FollowedStep::layers_beside() const {
  std::set<python::ObjectId> found;
  for (const Statement& each : statements_)
    if (each.layer != kNone && each.detached) found.insert(each.layer);
  return found;
}

std::set<python::ObjectId> FollowedStep::layers() const {
  std::set<python::ObjectId> found;
  for (const Statement& each : statements_)
    if (each.layer != kNone && !each.detached) found.insert(each.layer);
  return found;
}

}  // namespace gpulint

// Calls of networks, followed with inputs whose sizes their first layers tell
// (followed_tensors.cpp).

#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint::python {
namespace {

constexpr std::string_view kTooLarge = "a network larger than what is followed";

}  // namespace

/// Sizes of its input that a network states: `img_size`, `block_size`.
std::vector<std::vector<std::int64_t>> Interpreter::stated_sizes(const Value& network) {
  constexpr std::array<std::string_view, 14> kWords = {
      "img_size",  "image_size", "input_size",     "input_resolution", "resolution",
      "crop_size", "block_size", "max_seq_len",    "seq_len",          "max_length",
      "max_len",   "seq_length", "context_length", "patch_shape"};
  constexpr std::size_t kMost = 3;
  std::vector<std::vector<std::int64_t>> found;
  NetworkWalk into;
  walk(network, {}, into, 0);
  for (const Value& part : into.networks) {
    for (const Entry& entry : objects_[part.ref].entries) {
      if (std::find(kWords.begin(), kWords.end(), texts_[entry.key]) == kWords.end()) continue;
      std::vector<std::int64_t> sizes;
      bool all = false;
      if (entry.value.kind == Kind::integer) sizes.push_back(entry.value.integer);
      for (const Value& item : known_items(entry.value, all))
        if (item.kind == Kind::integer) sizes.push_back(item.integer);
      const bool is_new = !sizes.empty() && std::all_of(sizes.begin(), sizes.end(),
                                                        [](std::int64_t size) { return size > 0; });
      if (is_new && std::find(found.begin(), found.end(), sizes) == found.end())
        found.push_back(sizes);
      if (found.size() == kMost) return found;
    }
  }
  return found;
}

/// Arguments nobody knows become inputs whose sizes the first layer tells.
Interpreter::Arguments Interpreter::with_open_inputs(const Function& function,
                                                     const Arguments& given) {
  Arguments made = given;
  for (Argument& each : made.list) {
    const bool is_plain = is_tensor(each.value) && tensor_of(each.value) == kNone;
    if (each.value.known() && !is_plain) continue;
    const Entry* shape = is_plain ? find(each.value.ref, intern("shape")) : nullptr;
    const bool is_counted = shape != nullptr && !objects_[shape->value.ref].open;
    const std::size_t count = is_counted ? objects_[shape->value.ref].items.size() : 0;
    each.value = open_input();
    if (count > 0) host_.has_dimensions(objects_[each.value.ref].tensor, count);
  }
  if (!given.open) return made;
  made.open = false;
  const SyntaxTree& code = function.module->tree;
  std::size_t position = 0;
  const SyntaxId parameters = code.node(function.node).first;
  for (SyntaxId at = code.node(parameters).first; at != kNoSyntax; at = code.node(at).next) {
    if (static_cast<Parameter>(code.node(at).op) != Parameter::positional) break;
    if (position++ == 0) continue;  // self
    const TextId name = intern(code.text(at));
    const auto by_position = static_cast<std::size_t>(
        std::count_if(given.list.begin(), given.list.end(),
                      [](const Argument& each) { return each.name == kNone; }));
    const bool is_given = position - 1 <= by_position ||
                          std::any_of(given.list.begin(), given.list.end(),
                                      [&](const Argument& each) { return each.name == name; });
    if (!is_given) made.list.push_back({name, open_input(), kNoSyntax});
  }
  return made;
}

/// A call of a network, of a layer, or of what a trainer calls for each batch.
Value Interpreter::follow(const Value& network, const Value& callee, Arguments arguments) {
  if (following_ > 0) return call_function(callee.ref, &network, std::move(arguments));
  if (!host_.follows_network(network.ref)) return {};
  if (follow_steps_ < limits_.max_build_steps)
    return follow_from_outside(network, functions_[callee.ref], callee.ref, arguments);
  host_.lost(kTooLarge, followed_place());
  return {};
}

/// Whether a method hands something to parts of the network; nullopt: it trains, or what it calls
/// of the network does.
std::optional<bool> Interpreter::calls_parts(const Value& network, const Function& function,
                                             int depth) {
  constexpr int kDeepest = 3;
  constexpr std::array<std::string_view, 6> kTrains = {"backward", "manual_backward", "zero_grad",
                                                       "step",     "fit",             "train"};
  const SyntaxTree& code = function.module->tree;
  const SyntaxNode& whole = code.node(function.node);
  const SyntaxId parameters = whole.first;
  const SyntaxId self = parameters == kNoSyntax ? kNoSyntax : code.node(parameters).first;
  if (self == kNoSyntax) return std::nullopt;
  bool any = false;
  std::vector<SyntaxId> open = {code.node(parameters).next};
  while (!open.empty()) {
    const SyntaxId at = open.back();
    open.pop_back();
    if (at == kNoSyntax) continue;
    const SyntaxNode& each = code.node(at);
    open.push_back(each.next);
    open.push_back(each.first);
    if (each.kind != Syntax::call) continue;
    const SyntaxNode& callee = code.node(each.first);
    if (callee.kind != Syntax::attribute) continue;
    const std::string_view name = code.text(each.first);
    if (std::find(kTrains.begin(), kTrains.end(), name) != kTrains.end()) return std::nullopt;
    const bool is_of_self = code.node(callee.first).kind == Syntax::name &&
                            code.text(callee.first) == code.text(self);
    if (!is_of_self) continue;
    const Entry* part = find(network.ref, intern(name));
    any = any || (part != nullptr && is_network(part->value));
    const Value* method = part == nullptr
                              ? own_method(objects_[network.ref].type, intern(name), 0)
                              : nullptr;
    if (method == nullptr || method->kind != Kind::function) continue;
    const Function& other = functions_[method->ref];
    if (other.module->is_library || other.node == function.node) continue;
    if (depth == kDeepest) return std::nullopt;
    const auto below = calls_parts(network, other, depth + 1);
    if (!below) return std::nullopt;
    any = any || *below;
  }
  return any;
}

/// `model.encode(x)`, `model.loss(batch)` of a batch: what a step calls in place of the network.
bool Interpreter::stands_for_forward(const Method& method, const Arguments& arguments) {
  const bool is_outside = following_ == 0 && building_ == 0 && loops_ > 0 && host_.follows();
  if (!is_outside || !is_network(method.self) || frames_.back().module->is_library) return false;
  const Function& function = functions_[method.function.ref];
  if (function.module->is_library || function.generates) return false;
  const bool takes_data =
      std::any_of(arguments.list.begin(), arguments.list.end(), [this](const Argument& each) {
        return !each.value.known() || is_tensor(each.value);
      });
  return takes_data && calls_parts(method.self, function, 0) == std::optional(true);
}

Value Interpreter::follow_from_outside(const Value& network, const Function& function,
                                       std::uint32_t index, const Arguments& arguments) {
  const std::uint32_t steps = std::exchange(build_steps_, 0);
  const std::size_t built = std::exchange(built_objects_, 0);
  const bool stopped = std::exchange(build_stopped_, false);
  const int doubts = std::exchange(followed_doubts_, doubts_);
  ++following_;
  ++building_;
  ++silent_;
  std::vector<std::vector<std::int64_t>> sizes = stated_sizes(network);
  sizes.insert(sizes.begin(), std::vector<std::int64_t>{});
  Value made;
  constexpr int kMostPasses = 24;
  bool is_stated = true;
  for (std::size_t tried = 0; tried < sizes.size(); ++tried, is_stated = is_stated || tried > 1) {
    const std::vector<std::int64_t> stated = sizes[tried];
    auto again = Host::Pass::again;
    const Arguments inputs = with_open_inputs(function, arguments);
    for (int pass = 0; pass < kMostPasses && again == Host::Pass::again; ++pass) {
      host_.begin_pass(stated, is_stated);
      made = call_function(index, &network, inputs);
      if (std::exchange(is_refused_, false)) build_stopped_ = false;
      again = host_.end_pass();
    }
    if (again != Host::Pass::impossible || build_stopped_) break;
    const std::vector<std::int64_t> size =
        tried == 0 ? host_.fitting_sizes() : std::vector<std::int64_t>{};
    if (!size.empty()) {
      is_stated = std::find(sizes.begin(), sizes.end(), size) != sizes.end();
      sizes.insert(sizes.begin() + 1, size);
    }
  }
  if (build_stopped_) host_.lost(kTooLarge, followed_place());
  --silent_;
  --building_;
  --following_;
  followed_doubts_ = doubts;
  follow_steps_ += build_steps_;
  build_steps_ = steps;
  built_objects_ += built;
  build_stopped_ = stopped;
  return made;
}

/// A tensor that a function of a library made of data: of what sizes, a layer tells that reads it.
bool Interpreter::is_data(const Value& value) const {
  if (following_ == 0 || value.kind != Kind::instance) return false;
  const Object& object = objects_[value.ref];
  if (object.part != Part::tensor || object.tensor != kNone || object.elements >= 0) return false;
  return std::none_of(object.entries.begin(), object.entries.end(),
                      [this](const Entry& entry) { return texts_[entry.key] == "shape"; });
}

/// What something that nobody describes makes of data, which no gradient passes: data of as many
/// rows. nullopt: it is given none.
std::optional<Value> Interpreter::data_from(std::string_view name, const Arguments& arguments) {
  if (following_ == 0) return std::nullopt;
  for (const Argument& each : arguments.list) {
    if (!is_followed(each.value)) continue;
    const TensorId made = host_.data_tensor(name, objects_[each.value.ref].tensor);
    if (made != kNone) return tensor_value({made, {}});
  }
  return std::nullopt;
}

/// A context, or a decorator, in which no gradient is wanted.
bool Interpreter::detaches(const Value& context) const {
  const std::uint32_t type = context.kind == Kind::type       ? context.ref
                             : context.kind == Kind::instance ? objects_[context.ref].type
                                                              : kNone;
  const std::optional<TextId> known = texts_.find("__detaches__");
  if (type == kNone || !known) return false;
  const Value* says = own_method(type, *known, 0);
  if (says == nullptr) return false;
  if (context.kind == Kind::instance) {  // set_grad_enabled(False)
    if (const Entry* own = find(context.ref, *known)) return truth(own->value) == true;
  }
  return truth(*says) == true;
}

bool Interpreter::holds(const Value& network, const std::set<ObjectId>& parts) {
  NetworkWalk into;
  walk(network, {}, into, 0);
  return std::any_of(into.networks.begin(), into.networks.end(),
                     [&](const Value& each) { return parts.contains(each.ref); }) ||
         std::any_of(into.found.objects.begin(), into.found.objects.end(),
                     [&](ObjectId each) { return parts.contains(each); });
}

bool Interpreter::is_frozen(ObjectId part) const {
  const std::optional<TextId> known = texts_.find("requires_grad");
  if (!known) return false;
  const auto is_still = [&](ObjectId weight) {
    const Entry* trained = find(weight, *known);
    return trained != nullptr && truth(trained->value) == std::optional(false);
  };
  const Object& object = objects_[part];
  if (object.part == Part::parameter) return is_still(part);
  bool any = false;
  for (const Entry& entry : object.entries) {
    const Value& value = entry.value;
    if (value.kind != Kind::instance || objects_[value.ref].part != Part::parameter) continue;
    if (!is_still(value.ref)) return false;
    any = true;
  }
  return any;
}

}  // namespace gpulint::python

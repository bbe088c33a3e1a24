// Networks that are called: `forward` is followed with tensors that have sizes, and what a
// library's layers and functions do to them is handed to the host, operation by operation.
//
// Numbers that follow from the size of an input are known for several sizes at once (Lanes): one
// pass says how everything in a network depends on the batch and on the image or the text.
// Rejected: a formula behind each number, which every way of writing `h // 2` would have to keep
// alive.

#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace gpulint::python {
namespace {

bool all_equal(const Lanes& lanes) {
  return std::all_of(lanes.begin(), lanes.end(), [&](double each) { return each == lanes[0]; });
}

/// What is asked of a tensor and is no tensor.
bool is_property(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "shape",   "dtype",   "device", "ndim",  "requires_grad", "grad",
      "grad_fn", "is_cuda", "layout", "names", "real",          "imag"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.starts_with("__");
}

}  // namespace

Lanes ProgramState::lanes_of(const Value& number) const {
  if (number.ref != 0 && number.ref < lanes_.size() && number.kind != Kind::boolean)
    return lanes_[number.ref];
  Lanes same;
  same.fill(number.number());
  return same;
}

bool ProgramState::has_lanes(const Value& value) const {
  return (value.kind == Kind::integer || value.kind == Kind::real) && value.ref != 0;
}

Value Interpreter::lane_number(const Lanes& lanes, bool is_whole) {
  constexpr double kLargest = 9e15;
  if (!std::all_of(lanes.begin(), lanes.end(),
                   [](double each) { return std::isfinite(each) && std::abs(each) < kLargest; }))
    return {};
  Value made = make_integer(static_cast<std::int64_t>(lanes[0]));
  if (!is_whole) {
    made.kind = Kind::real;
    made.integer = 0;
    made.real = lanes[0];
  }
  if (all_equal(lanes)) return made;
  if (lanes_.empty()) lanes_.push_back({});  // 0 is none
  made.ref = static_cast<std::uint32_t>(lanes_.size());
  lanes_.push_back(lanes);
  return made;
}

/// `value` was worked out from numbers that depend on the input's size: so does it, each for each.
Value Interpreter::each_lane(Value value, std::initializer_list<Value> from,
                             const std::function<Value(std::span<const Value>)>& work) {
  const bool any =
      std::any_of(from.begin(), from.end(), [&](const Value& each) { return has_lanes(each); });
  if (!any || !value.is_number() || value.kind == Kind::boolean) return value;
  Lanes made;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::vector<Value> here;
    for (Value each : from) {
      const double number = lanes_of(each)[lane];
      each.ref = each.is_number() ? 0 : each.ref;
      if (each.kind == Kind::real) each.real = number;
      if (each.kind == Kind::integer) each.integer = static_cast<std::int64_t>(number);
      here.push_back(each);
    }
    const Value result = work(here);
    if (!result.is_number()) return {};
    made[lane] = result.number();
  }
  Value number = lane_number(made, value.kind == Kind::integer);
  number.origin = value.origin;
  number.from = value.from;
  number.computed = true;
  return number;
}

bool Interpreter::is_tensor(const Value& value) const {
  return value.kind == Kind::instance &&
         (objects_[value.ref].part == Part::tensor || objects_[value.ref].part == Part::parameter);
}

bool Interpreter::is_followed(const Value& value) const {
  return is_tensor(value) && objects_[value.ref].tensor != kNone;
}

bool Interpreter::is_open_tensor(const Value& value) const {
  return is_followed(value) && !host_.sizes_of(objects_[value.ref].tensor);
}

Value Interpreter::tensor_value(const Operated& operated) {
  const Value made = make_tensor(Part::tensor);
  objects_[made.ref].tensor = operated.tensor;
  return made;
}

Value Interpreter::open_input() { return tensor_value({host_.open_tensor(), {}}); }

/// The sizes a tensor was made with; nullopt where one is not known.
std::optional<std::vector<Lanes>> Interpreter::known_shape(const Value& tensor) const {
  if (is_followed(tensor)) return host_.sizes_of(objects_[tensor.ref].tensor);
  const Entry* shape = nullptr;
  for (const Entry& entry : objects_[tensor.ref].entries)
    if (texts_[entry.key] == "shape") shape = &entry;
  if (shape == nullptr) return std::nullopt;
  bool all = false;
  std::vector<Lanes> sizes;
  for (const Value& size : known_items(shape->value, all)) {
    if (size.kind != Kind::integer) return std::nullopt;
    sizes.push_back(lanes_of(size));
  }
  return all ? std::optional(sizes) : std::nullopt;
}

/// The host's number of a tensor, also of one that was made outside of what is followed.
TensorId Interpreter::tensor_of(const Value& value) {
  if (!is_tensor(value)) return kNone;
  if (objects_[value.ref].tensor != kNone) return objects_[value.ref].tensor;
  const auto sizes = known_shape(value);
  if (!sizes) return kNone;
  const bool is_weight = objects_[value.ref].part == Part::parameter;
  const TensorId made =
      is_weight ? host_.weight_tensor(value.ref, *sizes) : host_.constant_tensor(*sizes, "weights");
  if (!is_weight) objects_[value.ref].tensor = made;
  return made;
}

/// Under what a tuple has the tensor whose sizes it has some of.
constexpr std::string_view kSizesOf = "sizes of";

/// Some sizes of an input that nobody knows yet.
Value Interpreter::sizes_like(const Value& some, TensorId input) {
  if (objects_[some.ref].items.empty()) {
    append(some.ref, {});
    objects_[some.ref].open = true;
  }
  set(some.ref, intern(std::string(kSizesOf)), make_integer(static_cast<std::int64_t>(input)));
  return some;
}

OperationArgument Interpreter::operand(std::string_view name, const Value& value) {
  OperationArgument made;
  made.name = name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
  using As = OperationArgument::Kind;
  if (value.kind == Kind::boolean) {
    made.kind = As::flag;
    made.flag = value.integer != 0;
  } else if (value.is_number()) {
    made.kind = As::number;
    made.numbers = {lanes_of(value)};
  } else if (value.kind == Kind::text) {
    made.kind = As::word;
    made.word = text(value.ref);
  } else if (const TensorId tensor = tensor_of(value); tensor != kNone) {
    made.kind = As::tensors;
    made.tensors = {tensor};
  } else if (value.kind == Kind::list || value.kind == Kind::tuple) {
    bool all = false;
    made.is_list = true;
    made.kind = As::numbers;
    const std::vector<Value> items = known_items(value, all);
    if (all) made.items = items.size();
    bool is_begun = true;  // numbers up to the first that is unknown
    for (const Value& each : items) {
      const Value item = single_number(each).value_or(each);
      const TensorId part = tensor_of(item);
      const bool is_number = part == kNone && item.is_number();
      if (part != kNone) made.tensors.push_back(part);
      if (is_number && is_begun) made.numbers.push_back(lanes_of(item));
      is_begun = is_begun && is_number;
      all = all && (part != kNone || is_number);
    }
    if (const Entry* like = find(value.ref, intern(std::string(kSizesOf))))
      made.like = static_cast<TensorId>(like->value.integer);
    if (!made.tensors.empty()) made.kind = As::tensors;
    if (!all || (!made.tensors.empty() && !made.numbers.empty())) made.kind = As::unknown;
  }
  if (made.kind == As::unknown) made.cause = cause_of(value);
  return made;
}

/// `__op__("conv", x, out=64, kernel=3, layer=self)`: an operation of the model language.
Value Interpreter::operate(const Arguments& arguments) {
  const Value name = argument_value(arguments, 0, "");
  const Value first = argument_value(arguments, 1, "");
  const bool any = std::any_of(arguments.list.begin(), arguments.list.end(),
                               [&](const Argument& each) { return is_followed(each.value); });
  if (!host_.follows() || (following_ == 0 && !any))
    return resized(text_of(name), first, arguments);
  return operation(text_of(name), first, arguments);
}

Value Interpreter::operation(std::string_view name, const Value& first,
                             const Arguments& arguments) {
  std::vector<OperationArgument> operands;
  Operation op;
  op.name = name;
  op.tensor = tensor_of(first);
  if (op.tensor == kNone && is_data(first))
    op.tensor = objects_[first.ref].tensor = host_.data_tensor("data", kNone);
  for (const Argument& each : arguments.list) {
    if (each.name == kNone || each.value.kind == Kind::none) continue;
    if (text(each.name) == "layer") {
      op.layer = each.value.ref;
      const Entry* weight = find(op.layer, intern("weight"));
      if (weight != nullptr && is_tensor(weight->value)) op.weight = weight->value.ref;
      continue;
    }
    operands.push_back(operand(text(each.name), each.value));
  }
  op.arguments = operands;
  op.detached = detached_ > 0;
  op.is_doubtful = following_ > 0 && doubts_ > followed_doubts_;
  op.is_recomputed = recomputed_ > 0;
  op.place = followed_place();
  op.cause = cause_of(first);
  const auto made = host_.operated(op);
  const bool is_stopped = build_stopped_ || made || following_ == 0;
  if (!is_stopped && host_.is_refused()) is_refused_ = build_stopped_ = true;
  return made ? tensor_value(*made) : Value{};
}

/// Where the project's own code is, behind what describes a library.
SourceSpan Interpreter::followed_place() const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->module->is_library || frame->at == kNoSyntax) continue;
    const SyntaxNode& own = frame->module->tree.node(frame->at);
    return {frame->module->file, own.begin, own.end};
  }
  return {};
}

/// A method that takes the type or the sizes of another tensor: no gradient passes from that.
bool Interpreter::takes_form(std::string_view method) {
  constexpr std::array<std::string_view, 6> kNames = {"type_as",    "expand_as",  "view_as",
                                                      "reshape_as", "resize_as_", "to"};
  return std::find(kNames.begin(), kNames.end(), method) != kNames.end();
}

/// A function that nobody describes is given a tensor.
void Interpreter::lose(std::string_view name, const Arguments& arguments) {
  if (!host_.follows()) return;
  for (const Argument& each : arguments.list) {
    if (detached_ > 0 && following_ > 0 && is_followed(each.value))
      return host_.lost_beside(name, followed_place());
    if (detached_ > 0) continue;
    if (is_followed(each.value) && host_.needs_gradient(objects_[each.value.ref].tensor))
      return host_.lost(name, followed_place());
    const bool is_list = each.value.kind == Kind::list || each.value.kind == Kind::tuple;
    bool all = false;
    const std::vector<Value> items = is_list ? known_items(each.value, all) : std::vector<Value>{};
    for (const Value& item : items) {
      if (is_followed(item) && host_.needs_gradient(objects_[item.ref].tensor))
        return host_.lost(name, followed_place());
    }
  }
}

/// `a + b` and its like where one is a tensor that is followed; nullopt: none is.
std::optional<Value> Interpreter::tensor_arithmetic(Operator op, const Value& a, const Value& b) {
  if (!is_followed(a) && !is_followed(b)) {
    const bool is_here = following_ > 0 && (is_tensor(a) || is_tensor(b)) &&
                         (tensor_of(a) != kNone || tensor_of(b) != kNone);
    if (!is_here) return std::nullopt;
  }
  // What a gradient passes decides the sizes beside an input that nobody knows.
  const auto is_behind = [this](const Value& value) {
    return tensor_of(value) == kNone || is_open_tensor(value);
  };
  const bool swapped = tensor_of(a) == kNone ||
                       (is_behind(a) && !is_behind(b) && host_.needs_gradient(tensor_of(b)));
  const Value& x = swapped ? b : a;
  const Value& y = swapped ? a : b;
  Arguments with;
  const auto run = [&](std::string_view name) { return operation(name, x, with); };
  // A text that a program computes with is a number of a config that its loader reads (`1e7`).
  if (y.is_number() || y.kind == Kind::text) return run(op == Operator::power ? "power" : "scale");
  with.list.push_back({intern("with_"), y, kNoSyntax});
  switch (op) {
    case Operator::add:
    case Operator::subtract:
      return run("add");
    case Operator::multiply:
      return run("multiply");
    case Operator::divide:
      return run("divide");
    case Operator::matrix:
      if (swapped) return Value{};
      return run("matmul");
    default:
      return Value{};
  }
}

/// An item of what a network is given and nobody knows: the same each time it is asked for.
Value Interpreter::open_item(const Value& open, TextId key) {
  if (key == kNone) {
    const TensorId made = host_.data_tensor("item", objects_[open.ref].tensor);
    return made == kNone ? Value{} : tensor_value({made, {}});
  }
  if (const Entry* known = find(open.ref, key)) return known->value;
  // What is set on one side of a condition is forgotten behind it; the host keeps it for each pass.
  const std::string name = "item " + std::string(text(key));
  const TensorId item = host_.data_tensor(name, objects_[open.ref].tensor);
  const Value made = item == kNone ? open_input() : tensor_value({item, {}});
  set(open.ref, key, made);
  return made;
}

/// Sizes of a tensor, and what one that nobody knows has; nullopt: nothing is said here.
std::optional<Value> Interpreter::tensor_attribute(const Value& of, TextId name) {
  if (!is_followed(of)) return std::nullopt;
  if (const auto sizes = known_shape(of)) {
    if (text(name) != "shape") return std::nullopt;
    const Value shape = make_object(Kind::tuple);
    for (const Lanes& size : *sizes) append(shape.ref, lane_number(size, true));
    return shape;
  }
  if (text(name) == "shape") {  // at least the rows of a batch
    const auto rows = host_.open_rows(objects_[of.ref].tensor);
    if (!rows) return Value{};
    const Value shape = make_object(Kind::tuple);
    append(shape.ref, lane_number(*rows, true));
    const TensorId input = objects_[of.ref].tensor;
    const auto dimensions = host_.open_dimensions(input);
    for (std::size_t i = 1; dimensions && i < *dimensions; ++i) append(shape.ref, {});
    objects_[shape.ref].open = !dimensions;
    objects_[shape.ref].tensor = input;
    return shape;
  }
  const std::uint32_t type = objects_[of.ref].type;
  if (type != kNone && own_method(type, name, 0) != nullptr) return std::nullopt;
  if (is_property(text(name))) return Value{};
  return std::nullopt;
}

/// `a, b = …` of a tensor, or of what nobody knows.
std::optional<std::vector<Value>> Interpreter::tensor_items(const Value& value, std::size_t count) {
  if (!is_followed(value)) return std::nullopt;
  std::vector<Value> items;
  if (is_open_tensor(value)) {
    for (std::size_t i = 0; i < count; ++i)
      items.push_back(open_item(value, intern(std::to_string(i))));
    return items;
  }
  const auto sizes = host_.sizes_of(objects_[value.ref].tensor);
  if (!sizes || sizes->empty() || (*sizes)[0][0] != static_cast<double>(count)) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    Arguments first;
    first.list.push_back({intern("dimension"), make_integer(0), kNoSyntax});
    items.push_back(operation("select", value, first));
  }
  return items;
}

}  // namespace gpulint::python

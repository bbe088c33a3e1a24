// Tensors as far as their sizes go, and the mathematics that widths are worked out with while a
// network is built.

#include "python/causes.h"
#include "python/interpreter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpulint::python {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

}  // namespace

Value Interpreter::make_tensor(Part part) {
  const Value made = make_object(Kind::instance);
  objects_[made.ref].part = part;
  const Value& type = described(intern("torch.Tensor"));
  if (type.kind == Kind::type) objects_[made.ref].type = type.ref;
  return made;
}

/// Numbers at equal distances: the rates of dropout of a network's layers are made so.
Value Interpreter::series(const Value& tensor, const Value& start, const Value& end) {
  Object& made = objects_[tensor.ref];
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(made.elements, 0));
  const bool is_known =
      start.is_number() && end.is_number() && !has_lanes(start) && !has_lanes(end);
  if (!is_known || count == 0 || count > limits_.max_items) return tensor;
  made.is_sequence = true;
  const double step =
      count > 1 ? (end.number() - start.number()) / static_cast<double>(count - 1) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    Value number{.kind = Kind::real, .origin = Origin::code};
    number.real = start.number() + step * static_cast<double>(i);
    made.items.push_back(made_from(number, start, end));
  }
  return tensor;
}

/// `tensor(2, 3)`, `tensor((2, 3))`: of these sizes.
Value Interpreter::sized(const Arguments& arguments) {
  const Value made = make_tensor(Part::tensor);
  const Value shape = make_object(Kind::tuple);
  std::vector<Value> sizes;
  bool all = !arguments.open;
  bool counted = all;  // how many there are, whatever they are
  for (const Argument& each : arguments.list) {
    if (each.name != kNone) continue;
    if (each.value.kind != Kind::list && each.value.kind != Kind::tuple) {
      sizes.push_back(each.value);
      counted = counted && each.value.kind == Kind::integer;  // nobody knows what may be a list
      continue;
    }
    bool complete = false;
    for (const Value& item : known_items(each.value, complete)) sizes.push_back(item);
    counted = counted && complete;
    all = all && complete;
  }
  std::int64_t elements = 1;
  for (const Value& size : sizes) {
    append(shape.ref, size);
    std::int64_t& cause = objects_[made.ref].cause;
    if (cause == kNoCause) cause = cause_of(size);
    const bool is_size = size.kind == Kind::integer && size.integer >= 0;
    if (!is_size || (size.integer > 0 && elements > kMostElements / size.integer)) all = false;
    if (all) elements *= size.integer;
  }
  if (all) objects_[made.ref].elements = elements;
  if (!counted) objects_[shape.ref].open = true;
  set(made.ref, intern("shape"), shape);
  return made;
}

/// `tensor([1, 2])`: of these values.
Value Interpreter::holding(const Value& data) {
  if (data.is_number()) return sized({});
  bool all = false;
  const std::vector<Value> items = known_items(data, all);
  const bool is_flat =
      std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_number(); });
  const bool is_nested =
      all && !items.empty() && std::all_of(items.begin(), items.end(), [](const Value& item) {
        return item.kind == Kind::list || item.kind == Kind::tuple;
      });
  if (is_nested) {  // rows are alike, or nothing could be made of them
    if (auto rows = sizes_of(holding(items.front()))) {
      rows->insert(rows->begin(), static_cast<std::int64_t>(items.size()));
      return of_sizes(*rows);
    }
  }
  Arguments sizes;
  Value count;
  if (all && is_flat) count = make_integer(static_cast<std::int64_t>(items.size()));
  sizes.list.push_back({kNone, count, kNoSyntax});
  return sized(sizes);
}

/// As many numbers as another tensor, in whatever shape.
Value Interpreter::like(const Value& tensor) {
  const Value made = make_tensor(Part::tensor);
  if (tensor.kind != Kind::instance) return made;
  const Object of = objects_[tensor.ref];
  if (of.part != Part::tensor && of.part != Part::parameter) return made;
  objects_[made.ref].elements = of.elements;
  if (const auto sizes = sizes_of(tensor)) return of_sizes(*sizes);
  return made;
}

Value Interpreter::parameter(const Value& data, const Value& trained) {
  const Value made = make_tensor(Part::parameter);
  set(made.ref, intern("requires_grad"), trained);
  objects_[made.ref].cause = cause_of(data);
  if (data.kind != Kind::instance) return made;
  objects_[made.ref].elements = objects_[data.ref].elements;
  objects_[made.ref].cause = objects_[data.ref].cause;
  if (const auto sizes = is_followed(data) ? known_shape(data) : std::nullopt)
    return weight_of_sizes(made, *sizes);
  const Entry* shape = find(data.ref, intern("shape"));
  if (shape != nullptr) {
    const Value same = shape->value;
    set(made.ref, intern("shape"), same);
  }
  return made;
}

/// What a step makes a weight of has its sizes, where those are the same for all inputs.
Value Interpreter::weight_of_sizes(const Value& weight, const std::vector<Lanes>& sizes) {
  const Value shape = make_object(Kind::tuple);
  std::int64_t elements = 1;
  for (const Lanes& size : sizes) {
    const bool is_same =
        std::all_of(size.begin(), size.end(), [&](double each) { return each == size[0]; });
    if (!is_same ||
        size[0] > static_cast<double>(kMostElements / std::max<std::int64_t>(elements, 1)))
      return weight;
    append(shape.ref, make_integer(static_cast<std::int64_t>(size[0])));
    elements *= static_cast<std::int64_t>(size[0]);
  }
  objects_[weight.ref].elements = elements;
  set(weight.ref, intern("shape"), shape);
  return weight;
}

/// A size for each of the dimensions: 3 is (3, 3).
Value Interpreter::times(const Value& size, const Value& dims) {
  if (size.kind == Kind::tuple) return size;
  const Value made = make_object(Kind::tuple);
  if (size.kind == Kind::list) {
    objects_[made.ref].items = objects_[size.ref].items;
    objects_[made.ref].open = objects_[size.ref].open;
    return made;
  }
  for (std::int64_t i = 0; i < dims.integer && i < 8; ++i) append(made.ref, size);
  return made;
}

/// What descriptions of libraries are written with; nullopt: it is none of these.
std::optional<Value> Interpreter::primitive(std::string_view name, Arguments& arguments) {
  if (!name.starts_with("__") || !frames_.back().module->is_library) return std::nullopt;
  const Value first = argument_value(arguments, 0, "");
  const Value second = argument_value(arguments, 1, "");
  if (auto listed = listing(name, first)) return listed;
  if (name == "__tensor__" || name == "__sized__") return sized(arguments);
  if (name == "__series__") return series(first, second, argument_value(arguments, 2, ""));
  if (name == "__holding__") return size_in_tensor(first);
  if (name == "__numbers__") return numbers(first);
  if (name == "__like__") return like(first);
  if (name == "__become__") {  // an instance whose class says how large it is
    if (first.kind != Kind::instance || second.kind != Kind::instance) return Value{};
    const std::uint32_t type = objects_[first.ref].type;
    objects_[first.ref] = objects_[second.ref];
    objects_[first.ref].type = type;
    return Value{.kind = Kind::none};
  }
  if (name == "__op__") return operate(arguments);
  if (name == "__input__") return host_.follows() ? open_input() : Value{};
  if (name == "__follow__") {
    const Value method = first;
    if (!host_.follows() || method.kind != Kind::method) return Value{};
    const Method bound = methods_[method.ref];
    if (bound.function.kind != Kind::function || !is_network(bound.self)) return Value{};
    Arguments passed = arguments;
    passed.list.erase(passed.list.begin());
    return follow(bound.self, bound.function, std::move(passed));
  }
  // The second: how much of what it is given is open, up to all of it.
  for (const auto& [counting, counter] : {std::pair("__recompute__", &Interpreter::recomputed_),
                                          std::pair("__perhaps__", &Interpreter::doubts_)}) {
    if (name != counting) continue;
    Arguments passed = arguments;
    passed.list.erase(passed.list.begin());
    ++(this->*counter);
    const Value made = call(first, std::move(passed), kNoSyntax);
    --(this->*counter);
    return made;
  }
  if (name == "__trained__") {
    if (is_network(first)) host_.trains_all(*this, first, sides_);
    return Value{.kind = Kind::none};
  }
  if (name == "__parameter__") return parameter(first, second);
  if (name == "__times__") return times(first, second);
  if (name == "__copy__") return deep_copy(first, 0);
  if (name == "__caller__") return caller_arguments();
  if (name == "__elements__" && is_followed(first)) {
    const auto sizes = known_shape(first);
    if (!sizes) return Value{};
    Lanes all;
    all.fill(1);
    for (const Lanes& size : *sizes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) all[lane] *= size[lane];
    return lane_number(all, true);
  }
  if (name == "__elements__") {
    const bool is_known = first.kind == Kind::instance && objects_[first.ref].elements >= 0;
    return is_known ? make_integer(objects_[first.ref].elements) : Value{};
  }
  if (name == "__insert__") {
    const Value moved = argument_value(arguments, 2, "");
    Object& list = objects_[first.ref];
    record(first.ref, kNone);
    const bool is_place = second.kind == Kind::integer && second.integer >= 0 &&
                          second.integer <= static_cast<std::int64_t>(list.items.size());
    if (is_place) list.items.insert(list.items.begin() + second.integer, moved);
    if (!is_place) list.open = true;
    return Value{.kind = Kind::none};
  }
  if (name == "__extend__") {
    if (first.kind != Kind::instance) return Value{};
    objects_[first.ref].is_sequence = true;
    bool all = false;
    const std::vector<Value> items = known_items(second, all);
    for (const Value& item : items) append(first.ref, item);
    if (!all) {
      record(first.ref, kNone);
      objects_[first.ref].open = true;
    }
    return Value{.kind = Kind::none};
  }
  return std::nullopt;
}

/// A range that is run to its end, whatever states it: of the layers of a network.
Value Interpreter::counted(const Arguments& arguments) {
  const std::size_t count = arguments.list.size();
  Value at[3] = {make_integer(0), argument_value(arguments, 0, ""), make_integer(1)};
  if (count > 1) at[0] = at[1], at[1] = argument_value(arguments, 1, "");
  if (count > 2) at[2] = argument_value(arguments, 2, "");
  for (const Value& each : at) {
    if (each.kind != Kind::integer && each.kind != Kind::boolean) return {};
    // As many layers as the input is large: nobody can tell what other sizes do.
    if (has_lanes(each) && detached_ == 0) host_.lost(kLoopOverInput, followed_place());
  }
  const std::int64_t by = at[2].integer;
  const auto most = static_cast<std::int64_t>(limits_.max_built_items);
  if (by == 0 || count > 3 || (at[1].integer - at[0].integer) / by > most) return {};
  const Value made = make_object(Kind::list);
  for (std::int64_t i = at[0].integer; by > 0 ? i < at[1].integer : i > at[1].integer; i += by)
    append(made.ref, make_integer(i));
  return made;
}

/// Functions of one or two numbers, and of all numbers of a list.
std::optional<Value> Interpreter::mathematics(std::string_view name, const Arguments& arguments) {
  const std::size_t dot = name.rfind('.');
  const std::string_view module = dot == std::string_view::npos ? "" : name.substr(0, dot);
  const std::string_view word = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (!module.empty() && module != "math" && module != "numpy") return std::nullopt;
  const Value first = argument_value(arguments, 0, "");
  const Value second = argument_value(arguments, 1, "");
  const bool of_all = word == "prod" || (word == "sum" && module != "math");
  if (of_all && arguments.list.size() == 1) {
    bool all = false;
    Value made = make_integer(word == "prod" ? 1 : 0);
    const Operator by = word == "prod" ? Operator::multiply : Operator::add;
    for (const Value& each : known_items(first, all)) {
      if (each.is_number() || (is_tensor(each) && is_tensor(made)))
        made = binary(by, made, each, {});
      else if (is_tensor(each) && word == "sum")
        made = each;  // of the losses of several layers, say
      else
        return Value{};
    }
    return all ? made : Value{};
  }
  if (module.empty()) return std::nullopt;
  if (has_lanes(first) || has_lanes(second)) {
    Arguments plain = arguments;
    for (Argument& each : plain.list)
      if (has_lanes(each.value)) each.value.ref = 0;
    const auto central = mathematics(name, plain);
    if (!central) return std::nullopt;
    return each_lane(*central, {first, second}, [&](std::span<const Value> each) {
      for (std::size_t i = 0; i < plain.list.size() && i < each.size(); ++i)
        plain.list[i].value = each[i];
      return mathematics(name, plain).value_or(Value{});
    });
  }
  const bool is_known = first.is_number() && !arguments.open;
  const double x = first.number();
  std::optional<double> real;
  if (word == "log2") real = std::log2(x);
  if (word == "log10") real = std::log10(x);
  if (word == "sqrt") real = std::sqrt(x);
  if (word == "exp") real = std::exp(x);
  if (word == "sin") real = std::sin(x);
  if (word == "tanh") real = std::tanh(x);
  // Where it is called at all says something of a schedule, and is reported.
  if (word == "cos" && silent_ > 0) real = std::cos(x);
  if (word == "log" && arguments.list.size() == 1) real = std::log(x);
  if (word == "log" && second.is_number()) real = std::log(x) / std::log(second.number());
  if (word == "pow" && second.is_number()) real = std::pow(x, second.number());
  const bool rounds = word == "ceil" || word == "floor";
  if (rounds) real = word == "ceil" ? std::ceil(x) : std::floor(x);
  if (!real) return std::nullopt;
  if (rounds && !first.known() && first.real != 0) return first;  // a share of another number
  if (!is_known || !std::isfinite(*real)) return Value{};
  Value made;
  made.origin = Origin::code;
  made.kind = rounds && module == "math" && std::abs(*real) < 9e15 ? Kind::integer : Kind::real;
  if (made.kind == Kind::integer) made.integer = static_cast<std::int64_t>(*real);
  if (made.kind == Kind::real) made.real = *real;
  return made_from(made, first, second);
}

/// `filter`, `map` and `itertools.chain` over lists; what is known of an open list is kept.
std::optional<Value> Interpreter::joined_items(std::string_view name, const Arguments& arguments) {
  const bool chains = name == "itertools.chain" || name == "itertools.chain.from_iterable";
  const bool filters = name == "filter";
  const bool maps = name == "map" && arguments.list.size() == 2;
  if ((!chains && !filters && !maps) || arguments.list.empty()) return std::nullopt;
  const Value made = make_object(Kind::list);
  bool all = !arguments.open;
  std::vector<Value> sources;
  if (name == "itertools.chain") {
    for (const Argument& each : arguments.list) sources.push_back(each.value);
  } else if (chains) {
    bool complete = false;
    sources = known_items(arguments.list.front().value, complete);
    all = all && complete;
  } else if (arguments.list.size() > 1) {
    sources.push_back(arguments.list[1].value);
  }
  for (const Value& source : sources) {
    bool complete = false;
    for (const Value& item : known_items(source, complete)) {
      if (!step()) break;
      if (chains) {
        append(made.ref, item);
        continue;
      }
      const bool asks_item = filters && arguments.list.front().value.kind == Kind::none;
      const Value asked = asks_item ? item
                                    : call(arguments.list.front().value,
                                           {{{kNone, item, kNoSyntax}}, false}, kNoSyntax);
      if (maps) {
        append(made.ref, asked);
        continue;
      }
      const auto wanted = truth(asked);
      if (!wanted) all = false;
      if (wanted && *wanted) append(made.ref, item);
    }
    all = all && complete;
  }
  if (!all) objects_[made.ref].open = true;
  return made;
}

}  // namespace gpulint::python

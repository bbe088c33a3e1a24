// From the words of descriptions to operators of the model language, and what those make.

#include "code/followed_lanes.h"
#include "code/followed_step.h"
#include "expr/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace gpulint {

using namespace followed;
using model::DType;
using python::kNone;
using python::Operated;
using python::TensorId;

namespace {

expr::Value number_value(double number) {
  if (number == std::floor(number) && std::abs(number) < 9e15)
    return expr::Value(static_cast<std::int64_t>(number));
  return expr::Value(number);
}

}  // namespace

/// Words of the descriptions that stand for operators of the language; false: not as it is.
bool FollowedStep::translate(Statement& statement) {
  if (statement.from == kNone) return true;
  if (!translate_views(statement)) return false;
  if (statement.name == "einsum") return translate_einsum(statement);
  const Known& x = tensors_[statement.from];
  const auto has = [&](std::string_view name) {
    return std::any_of(statement.arguments.begin(), statement.arguments.end(),
                       [&](const Argument& each) { return each.name == name; });
  };
  if ((statement.name == "mean" || statement.name == "reduce") && !has("dimensions")) {
    Argument dimensions{.name = "dimensions", .is_list = true};
    for (std::size_t i = 0; i < x.sizes.size(); ++i)
      dimensions.numbers.push_back(all(static_cast<double>(i)));
    statement.arguments.push_back(std::move(dimensions));
  }
  // A loss of every element, which keeps both sides.
  if (statement.name == "loss") {
    statement.name = "custom";
    std::erase_if(statement.arguments, [](const Argument& each) { return each.name != "target"; });
    Argument keeps{.name = "keeps", .numbers = {all(0)}, .is_list = true};
    for (Argument& each : statement.arguments) {
      if (each.name != "target") continue;
      each.name = "of";
      each.is_list = true;
      keeps.numbers.push_back(all(1));
    }
    statement.arguments.push_back(std::move(keeps));
    statement.arguments.push_back({.name = "sizes", .is_list = true});
  }
  if (!translate_rows(statement)) return false;
  return model::find_operator(statement.name) != nullptr;
}

bool FollowedStep::translate_views(Statement& statement) {
  const Known& x = tensors_[statement.from];
  const auto rank = static_cast<std::int64_t>(x.sizes.size());
  const auto number = [&](std::string_view name, double otherwise) {
    for (const Argument& each : statement.arguments)
      if (each.name == name && each.numbers.size() == 1) return each.numbers.front()[0];
    return otherwise;
  };
  if (statement.name == "transpose") {
    const auto place = [&](double at) {
      return static_cast<std::int64_t>(at) + (at < 0 ? rank : 0);
    };
    const std::int64_t a = place(number("a", 0));
    const std::int64_t b = place(number("b", 1));
    if (a < 0 || b < 0 || a >= rank || b >= rank) return false;
    Argument order{.name = "order", .is_list = true};
    for (std::int64_t i = 0; i < rank; ++i)
      order.numbers.push_back(all(static_cast<double>(i == a ? b : i == b ? a : i)));
    statement.name = "permute";
    statement.arguments = {std::move(order)};
  }
  if (statement.name == "detach") {
    statement.name = "custom";
    statement.arguments = {{.name = "sizes", .numbers = x.sizes, .is_list = true},
                           {.name = "view", .flag = true},
                           {.name = "detached", .flag = true}};
  }
  if (statement.name == "expand" || statement.name == "repeat") {
    for (Argument& each : statement.arguments) {
      if (each.name != "sizes") continue;
      const std::size_t more = each.numbers.size() - std::min(each.numbers.size(), x.sizes.size());
      if (each.numbers.size() < x.sizes.size()) return false;
      for (std::size_t i = 0; i < each.numbers.size(); ++i) {
        const Lanes own = i < more ? all(1) : x.sizes[i - more];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          double& size = each.numbers[i][lane];
          if (statement.name == "repeat") size *= own[lane];
          if (size < 0) size = own[lane];
        }
      }
    }
    if (statement.name == "repeat") statement.name = "copy";
  }
  if (statement.name == "squeeze_all") {
    std::vector<Lanes> sizes;
    for (const Lanes& size : x.sizes)
      if (size != all(1)) sizes.push_back(size);
    statement.name = "reshape";
    statement.arguments = {{.name = "sizes", .numbers = std::move(sizes), .is_list = true}};
  }
  if (statement.name == "permute") {
    for (Argument& each : statement.arguments)
      for (Lanes& place : each.numbers)
        if (place[0] < 0) place = all(place[0] + static_cast<double>(rank));
  }
  if (statement.name == "squeeze" || statement.name == "unsqueeze") {
    const double at = number("dimension", 0);
    const double count = static_cast<double>(rank + (statement.name == "squeeze" ? 0 : 1));
    if (at >= count || at < -count) return false;
  }
  return true;
}

/// The operator on tensors of each size; false: it is not possible, and why.
bool FollowedStep::apply(Statement& statement, std::array<Form, kLanes>& made,
                         std::string& error) const {
  const model::OperatorRule* rule = model::find_operator(statement.name);
  if (rule == nullptr) return false;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    model::Tape tape{model::TapeOptions{}};
    const model::ExecutionOptions execution{.attention = model::AttentionBackend::explicit_math};
    model::Machine machine(tape, execution);
    const auto put = [&](TensorId id) {
      const Form& form = tensors_[id].lanes[lane];
      model::Tensor tensor =
          tape.create(form.sizes, form.dtype, model::StorageKind::activation, form.requires_grad);
      tensor.strides = form.strides;
      machine.name_tensor(name(id), tensor);
      return tensor;
    };
    model::Tensor x;
    if (statement.from != kNone) {
      x = put(statement.from);
    } else {
      x = tape.create({}, DType::fp32, model::StorageKind::activation, false);
    }
    std::vector<std::pair<std::string, expr::Value>> values;
    for (const Argument& each : statement.arguments) {
      if (!has_parameter(*rule, each.name)) continue;
      expr::Value value;
      if (each.flag) {
        value = expr::Value(*each.flag);
      } else if (!each.tensors.empty()) {
        expr::List names;
        for (const TensorId id : each.tensors) {
          if (id != statement.from) put(id);
          names.emplace_back(name(id));
        }
        value = each.is_list ? expr::Value(names) : names.front();
      } else if (!each.word.empty()) {
        value = expr::Value(each.word);
      } else if (each.is_list) {
        expr::List numbers;
        for (const Lanes& number : each.numbers) numbers.push_back(number_value(number[lane]));
        value = expr::Value(numbers);
      } else {
        value = number_value(each.numbers.front()[lane]);
      }
      values.emplace_back(each.name, std::move(value));
    }
    std::vector<model::Argument> arguments;
    for (const auto& [name, value] : values) arguments.push_back({name, &value});
    const model::Tensor result = rule->apply(machine, x, model::Arguments(tape, arguments));
    if (tape.refused()) {
      error = tape.error();
      return false;
    }
    made[lane] = {result.sizes, result.strides, result.dtype,
                  result.requires_grad && !statement.detached};
    if (lane != 0) continue;
    statement.saved = tape.saved_bytes(model::StorageKind::activation);
    for (const model::Storage& storage : tape.storages()) {
      if (storage.kind == model::StorageKind::parameter)
        statement.parameters += storage.bytes / model::size_of(storage.dtype);
    }
  }
  return std::all_of(made.begin(), made.end(),
                     [&](const Form& form) { return form.sizes.size() == made[0].sizes.size(); });
}

}  // namespace gpulint

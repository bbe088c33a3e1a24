#pragma once

// A small table of facts like a training plan's, and values for them.

#include "expr/expression.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::expr::fixture {

inline Type number(Unit unit = kNoUnit) { return {Kind::number, unit, Kind::string, {}}; }
inline Type boolean() { return {Kind::boolean, kNoUnit, Kind::string, {}}; }
inline Type text(std::vector<std::string> choices = {}) {
  return {Kind::string, kNoUnit, Kind::string, std::move(choices)};
}
inline Type list_of(Kind element, Unit unit = kNoUnit) { return {Kind::list, unit, element, {}}; }

inline const SymbolTable& table() {
  static const SymbolTable kTable = [] {
    SymbolTable table;
    table.add(Symbol{"per_device_batch_size", number(), ""});
    table.add(Symbol{"num_workers", number(), ""});
    table.add(Symbol{"learning_rate", number(), ""});
    table.add(Symbol{"gpu.memory", number(kBytes), ""});
    table.add(Symbol{"vram.high", number(kBytes), ""});
    table.add(Symbol{"step_time", number(kSeconds), ""});
    table.add(Symbol{"gpu.bandwidth", number(kBytesPerSecond), ""});
    table.add(Symbol{"cost", number(kDollars), ""});
    table.add(Symbol{"pin_memory", boolean(), ""});
    table.add(Symbol{"compile", boolean(), ""});
    table.add(Symbol{"mixed_precision", text({"none", "fp16", "bf16"}), ""});
    table.add(Symbol{"optimizer", text({"sgd", "adamw"}), ""});
    table.add(Symbol{"weights_dtype", text({"fp32", "fp16", "bf16"}), ""});
    table.add(Symbol{"model", text(), ""});
    table.add(Symbol{"adapter_targets", list_of(Kind::string), ""});
    table.add(Symbol{"sizes", list_of(Kind::number), ""});
    table.add(Symbol{"buffers", list_of(Kind::number, kBytes), ""});
    table.add(Function{"fit.batch", {number()}, number(), ""});
    table.add(Function{"speedup.amp", {}, number(), ""});
    table.add(Function{"peak", {text({"fp16", "bf16"})}, number(kOperationsPerSecond), ""});
    return table;
  }();
  return kTable;
}

/// Facts by name; what is not in the map is unknown. Functions: fit.batch(x) = 2x, speedup.amp =
/// 1.9, peak = unknown.
class Facts : public Environment {
 public:
  explicit Facts(std::map<std::string, Value> values = {}, std::vector<std::string> defaults = {})
      : values_(std::move(values)), defaults_(std::move(defaults)) {}

  Value symbol(std::uint32_t index) const override {
    const auto found = values_.find(table().symbols()[index].name);
    return found == values_.end() ? Value{} : found->second;
  }
  bool stated(std::uint32_t index) const override {
    const std::string& name = table().symbols()[index].name;
    for (const std::string& preset : defaults_) {
      if (preset == name) return false;
    }
    return values_.contains(name);
  }
  Value call(std::uint32_t function, std::span<const Value> arguments) const override {
    ++calls;
    const std::string& name = table().functions()[function].name;
    if (name == "fit.batch") return arguments[0].number() * 2;
    if (name == "speedup.amp") return 1.9;
    return {};
  }
  mutable int calls = 0;

 private:
  std::map<std::string, Value> values_;
  std::vector<std::string> defaults_;
};

/// Message of the parse or bind error of `source` with its place, "message @begin-end"; "" if none.
inline std::string error_of(std::string_view source) {
  Result<Expression> parsed = Expression::parse(source);
  std::optional<Error> error;
  if (!parsed) {
    error = parsed.error();
  } else if (Result<Type> type = parsed->bind(table()); !type) {
    error = type.error();
  }
  if (!error) return "";
  return error->message + " @" + std::to_string(error->where.begin) + "-" +
         std::to_string(error->where.end);
}

/// Value of `source` over `facts`; the text "error: …" when it does not parse or bind.
inline Value value_of(std::string_view source, const Facts& facts = Facts{},
                      Trace* trace = nullptr) {
  if (const std::string error = error_of(source); !error.empty()) return Value{"error: " + error};
  Expression expression = *Expression::parse(source);
  (void)expression.bind(table());
  return expression.evaluate(facts, trace);
}

inline bool holds(std::string_view source, const Facts& facts) {
  Expression expression = *Expression::parse(source);
  (void)expression.bind(table());
  return expression.holds(facts);
}

inline Value whole(std::int64_t value) { return Value{value}; }

}  // namespace gpulint::expr::fixture

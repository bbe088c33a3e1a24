// What of a loop's body depends on its counter, so that whoever runs the program can tell before
// the first iteration which iterations are alike.

#include "model/varying.h"

#include <algorithm>
#include <string_view>

namespace gpulint::model {

namespace {

/// Of gemma's layers each sixth looks at all tokens; longer patterns are not known.
constexpr std::int64_t kLongestPeriod = 16;

/// The operands one loop's body evaluates, those of the definitions it calls included.
class Body {
 public:
  Body(const Program& program, std::uint32_t counter) : program_(program), counter_(counter) {}

  /// nullopt: an operand that the counter decides depends on more than what is known before the
  /// loop.
  std::optional<std::vector<Operand>> varying(const Statement& loop) {
    statements(loop.bodies.front());
    const auto knowable = [&](const Operand* operand) { return is_knowable(*operand); };
    if (!std::all_of(varying_.begin(), varying_.end(), knowable)) return std::nullopt;
    std::vector<Operand> result;
    for (const Operand* operand : varying_) result.push_back(*operand);
    return result;
  }

 private:
  void statements(const std::vector<Statement>& all) {
    for (const Statement& statement : all) {
      if (statement.when) look_at(*statement.when);
      if (statement.count) look_at(*statement.count);
      if (statement.index) set_inside_.push_back(*statement.index);
      look_at(statement.name);
      for (const NamedOperand& argument : statement.arguments) look_at(argument.value);
      for (const std::vector<Statement>& body : statement.bodies) statements(body);
      if (statement.kind == Statement::Kind::call) definition(statement.define);
    }
  }

  void definition(std::uint32_t index) {
    if (std::find(called_.begin(), called_.end(), index) != called_.end()) return;
    called_.push_back(index);
    const Definition& called = program_.definitions[index];
    set_inside_.insert(set_inside_.end(), called.parameters.begin(), called.parameters.end());
    for (const std::optional<Operand>& fallback : called.defaults) {
      if (fallback) look_at(*fallback);
    }
    statements(called.body);
  }

  void look_at(const Operand& operand) {
    if (mentions(operand, counter_)) varying_.push_back(&operand);
  }

  std::string_view name(std::uint32_t symbol) const {
    return program_.symbols.symbols()[symbol].name;
  }

  bool mentions(const Operand& operand, std::uint32_t symbol) const {
    switch (operand.kind) {
      case Operand::Kind::constant:
        return false;
      case Operand::Kind::symbol:
        return operand.symbol == symbol;
      case Operand::Kind::expression: {
        const std::vector<std::string> names = operand.expression.names();
        return std::find(names.begin(), names.end(), name(symbol)) != names.end();
      }
      case Operand::Kind::list:
        return std::any_of(operand.items.begin(), operand.items.end(),
                           [&](const Operand& item) { return mentions(item, symbol); });
    }
    return false;
  }

  /// Sizes of tensors are known where they are asked for only.
  bool asks_tensors(const Operand& operand) const {
    const auto is_function = [&](const std::string& name) {
      return program_.symbols.find_function(name).has_value();
    };
    const std::vector<std::string> names = operand.expression.names();
    return std::any_of(names.begin(), names.end(), is_function) ||
           std::any_of(operand.items.begin(), operand.items.end(),
                       [&](const Operand& item) { return asks_tensors(item); });
  }

  bool is_knowable(const Operand& operand) const {
    return !asks_tensors(operand) &&
           std::none_of(set_inside_.begin(), set_inside_.end(),
                        [&](std::uint32_t symbol) { return mentions(operand, symbol); });
  }

  const Program& program_;
  std::uint32_t counter_;
  std::vector<const Operand*> varying_;
  std::vector<std::uint32_t> set_inside_;  // counters and parameters
  std::vector<std::uint32_t> called_;
};

void fill(const Program& program, std::vector<Statement>& statements) {
  for (Statement& statement : statements) {
    if (statement.kind == Statement::Kind::repeat && statement.index &&
        statement.bodies.size() == 1) {
      statement.varying = Body(program, *statement.index).varying(statement);
    }
    for (std::vector<Statement>& body : statement.bodies) fill(program, body);
  }
}

}  // namespace

void find_varying(Program& program) {
  for (Definition& definition : program.definitions) fill(program, definition.body);
  fill(program, program.statements);
}

Period period_of(const std::vector<std::vector<expr::Value>>& decided) {
  const auto count = static_cast<std::int64_t>(decided.size());
  const auto at = [&](std::int64_t i) -> const auto& {
    return decided[static_cast<std::size_t>(i)];
  };
  Period best;
  std::int64_t fewest = count;  // iterations that have to be run
  for (std::int64_t length = 1; length <= std::min(kLongestPeriod, count / 3); ++length) {
    std::int64_t first = count - length;
    while (first > 0 && at(first - 1) == at(first - 1 + length)) --first;
    const std::int64_t run = first + 2 * length;
    if (run + length > count || run >= fewest) continue;
    best = {first, length};
    fewest = run;
  }
  return best;
}

}  // namespace gpulint::model

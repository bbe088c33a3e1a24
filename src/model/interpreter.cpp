#include "model/interpreter.h"

#include "base/text.h"
#include "model/compiler.h"
#include "model/fold.h"
#include "model/repetition.h"
#include "model/varying.h"

#include <algorithm>

namespace gpulint::model {

namespace {

/// Bounds on hostile model files: layers of the deepest published networks stay below 1,000.
constexpr std::int64_t kMaxRepeats = 10'000;
constexpr int kMaxCallDepth = 32;
constexpr std::int64_t kMaxStatements = 1'000'000;
/// A ResNet-50 has 180, a transformer of twelve layers 250.
constexpr std::size_t kUsualOperators = 400;
/// Loops with fewer iterations are not worth watching; with more, neither is what sets them apart.
constexpr std::int64_t kFewestWatched = 4;
constexpr std::int64_t kMostWatched = 1'000;

class Interpreter final : public expr::Environment {
 public:
  Interpreter(const Program& program, Tape& tape, const ExecutionOptions& options,
              Iterations iterations)
      : program_(program),
        tape_(tape),
        machine_(tape, options),
        iterations_(iterations),
        values_(program.symbols.symbols().size()) {}

  void bind(const std::map<std::string, expr::Value>& given);
  const expr::Value& value(const Dimension& dimension) const { return values_[dimension.symbol]; }
  void create_inputs();
  void run(const std::vector<Statement>& statements);
  SourceSpan where() const { return where_; }

  expr::Value symbol(std::uint32_t index) const override { return values_[index]; }
  bool stated(std::uint32_t) const override { return true; }
  expr::Value call(std::uint32_t function, std::span<const expr::Value> arguments) const override;

 private:
  void execute(const Statement& statement);
  void operate(const Statement& statement);
  void call_definition(const Statement& statement);
  void repeat(const Statement& statement);
  Period period_of_loop(const Statement& loop, std::int64_t count);
  std::int64_t copy_iterations(Repetition& repetition, const Statement& loop, std::int64_t left);
  void fork(const Statement& statement);
  void block(const Statement& statement);
  expr::Value evaluate(const Operand& operand) const;
  bool holds(const Operand& condition);
  std::int64_t integer(const Operand& operand, std::string_view what);

  const Program& program_;
  Tape& tape_;
  Machine machine_;
  Iterations iterations_;
  std::vector<expr::Value> values_;
  std::vector<std::uint32_t> counters_;  // symbols of loops that have run
  Tensor current_;
  // Of the operator that runs; kept for their memory.
  std::vector<Argument> arguments_;
  std::vector<expr::Value> evaluated_;
  SourceSpan where_;
  int depth_ = 0;
  std::int64_t executed_ = 0;
};

expr::Value Interpreter::call(std::uint32_t function,
                              std::span<const expr::Value> arguments) const {
  if (function == static_cast<std::uint32_t>(ProgramFunction::rank)) {
    return static_cast<std::int64_t>(current_.rank());
  }
  if (arguments.empty() || !arguments[0].known()) return {};
  return current_.size(saturating_round(arguments[0].number()));
}

expr::Value Interpreter::evaluate(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::constant:
      return operand.constant;
    case Operand::Kind::symbol:
      return values_[operand.symbol];
    case Operand::Kind::expression:
      return operand.expression.evaluate(*this);
    case Operand::Kind::list: {
      expr::List list;
      list.reserve(operand.items.size());
      for (const Operand& item : operand.items) list.push_back(evaluate(item));
      return list;
    }
  }
  return {};
}

std::int64_t Interpreter::integer(const Operand& operand, std::string_view what) {
  const expr::Value value = evaluate(operand);
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return *number;
  if (const auto* number = std::get_if<double>(&value.data)) {
    const std::int64_t whole = saturating_round(*number);
    if (static_cast<double>(whole) == *number) return whole;
  }
  tape_.refuse(std::string(what) + ": expected a whole number, found " +
               expr::format(value, expr::kNoUnit, ""));
  return 0;
}

bool Interpreter::holds(const Operand& condition) {
  const expr::Value value = evaluate(condition);
  if (const bool* flag = std::get_if<bool>(&value.data)) return *flag;
  tape_.refuse("when: expected true or false, found " + expr::format(value, expr::kNoUnit, ""));
  return false;
}

void Interpreter::bind(const std::map<std::string, expr::Value>& given) {
  const AttentionBackend attention = machine_.options.attention;
  values_[*program_.symbols.find_symbol(kWrittenOutAttention)] =
      attention == AttentionBackend::explicit_math || attention == AttentionBackend::sdpa_math;
  for (const Dimension& dimension : program_.dimensions) {
    const auto at = given.find(dimension.name);
    if (at != given.end()) {
      values_[dimension.symbol] = at->second;
    } else if (dimension.value) {
      values_[dimension.symbol] = evaluate(*dimension.value);
    } else {
      tape_.refuse(dimension.name + " is not known");
    }
    const expr::Value& value = values_[dimension.symbol];
    const expr::Type& type = program_.symbols.symbols()[dimension.symbol].type;
    if (const std::string_view expected = mismatch(type, value); !expected.empty()) {
      tape_.refuse(dimension.name + ": expected " + std::string(expected) + ", found " +
                   expr::format(value, expr::kNoUnit, ""));
    }
    const auto* number = std::get_if<std::int64_t>(&value.data);
    if (number != nullptr && *number < 0) {
      tape_.refuse(dimension.name + ": " + std::to_string(*number) + " is negative");
    }
  }
  std::vector<std::string_view> names;
  for (const Dimension& dimension : program_.dimensions) names.push_back(dimension.name);
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      tape_.refuse(name + " is not a dimension of " + program_.id + did_you_mean(name, names));
    }
  }
}

void Interpreter::create_inputs() {
  for (const InputTensor& input : program_.inputs) {
    Dims sizes;
    for (const Operand& size : input.sizes) sizes.push_back(integer(size, input.name));
    const DType dtype = input.integers ? DType::int64 : tape_.options().precision.input;
    const StorageKind kind = input.target ? StorageKind::target : StorageKind::input;
    const Tensor tensor = tape_.create(sizes, dtype, kind, false);
    if (!current_.known()) current_ = tensor;
    machine_.name_tensor(input.name, tensor);
  }
}

void Interpreter::run(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (tape_.refused()) return;
    execute(statement);
  }
}

void Interpreter::execute(const Statement& statement) {
  where_ = statement.where;
  if (++executed_ > kMaxStatements) {
    return tape_.refuse("the program runs more than " + std::to_string(kMaxStatements) +
                        " statements");
  }
  if (statement.when && !holds(*statement.when)) return;
  if (!statement.from.empty()) current_ = machine_.tensor(statement.from);
  switch (statement.kind) {
    case Statement::Kind::operation:
      operate(statement);
      break;
    case Statement::Kind::call:
      call_definition(statement);
      break;
    case Statement::Kind::repeat:
      repeat(statement);
      break;
    case Statement::Kind::residual:
    case Statement::Kind::branches:
      fork(statement);
      break;
    case Statement::Kind::block:
      block(statement);
      break;
    case Statement::Kind::group:
      run(statement.bodies.front());
      break;
    case Statement::Kind::section: {
      const expr::Value name = evaluate(statement.name);
      tape_.enter_section(expr::format(name, expr::kNoUnit, ""));
      run(statement.bodies.front());
      tape_.leave_section();
      break;
    }
  }
  if (!statement.as.empty()) machine_.name_tensor(statement.as, current_);
}

void Interpreter::operate(const Statement& statement) {
  arguments_.clear();
  evaluated_.clear();
  evaluated_.reserve(statement.arguments.size());  // arguments point into it
  for (const auto& [name, index, operand] : statement.arguments) {
    const expr::Value* value = nullptr;
    if (operand.kind == Operand::Kind::constant) {
      value = &operand.constant;
    } else if (operand.kind == Operand::Kind::symbol) {
      value = &values_[operand.symbol];
    } else {
      value = &evaluated_.emplace_back(evaluate(operand));
    }
    arguments_.push_back({name, value});
  }
  current_ = statement.operation->apply(machine_, current_, Arguments(tape_, arguments_));
}

void Interpreter::call_definition(const Statement& statement) {
  const Definition& definition = program_.definitions[statement.define];
  if (++depth_ > kMaxCallDepth) tape_.refuse(definition.name + " calls itself without end");
  std::vector<expr::Value> arguments(definition.parameters.size());
  std::vector<bool> given(definition.parameters.size(), false);
  for (const NamedOperand& argument : statement.arguments) {
    arguments[argument.index] = evaluate(argument.value);
    given[argument.index] = true;
  }
  std::vector<expr::Value> outer;
  for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
    const std::uint32_t symbol = definition.parameters[i];
    outer.push_back(values_[symbol]);
    if (!given[i] && definition.defaults[i]) arguments[i] = evaluate(*definition.defaults[i]);
    if (!given[i] && !definition.defaults[i]) {
      tape_.refuse(definition.name + " needs \"" + program_.symbols.symbols()[symbol].name + "\"");
    }
    values_[symbol] = std::move(arguments[i]);
  }
  const std::size_t mark = machine_.mark();
  if (!tape_.refused()) run(definition.body);
  machine_.forget_since(mark);
  for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
    values_[definition.parameters[i]] = std::move(outer[i]);
  }
  --depth_;
}

/// Which iterations of a loop are alike as far as its counter decides.
Period Interpreter::period_of_loop(const Statement& loop, std::int64_t count) {
  const bool watched = iterations_ != Iterations::all_run && count >= kFewestWatched &&
                       count <= kMostWatched && Repetition::possible(tape_);
  if (!watched || (loop.index && !loop.varying)) return {};
  std::vector<std::vector<expr::Value>> decided(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; loop.index && i < count; ++i) {
    values_[*loop.index] = i;
    for (const Operand& operand : *loop.varying) {
      decided[static_cast<std::size_t>(i)].push_back(evaluate(operand));
    }
  }
  Period period = period_of(decided);
  const TapeOptions& options = tape_.options();
  if (options.checkpoint_blocks && options.checkpoint_every > 1) {
    period.length = saturating_multiply(period.length, options.checkpoint_every);
  }
  return period;
}

/// The iterations of the `left` ones that need not be run, since they record what the last ones
/// did.
std::int64_t Interpreter::copy_iterations(Repetition& repetition, const Statement& loop,
                                          std::int64_t left) {
  if (left < repetition.iterations()) return 0;
  Repetition::Place place{current_, {}, executed_};
  for (const std::uint32_t counter : counters_) {
    if (counter != loop.index) place.counters.push_back(values_[counter]);
  }
  if (!repetition.settled(std::move(place))) return 0;
  const std::int64_t times = left / repetition.iterations();
  const std::int64_t statements = executed_ + times * repetition.statements();
  const std::int64_t operators = static_cast<std::int64_t>(tape_.whole_operators()) +
                                 times * static_cast<std::int64_t>(repetition.operators());
  const bool allowed =
      statements <= kMaxStatements && operators <= static_cast<std::int64_t>(kMaxOperators);
  if (!allowed) return 0;  // the iteration that goes too far says so
  current_ = repetition.repeat(static_cast<std::size_t>(times));
  executed_ = statements;
  return times * repetition.iterations();
}

void Interpreter::repeat(const Statement& statement) {
  const std::int64_t count = integer(*statement.count, "repeat");
  if (count > kMaxRepeats) {
    return tape_.refuse("repeat: " + std::to_string(count) + " is more than " +
                        std::to_string(kMaxRepeats) + " layers");
  }
  const auto& index = statement.index;
  if (index && std::find(counters_.begin(), counters_.end(), *index) == counters_.end()) {
    counters_.push_back(*index);
  }
  Repetition repetition(tape_, machine_, period_of_loop(statement, count));
  for (std::int64_t i = 0; i < count && !tape_.refused(); ++i) {
    if (repetition.watches(i)) i += copy_iterations(repetition, statement, count - i);
    if (index) values_[*index] = std::min(i, count - 1);
    if (i == count) break;
    ++executed_;
    run(statement.bodies.front());
  }
}

void Interpreter::fork(const Statement& statement) {
  const Tensor input = current_;
  std::vector<Tensor> results;
  for (const std::vector<Statement>& body : statement.bodies) {
    current_ = input;
    run(body);
    results.push_back(current_);
  }
  if (tape_.refused()) return;
  where_ = statement.where;
  if (statement.join == Statement::Join::concatenate) {
    const std::int64_t dimension = statement.count ? integer(*statement.count, "dimension") : 1;
    if (!tape_.refused()) current_ = concatenate(tape_, results, dimension);
    return;
  }
  current_ = results.front();
  for (std::size_t i = 1; i < results.size(); ++i) {
    current_ =
        statement.join == Statement::Join::multiply
            ? multiply(tape_, current_, results[i])
            : add(tape_, current_, results[i], statement.join == Statement::Join::add_inplace);
  }
}

void Interpreter::block(const Statement& statement) {
  std::vector<Tensor> inputs{current_};
  for (const std::string& name : statement.keeps) {
    if (machine_.has_tensor(name)) inputs.push_back(machine_.tensor(name));
  }
  tape_.begin_block(expr::format(evaluate(statement.name), expr::kNoUnit, ""));
  run(statement.bodies.front());
  tape_.end_block(inputs, current_);
}

}  // namespace

Result<Tape> run_program(const Program& program,
                         const std::map<std::string, expr::Value>& dimensions,
                         TapeOptions tape_options, const ExecutionOptions& execution,
                         Iterations iterations) {
  Tape tape(std::move(tape_options));
  tape.expect(kUsualOperators);
  Interpreter interpreter(program, tape, execution, iterations);
  interpreter.bind(dimensions);
  if (!tape.refused()) interpreter.create_inputs();
  if (!tape.refused()) interpreter.run(program.statements);
  if (tape.refused()) {
    return fail(Error{tape.error(), program.path, interpreter.where()});
  }
  return iterations == Iterations::copied ? unfold(std::move(tape)) : std::move(tape);
}

std::map<std::string, expr::Value> dimensions_of(const Program& program,
                                                 const std::map<std::string, expr::Value>& given) {
  Tape tape{TapeOptions{}};
  Interpreter interpreter(program, tape, {}, Iterations::copied);
  interpreter.bind(given);
  std::map<std::string, expr::Value> values;
  for (const Dimension& dimension : program.dimensions) {
    const expr::Value& value = interpreter.value(dimension);
    if (value.known()) values.emplace(dimension.name, value);
  }
  return values;
}

}  // namespace gpulint::model

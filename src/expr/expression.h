#pragma once

// The whole language: true false, integers, floats, quantities (80 GiB, 5 MB, 3 s, 2 h, 900 GB/s),
// 'text' or "text", [lists]; dotted names; + - * / // %; == != < <= > >=; and or not; x if c else
// y; in, not in; a ?? b; a[i]; min max ceil floor round round_up(x, step) len sum abs known stated
// contains starts_with; named functions of the symbol table. Total, typed, unit-checked when bound,
// three-valued when evaluated. docs/expressions.md is its reference.

#include "base/byte_stream.h"
#include "base/result.h"
#include "expr/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::expr {

struct Symbol {
  std::string name;
  Type type;
  std::string meaning;  // one line, for `list facts` and docs
};

struct Function {
  std::string name;
  std::vector<Type> parameters;
  Type result;
  std::string meaning;
};

/// The names an owner (plan, engine) offers. Indices are stable in insertion order.
class SymbolTable {
 public:
  std::uint32_t add(Symbol symbol);
  std::uint32_t add(Function function);
  std::optional<std::uint32_t> find_symbol(std::string_view name) const;
  std::optional<std::uint32_t> find_function(std::string_view name) const;
  const std::vector<Symbol>& symbols() const { return symbols_; }
  const std::vector<Function>& functions() const { return functions_; }

 private:
  std::vector<Symbol> symbols_;
  std::vector<Function> functions_;
  std::vector<std::uint32_t> symbol_order_;    // indices sorted by name
  std::vector<std::uint32_t> function_order_;  // indices sorted by name
};

/// Where values come from at run time. `stated` is true when the user wrote the value (not a
/// default or derived); `taken` unless code of the project was seen that does not take it from
/// there; `explained` where a comment or a name gives a reason for it.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual Value symbol(std::uint32_t index) const = 0;
  virtual bool stated(std::uint32_t index) const = 0;
  virtual bool taken(std::uint32_t) const { return true; }
  virtual bool explained(std::uint32_t) const { return false; }
  virtual Value call(std::uint32_t function, std::span<const Value> arguments) const = 0;
};

/// Symbols read during an evaluation, and those without a value (the reason of a rule's silence),
/// also where `known`, `stated` or `??` asked; each once, in the order of reading.
struct Trace {
  std::vector<std::uint32_t> read;
  std::vector<std::uint32_t> unknown;
  std::vector<std::uint32_t> unknown_functions;
};

/// Limits of one expression: a data file can neither exhaust the stack nor the time of a run.
inline constexpr std::size_t kMaximumLength = 16 * 1024;  // bytes
inline constexpr int kMaximumNesting = 64;  // brackets, calls, unary operators, else branches

/// One operation in a flat post-order array; private to expr's .cpp files except for moving it
/// around.
struct Operation;

class Expression {
 public:
  Expression();
  Expression(const Expression&);
  Expression(Expression&&) noexcept;
  Expression& operator=(const Expression&);
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// Syntax only. Error positions are byte offsets in `text`, in `where.begin/end`.
  static Result<Expression> parse(std::string_view text);
  /// Resolves names and checks types and units; call before `evaluate`. Text that can only be one
  /// of some literals has these as its choices.
  Result<Type> bind(const SymbolTable& symbols);
  /// Three-valued: any operand unknown gives unknown, except `and`/`or` decided by the other side,
  /// `??`, `known`, `stated` and an untaken branch of `if`. Division by zero and arithmetic out of
  /// range give unknown.
  Value evaluate(const Environment& environment, Trace* trace = nullptr) const;
  /// Is its value true? Asks for no more symbols than that takes: what an unknown side of the
  /// outermost `and`s leaves unknown or false is not told apart.
  bool holds(const Environment& environment) const;

  /// The expression as it is, bound or not, in bytes; `restore` gives it back to the program of the
  /// same build, because symbols are numbers there. The bytes must outlive what is restored.
  void store(ByteWriter& out) const;
  static Expression restore(ByteReader& in);

  std::string_view text() const { return stored_text_.empty() ? text_ : stored_text_; }
  bool empty() const { return text().empty(); }
  /// Symbols and named functions it mentions, sorted, once each (after parse).
  std::vector<std::string> names() const;

 private:
  std::string text_;
  std::string_view stored_text_;  // of a restored expression, in its place
  std::vector<Operation> operations_;
  std::vector<Value> constants_;
  std::size_t stack_depth_ = 0;  // values an evaluation holds at most
};

/// "text {expression:format} more": parsed and bound like an expression. `{{` and `}}` are literal
/// braces.
class Template {
 public:
  static Result<Template> parse(std::string_view text);
  Result<void> bind(const SymbolTable& symbols);
  /// Unknown values print "unknown"; `numbers` collects each placeholder (name, value, printed
  /// text).
  struct Printed {
    std::string name;
    Value value;
    std::string text;
  };
  std::string render(const Environment& environment, std::vector<Printed>* numbers = nullptr) const;
  bool empty() const { return parts_.empty(); }
  const std::string& text() const { return text_; }

 private:
  struct Part {
    std::string literal;
    Expression expression;  // behind the literal; empty in a closing literal part
    std::string format;
    Unit unit;
    std::uint32_t begin = 0;  // of the expression in the template's text
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace gpulint::expr

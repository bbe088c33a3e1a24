#pragma once

#include "catalog/strict_reader.h"
#include "model/program.h"

#include <string_view>
#include <vector>

namespace gpulint::model {

/// Functions a program's expressions may call: indices in the symbol table, in this order.
enum class ProgramFunction : std::uint32_t { size, rank };

/// Turns the nodes of one model file into a Program. Complaints are collected; the result is only
/// meaningful when there are none.
class ProgramCompiler {
 public:
  ProgramCompiler(Complaints& complaints, Program& program);
  /// Goes on with a program whose symbols are declared, in another file.
  struct Continued {};
  static constexpr Continued continued{};
  ProgramCompiler(Complaints& complaints, Program& program, Continued)
      : complaints_(complaints), program_(program) {}

  void dimensions(NodeId node);
  void inputs(NodeId node);
  void definitions(NodeId node);
  std::vector<Statement> statements(NodeId node);

 private:
  Statement statement(NodeId node);
  bool control(Statement& result, NodeId node, std::string_view key, NodeId value);
  void head(Statement& result, NodeId node, std::string_view key, NodeId value);
  void operator_arguments(Statement& result, NodeId value);
  void call_arguments(Statement& result, NodeId value);
  void branches(Statement& result, NodeId node, NodeId value);
  void join(Statement& result, NodeId node);

  Operand operand(NodeId node);
  Operand scalar(NodeId node, std::string_view text);
  std::uint32_t declare(NodeId node, std::string_view name, const expr::Value& example);
  const Document& document() const { return complaints_.document(); }

  Complaints& complaints_;
  Program& program_;
  int depth_ = 0;
};

}  // namespace gpulint::model

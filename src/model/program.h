#pragma once

// The model file language, compiled: a program over operators (operator_table.h) whose sizes are
// expressions over the file's dimensions. A file is either a family (it has a `program`) or one
// model of a family (it fills dimensions and states the published parameter count).
//
//   dimensions: {blocks: [3, 4, 6, 3], classes: 1000}          # defaults; `~` = must be given
//   input: {image: [batch, 3, image_size, image_size]}         # or tokens: [batch,
//   sequence_length] define: {unit: {parameters: {width: ~, stride: 1}, body: [...]}} program:
//     - {conv: {out: 64, kernel: 7, stride: 2, padding: 3, bias: false}}
//     - {repeat: len(blocks), index: stage, body: [...]}
//     - {residual: [...], shortcut: [...], inplace: true}
//     - {branches: [[...], [...]], join: concatenate, dimension: 1}
//     - {section: layer1, body: [...]}       # names parameters for freezing
//     - {block: layer, body: [...]}          # one activation-checkpointing unit
//     - {linear: classes, from: pooled, as: logits, when: classes > 0}
//
// Blocks that several families share (backbones, decode heads) stand in part files, which have only
// a `define`; a family names them in `uses`. Their expressions read the family's dimensions.

#include "base/result.h"
#include "catalog/catalog.h"
#include "expr/expression.h"
#include "model/operator_table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::model {

/// A value written in a model file, ready to evaluate.
struct Operand {
  enum class Kind : std::uint8_t { constant, symbol, expression, list };
  Kind kind = Kind::constant;
  expr::Value constant;  // also words: text that names no symbol
  std::uint32_t symbol = 0;
  expr::Expression expression;
  expr::Kind type = expr::Kind::number;  // of the expression's value
  std::vector<Operand> items;            // list
};

struct NamedOperand {
  std::string_view name;  // of the operator's or block's parameter
  std::uint32_t index = 0;
  Operand value;
};

struct Statement {
  enum class Kind : std::uint8_t {
    operation,
    call,
    repeat,
    residual,
    branches,
    section,
    block,
    group
  };
  enum class Join : std::uint8_t { add, add_inplace, multiply, concatenate };
  Kind kind = Kind::operation;
  SourceSpan where;
  const OperatorRule* operation = nullptr;
  std::uint32_t define = 0;
  std::vector<NamedOperand> arguments;
  std::optional<Operand> when;
  std::optional<Operand> count;        // repeat; concatenate's dimension
  std::optional<std::uint32_t> index;  // symbol of a repeat's counter
  /// Operands of a repeat's body that its counter decides; nullopt where their values before the
  /// loop do not tell which iterations are alike.
  std::optional<std::vector<Operand>> varying;
  Operand name;                    // section, block
  std::string from;                // named tensor read instead of the current one
  std::string as;                  // name of the result
  std::vector<std::string> keeps;  // block: tensors handed over besides the current one
  Join join = Join::add;
  std::vector<std::vector<Statement>> bodies;
};

/// A block of statements with parameters of its own (`define`).
struct Definition {
  std::string name;
  std::vector<std::uint32_t> parameters;  // symbols
  std::vector<std::optional<Operand>> defaults;
  std::vector<Statement> body;
};

/// Boolean symbol every program may ask: does attention write its scores to memory?
inline constexpr std::string_view kWrittenOutAttention = "attention_written_out";

struct Dimension {
  std::string name;
  std::uint32_t symbol = 0;
  std::optional<Operand> value;  // default; nullopt = must be given
};

struct InputTensor {
  std::string name;
  std::vector<Operand> sizes;
  bool integers = false;  // token ids
  bool target = false;    // labels or noise handed over with the batch
};

/// A family file, compiled.
struct Program {
  std::string id;
  std::string path;
  expr::SymbolTable symbols;
  std::vector<Dimension> dimensions;
  std::vector<InputTensor> inputs;
  std::vector<Definition> definitions;
  std::vector<Statement> statements;
  // Architectures of config.json the family reads, each with the dimensions it alone implies.
  std::map<std::string, std::map<std::string, expr::Value>, std::less<>> config_json;
  std::map<std::string, std::string>
      config_fields;                   // dimension -> config.json field, where named otherwise
  std::string unpublished_parameters;  // why its models have no published count
};

/// Strict: unknown keys, operators, arguments and names are errors with a place. `parts`: the files
/// the document `uses`.
Result<Program> compile_program(const Document& document,
                                std::span<const Document* const> parts = {});

/// Stems of the part files a family names; empty when it names none.
std::vector<std::string> parts_of(const Document& document);

/// A plain value of a data file or a config.json: number, boolean, word or list of these; unknown
/// for null and mappings.
expr::Value plain_value(const Document& document, NodeId node);

/// What a dimension of this type may hold, for a refusal; empty when `value` is one.
std::string_view mismatch(const expr::Type& type, const expr::Value& value);

/// How many parameters a model's authors say it has.
struct PublishedCount {
  std::int64_t count = 0;
  std::int64_t unit = 1;  // of the last digit they state: 10,000 for "8.89 M"
  // Dimensions the count is stated for, where they are not the model's own: other classes.
  std::map<std::string, expr::Value> dimensions;

  /// Whether `parameters` is that count, rounded or cut off at the last digit stated.
  bool agrees_with(std::int64_t parameters) const;
};

/// One model of a family.
struct ModelEntry {
  std::string id;
  std::string family;
  std::string path;                // of its file
  std::vector<std::string> names;  // further spellings
  std::map<std::string, expr::Value> dimensions;
  std::optional<PublishedCount> published_parameters;
  std::string unpublished_parameters;  // why there is no published count; else the family says it
  std::vector<std::string> sources;

  /// The published count, where it is stated to the last parameter and for the model's own
  /// dimensions.
  std::optional<std::int64_t> exact_parameters() const;
};
Result<ModelEntry> parse_model(const Document& document);

}  // namespace gpulint::model

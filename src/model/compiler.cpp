#include "model/compiler.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gpulint::model {

namespace {

/// Nesting of statements; the language is walked recursively.
constexpr int kMaxNesting = 40;

constexpr std::array<std::string_view, 7> kControls = {"repeat", "residual", "branches", "section",
                                                       "block",  "group",    "as"};
/// Keys that stand beside the head of a statement.
constexpr std::array<std::string_view, 10> kModifiers = {
    "from", "as", "when", "index", "body", "shortcut", "join", "dimension", "inplace", "keeps"};

bool is_modifier(std::string_view key) {
  return std::find(kModifiers.begin(), kModifiers.end(), key) != kModifiers.end();
}

bool is_word(std::string_view text) {
  const auto inner = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), inner);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

expr::Type type_of(const expr::Value& value) {
  expr::Type type{.kind = expr::Kind::number};
  if (std::holds_alternative<bool>(value.data)) type.kind = expr::Kind::boolean;
  if (std::holds_alternative<std::string>(value.data)) type.kind = expr::Kind::string;
  if (const auto* list = std::get_if<expr::List>(&value.data)) {
    type.kind = expr::Kind::list;
    type.element = list->empty() ? expr::Kind::number : type_of(list->front()).kind;
  }
  return type;
}

expr::Value example_of(expr::Kind kind) {
  if (kind == expr::Kind::boolean) return false;
  if (kind == expr::Kind::string) return "";
  if (kind == expr::Kind::list) return expr::List{expr::Value(std::int64_t{0})};
  return std::int64_t{0};
}

/// A value of the operand's type, for declaring a symbol.
expr::Value example_of(const Operand& operand, const expr::SymbolTable& symbols) {
  switch (operand.kind) {
    case Operand::Kind::constant:
      return operand.constant;
    case Operand::Kind::list: {
      expr::List list;
      for (const Operand& item : operand.items) list.push_back(example_of(item, symbols));
      return list;
    }
    case Operand::Kind::symbol:
      return example_of(symbols.symbols()[operand.symbol].type.kind);
    case Operand::Kind::expression:
      return example_of(operand.type);
  }
  return {};
}

}  // namespace

ProgramCompiler::ProgramCompiler(Complaints& complaints, Program& program)
    : complaints_(complaints), program_(program) {
  const expr::Type number{.kind = expr::Kind::number};
  program_.symbols.add(expr::Function{"size", {number}, number, "size of a dimension"});
  program_.symbols.add(expr::Function{"rank", {}, number, "number of dimensions"});
}

std::uint32_t ProgramCompiler::declare(NodeId node, std::string_view name,
                                       const expr::Value& example) {
  if (!is_word(name)) complaints_.about(node, "is not a name for a dimension or parameter");
  if (const auto known = program_.symbols.find_symbol(name)) {
    if (program_.symbols.symbols()[*known].type.kind != type_of(example).kind) {
      complaints_.about(node, "means values of another type elsewhere in this file");
    }
    return *known;
  }
  return program_.symbols.add(expr::Symbol{std::string(name), type_of(example), ""});
}

void ProgramCompiler::dimensions(NodeId node) {
  program_.dimensions.push_back({"batch", declare(node, "batch", std::int64_t{0}), std::nullopt});
  declare(node, kWrittenOutAttention, false);
  for (const auto& [name, value] : read_entries(complaints_, node)) {
    Dimension dimension{std::string(name), 0, std::nullopt};
    if (!is_null(document(), value)) dimension.value = operand(value);
    const expr::Value example = dimension.value ? example_of(*dimension.value, program_.symbols)
                                                : expr::Value(std::int64_t{0});
    dimension.symbol = declare(value, name, example);
    program_.dimensions.push_back(std::move(dimension));
  }
}

void ProgramCompiler::inputs(NodeId node) {
  for (const auto& [name, value] : read_entries(complaints_, node)) {
    InputTensor input{std::string(name), {}, false, false};
    for (const NodeId item : read_items(complaints_, value)) input.sizes.push_back(operand(item));
    input.integers = name == "tokens" || name.ends_with("_ids");
    input.target = name.starts_with("target");
    if (input.sizes.size() > kMaxRank) complaints_.about(value, "has too many dimensions");
    program_.inputs.push_back(std::move(input));
  }
  if (program_.inputs.empty()) complaints_.about(node, "names no tensor");
}

void ProgramCompiler::definitions(NodeId node) {
  const auto entries = read_entries(complaints_, node);
  const std::size_t first = program_.definitions.size();
  for (const auto& [name, value] : entries) {
    if (find_operator(name) != nullptr || is_modifier(name)) {
      complaints_.about(value, "is the name of an operator already");
    }
    Definition definition{std::string(name), {}, {}, {}};
    const NodeId parameters = document().find(value, "parameters");
    if (parameters != kNoNode) {
      for (const auto& [parameter, fallback] : read_entries(complaints_, parameters)) {
        std::optional<Operand> given;
        if (!is_null(document(), fallback)) given = operand(fallback);
        const expr::Value example =
            given ? example_of(*given, program_.symbols) : expr::Value(std::int64_t{0});
        definition.parameters.push_back(declare(fallback, parameter, example));
        definition.defaults.push_back(std::move(given));
      }
    }
    program_.definitions.push_back(std::move(definition));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    StrictMapping mapping(complaints_, entries[i].second);
    mapping.find("parameters");
    const NodeId body = mapping.need("body");
    mapping.refuse_unknown_keys();
    if (body != kNoNode) program_.definitions[first + i].body = statements(body);
  }
}

std::vector<Statement> ProgramCompiler::statements(NodeId node) {
  std::vector<Statement> result;
  if (++depth_ > kMaxNesting) {
    complaints_.about(node, "statements are nested too deep");
  } else {
    for (const NodeId item : read_items(complaints_, node)) result.push_back(statement(item));
  }
  --depth_;
  return result;
}

Statement ProgramCompiler::statement(NodeId node) {
  Statement result;
  result.where = document().span(node);
  std::string_view head_key;
  NodeId head_value = kNoNode;
  for (const auto& [key, value] : read_entries(complaints_, node)) {
    if (is_modifier(key)) continue;
    if (head_value != kNoNode) {
      complaints_.about(value, "a statement has one operator; \"" + std::string(head_key) +
                                   "\" stands there already");
    }
    head_key = key;
    head_value = value;
  }
  if (const NodeId from = document().find(node, "from"); from != kNoNode) {
    result.from = std::string(read_word(complaints_, from));
  }
  if (const NodeId as = document().find(node, "as"); as != kNoNode) {
    result.as = std::string(read_word(complaints_, as));
  }
  if (const NodeId when = document().find(node, "when"); when != kNoNode) {
    result.when = operand(when);
  }
  if (head_value == kNoNode) {  // only renames: {from: a, as: b}
    result.kind = Statement::Kind::group;
    result.bodies.emplace_back();
    return result;
  }
  head(result, node, head_key, head_value);
  return result;
}

void ProgramCompiler::head(Statement& result, NodeId node, std::string_view key, NodeId value) {
  if (control(result, node, key, value)) return;
  if (const OperatorRule* rule = find_operator(key)) {
    result.kind = Statement::Kind::operation;
    result.operation = rule;
    return operator_arguments(result, value);
  }
  for (std::size_t i = 0; i < program_.definitions.size(); ++i) {
    if (program_.definitions[i].name != key) continue;
    result.kind = Statement::Kind::call;
    result.define = static_cast<std::uint32_t>(i);
    return call_arguments(result, value);
  }
  std::vector<std::string_view> names(kControls.begin(), kControls.end() - 1);
  for (const OperatorRule& rule : operator_rules()) names.push_back(rule.name);
  for (const OperatorRule& rule : general_rules()) names.push_back(rule.name);
  for (const Definition& definition : program_.definitions) names.push_back(definition.name);
  complaints_.about(value, "is not an operator" + did_you_mean(key, names));
}

bool ProgramCompiler::control(Statement& result, NodeId node, std::string_view key, NodeId value) {
  const auto body = [&] {
    const NodeId statements_node = document().find(node, "body");
    if (statements_node == kNoNode) {
      complaints_.about(value, "needs a body");
      return;
    }
    result.bodies.push_back(statements(statements_node));
  };
  if (key == "repeat") {
    result.kind = Statement::Kind::repeat;
    result.count = operand(value);
    if (const NodeId index = document().find(node, "index"); index != kNoNode) {
      result.index = declare(index, read_word(complaints_, index), std::int64_t{0});
    }
    body();
  } else if (key == "section" || key == "block") {
    result.kind = key == "block" ? Statement::Kind::block : Statement::Kind::section;
    result.name = operand(value);
    if (const NodeId keeps = document().find(node, "keeps"); keeps != kNoNode) {
      result.keeps = read_words(complaints_, keeps);
    }
    body();
  } else if (key == "group") {
    result.kind = Statement::Kind::group;
    result.bodies.push_back(statements(value));
  } else if (key == "residual") {
    result.kind = Statement::Kind::residual;
    result.bodies.push_back(statements(value));
    const NodeId shortcut = document().find(node, "shortcut");
    result.bodies.emplace_back();
    if (shortcut != kNoNode) result.bodies.back() = statements(shortcut);
    join(result, node);
  } else if (key == "branches") {
    branches(result, node, value);
  } else {
    return false;
  }
  return true;
}

void ProgramCompiler::branches(Statement& result, NodeId node, NodeId value) {
  result.kind = Statement::Kind::branches;
  for (const NodeId branch : read_items(complaints_, value)) {
    result.bodies.push_back(statements(branch));
  }
  if (result.bodies.empty()) complaints_.about(value, "has no branch");
  join(result, node);
}

void ProgramCompiler::join(Statement& result, NodeId node) {
  static constexpr std::array<std::string_view, 4> kJoins = {"add", "add_inplace", "multiply",
                                                             "concatenate"};
  if (const NodeId choice = document().find(node, "join"); choice != kNoNode) {
    if (const auto index = read_choice(complaints_, choice, kJoins)) {
      result.join = static_cast<Statement::Join>(*index);
    }
  }
  if (const NodeId inplace = document().find(node, "inplace"); inplace != kNoNode) {
    if (read_boolean(complaints_, inplace).value_or(false)) {
      result.join = Statement::Join::add_inplace;
    }
  }
  if (const NodeId dimension = document().find(node, "dimension"); dimension != kNoNode) {
    result.count = operand(dimension);
  }
}

void ProgramCompiler::operator_arguments(Statement& result, NodeId value) {
  std::vector<std::string_view> known;
  std::vector<std::string_view> required;
  for (std::string_view name : split(result.operation->parameters, ' ')) {
    if (name.empty()) continue;
    const bool must = name.back() == '!';
    if (must) name.remove_suffix(1);
    if (must) required.push_back(name);
    known.push_back(name);
  }
  if (document().kind(value) != NodeKind::mapping) {
    if (!is_null(document(), value)) {
      if (known.empty()) return complaints_.about(value, "takes no argument");
      result.arguments.push_back({known.front(), 0, operand(value)});
    }
  } else {
    for (const auto& [name, argument] : read_entries(complaints_, value)) {
      const auto at = std::find(known.begin(), known.end(), name);
      if (at == known.end()) {
        complaints_.about(argument, "is not an argument of " + std::string(result.operation->name) +
                                        did_you_mean(name, known));
        continue;
      }
      result.arguments.push_back({*at, 0, operand(argument)});
    }
  }
  for (const std::string_view name : required) {
    const auto given = [&](const NamedOperand& argument) { return argument.name == name; };
    if (std::none_of(result.arguments.begin(), result.arguments.end(), given)) {
      complaints_.about(value, "needs the argument \"" + std::string(name) + "\"");
    }
  }
}

void ProgramCompiler::call_arguments(Statement& result, NodeId value) {
  const Definition& definition = program_.definitions[result.define];
  std::vector<std::string_view> known;
  for (const std::uint32_t symbol : definition.parameters) {
    known.push_back(program_.symbols.symbols()[symbol].name);
  }
  if (document().kind(value) != NodeKind::mapping) {
    if (is_null(document(), value)) return;
    if (known.empty()) return complaints_.about(value, "takes no argument");
    result.arguments.push_back({{}, 0, operand(value)});
    return;
  }
  for (const auto& [name, argument] : read_entries(complaints_, value)) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) {
      complaints_.about(argument,
                        "is not a parameter of " + definition.name + did_you_mean(name, known));
      continue;
    }
    const auto index = static_cast<std::uint32_t>(at - known.begin());
    result.arguments.push_back({{}, index, operand(argument)});
  }
}

Operand ProgramCompiler::operand(NodeId node) {
  Operand result;
  if (document().kind(node) == NodeKind::sequence) {
    result.kind = Operand::Kind::list;
    if (++depth_ > kMaxNesting) {
      complaints_.about(node, "lists are nested too deep");
    } else {
      for (const NodeId item : read_items(complaints_, node)) result.items.push_back(operand(item));
    }
    --depth_;
    return result;
  }
  if (document().kind(node) != NodeKind::scalar) {
    complaints_.about(node, "expected a number, a word, an expression or a list");
    return result;
  }
  return scalar(node, trim(document().scalar(node)));
}

Operand ProgramCompiler::scalar(NodeId node, std::string_view text) {
  Operand result;
  if (const auto number = whole_number(text)) {
    result.constant = *number;
  } else if (text == "true" || text == "false") {
    result.constant = text == "true";
  } else if (is_word(text)) {
    if (const auto symbol = program_.symbols.find_symbol(text)) {
      result.kind = Operand::Kind::symbol;
      result.symbol = *symbol;
    } else {
      result.constant = std::string(text);
    }
  } else {
    Result<expr::Expression> parsed = expr::Expression::parse(text);
    if (!parsed) {
      complaints_.about(node, parsed.error().message);
      return result;
    }
    result.kind = Operand::Kind::expression;
    result.expression = std::move(*parsed);
    const Result<expr::Type> type = result.expression.bind(program_.symbols);
    if (!type) {
      complaints_.about(node, type.error().message);
    } else {
      result.type = type->kind;
    }
  }
  return result;
}

}  // namespace gpulint::model

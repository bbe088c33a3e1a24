#include "model/layer_names.h"

#include <algorithm>
#include <string_view>
#include <variant>

namespace gpulint::model {
namespace {

/// False: a name is worked out.
bool add_names(const std::vector<Statement>& statements, std::vector<std::string>& names) {
  for (const Statement& statement : statements) {
    for (const NamedOperand& argument : statement.arguments) {
      if (statement.kind != Statement::Kind::operation || argument.name != "name") continue;
      const Operand& value = argument.value;
      const std::string* name = std::get_if<std::string>(&value.constant.data);
      if (value.kind != Operand::Kind::constant || name == nullptr) return false;
      if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
    }
    for (const std::vector<Statement>& body : statement.bodies) {
      if (!add_names(body, names)) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> layer_names(const Program& program) {
  std::vector<std::string> names;
  bool all = add_names(program.statements, names);
  for (const Definition& definition : program.definitions)
    all = all && add_names(definition.body, names);
  return all ? names : std::vector<std::string>();
}

bool has_names_of_code(const Program& program, const ModelEntry& model) {
  constexpr std::string_view kDimension = "layer_names";
  const auto says = [](const expr::Value& value) {
    const std::string* text = std::get_if<std::string>(&value.data);
    return text != nullptr && *text != "own";
  };
  if (const auto own = model.dimensions.find(std::string(kDimension));
      own != model.dimensions.end())
    return says(own->second);
  const auto of_family =
      std::find_if(program.dimensions.begin(), program.dimensions.end(),
                   [&](const Dimension& each) { return each.name == kDimension; });
  return of_family != program.dimensions.end() && of_family->value &&
         of_family->value->kind == Operand::Kind::constant && says(of_family->value->constant);
}

}  // namespace gpulint::model

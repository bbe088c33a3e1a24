// `gpulint schema`, `completions` and `man`: texts about gpulint itself, written from what it
// knows.

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/shell_texts.h"
#include "cli/surface.h"
#include "model/operator_table.h"
#include "report/schema.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::cli {
namespace {

int print(const Arguments& arguments, std::string_view text) {
  if (auto written = write_results(arguments.outputs.front(), text); !written) {
    print_error(written.error());
    return kUsage;
  }
  return kClean;
}

int refuse(std::string_view command, std::string_view word,
           std::span<const std::string_view> choices) {
  print_error(fmt::format("{}: \"{}\" is not one of {}{}", command, word, fmt::join(choices, ", "),
                          did_you_mean(word, choices)));
  return kUsage;
}

}  // namespace

int schema(const Arguments& arguments, const SessionView& session) {
  std::vector<std::string> operators;
  for (const auto rules : {model::operator_rules(), model::general_rules()}) {
    for (const model::OperatorRule& rule : rules) operators.emplace_back(rule.name);
  }
  const auto text = schema_text(arguments.topic, session.catalog(), operators);
  if (text) return print(arguments, *text);
  const std::vector<std::string> tables = tables_like(arguments.topic, session.catalog());
  if (tables.empty()) return refuse("schema", arguments.topic, kSchemaKinds);
  return refuse("schema", arguments.topic,
                std::vector<std::string_view>(tables.begin(), tables.end()));
}

int completions(const Arguments& arguments, const SessionView& session) {
  const auto text = completion_script(arguments.topic, command_surface(session.catalog()));
  return text ? print(arguments, *text) : refuse("completions", arguments.topic, kShells);
}

int man(const Arguments& arguments, const SessionView& session) {
  return print(arguments, man_page(command_surface(session.catalog())));
}

}  // namespace gpulint::cli

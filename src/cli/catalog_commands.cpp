// `gpulint list` and `gpulint explain`: what the program knows.

#include "base/text.h"
#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "estimate/known_models.h"
#include "lint/project_files.h"
#include "report/report.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace gpulint::cli {
namespace {

/// Rules that judge the text itself and so are no files of rules/.
struct BuiltinRule {
  std::string_view id;
  std::string_view text;
};
constexpr std::array<BuiltinRule, 2> kBuiltinRules{
    {{kSyntaxError,
      "syntax-error: the config cannot be read\n\n"
      "The loader of the training framework refuses this text too, so the run would not start.\n"
      "A file that cannot be read is reported when it was named on the command line or holds the\n"
      "keys of a training config; else it is somebody else's file and is skipped.\n"},
     {kLimitExceeded,
      "limit-exceeded: the config is larger, deeper or more entangled than gpulint reads\n\n"
      "Size, nesting and alias expansion are bounded so that no file can stop a lint run. A real\n"
      "config stays far below the bounds; the file is probably data, or made to do harm.\n"}}};

int print(const OutputTarget& target, std::string_view text) {
  if (auto written = write_results(target, text); !written) {
    print_error(written.error());
    return kUsage;
  }
  return kClean;
}

}  // namespace

int list(const Arguments& arguments, const Workspace& workspace) {
  const Catalog& catalog = workspace.catalog;
  const OutputTarget& target = arguments.outputs.front();
  const std::string& topic = arguments.topic;
  if (topic == "rules") return print(target, list_rules_text(catalog));
  if (topic == "gpus") return print(target, list_gpus_text(catalog));
  if (topic == "hosts") return print(target, list_hosts_text(catalog));
  if (topic == "models") {
    return print(target, list_models_text(KnownModels(catalog.model_files()).ids()));
  }
  if (topic == "dialects") return print(target, list_dialects_text(catalog));
  if (topic == "facts") return print(target, list_facts_text());
  constexpr std::array<std::string_view, 6> kTopics{"rules",  "gpus",     "hosts",
                                                    "models", "dialects", "facts"};
  print_error(fmt::format("list: \"{}\" is not one of {}{}", topic, fmt::join(kTopics, ", "),
                          did_you_mean(topic, kTopics)));
  return kUsage;
}

int explain(const Arguments& arguments, const Workspace& workspace) {
  const OutputTarget& target = arguments.outputs.front();
  for (const BuiltinRule& rule : kBuiltinRules) {
    if (rule.id == arguments.topic) return print(target, rule.text);
  }
  if (auto known = check_rule_id(workspace.catalog, arguments.topic); !known) {
    print_error(known.error());
    return kUsage;
  }
  const Rule& rule = *workspace.catalog.rule(arguments.topic);
  return print(target, explain_text(rule, workspace.catalog.manual(rule)));
}

}  // namespace gpulint::cli

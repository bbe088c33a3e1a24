// `gpulint list` and `gpulint explain`: what the program knows.

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/measured_files.h"
#include "cli/output.h"
#include "finding/own_rules.h"
#include "report/report.h"
#include "run/known_models.h"

#include <fmt/format.h>

#include <string_view>

namespace gpulint::cli {
namespace {

/// A rule that is built in, without a file of rules/.
std::string explain_own_rule(const OwnRule& rule) {
  std::string text = fmt::format("{}: {}\n\n", rule.id, rule.summary);
  for (const std::string_view paragraph : split(rule.why, '\n')) {
    text += fmt::format("{}\n", paragraph);
  }
  return text;
}

int print(const OutputTarget& target, std::string_view text) {
  if (auto written = write_results(target, text); !written) {
    print_error(written.error());
    return kUsage;
  }
  return kClean;
}

}  // namespace

int list(const Arguments& arguments, const SessionView& session) {
  const Catalog& catalog = session.catalog();
  const OutputTarget& target = arguments.outputs.front();
  const std::string& topic = arguments.topic;
  if (topic == "rules") return print(target, list_rules_text(catalog));
  if (topic == "gpus") {
    return print(target, list_gpus_text(catalog) + measured_here(catalog));
  }
  if (topic == "hosts") return print(target, list_hosts_text(catalog));
  if (topic == "models") {
    return print(target, list_models_text(session.models().ids()));
  }
  if (topic == "dialects") return print(target, list_dialects_text(catalog));
  if (topic == "facts") return print(target, list_facts_text());
  if (topic == "formats") return print(target, list_formats_text());
  if (topic == "optimizers") return print(target, list_optimizers_text(catalog));
  if (topic == "adapters") return print(target, list_adapters_text(catalog));
  if (topic == "implementations") return print(target, list_implementations_text(catalog));
  if (topic == "engines") return print(target, list_engines_text(catalog));
  if (topic == "architectures") return print(target, list_architectures_text(catalog));
  print_error(fmt::format("list: \"{}\" is not one of {}{}", topic, fmt::join(kListTopics, ", "),
                          did_you_mean(topic, kListTopics)));
  return kUsage;
}

int explain(const Arguments& arguments, const SessionView& session) {
  const Catalog& catalog = session.catalog();
  const OutputTarget& target = arguments.outputs.front();
  if (const OwnRule* own = own_rule(arguments.topic)) return print(target, explain_own_rule(*own));
  if (auto known = check_rule_id(catalog, arguments.topic); !known) {
    print_error(known.error());
    return kUsage;
  }
  const Rule& rule = *catalog.rule(arguments.topic);
  return print(target, explain_text(rule, catalog.manual(rule)));
}

}  // namespace gpulint::cli

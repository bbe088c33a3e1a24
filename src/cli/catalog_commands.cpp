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

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::cli {
namespace {

template <class Write>
int show(const Arguments& arguments, const Write& write) {
  const bool written = write_outputs(
      arguments, [&](const OutputFormat& format, const ReportOptions&) { return write(format); });
  return written ? kClean : kUsage;
}

}  // namespace

int list(const Arguments& arguments, const SessionView& session) {
  const Catalog& catalog = session.catalog();
  const std::string& topic = arguments.topic;
  if (std::count(kListTopics.begin(), kListTopics.end(), topic) == 0) {
    print_error(fmt::format("list: \"{}\" is not one of {}{}", topic, fmt::join(kListTopics, ", "),
                            did_you_mean(topic, kListTopics)));
    return kUsage;
  }
  const std::vector<std::string> models =
      topic == "models" ? session.models().ids() : std::vector<std::string>{};
  const Listing listing{catalog, topic, models};
  return show(arguments, [&](const OutputFormat& format) {
    const bool people = &format == &default_format();
    return format.list(listing) + (people && topic == "gpus" ? measured_here(catalog) : "");
  });
}

int explain(const Arguments& arguments, const SessionView& session) {
  const Catalog& catalog = session.catalog();
  if (const OwnRule* own = own_rule(arguments.topic)) {
    const auto [rule, manual] = described(*own);
    return show(arguments, [&rule = rule, &manual = manual](const OutputFormat& format) {
      return format.explain(rule, manual);
    });
  }
  if (auto known = check_rule_id(catalog, arguments.topic); !known) {
    print_error(known.error());
    return kUsage;
  }
  const Rule& rule = *catalog.rule(arguments.topic);
  const RuleManual manual = catalog.manual(rule);
  return show(arguments, [&](const OutputFormat& format) { return format.explain(rule, manual); });
}

}  // namespace gpulint::cli

#include "report/host_report.h"
#include "report/json_text.h"
#include "report/report.h"

namespace gpulint {
namespace {

using probe::Figure;
using probe::HostCheck;
using probe::HostClaim;
using probe::HostConfirmation;
using probe::HostFacts;

template <class T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json known(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count()) : Json(); }
Json said(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json host_facts_json(const HostFacts& facts) {
  return {{"available_cpus", known(available_cpus(facts))},
          {"online_cpus", known(facts.online_cpus)},
          {"allowed_cpus", known(facts.allowed_cpus)},
          {"allowed_cores", known(facts.allowed_cores)},
          {"cpu_quota", known(facts.cpu_quota)},
          {"cpu_quota_of", said(facts.cpu_quota_of)},
          {"numa_nodes", known(facts.numa_nodes)},
          {"memory", known(usable_memory(facts))},
          {"memory_free", known(free_memory(facts))},
          {"memory_total", known(facts.memory_total)},
          {"memory_limit", known(facts.memory_limit)},
          {"memory_limit_of", said(facts.memory_limit_of)},
          {"shm_size", known(facts.shm_size)},
          {"shm_free", known(facts.shm_free)},
          {"locked_limit", known(facts.locked_limit)},
          {"locked_unlimited", facts.locked_unlimited},
          {"not_understood", facts.unread}};
}

Json figure_json(const Figure& figure) {
  return {{"name", name_of(figure.kind)}, {"unit", unit_of(figure.kind)},
          {"median", figure.value},       {"noise", figure.noise},
          {"samples", figure.samples},    {"processes", figure.workers},
          {"own_data", figure.own_data},  {"of", said(figure.source)}};
}

std::string_view claim_name(HostClaim claim) {
  switch (claim) {
    case HostClaim::provides:
      return "at_least";
    case HostClaim::holds:
      return "at_most";
    case HostClaim::is:
      return "is";
  }
  return "";
}

Json host_check_json(const HostCheck& check) {
  return {{"prediction", check.name},
          {"baseline", check.baseline},
          {"claim", claim_name(check.claim)},
          {"low", check.low},
          {"high", check.high},
          {"measured", check.measured},
          {"noise", check.noise},
          {"tolerance", check.tolerance},
          {"verdict", name_of(check.verdict)},
          {"why", said(check.why)}};
}

}  // namespace

std::string host_json(const HostConfirmation& confirmation) {
  Json json = {{"schema", "gpulint.confirm-host/1"}, {"version", kVersion}};
  const auto& report = confirmation.report;
  json["host"] = report.facts ? host_facts_json(*report.facts) : Json();
  json["figures"] = Json::array();
  for (const Figure& figure : report.figures) json["figures"].push_back(figure_json(figure));
  json["not_measured"] = report.not_measured;
  json["config"] = said(confirmation.config);
  json["checks"] = Json::array();
  for (const HostCheck& check : confirmation.checks) {
    json["checks"].push_back(host_check_json(check));
  }
  json["not_judged"] = confirmation.not_judged;
  return json_text(json);
}

}  // namespace gpulint

// `gpulint list` and `gpulint explain` for scripts and editors.

#include "catalog/catalog.h"
#include "plan/fact_table.h"
#include "report/json_text.h"
#include "report/report.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json optional_json(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count()) : Json(nullptr);
}

Json severities_of(const Rule& rule) {
  Json names = Json::array();
  for (const SeverityLevel& level : rule.severity) {
    const Json name(name_of(level.severity));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Json rule_json(const Rule& rule) {
  const RuleTexts texts = rule.texts();
  return {{"id", rule.id},
          {"summary", texts.summary},
          {"severities", severities_of(rule)},
          {"family", rule.family.empty() ? Json(nullptr) : Json(rule.family)},
          {"since", texts.since.empty() ? Json(nullptr) : Json(texts.since)},
          {"preview", rule.preview},
          {"fix", texts.fix_kind.empty() ? Json(nullptr) : Json(texts.fix_kind)}};
}

Json gpu_json(const Gpu& gpu) {
  Json usable = nullptr;
  if (gpu.usable_memory) {
    usable = {{"low", gpu.usable_memory->low.count()}, {"high", gpu.usable_memory->high.count()}};
  }
  return {{"id", gpu.id},
          {"names", gpu.names},
          {"vendor", gpu.vendor},
          {"architecture", gpu.architecture},
          {"compute_capability", gpu.compute_capability
                                     ? Json(static_cast<double>(*gpu.compute_capability) / 10)
                                     : Json(nullptr)},
          {"memory_total_bytes", optional_json(gpu.memory_total)},
          {"usable_memory_bytes", std::move(usable)}};
}

Json host_json(const Host& host) {
  Json price = nullptr;
  if (host.price) {
    price = {{"usd_per_hour", host.price->per_hour.dollars}, {"as_of", host.price->as_of}};
  }
  return {{"id", host.id},
          {"names", host.names},
          {"cloud", host.cloud.empty() ? Json(nullptr) : Json(host.cloud)},
          {"gpu", host.gpu.empty() ? Json(nullptr) : Json(host.gpu)},
          {"gpu_count", optional_json(host.gpu_count)},
          {"cpu_cores", optional_json(host.cpu_cores)},
          {"ram_bytes", optional_json(host.ram)},
          {"price", std::move(price)}};
}

template <class Traits>
Json summaries_of(const Catalog& catalog) {
  Json items = Json::array();
  for (const Traits* each : catalog.all_described<Traits>()) {
    items.push_back({{"id", each->id}, {"summary", each->summary}});
  }
  return items;
}

Json architectures_of(const Catalog& catalog) {
  Json items = Json::array();
  for (const Architecture* each : catalog.all_described<Architecture>()) {
    items.push_back({{"id", each->id}, {"name", each->fixed.architecture}});
  }
  return items;
}

Json facts_of() {
  Json items = Json::array();
  for (const FactRow& row : fact_table()) {
    items.push_back({{"id", row.name}, {"unit", row.unit}, {"meaning", row.meaning}});
  }
  return items;
}

Json formats_of_program() {
  Json items = Json::array();
  for (const OutputFormat* format : output_formats()) {
    items.push_back({{"id", format->id},
                     {"commands", commands_of(*format)},
                     {"file_name", format->file_name},
                     {"readers", format->readers}});
  }
  return items;
}

Json items_of(const Listing& listing) {
  const Catalog& catalog = listing.catalog;
  Json items = Json::array();
  if (listing.topic == "rules") {
    for (const Rule& rule : catalog.rules()) items.push_back(rule_json(rule));
  } else if (listing.topic == "gpus") {
    for (const Gpu* gpu : catalog.gpus()) items.push_back(gpu_json(*gpu));
  } else if (listing.topic == "hosts") {
    for (const Host* host : catalog.hosts()) items.push_back(host_json(*host));
  } else if (listing.topic == "models") {
    for (const std::string& id : listing.models) items.push_back({{"id", id}});
  } else if (listing.topic == "dialects") {
    for (const Dialect& each : catalog.dialects()) {
      items.push_back({{"id", each.id}, {"summary", each.summary}});
    }
  } else if (listing.topic == "facts") {
    items = facts_of();
  } else if (listing.topic == "formats") {
    items = formats_of_program();
  } else if (listing.topic == "optimizers") {
    items = summaries_of<OptimizerTraits>(catalog);
  } else if (listing.topic == "adapters") {
    items = summaries_of<AdapterTraits>(catalog);
  } else if (listing.topic == "implementations") {
    items = summaries_of<ImplementationTraits>(catalog);
  } else if (listing.topic == "engines") {
    items = summaries_of<EngineTraits>(catalog);
  } else if (listing.topic == "architectures") {
    items = architectures_of(catalog);
  }
  return items;
}

Json samples_json(const std::vector<RuleSample>& samples) {
  Json items = Json::array();
  for (const RuleSample& sample : samples) {
    Json siblings = Json::object();
    for (const auto& [name, text] : sample.siblings) siblings[name] = text;
    items.push_back({{"file", sample.file_name.empty() ? "config.yaml" : sample.file_name},
                     {"config", sample.config},
                     {"siblings", std::move(siblings)},
                     {"project", sample.project.empty() ? Json(nullptr) : Json(sample.project)},
                     {"gpu", sample.gpu.empty() ? Json(nullptr) : Json(sample.gpu)},
                     {"host", sample.host.empty() ? Json(nullptr) : Json(sample.host)},
                     {"lines", sample.expect}});
  }
  return items;
}

}  // namespace

std::string list_json(const Listing& listing) {
  return json_text({{"schema", "gpulint/1"},
                    {"version", kVersion},
                    {"topic", listing.topic},
                    {"items", items_of(listing)}});
}

std::string explain_json(const Rule& rule, const RuleManual& manual) {
  const RuleTexts texts = rule.texts();
  Json explained = rule_json(rule);
  explained["why"] = manual.why;
  explained["when"] = rule.when.empty() ? Json(nullptr) : Json(rule.when.text());
  explained["advice"] =
      texts.fix_advice.empty() ? Json(nullptr) : Json(advice_in_words(texts.fix_advice.text()));
  explained["reported"] = samples_json(manual.bad);
  explained["not_reported"] = samples_json(manual.ok);
  explained["sources"] = manual.sources;
  return json_text(
      {{"schema", "gpulint/1"}, {"version", kVersion}, {"rule", std::move(explained)}});
}

}  // namespace gpulint

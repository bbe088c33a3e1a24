// Schema of .gpulint.yaml: the one most people edit, so facts carry their meaning and unit.

#include "plan/fact_table.h"
#include "report/schema_parts.h"

#include <fmt/format.h>

#include <variant>

namespace gpulint::schema {
namespace {

/// The forms a fact's value may take in the file; the loader reads all of them as text.
Json fact_value(const FactRow& row, const Catalog& catalog) {
  const std::string meaning =
      row.unit.empty() ? std::string(row.meaning) : fmt::format("{} ({})", row.meaning, row.unit);
  if (!row.choices.empty()) return choice(row.choices, meaning);
  if (row.words) {
    std::vector<std::string_view> words = catalog.ids(row.words->kind);
    words.push_back(kOff);
    return choice(words, meaning);
  }
  if (std::holds_alternative<Maybe<Bytes> TrainingPlan::*>(row.member)) {
    return any_of({quantity({"B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "B/s",
                             "kB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s"},
                            {}),
                   integer(0)},
                  meaning);
  }
  if (std::holds_alternative<Maybe<bool> TrainingPlan::*>(row.member)) return boolean(meaning);
  if (std::holds_alternative<Maybe<std::int64_t> TrainingPlan::*>(row.member)) {
    return any_of({Json{{"type", "integer"}}, word()}, meaning);
  }
  if (std::holds_alternative<Maybe<double> TrainingPlan::*>(row.member)) {
    return any_of({Json{{"type", "number"}}, word()}, meaning);
  }
  return scalar(meaning);
}

Json facts(const Catalog& catalog) {
  Json known = Json::object();
  for (const FactRow& row : fact_table()) {
    known[std::string(row.name)] = fact_value(row, catalog);
  }
  return {{"type", "object"}, {"properties", std::move(known)}, {"additionalProperties", false}};
}

Json measurement() {
  return closed(
      {{"when", map_of(scalar(), choice(fact_names()))},
       {"per_device_batch_size", integer(1, "batch the peak was seen at")},
       {"peak", bytes("highest memory seen")},
       {"kind", choice({"nvidia-smi", "reserved", "allocated"},
                       "what was read: the device, the allocator's reserve, or tensors alone")}},
      {"per_device_batch_size", "peak", "kind"});
}

/// Keys of the file and of each override. GPUs and hosts are found in any case and by the names
/// drivers and clouds print, so the ids are offered, not enforced.
void add_settings(Json& properties, const Catalog& catalog) {
  const std::vector<std::string_view> gpus = catalog.gpu_ids();
  const std::vector<std::string_view> hosts = catalog.host_ids();
  properties["gpu"] =
      any_of({choice(gpus), word()}, "target GPU, or `auto`: an id of `gpulint list gpus`");
  properties["host"] =
      any_of({choice(hosts), word()}, "target machine: an id of `gpulint list hosts`");
  properties["gpus_per_node"] = integer(1, "GPUs per machine");
  properties["nodes"] = integer(1, "machines");
  properties["measured"] =
      boolean("judge by what `gpulint confirm` measured on this machine, never under CI=true");
  properties["headroom"] =
      fraction(1, "share of usable memory above which a budget is called thin; default 0.9");
  properties["facts"] =
      described(facts(catalog), "what your code knows and the configs do not say");
  properties["measurements"] = described(list_of(measurement()), "peaks you measured");
}

}  // namespace

Json value_mapping() { return map_of(scalar("canonical value; null is unknown")); }

Json key() {
  const Json full = closed({{"fact", choice(fact_names())},
                            {"transform", word("a conversion of the native value")},
                            {"values", any_of({word(), value_mapping()})},
                            {"value_map", word()},
                            {"priority", integer(0)}},
                           {"fact"});
  const Json one = any_of({choice(fact_names()), full});
  return any_of({one, list_of(one)});
}

std::vector<std::string_view> fact_names() {
  std::vector<std::string_view> names;
  for (const FactRow& row : fact_table()) names.push_back(row.name);
  return names;
}

Json project(std::span<const std::string_view> rules, const Catalog& catalog) {
  Json override_of_paths = closed({{"paths", words("patterns relative to this file")}}, {"paths"});
  add_settings(override_of_paths["properties"], catalog);
  const Json rule_names = any_of({choice(rules), list_of(choice(rules))});
  Json schema = closed({});
  add_settings(schema["properties"], catalog);
  Json& known = schema["properties"];
  known["overrides"] = described(list_of(std::move(override_of_paths)), "later ones win");
  known["severity"] = described(map_of(choice({"note", "warning", "error"}), choice(rules)),
                                "severity of a rule in this project");
  known["disable"] = described(rule_names, "rules that are off");
  known["enable"] = described(rule_names, "preview rules that are on");
  known["unignorable"] = described(rule_names, "rules no suppression and no baseline hides");
  known["keys"] = described(map_of(key()), "your own key, dotted or leaf, and the fact it states");
  known["exclude"] = words("patterns of files that are never linted");
  known["runs"] = described(list_of(words("files of one run, relative to this file")),
                            "files that are read as one run each, as with --run");
  return file("project file", ".gpulint.yaml: target hardware, facts and rules of a project",
              std::move(schema));
}

}  // namespace gpulint::schema

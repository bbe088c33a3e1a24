#include "report/conditions_json.h"
#include "report/fit_report.h"
#include "report/json_text.h"

#include <set>

namespace gpulint {
namespace {

Json count_json(const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(); }
Json bytes_json(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count()) : Json(); }

/// Values in their own type: numbers and switches are not text.
Json value_json(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const bool digits = !text.empty() && text.size() < 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? Json(std::stoll(text)) : Json(text);
}

Json facts_json(const FactChanges& facts) {
  Json json = Json::object();
  for (const auto& [fact, value] : facts) json[fact] = value_json(value);
  return json;
}

Json vram_json(const FitResult& result) {
  if (!result.vram) return nullptr;
  Json json = interval_json(result.vram);
  json["usable"] = result.usable ? Json(result.usable->low.count()) : Json();
  return json;
}

Json ladder_json(const std::vector<LadderStep>& ladder) {
  Json json = Json::array();
  for (const LadderStep& step : ladder) {
    json.push_back({{"change", facts_json(step.change)},
                    {"vram_central", bytes_json(step.vram_central)},
                    {"ram_central", bytes_json(step.ram_central)},
                    {"time_factor", step.time_factor ? Json(*step.time_factor) : Json()},
                    {"verdict", name_of(step.fit)}});
  }
  return json;
}

Json row_json(const FitRow& row) {
  const FitResult& result = row.result;
  Json settings = Json::object();
  for (const FitSetting& setting : result.settings) {
    settings[setting.name] = facts_json(setting.facts);
  }
  return {{"gpu", row.gpu->id},
          {"hardware", figures_from(*row.gpu)},
          {"verdict", name_of(result.verdict.fit)},
          {"largest_per_device_batch_size", count_json(result.largest_batch)},
          {"batch_size_that_pays", count_json(result.batch_that_pays)},
          {"longest_sequence_length", count_json(result.longest_sequence)},
          {"vram", vram_json(result)},
          {"devices", devices_json(result.devices)},
          {"throughput", interval_json(result.throughput)},
          {"settings", std::move(settings)},
          {"ladder", ladder_json(result.vram_ladder)},
          {"ram_ladder", ladder_json(result.ram_ladder)},
          {"loading_ladder", ladder_json(result.loading_ladder)}};
}

}  // namespace

std::string fit_json(std::string_view path, std::span<const FitRow> rows) {
  Json all = Json::array();
  std::set<std::string> unknown;
  for (const FitRow& row : rows) {
    all.push_back(row_json(row));
    unknown.insert(row.result.unknown.begin(), row.result.unknown.end());
  }
  Json json{{"path", std::string(path)}, {"rows", std::move(all)}, {"unknown", Json::array()}};
  for (const std::string& fact : unknown) json["unknown"].push_back(fact);
  return json_text(json);
}

}  // namespace gpulint

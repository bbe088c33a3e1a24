#include "report/diff_report.h"
#include "report/json_text.h"

namespace gpulint {
namespace {

template <class T>
Json number(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json side_json(const std::optional<DiffSide>& side) {
  if (!side) return nullptr;
  Json usable;
  if (side->usable_vram) {
    usable = {{"low", side->usable_vram->low.count()}, {"high", side->usable_vram->high.count()}};
  }
  const auto headroom = side->headroom();
  return {{"vram", interval_json(side->vram)},
          {"vram_is_lower_bound", side->vram_is_lower_bound},
          {"usable_vram", usable},
          {"headroom", headroom ? Json(headroom->count()) : Json()},
          {"fit", name_of(side->vram_verdict.fit)},
          {"least_devices", number(side->least_devices)},
          {"enough_devices", number(side->enough_devices)},
          {"ram", interval_json(side->ram)},
          {"available_ram", side->available_ram ? Json(side->available_ram->count()) : Json()},
          {"ram_fit", name_of(side->ram_verdict.fit)},
          {"step_time", interval_json(side->step_time)},
          {"run_time", interval_json(side->run_time)},
          {"cost", interval_json(side->cost)},
          {"global_batch_size", number(side->global_batch_size)},
          {"learning_rate", number(side->learning_rate)},
          {"optimizer", side->optimizer.empty() ? Json() : Json(side->optimizer)},
          {"unknown", side->unknown}};
}

/// New minus old of the central values; null where one is not known.
Json change_json(const ConfigDiff& config) {
  Json json{{"vram", nullptr},
            {"ram", nullptr},
            {"step_time", nullptr},
            {"run_time", nullptr},
            {"cost", nullptr}};
  if (!config.before || !config.after) return json;
  const DiffSide& before = *config.before;
  const DiffSide& after = *config.after;
  if (before.vram && after.vram && !before.vram_is_lower_bound && !after.vram_is_lower_bound) {
    json["vram"] = (after.vram->central - before.vram->central).count();
  }
  if (before.ram && after.ram) json["ram"] = (after.ram->central - before.ram->central).count();
  if (before.step_time && after.step_time) {
    json["step_time"] = after.step_time->central.value - before.step_time->central.value;
  }
  if (before.run_time && after.run_time) {
    json["run_time"] = after.run_time->central.value - before.run_time->central.value;
  }
  if (before.cost && after.cost) {
    json["cost"] = after.cost->central.dollars - before.cost->central.dollars;
  }
  return json;
}

Json rate_json(const std::optional<LearningRateDiff>& rates) {
  if (!rates) return nullptr;
  return {{"rule", rates->rule == LearningRateRule::linear ? "linear" : "square-root"},
          {"expected", rates->expected},
          {"effective", rates->effective}};
}

Json config_json(const ConfigDiff& config) {
  return {{"path", config.path},
          {"old_path", config.old_path.empty() ? Json() : Json(config.old_path)},
          {"kind", name_of(config.kind)},
          {"phase", number(config.phase)},
          {"gpu", config.gpu.empty() ? Json() : Json(config.gpu)},
          {"host", config.host.empty() ? Json() : Json(config.host)},
          {"before", side_json(config.before)},
          {"after", side_json(config.after)},
          {"change", change_json(config)},
          {"learning_rate", rate_json(config.learning_rate)}};
}

Json findings_json(const std::vector<DiffFinding>& findings, bool with_new) {
  Json list = Json::array();
  for (const DiffFinding& finding : findings) {
    Json json{{"rule", finding.rule},        {"severity", name_of(finding.severity)},
              {"path", finding.path},        {"line", finding.at.line},
              {"column", finding.at.column}, {"pointer", finding.pointer},
              {"message", finding.message}};
    if (with_new) json["new"] = finding.is_new;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string diff_json(const DiffResult& result) {
  Json configs = Json::array();
  for (const ConfigDiff& config : result.configs) configs.push_back(config_json(config));
  return json_text({{"schema", "gpulint-diff/1"},
                    {"version", kVersion},
                    {"base", result.base},
                    {"head", result.head},
                    {"configs", std::move(configs)},
                    {"findings", findings_json(result.findings, true)},
                    {"fixed", findings_json(result.fixed, false)},
                    {"exceeded", result.exceeded},
                    {"unjudged", result.unjudged},
                    {"left_out", result.left_out}});
}

}  // namespace gpulint

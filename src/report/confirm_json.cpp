#include "device/wire_batch.h"
#include "device/wire_footprint.h"
#include "device/wire_load.h"
#include "device/wire_step.h"
#include "report/check_report.h"
#include "report/confirm_report.h"
#include "report/json_text.h"
#include "report/report.h"

namespace gpulint {
namespace {

using probe::Check;
using probe::Confirmation;
using probe::DeviceReport;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json device_json(const DeviceReport& device, const std::string& gpu_id) {
  return {{"name", device.name},
          {"gpu", gpu_id.empty() ? Json() : Json(gpu_id)},
          {"pci_bus_id", device.pci_bus_id},
          {"card", text_or_null(device.card)},
          {"compute_capability", device.compute_capability},
          {"sm_count", device.sm_count},
          {"l2_cache", device.l2_cache.count()},
          {"mig", device.mig},
          {"visible_devices", device.visible_devices},
          {"driver_version", device.driver_version.empty() ? Json() : Json(device.driver_version)},
          {"driver_library", device.driver_library},
          {"cuda_version", device.cuda_version}};
}

Json memory_json(const DeviceReport& device) {
  return {{"nvml_total", probe::to_json(device.nvml_total)},
          {"nvml_reserved", probe::to_json(device.nvml_reserved)},
          {"cuda_total", device.cuda_total.count()},
          {"cuda_free", device.cuda_free.count()},
          {"free_before_context", probe::to_json(device.free_before_context)},
          {"free_after_context", probe::to_json(device.free_after_context)},
          {"context", probe::to_json(device.context)},
          {"drift", device.drift.count()},
          {"other_processes", device.other_processes ? Json(*device.other_processes) : Json()}};
}

struct StatusOf {
  Json& json;
  const Confirmation& confirmation;

  void operator()(const probe::Unavailable& none) const { unavailable_json(json, none); }
  void operator()(const probe::Failed& failed) const {
    json["status"] = "failed";
    json["message"] = failed.message;
  }
  void operator()(const DeviceReport& device) const {
    json["status"] = "ok";
    json["device"] = device_json(device, confirmation.gpu_id);
    json["memory"] = memory_json(device);
    json["pcie"] = device.pcie ? pcie_json(*device.pcie) : Json();
    json["numa_node"] = device.numa_node ? Json(*device.numa_node) : Json();
    json["library"] = device.library.empty() ? Json() : Json(device.library);
    json["rates"] = rates_json(device);
    json["trials"] = device.trials;
    json["not_timed"] = device.not_timed;
    json["under_load"] = probe::to_json(device.under_load);
    json["sustained"] = device.sustained ? probe::to_json(*device.sustained) : Json();
    json["broken_by"] = text_or_null(device.broken_by);
    json["disturbed_by"] = device.disturbed_by.empty() ? Json() : Json(device.disturbed_by);
    json["cut_off"] = text_or_null(device.cut_off);
    json["config"] = text_or_null(confirmation.config);
    json["not_played"] = text_or_null(confirmation.unpredicted);
    json["footprint"] = device.footprint ? probe::to_json(*device.footprint) : Json();
    json["step"] = device.step ? probe::to_json(*device.step) : Json();
    json["batch"] = device.batch ? probe::to_json(*device.batch) : Json();
    json["checks"] = Json::array();
    for (const Check& check : confirmation.checks) json["checks"].push_back(check_json(check));
    json["not_measured"] = Json::array({probe::kNotMeasured});
  }
};

}  // namespace

Json pcie_json(const probe::PcieLink& link) {
  return {{"width", link.width},
          {"max_width", link.max_width},
          {"generation", link.generation},
          {"max_generation", link.max_generation}};
}

Json rates_json(const DeviceReport& device) {
  Json list = Json::array();
  for (const probe::Rate& rate : device.rates) {
    list.push_back({{"name", name_of(rate.kind)},
                    {"unit", unit_of(rate.kind)},
                    {"median", rate.value},
                    {"noise", rate.noise},
                    {"samples", rate.samples}});
  }
  return list;
}

Json check_json(const Check& check) {
  return {{"prediction", check.name},
          {"baseline", check.baseline},
          {"low", check.prediction.low},
          {"high", check.prediction.high},
          {"measured", check.measurement.value},
          {"noise", check.measurement.noise},
          {"tolerance", check.judgement.tolerance},
          {"verdict", name_of(check.judgement.verdict)},
          {"why", check.judgement.why.empty() ? Json() : Json(check.judgement.why)}};
}

void unavailable_json(Json& json, const probe::Unavailable& none) {
  json["status"] = "unavailable";
  json["reason"] = name_of(none.reason);
  json["message"] = none.detail;
  json["remedy"] = remedy_for(none.reason);
}

std::string confirm_json(const Confirmation& confirmation) {
  Json json = {
      {"schema", "gpulint.confirm/1"}, {"version", kVersion}, {"validated_on_hardware", false}};
  std::visit(StatusOf{json, confirmation}, confirmation.outcome);
  return json_text(json);
}

}  // namespace gpulint

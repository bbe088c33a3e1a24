#include "device/wire.h"

#include "device/wire_batch.h"
#include "device/wire_footprint.h"
#include "device/wire_load.h"
#include "device/wire_step.h"
#include "host/wire_reader.h"

namespace gpulint::probe {
namespace {

Json link_json(const std::optional<PcieLink>& link) {
  if (!link) return {};
  return {{"width", link->width},
          {"max_width", link->max_width},
          {"generation", link->generation},
          {"max_generation", link->max_generation}};
}

Json rates_json(const std::vector<Rate>& rates) {
  Json list = Json::array();
  for (const Rate& rate : rates) {
    list.push_back({{"name", name_of(rate.kind)},
                    {"value", rate.value},
                    {"noise", rate.noise},
                    {"samples", rate.samples}});
  }
  return list;
}

Json report_json(const DeviceReport& report) {
  return {{"name", report.name},
          {"pci_bus_id", report.pci_bus_id},
          {"card", report.card},
          {"driver_version", report.driver_version},
          {"driver_library", report.driver_library},
          {"cuda_version", report.cuda_version},
          {"compute_capability", report.compute_capability},
          {"sm_count", report.sm_count},
          {"l2_cache", report.l2_cache.count()},
          {"visible_devices", report.visible_devices},
          {"mig", report.mig},
          {"nvml_total", to_json(report.nvml_total)},
          {"nvml_reserved", to_json(report.nvml_reserved)},
          {"cuda_total", report.cuda_total.count()},
          {"free_before_context", to_json(report.free_before_context)},
          {"free_after_context", to_json(report.free_after_context)},
          {"cuda_free", report.cuda_free.count()},
          {"context", to_json(report.context)},
          {"drift", report.drift.count()},
          {"other_processes", report.other_processes ? Json(*report.other_processes) : Json()},
          {"pcie", link_json(report.pcie)},
          {"library", report.library},
          {"numa_node", report.numa_node ? Json(*report.numa_node) : Json()},
          {"rates", rates_json(report.rates)},
          {"trials", report.trials},
          {"not_timed", report.not_timed},
          {"under_load", to_json(report.under_load)},
          {"sustained", report.sustained ? to_json(*report.sustained) : Json()},
          {"broken_by", report.broken_by},
          {"disturbed_by", report.disturbed_by},
          {"limited_by", report.limited_by},
          {"integrated", report.integrated},
          {"display", report.display},
          {"virtual_memory", report.virtual_memory},
          {"footprint", report.footprint ? to_json(*report.footprint) : Json()},
          {"step", report.step ? to_json(*report.step) : Json()},
          {"batch", report.batch ? to_json(*report.batch) : Json()}};
}

void read_link(Reader& reader, PcieLink& link) {
  reader.read("width", link.width);
  reader.read("max_width", link.max_width);
  reader.read("generation", link.generation);
  reader.read("max_generation", link.max_generation);
}

void read_rate(Reader& reader, Rate& rate) {
  std::string name;
  reader.read("name", name);
  reader.read("value", rate.value);
  reader.read("noise", rate.noise);
  reader.read("samples", rate.samples);
  const std::optional<RateKind> kind = rate_kind_from(name);
  if (!kind) reader.refuse();
  rate.kind = kind.value_or(RateKind::copy);
}

Outcome read_report(const Json& object) {
  Reader reader(object);
  DeviceReport report;
  reader.read("name", report.name);
  reader.read("pci_bus_id", report.pci_bus_id);
  reader.read("card", report.card);
  reader.read("driver_version", report.driver_version);
  reader.read("driver_library", report.driver_library);
  reader.read("cuda_version", report.cuda_version);
  reader.read("compute_capability", report.compute_capability);
  reader.read("sm_count", report.sm_count);
  reader.read("l2_cache", report.l2_cache);
  reader.read("visible_devices", report.visible_devices);
  reader.read("mig", report.mig);
  reader.read("nvml_total", report.nvml_total);
  reader.read("nvml_reserved", report.nvml_reserved);
  reader.read("cuda_total", report.cuda_total);
  reader.read("free_before_context", report.free_before_context);
  reader.read("free_after_context", report.free_after_context);
  reader.read("cuda_free", report.cuda_free);
  reader.read("context", report.context);
  reader.read("drift", report.drift);
  reader.read("other_processes", report.other_processes);
  reader.part("pcie", report.pcie, read_link);
  reader.read("library", report.library);
  reader.read("numa_node", report.numa_node);
  reader.parts("rates", report.rates, kRateKindCount, read_rate);
  reader.read("trials", report.trials);
  reader.read("not_timed", report.not_timed);
  reader.part("under_load", report.under_load, read_state);
  reader.part("sustained", report.sustained, read_sustained);
  reader.read("broken_by", report.broken_by);
  reader.read("disturbed_by", report.disturbed_by);
  reader.read("limited_by", report.limited_by);
  reader.read("integrated", report.integrated);
  reader.read("display", report.display);
  reader.read("virtual_memory", report.virtual_memory);
  reader.part("footprint", report.footprint, read_footprint);
  reader.part("step", report.step, read_step);
  reader.part("batch", report.batch, read_batch);
  if (reader.broken()) return Failed{"the measuring process sent an incomplete report"};
  return report;
}

struct ToJson {
  Json operator()(const DeviceReport& report) const { return {{"device", report_json(report)}}; }
  Json operator()(const Unavailable& unavailable) const {
    return {{"reason", name_of(unavailable.reason)}, {"detail", unavailable.detail}};
  }
  Json operator()(const Failed& failed) const { return {{"failed", failed.message}}; }
};

}  // namespace

std::string write_wire(const Outcome& outcome) {
  return std::visit(ToJson{}, outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome read_wire(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const Failed nonsense{"the measuring process sent no readable report"};
  if (!json.is_object()) return nonsense;
  if (const auto device = json.find("device"); device != json.end() && device->is_object()) {
    return read_report(*device);
  }
  Reader reader(json);
  if (json.contains("failed")) {
    Failed failed;
    reader.read("failed", failed.message);
    if (reader.broken()) return nonsense;
    return failed;
  }
  std::string name;
  std::string detail;
  reader.read("reason", name);
  reader.read("detail", detail);
  const std::optional<Reason> reason = reason_from(name);
  if (reader.broken() || !reason) return nonsense;
  return Unavailable{*reason, detail};
}

}  // namespace gpulint::probe

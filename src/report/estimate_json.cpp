#include "report/json_text.h"
#include "report/report.h"

namespace gpulint {
namespace {

template <class Quantity>
Json known(const std::optional<Quantity>& quantity) {
  return quantity ? Json(quantity->value) : Json();
}

/// A quantity known as one number only; an interval would carry low and high beside it.
template <class Quantity>
Json central(const std::optional<Quantity>& quantity) {
  return quantity ? Json{{"central", quantity->value}} : Json();
}

Json bytes(const std::optional<Bytes>& amount) { return amount ? Json(amount->count()) : Json(); }

Json terms_json(const std::vector<Term>& terms) {
  Json json = Json::array();
  for (const Term& term : terms) {
    json.push_back(
        {{"name", term.name}, {"bytes", term.bytes.count()}, {"arithmetic", term.arithmetic}});
  }
  return json;
}

Json phases_json(const VramEstimate& vram) {
  Json json = Json::array();
  for (const auto& [name, total] : vram.phases) {
    json.push_back({{"name", name}, {"bytes", total.count()}});
  }
  return json;
}

std::string_view name_of(VramBasis basis) {
  switch (basis) {
    case VramBasis::operators:
      return "operators";
    case VramBasis::measured_line:
      return "measured_line";
    case VramBasis::measured_point:
      return "measured_point";
    case VramBasis::activations_stated:
      return "activations_stated";
    case VramBasis::states_only:
      return "states_only";
  }
  return "";
}

Json vram_json(const Estimate& estimate) {
  if (!estimate.vram) return nullptr;
  const VramEstimate& vram = *estimate.vram;
  Json json{{"low", vram.total.low.count()},
            {"central", vram.lower_bound_only ? Json() : Json(vram.total.central.count())},
            {"high", vram.lower_bound_only ? Json() : Json(vram.total.high.count())},
            {"usable", nullptr},
            {"usable_high", nullptr},
            {"phase", vram.phase},
            {"terms", terms_json(vram.terms)},
            {"phases", phases_json(vram)},
            {"allocated_peak", vram.allocated_peak.count()},
            {"reserved_peak", vram.reserved_peak.count()},
            {"outside_allocator", vram.outside_allocator.count()},
            {"basis", name_of(vram.basis)},
            {"lower_bound_only", vram.lower_bound_only},
            {"explanation", vram.explanation}};
  if (estimate.usable_vram) {
    // "Fits" means high <= usable: the bottom of what the driver leaves.
    json["usable"] = estimate.usable_vram->low.count();
    json["usable_high"] = estimate.usable_vram->high.count();
  }
  return json;
}

Json ram_json(const Estimate& estimate) {
  if (!estimate.ram) return nullptr;
  const RamEstimate& ram = *estimate.ram;
  return {{"low", ram.total.low.count()},
          {"central", ram.total.central.count()},
          {"high", ram.total.high.count()},
          {"available", bytes(estimate.available_ram)},
          {"terms", terms_json(ram.terms)},
          {"loader_buffers", ram.loader_buffers.count()},
          {"own_total", bytes(ram.own_total)},
          {"ranks", ram.ranks},
          {"shm", {{"needed", ram.shm.count()}, {"available", bytes(estimate.available_shm)}}}};
}

Json unknown_json(const Estimate& estimate) {
  Json json = Json::array();
  for (const std::string& fact : estimate.unknown) json.push_back(fact);
  return json;
}

Json plan_json(const FileReport& file, const PlanReport& plan) {
  const Estimate& estimate = plan.estimate;
  return {{"path", file.path},
          {"phase", plan.phase ? Json(*plan.phase) : Json()},
          {"gpu", plan.gpu != nullptr ? Json(plan.gpu->id) : Json()},
          {"host", plan.host != nullptr ? Json(plan.host->id) : Json()},
          {"vram", vram_json(estimate)},
          {"ram", ram_json(estimate)},
          {"step_time", central(estimate.step_time)},
          {"throughput", central(estimate.throughput)},
          {"epoch_time", known(estimate.epoch_time)},
          {"run_time", known(estimate.run_time)},
          {"cost", estimate.cost ? Json(estimate.cost->dollars) : Json()},
          {"unknown", unknown_json(estimate)}};
}

}  // namespace

std::string estimate_json(std::span<const FileReport> files) {
  Json all = Json::array();
  for (const FileReport& file : files) {
    for (const PlanReport& plan : file.plans) all.push_back(plan_json(file, plan));
  }
  // One run on one target is one object; several are a list.
  return json_text(all.size() == 1 ? all.front() : all);
}

}  // namespace gpulint

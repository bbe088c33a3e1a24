#include "report/conditions_json.h"
#include "report/json_text.h"
#include "report/report.h"

namespace gpulint {
namespace {

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
  for (const PhasePeak& phase : vram.phases) {
    json.push_back({{"name", phase.name}, {"bytes", phase.total.count()}});
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
    case VramBasis::process_only:
      return "process_only";
  }
  return "";
}

Json vram_json(const Estimate& estimate) {
  if (!estimate.vram) return nullptr;
  const VramEstimate& vram = *estimate.vram;
  Json json{{"low", vram.total.low.count()},
            {"central", vram.lower_bound_only ? Json() : Json(vram.total.central.count())},
            {"high", vram.bounded_above ? Json(vram.total.high.count()) : Json()},
            {"needed", vram.lower_bound_only ? Json() : Json(vram.needed.central.count())},
            {"needed_low", vram.needed.low.count()},
            {"needed_high", vram.bounded_above ? Json(vram.needed.high.count()) : Json()},
            {"usable", nullptr},
            {"usable_high", nullptr},
            {"verdict", name_of(estimate.vram_verdict.fit)},
            {"phase", vram.phase},
            {"terms", terms_json(vram.terms)},
            {"phases", phases_json(vram)},
            {"allocated_peak", vram.allocated_peak.count()},
            {"reserved_peak", vram.reserved_peak.count()},
            {"outside_allocator", vram.outside_allocator.count()},
            {"basis", name_of(vram.basis)},
            {"lower_bound_only", vram.lower_bound_only},
            {"explanation", vram.explanation}};
  if (!vram.lower_bound_only && vram.allocated.high.count() > 0) {
    json["allocated_low"] = vram.allocated.low.count();
    json["allocated_high"] = vram.allocated.high.count();
    json["reserved_low"] = vram.reserved.low.count();
    json["reserved_high"] = vram.reserved.high.count();
  }
  if (estimate.usable_vram) {
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
          {"needed", ram.needed.central.count()},
          {"available", bytes(estimate.available_ram)},
          {"verdict", name_of(estimate.ram_verdict.fit)},
          {"terms", terms_json(ram.terms)},
          {"loader_buffers", ram.loader_buffers.count()},
          {"own_total", bytes(ram.own_total)},
          {"ranks", ram.ranks},
          {"shm",
           {{"needed", ram.shm.count()},
            {"available", bytes(estimate.available_shm)},
            {"verdict", name_of(estimate.shm_verdict.fit)}}}};
}

Json unknown_json(const Estimate& estimate) {
  Json json = Json::array();
  for (const std::string& fact : estimate.unknown) json.push_back(fact);
  return json;
}

std::string_view name_of(TimeBasis basis) {
  switch (basis) {
    case TimeBasis::stated:
      return "stated";
    case TimeBasis::operators:
      return "operators";
  }
  return "";
}

Json step_time_json(const std::optional<StepTime>& step) {
  if (!step) return nullptr;
  Json json = interval_json(std::optional(step->total));
  json["basis"] = name_of(step->basis);
  json["bottleneck"] = step->basis == TimeBasis::stated ? Json() : Json(name_of(step->bottleneck));
  Json terms = Json::array();
  for (const TimeTerm& term : step->terms) {
    terms.push_back(
        {{"name", term.name}, {"seconds", term.time.value}, {"arithmetic", term.arithmetic}});
  }
  json["terms"] = std::move(terms);
  Json costliest = Json::array();
  for (const OperatorTime& op : step->costliest) {
    costliest.push_back({{"name", op.name},
                         {"count", op.count},
                         {"seconds", op.time.value},
                         {"bottleneck", name_of(op.bottleneck)}});
  }
  json["costliest_operators"] = std::move(costliest);
  Json tensors = Json::array();
  for (const LargeTensor& tensor : step->largest_tensors) {
    tensors.push_back(
        {{"name", tensor.name}, {"bytes", tensor.bytes.count()}, {"shrink", tensor.shrink}});
  }
  json["largest_tensors"] = std::move(tensors);
  json["explanation"] = step->explanation;
  return json;
}

/// Samples per second over all devices; tokens beside them where samples are sequences.
Json throughput_json(const Estimate& estimate) {
  if (!estimate.throughput) return nullptr;
  Json json = interval_json(estimate.throughput);
  json["unit"] = "samples per second";
  json["tokens_per_second"] = interval_json(estimate.token_throughput);
  return json;
}

/// The VRAM needed over usual values of the facts left open, row by row; bytes, `null` where
/// nothing is known or nothing bounds it.
Json what_if_json(const std::optional<WhatIf>& table) {
  if (!table) return nullptr;
  Json cells = Json::array();
  for (std::size_t row = 0; row < table->rows.values.size(); ++row) {
    for (std::size_t column = 0; column < table->columns.values.size(); ++column) {
      const auto& supposed = table->cell(row, column);
      Json cell = Json::object();
      if (!table->rows.fact.empty()) cell[table->rows.fact] = table->rows.values[row];
      if (!table->columns.fact.empty()) cell[table->columns.fact] = table->columns.values[column];
      cell["all_states_split"] = table->sharded && column > 0;
      const bool bounded = supposed && !supposed->vram.lower_bound_only;
      cell["low"] = supposed ? Json(supposed->vram.needed.low.count()) : Json();
      cell["central"] = bounded ? Json(supposed->vram.needed.central.count()) : Json();
      cell["high"] = bounded ? Json(supposed->vram.needed.high.count()) : Json();
      cell["verdict"] = name_of(supposed ? supposed->verdict.fit : Fit::unknown);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

/// Of the network, by the code of the project: what keeps the estimate open.
Json not_followed_json(const PlanReport& plan) {
  Json parts = Json::array();
  if (!plan.plan || knows_vram(plan.estimate)) return parts;
  for (const UnknownPart& part : plan.plan->unknown_parts) {
    parts.push_back({{"of", part.fact},
                     {"what", part.what},
                     {"at", part.at.empty() ? Json() : Json(part.at)},
                     {"code", part.code.empty() ? Json() : Json(part.code)},
                     {"undecided", part.decides}});
  }
  return parts;
}

Json plan_json(const FileReport& file, const PlanReport& plan) {
  const Estimate& estimate = plan.estimate;
  return {{"path", file.path},
          {"phase", plan.phase ? Json(*plan.phase) : Json()},
          {"gpu", plan.gpu != nullptr ? Json(plan.gpu->id) : Json()},
          {"hardware", plan.gpu != nullptr ? Json(figures_from(*plan.gpu)) : Json()},
          {"host", plan.host != nullptr ? Json(plan.host->id) : Json()},
          {"vram", vram_json(estimate)},
          {"what_if", what_if_json(plan.what_if)},
          {"conditions", conditions_json(plan.conditions)},
          {"devices", devices_json(plan.devices)},
          {"ram", ram_json(estimate)},
          {"step_time", step_time_json(estimate.step_time)},
          {"throughput", throughput_json(estimate)},
          {"mfu", estimate.step_time ? interval_json(estimate.step_time->mfu) : Json()},
          {"loader", estimate.step_time ? interval_json(estimate.step_time->loader) : Json()},
          {"steps_per_epoch", estimate.steps_per_epoch ? Json(*estimate.steps_per_epoch) : Json()},
          {"epoch_time", interval_json(estimate.epoch_time)},
          {"run_time", interval_json(estimate.run_time)},
          {"cost", interval_json(estimate.cost)},
          {"price_as_of", estimate.price ? Json(estimate.price->as_of) : Json()},
          {"unknown", unknown_json(estimate)},
          {"not_followed", not_followed_json(plan)}};
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

#include "search/what_if.h"

#include "plan/fact_table.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

struct UsualValues {
  std::string_view fact;
  std::array<std::string_view, 4> values;
};

// Sizes people choose from, small to large; a reader interpolates.
constexpr std::array<UsualValues, 4> kRowFacts{{
    {"sequence_length", {"512", "2048", "4096", "8192"}},
    {"image_size", {"224", "384", "512", "1024"}},
    {"volume_size", {"64", "96", "128", "160"}},
    {"per_device_batch_size", {"1", "4", "16", "64"}},
}};
// One GPU, parts of a machine, a machine of eight, and several.
constexpr std::array<std::string_view, 5> kWorldSizes{"1", "2", "4", "8", "64"};

bool is_open(const EstimateRequest& request, const Estimate& known, std::string_view fact) {
  return provenance_of(request.run.facts(), *find_fact(fact)) == nullptr &&
         std::find(known.unknown.begin(), known.unknown.end(), fact) != known.unknown.end();
}

WhatIf::Axis row_axis(const EstimateRequest& request, const Estimate& known) {
  for (const UsualValues& usual : kRowFacts) {
    if (!is_open(request, known, usual.fact)) continue;
    return {std::string(usual.fact), {usual.values.begin(), usual.values.end()}};
  }
  return {"", {""}};
}

bool shares_in_unknown_ways(const EstimateRequest& request, const Estimate& known) {
  return !request.run.facts().world_size && is_open(request, known, "sharding_stage");
}

/// Ranks matter where they, or how they share the states, are what is missing.
WhatIf::Axis column_axis(const EstimateRequest& request, const Estimate& known) {
  const bool open = shares_in_unknown_ways(request, known) || is_open(request, known, "world_size");
  if (!open) return {"", {""}};
  return {"world_size", {kWorldSizes.begin(), kWorldSizes.end()}};
}

std::optional<WhatIf::Cell> cell_of(const EstimateRequest& request, const WhatIf& table,
                                    const std::string& row, const std::string& column) {
  FactChanges changes;
  if (!table.rows.fact.empty()) changes.emplace_back(table.rows.fact, row);
  if (!table.columns.fact.empty()) changes.emplace_back(table.columns.fact, column);
  if (table.sharded && column != kWorldSizes.front()) changes.emplace_back("sharding_stage", "3");
  EstimateRequest supposed = request;
  supposed.run = request.run.with(changes);
  supposed.predict_time = false;
  Estimate tried = estimate(supposed);
  if (!tried.vram) return std::nullopt;
  return WhatIf::Cell{std::move(*tried.vram), tried.vram_verdict};
}

}  // namespace

std::optional<WhatIf> what_if(const EstimateRequest& request, const Estimate& known) {
  if (!known.vram || !known.vram->lower_bound_only) return std::nullopt;
  WhatIf table{row_axis(request, known),
               column_axis(request, known),
               shares_in_unknown_ways(request, known),
               {}};
  if (table.rows.fact.empty() && table.columns.fact.empty()) return std::nullopt;
  bool any_bounded = false;
  for (const std::string& row : table.rows.values) {
    for (const std::string& column : table.columns.values) {
      table.cells.push_back(cell_of(request, table, row, column));
      any_bounded |= table.cells.back() && !table.cells.back()->vram.lower_bound_only;
    }
  }
  if (!any_bounded) return std::nullopt;
  return table;
}

}  // namespace gpulint

#include "memory/step_curve.h"

#include "memory/operators.h"
#include "memory/step_memo.h"
#include "memory/step_ways.h"
#include "model/fold.h"
#include "run/fact_access.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// One point for every `events.size() / points` events of a phase, so that a point is of one phase.
std::vector<CurvePoint> thinned(const std::vector<model::MemoryEvent>& events, std::size_t points) {
  const std::size_t events_of_point = events.size() / std::max<std::size_t>(points, 1) + 1;
  std::vector<CurvePoint> curve;
  Bytes live;
  std::size_t in_point = 0;
  for (const model::MemoryEvent& event : events) {
    live += Bytes::of(event.bytes);
    const bool starts =
        curve.empty() || in_point == events_of_point || curve.back().phase != event.phase;
    if (starts) {
      curve.push_back({live, event.phase});
      in_point = 0;
    }
    curve.back().live = std::max(curve.back().live, live);
    ++in_point;
  }
  return curve;
}

}  // namespace

std::optional<std::vector<CurvePoint>> step_curve(const ResolvedRun& run, std::size_t points) {
  const TrainingPlan& plan = run.facts();
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const model::ModelLibrary::Found* found = run.model();
  if (found == nullptr || !batch) return std::nullopt;
  UnknownFacts unknown;
  std::optional<ModelDimensions> dimensions = program_dimensions(plan, *found, unknown);
  if (!dimensions) return std::nullopt;
  (*dimensions)["batch"] = sequences_of(plan, *batch);
  const StepWay way = std::move(step_ways(run, *found, unknown).front());
  for (const auto& [name, value] : way.dimensions) dimensions->insert_or_assign(name, value);
  const auto ran =
      steps_of(*run.models()).tapes().run({found->program, *dimensions, way.tape, way.execution});
  if (!ran) return std::nullopt;
  return thinned(model::play(model::unfold(**ran)).events, points);
}

}  // namespace gpulint

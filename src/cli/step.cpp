// `gpulint step MODEL`: what one training step of a known model keeps, to the byte and without the
// margins of an estimate. `gpulint-record` checks what it wrote with it.

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "memory/step_measure.h"
#include "memory/step_ways.h"
#include "model/interpreter.h"
#include "plan/fact_table.h"
#include "run/resolved_run.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string>
#include <string_view>

namespace gpulint::cli {
namespace {

struct StepSettings {
  TrainingPlan facts;
  std::map<std::string, expr::Value> dimensions;
};

/// `--set`: a dimension of the model or `batch` where it has one of that name, else a fact.
Result<StepSettings> settings_of(const Arguments& arguments,
                                 const model::ModelLibrary::Found& found) {
  StepSettings settings;
  settings.facts.model = Fact<std::string>{arguments.topic, {.origin = Origin::project}};
  for (const auto& [name, text] : arguments.facts) {
    if (name == "batch" || has_dimension(found, name)) {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc() || end != text.data() + text.size() || size < 1) {
        return fail(fmt::format("--set {}: expected a whole number from 1", name));
      }
      settings.dimensions.insert_or_assign(name, size);
      continue;
    }
    const FactRow* row = find_fact(name);
    std::string why;
    if (row == nullptr) {
      return fail(fmt::format("--set: \"{}\" is neither a size of {} nor a fact",
                              escape_for_display(name), found.entry.id));
    }
    if (!set_fact(settings.facts, *row, text, {.origin = Origin::project}, &why)) {
      return fail(fmt::format("--set {}: {}", name, why));
    }
  }
  return settings;
}

std::string json_of(const StepMeasure& step, std::string_view id) {
  return fmt::format(
      "{{\n  \"model\": \"{}\",\n  \"parameters\": {},\n  \"trainable_parameters\": {},\n"
      "  \"saved_bytes\": {},\n  \"autocast_copies\": {},\n  \"forward_peak\": {},\n"
      "  \"backward_peak\": {},\n  \"input_bytes\": {},\n  \"buffer_bytes\": {}\n}}\n",
      id, step.parameters, step.trainable_parameters, step.saved.count(), step.weight_casts.count(),
      step.forward_peak.count(), step.backward_peak.count(), step.inputs.count(),
      step.buffers.count());
}

int refuse(const Error& error) {
  print_error(error);
  return kUsage;
}

}  // namespace

int step(const Arguments& arguments, const SessionView& session) {
  const auto found = session.models().find(arguments.topic);
  if (!found) {
    return refuse(
        Error{fmt::format("no model is called \"{}\"; gpulint list models shows all, and "
                          "gpulint config verify what is wrong with your own",
                          escape_for_display(arguments.topic))});
  }
  const auto settings = settings_of(arguments, *found);
  if (!settings) return refuse(settings.error());
  const ResolvedRun run = ResolvedRun::of(settings->facts, &session.models(), {});
  UnknownFacts ignored;
  const StepWay way = step_ways(run, *found, ignored).front();
  std::map<std::string, expr::Value> dimensions = found->entry.dimensions;
  for (const auto& [name, value] : way.dimensions) dimensions.insert_or_assign(name, value);
  dimensions.insert_or_assign("batch", std::int64_t{1});
  for (const auto& [name, value] : settings->dimensions) dimensions.insert_or_assign(name, value);
  const auto tape = model::run_program(*found->program, dimensions, way.tape, way.execution);
  if (!tape) return refuse(tape.error());
  const std::string text = json_of(measure_step(*tape, way.merged_kernels), found->entry.id);
  if (auto written = write_results(arguments.outputs.front(), text); !written) {
    return refuse(written.error());
  }
  return kClean;
}

}  // namespace gpulint::cli

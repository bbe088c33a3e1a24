#pragma once

#include "catalog/hardware.h"
#include "lint/lint.h"
#include "lint/project_files.h"
#include "plan/training_plan.h"

#include <span>
#include <string>

namespace gpulint {

/// The hardware a run is judged on.
struct Target {
  const Gpu* gpu = nullptr;
  const Host* host = nullptr;
  std::string reason;  // where it was named, or why there is none
};

/// `gpu` with what this machine measured, if `measured` holds its kind; else itself.
const Gpu* with_measured(const Gpu* gpu, std::span<const Gpu> measured);

/// Command line, then the config itself, then `.gpulint.yaml`, then none. A GPU named alone keeps a
/// host named further down only if that host holds this GPU; a host named alone brings its GPU.
/// A measured GPU takes the place of the database's where command line or project say so.
Target resolve_target(const SessionView& session, const LintOptions& options,
                      const TrainingPlan& plan, const FileSettings& settings);

}  // namespace gpulint

#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "device/assignment.h"
#include "lint/lint.h"
#include "probe/confirmation.h"
#include "time/exchanges.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint::cli {

/// A config whose predictions the device is asked about.
struct ConfirmedConfig {
  PlanReport run;       // with its plan and the models it may name
  std::string name;     // "configs/train.yaml", with its phase where it has several
  SessionView session;  // with what this machine measured before
};

/// The config of the command line, as `estimate` reads it; of several phases the one that takes the
/// most memory. The Error says why there is nothing to predict from.
Result<ConfirmedConfig> read_confirmed(const Arguments& arguments, Session& session);

/// What the measuring process tries for it on a device: its footprint and its step, or the largest
/// batch in their place.
probe::ConfigPlan plan_of(const ConfirmedConfig& config, const Catalog& catalog,
                          const probe::DeviceReport& device, bool find_batch);

/// Adds what the config's predictions came to.
void judge_config(const ConfirmedConfig& config, const Catalog& catalog,
                  probe::Confirmation& confirmation);

/// What the ranks of a config exchange on such a GPU; why that is not known is added to
/// `not_judged`.
std::vector<Exchange> exchanges_for(const ConfirmedConfig& config, const Gpu* gpu,
                                    std::vector<std::string>& not_judged);

}  // namespace gpulint::cli

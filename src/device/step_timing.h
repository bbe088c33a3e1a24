#pragma once

#include "device/assignment.h"
#include "device/device_report.h"
#include "device/driver_session.h"
#include "device/step_replay.h"
#include "device/timing_session.h"
#include "time/step_replay.h"

namespace gpulint::probe {

/// The products of the plan by the best way the session has to multiply, its passes by our copy.
ReplayTimers replay_timers(TimingSession& session, Bytes l2_cache);

/// Replays the step in at most its budget and before the end; the report says why where it cannot.
void time_step(TimingSession& session, const NvmlSession& nvml, const StepReplayPlan& plan,
               const Assignment& assignment, DeviceReport& report);

}  // namespace gpulint::probe

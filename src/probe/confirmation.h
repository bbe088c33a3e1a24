#pragma once

#include "base/units.h"
#include "catalog/catalog.h"
#include "device/assignment.h"
#include "device/device_report.h"
#include "device/driver.h"
#include "device/library_search.h"
#include "probe/judge.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// Until a real device has run every check of this room.
inline constexpr std::string_view kNotValidated = "not yet validated on hardware";
/// What no replay shows, for --help, docs and reports.
inline constexpr std::string_view kNotMeasured =
    "what a framework allocates, and how long its own step takes";

struct Check {
  std::string name;      // "memory_total"
  std::string baseline;  // what the prediction is of
  Prediction prediction;
  Measurement measurement;
  Judgement judgement;
};

bool any_contradicted(std::span<const Check> checks);

struct Confirmation {
  Outcome outcome;
  std::string gpu_id;  // the catalog's; "" = not in it
  std::vector<Check> checks;
  std::string config = {};       // whose predictions were asked about; "" = none
  std::string unpredicted = {};  // why nothing was played of it; "" = it was, or there is none
};

struct MeasureRequest {
  DriverLibraries libraries;
  MachineFacts machine;
  std::string ld_library_path;
  std::string linted_folder;  // absolute, resolved
  bool elevated = false;      // set-user-id or file capabilities
  Assignment assignment;
  LibraryWish library{.allowed = false};  // what is searched for, for assignment.libraries
  /// From the driver's start, what is sustained included.
  std::chrono::milliseconds deadline{10'000};
};
/// What makes loading a native library unsafe, or useless.
std::optional<Unavailable> why_not(const MeasureRequest& request);
/// Shares `time` out: the most of it for rates, a half of that for the step of a config.
void give_time(MeasureRequest& request, std::chrono::milliseconds time,
               std::chrono::seconds sustain);
/// Measures in a child process, after everything that makes loading a native library unsafe has
/// been ruled out.
Outcome measure_device(const MeasureRequest& request);

/// Predictions against a measured device. `context`: what the estimate assumes for a training
/// process's CUDA context on `gpu`.
std::vector<Check> check_device(const DeviceReport& device, const Gpu* gpu,
                                const std::optional<BytesRange>& context);

/// Exit code of `confirm`: 0 nothing contradicted, 1 contradicted, 3 the child failed, 4 no usable
/// device.
int exit_code_of(const Confirmation& confirmation);

}  // namespace gpulint::probe

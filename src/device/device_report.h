#pragma once

#include "base/units.h"
#include "device/batch_report.h"
#include "device/footprint_report.h"
#include "device/rate.h"
#include "device/reason.h"
#include "device/step_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpulint::probe {

/// The link to the host as it is trained now and as card and slot allow.
struct PcieLink {
  int width = 0;  // lanes
  int max_width = 0;
  int generation = 0;  // drops while the card idles
  int max_generation = 0;
  friend bool operator==(const PcieLink&, const PcieLink&) = default;
};

/// How a card fares at one moment; unset = NVML does not say.
struct CardState {
  std::optional<double> sm_clock;  // Hz
  std::optional<double> power;     // W
  std::optional<double> power_limit;
  std::optional<double> temperature;  // degrees Celsius
  friend bool operator==(const CardState&, const CardState&) = default;
};

/// One kind of product for as long as was asked for.
struct Sustained {
  RateKind kind = RateKind::library_gemm_bf16;
  double seconds = 0;
  int samples = 0;
  double first = 0;                      // operations/s at the beginning, …
  double last = 0;                       // … and over the last quarter
  CardState low;                         // the least of each that was seen meanwhile, …
  CardState high;                        // … and the most
  std::vector<std::string> slowed_down;  // why, each once
  friend bool operator==(const Sustained&, const Sustained&) = default;
};

/// What the driver says about one device and its memory. No UUID and no serial number.
struct DeviceReport {
  std::string name;            // as the driver prints it
  std::string pci_bus_id;      // "0000:03:00.0"
  std::string card;            // eight digits that tell it from others (card_hash); "" = unknown
  std::string driver_version;  // "" without NVML
  std::string driver_library;  // the libcuda that was loaded
  int cuda_version = 0;        // 1000 * major + 10 * minor
  int compute_capability = 0;  // 10 * major + minor
  int sm_count = 0;
  Bytes l2_cache;
  int visible_devices = 0;
  bool mig = false;  // a slice of a card; NVML's figures of the whole card are left out
  std::optional<Bytes> nvml_total;  // what nvidia-smi prints
  std::optional<Bytes> nvml_reserved;
  Bytes cuda_total;                          // what CUDA can allocate
  std::optional<Bytes> free_before_context;  // NVML; unknown without it
  std::optional<Bytes> free_after_context;   // NVML
  Bytes cuda_free;                           // CUDA's own view, our context counted as used
  /// What a bare context takes; unknown without NVML.
  std::optional<Bytes> context;
  /// How far the free memory moved while nothing of ours changed: other processes at work.
  Bytes drift;
  std::optional<int> other_processes;  // with a CUDA context on this device
  std::optional<PcieLink> pcie;        // NVML
  std::string library;                 // "cuBLASLt 13.1.0, /path"; "" = none was loaded
  std::optional<int> numa_node;        // that host copies were bound to
  std::vector<Rate> rates;             // at most one of a kind
  std::vector<std::string> trials;     // what was tried and is right; not timed
  std::vector<std::string> not_timed;  // "gemm_bf16: why"
  CardState under_load;                // after the product that drew the most power
  std::optional<Sustained> sustained;
  /// The kernel or library that broke the context; what came after it was not measured.
  std::string broken_by;
  std::string disturbed_by;                  // "" or why the rates are not the card's own
  std::string limited_by;                    // "" or what gives this process a part of the card
  bool integrated = false;                   // its memory is, or may be, the host's
  bool display = false;                      // a screen hangs on it
  bool virtual_memory = false;               // expandable segments are possible
  std::optional<FootprintReport> footprint;  // of the config that was asked for
  std::optional<StepReport> step;            // likewise
  std::optional<BatchReport> batch;          // the largest that fits, where it was asked for
  /// Why the measuring process ended before it was done; what was measured until then is here.
  std::string cut_off = {};
  friend bool operator==(const DeviceReport&, const DeviceReport&) = default;
};

/// The measuring process crashed, hung or answered nonsense.
struct Failed {
  std::string message;
  friend bool operator==(const Failed&, const Failed&) = default;
};

using Outcome = std::variant<DeviceReport, Unavailable, Failed>;

}  // namespace gpulint::probe

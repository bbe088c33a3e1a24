#pragma once

#include "host/host_report.h"
#include "probe/judge.h"
#include "time/step_time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

enum class HostQuantity : std::uint8_t { bytes, cpus, samples_per_second, bytes_per_second };

/// What a prediction says of the measured figure.
enum class HostClaim : std::uint8_t {
  provides,  // the host has at least the predicted amount
  holds,     // the predicted need is at most what the host has
  is,        // the figure is the predicted one
};

/// One prediction about a host, an interval low <= high, and what was found.
struct HostCheck {
  std::string name = {};      // "ram"
  std::string baseline = {};  // what the prediction is of
  HostQuantity quantity = HostQuantity::bytes;
  HostClaim claim = HostClaim::holds;
  double low = 0;
  double high = 0;
  double measured = 0;
  double noise = 0;
  double tolerance = 0;  // same unit
  Verdict verdict = Verdict::inconclusive;
  std::string why = {};  // "" = the figures say it
};

/// What is predicted of a config's host. Unknown parts are not judged.
struct HostPrediction {
  std::optional<std::int64_t> cpu_cores;  // stated, or the target host's
  std::optional<Bytes> ram;               // likewise
  std::optional<Bytes> shm;               // likewise
  std::optional<BytesRange> ram_needed;   // by all ranks and loaders of one host
  std::optional<Bytes> shm_needed;
  std::optional<std::int64_t> loader_processes;  // of all ranks on one host
  std::int64_t ranks = 1;                        // on one host
  bool ranks_known = false;                      // false: at least as many
  std::optional<RateInterval> consumed;          // samples per second, by the GPUs of one host
  std::optional<double> rate_per_worker;         // stated, samples per second
  std::optional<double> storage_bandwidth;       // stated, bytes per second
  std::optional<double> stored_sample;           // bytes
  bool images = false;                           // a sample is one image
  std::string why_no_rate;                       // why nothing is known of what the GPUs take
};
/// Each part that is predicted and measured, in the order in which they are printed.
/// `not_judged`: "loader: why", of the parts for which one of both is missing.
std::vector<HostCheck> check_host(const HostReport& report, const HostPrediction& prediction,
                                  std::vector<std::string>& not_judged);

/// Confirmed or contradicted by the whole interval, with the tolerance on the safe side; else
/// inconclusive. Noise of more than half of the tolerance decides nothing.
void judge_host(HostCheck& check);

/// "24.0 GiB", "1.5 CPUs", "412 samples/s"
std::string in_words(HostQuantity quantity, double value);

/// What was found out about a host, and what it says of a config.
struct HostConfirmation {
  HostReport report;
  std::string config;  // "" = none was asked about
  std::vector<HostCheck> checks;
  std::vector<std::string> not_judged;  // "loader: why"
};
/// 0 nothing contradicted, 1 contradicted, 3 nothing could be measured.
int exit_code_of(const HostConfirmation& confirmation);

}  // namespace gpulint::probe

#pragma once

// The bench on which everything is timed: a stream with two events, our kernels, random data.

#include "device/device_objects.h"
#include "device/kernels.h"
#include "device/reference.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace gpulint::probe {

/// How often and how long something is repeated.
struct SamplePlan {
  Seconds warm_up{0.02};       // of load, which brings up the clocks
  Seconds least_sample{1e-3};  // events resolve about half a microsecond
  int samples = 15;
  Seconds most{0.6};  // of load, after which three samples are enough
  /// Sees each sample, seconds of one run; false: no more are wanted. nullptr: all are.
  const std::function<bool(Seconds)>* more = nullptr;
};

/// Of one run of what was timed.
struct Timing {
  Seconds median;
  Seconds noise;  // what the samples scatter and drift over
  int samples = 0;
};
/// `seconds`: in the order they were measured, at least one.
Timing timing_of(const std::vector<double>& seconds);

class Bench {
 public:
  /// `sm_count` of the device that is current.
  Bench(const CudaApi& cuda, Calls& calls, int sm_count);
  /// False: nothing can be timed, as the calls say.
  bool ready() const { return watch_.ready(); }

  const CudaApi& cuda() const { return cuda_; }
  Calls& calls() { return calls_; }
  Stopwatch& watch() { return watch_; }
  Kernels& kernels() { return kernels_; }

  /// Enough blocks for a kernel whose blocks take turns over all of the data.
  LaunchShape everywhere(int blocks_per_sm = 8) const;
  /// Random numbers of magnitude 0.5 to 1, either sign: zeros switch fewer bits, draw less power
  /// and look faster.
  bool fill(const DeviceBuffer& buffer, NumberFormat format);
  /// `look` is called while the device works on a sample, once or twice of each thing that is
  /// timed: what slows a card down is gone when it idles.
  void watch_load(std::function<void()> look) { look_ = std::move(look); }
  bool wait() { return watch_.start() && watch_.stop().has_value(); }

  /// Seconds of one run of `run`, by sample. Unset after a failure, which the calls then hold.
  std::optional<std::vector<double>> sample(const std::function<bool()>& run,
                                            const SamplePlan& plan = {});

 private:
  std::optional<Seconds> timed(int runs, const std::function<bool()>& run, bool look = false);

  const CudaApi& cuda_;
  Calls& calls_;
  int sm_count_;
  Kernels kernels_;
  Stopwatch watch_;
  std::function<void()> look_;
  std::uint32_t seed_ = 0;
};

}  // namespace gpulint::probe

#pragma once

#include "device/assignment.h"
#include "device/bench.h"
#include "device/cublaslt.h"
#include "device/device_report.h"
#include "device/driver_session.h"
#include "device/gemm_bench.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulint::probe {

/// What everything that is timed in the current context shares: the bench, the vendor's library
/// where a safe one was found, and which ways to multiply have proved right.
class TimingSession {
 public:
  /// `assignment`: of its libraries the first that the driver is new enough for is loaded; what
  /// broke a context before is left out. `device`: its identity and free memory.
  TimingSession(const CudaApi& cuda, const MachineFacts& machine, const DeviceReport& device,
                const Assignment& assignment);
  TimingSession(const TimingSession&) = delete;
  TimingSession& operator=(const TimingSession&) = delete;

  /// False: nothing can be timed, as `why` says.
  bool ready() const { return bench_.ready(); }
  Calls& calls() { return calls_; }
  Bench& bench() { return bench_; }
  GemmBench& gemm() { return gemm_; }
  /// Why the last chain of calls ended, for `not_timed`.
  std::string why() const;
  /// "cuBLASLt 13.1.0, /path", or "" and why there is none.
  const std::string& library() const { return library_name_; }
  const std::string& no_library() const { return no_library_; }

 private:
  std::unique_ptr<Cublaslt> open_library(const std::vector<std::string>& paths, int cuda_version);

  Calls calls_;
  Bench bench_;
  std::string library_name_;
  std::string no_library_ = "no cuBLASLt was found";
  std::unique_ptr<Cublaslt> library_;
  GemmBench gemm_;
};

}  // namespace gpulint::probe

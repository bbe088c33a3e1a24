#pragma once

#include "base/units.h"
#include "device/bench.h"
#include "device/cublaslt.h"
#include "device/device_report.h"
#include "device/gemm.h"
#include "device/reason.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::probe {

struct GemmTime {
  Tier tier = Tier::kernel;
  Timing timing;  // of all products of a batch
};

/// Times matrix products of any shape. A way to multiply is compared with a float64 product before
/// it is timed for the first time; one that is wrong is never timed.
class GemmBench {
 public:
  /// `device`: its free memory, of which a product may take at most half, and its cache.
  /// `library`: nullptr = our own kernels alone. `newest`: whether kernels for instructions of this
  /// generation alone are used. All have to outlive this.
  GemmBench(Bench& bench, const DeviceReport& device, const Cublaslt* library, bool newest = true);

  /// Seconds by sample, by one tier: `library` or `kernel`. Unset after a failure, which the
  /// bench's calls then hold.
  std::optional<std::vector<double>> sample(const GemmShape& shape, NumberFormat format, Tier tier,
                                            const SamplePlan& plan = {});
  /// The library's fp8 with fast accumulation. Unset likewise.
  std::optional<std::vector<double>> sample_fast_fp8(const GemmShape& shape);
  /// By the best tier there is: the library, else our kernel. Unset likewise.
  std::optional<GemmTime> time(const GemmShape& shape, NumberFormat format,
                               const SamplePlan& plan = {});
  /// Seconds of one product of 1024 each way by that tier: what a card or a format is up to.
  std::optional<Seconds> pilot(NumberFormat format, Tier tier);
  /// Tries every kernel of ours for the format, also those that others come before, and the
  /// library: the names of those that are right. The others are in `refused`.
  std::vector<std::string> try_all(NumberFormat format);
  /// The library's formats that broke a context before are not tried again.
  void leave_out(std::vector<std::string> names) { left_out_ = std::move(names); }
  /// Kernels of ours that cannot be used: "gpulint_wgmma_gemm_bf16: why".
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  enum class Trust : std::uint8_t { untested, right, wrong };
  struct Candidate {
    GemmKernel kernel;
    Trust trust = Trust::untested;
    Unavailable why{Reason::init_failed, {}};  // of wrong
  };
  /// c = a b^T of operands on the device.
  using Multiply = std::function<bool(CudaAddress c, CudaAddress a, CudaAddress b)>;
  using Samples = std::optional<std::vector<double>>;

  const GemmKernel* trusted_kernel(NumberFormat format);
  bool is_trusted(Candidate& candidate, NumberFormat format);
  bool trusts_library(NumberFormat format, Fp8Sums sums = Fp8Sums::exact);
  bool is_right(const GemmShape& shape, NumberFormat format, NumberFormat result,
                const Multiply& multiply);
  Samples sample_with(const GemmShape& shape, NumberFormat format, const SamplePlan& plan,
                      const Multiply& multiply);
  Samples by_library(const GemmShape& shape, NumberFormat format, const SamplePlan& plan,
                     Fp8Sums sums = Fp8Sums::exact);
  Samples by_kernel(const GemmShape& shape, NumberFormat format, const SamplePlan& plan);
  Samples sample_kernel(const GemmKernel& kernel, const GemmShape& shape, NumberFormat format,
                        const SamplePlan& plan);
  std::optional<double> race(const GemmKernel& kernel, NumberFormat format);
  Multiply launcher(const LibraryProduct& product, std::string work,
                    const DeviceBuffer& workspace);
  bool fits(const GemmShape& shape, NumberFormat format);
  bool failed(std::string why);

  Bench& bench_;
  Bytes free_memory_;
  Bytes l2_cache_;
  const Cublaslt* library_;
  std::array<std::vector<Candidate>, kNumberFormatCount> candidates_;
  std::array<const GemmKernel*, kNumberFormatCount> chosen_{};  // among them
  // By format, and at the end fp8 with fast accumulation.
  std::array<Trust, kNumberFormatCount + 1> library_trust_{};
  std::array<std::string, kNumberFormatCount + 1> library_why_;  // of wrong
  std::vector<std::string> refused_;
  std::vector<std::string> left_out_;
};

}  // namespace gpulint::probe

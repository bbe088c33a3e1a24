#include "device/trials.h"

#include "device/device_copy.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace gpulint::probe {
namespace {

constexpr SamplePlan kOnce{.warm_up = Seconds{0}, .least_sample = Seconds{0}, .samples = 1};
constexpr std::size_t kCopied = std::size_t{1} << 20;

class Trials {
 public:
  Trials(TimingSession& session, DeviceReport& report)
      : session_(session), bench_(session.bench()), report_(report) {}

  void keep(std::string_view name, bool right) {
    if (right) {
      report_.trials.emplace_back(name);
    } else {
      report_.not_timed.push_back(fmt::format("{}: {}", name, session_.why()));
    }
  }

  void try_memory() {
    keep("gpulint_copy", sample_copy(bench_, kCopied, kOnce).has_value());
    keep("gpulint_read", sample_read(bench_, kCopied, kOnce).has_value());
    CudaFunction empty = bench_.kernels().find(KernelFile::memory, "gpulint_empty");
    keep("gpulint_empty",
         empty != nullptr && bench_.watch().launch(empty, {.threads = 32}, {}) && bench_.wait());
  }

  void try_loop(NumberFormat format, int generation) {
    constexpr std::size_t kValues = 1024;  // words the kernels read
    const auto kernel = issue_kernel(format, generation);
    if (!kernel) return;
    CudaFunction function = bench_.kernels().find(kernel->file, kernel->name, kernel->shared_bytes);
    const DeviceBuffer values(bench_.cuda(), session_.calls(), kValues * sizeof(std::uint32_t));
    const DeviceBuffer sink(bench_.cuda(), session_.calls(), sizeof(float));
    int rounds = 2;
    CudaAddress target = sink.address();
    CudaAddress source = values.address();
    const LaunchShape one{.threads = kernel->threads, .shared_bytes = kernel->shared_bytes};
    keep(kernel->name,
         function != nullptr && values.ready() && sink.ready() && bench_.fill(values, format) &&
             bench_.watch().launch(function, one, {&target, &source, &rounds}) && bench_.wait());
  }

  void try_format(NumberFormat format) {
    for (std::string& name : session_.gemm().try_all(format)) {
      report_.trials.push_back(std::move(name));
    }
    const int capability = report_.compute_capability;
    const int before = kernel_generation(capability, false);
    try_loop(format, capability);
    if (before != capability && format != NumberFormat::fp32) try_loop(format, before);
  }

 private:
  TimingSession& session_;
  Bench& bench_;
  DeviceReport& report_;
};

}  // namespace

void try_kernels(TimingSession& session, DeviceReport& report) {
  if (!session.ready()) {
    report.not_timed.push_back("trials: " + session.why());
    return;
  }
  report.library = session.library();
  Trials trials(session, report);
  trials.try_memory();
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32,
                                    NumberFormat::tf32, NumberFormat::fp8}) {
    trials.try_format(format);
  }
  for (const std::string& refused : session.gemm().refused()) report.not_timed.push_back(refused);
}

}  // namespace gpulint::probe

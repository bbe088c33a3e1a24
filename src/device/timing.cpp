// Untested on hardware. Every sample is the device's own time between two events, over launches
// that together take at least a millisecond, after load that brings the clocks up. Buffers are
// larger than any cache and hold random numbers. A product is compared with a float64 one before it
// is timed, a copy with its source.

#include "device/timing.h"

#include "device/device_copy.h"
#include "device/host_copy.h"
#include "device/stop_signals.h"
#include "host/numa.h"
#include "host/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace gpulint::probe {
namespace {

constexpr std::size_t kCachesFull = 8;  // buffers are this many times the L2
constexpr std::size_t kLeastCopyBuffer = std::size_t{256} << 20;
constexpr std::size_t kFreeParts = 8;  // one buffer takes at most this part of the free memory
constexpr std::array<int, 4> kSizes{8192, 4096, 2048, 1024};  // of matrices, largest that fits
constexpr int kPilotSize = 1024;
constexpr double kLongestProduct = 0.04;  // seconds of one launch, as far as the pilot tells
constexpr SamplePlan kFirstLoad{.warm_up =
                                    Seconds{0.2}};  // an idle card's clocks rise in this time
constexpr SamplePlan kAgain{.warm_up = Seconds{0}, .samples = 5};
constexpr int kFirstWithMemoryPtx = 60;  // compute capability of kernels/memory.ptx
constexpr int kLaunches = 1000;
constexpr Seconds kIssueTime{5e-3};  // of one sample of a ceiling
constexpr int kFirstRounds = 2000;   // of a ceiling, to learn how long one takes

using Samples = std::optional<std::vector<double>>;

class Timer {
 public:
  Timer(TimingSession& session, const NvmlSession& nvml, const TimingPlan& plan,
        DeviceReport& report)
      : session_(session),
        bench_(session.bench()),
        nvml_(nvml),
        plan_(plan),
        report_(report),
        host_(bench_, host_buffer_size(available_host_memory())) {
    bench_.watch_load([this] { look_at_card(); });
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { bench_.watch_load({}); }

  void run();

 private:
  void skip(std::string_view what, std::string_view why) {
    report_.not_timed.push_back(fmt::format("{}: {}", what, why));
  }
  /// `work`: bytes, operations or launches of what took `seconds`.
  void add(RateKind kind, double work, const Samples& seconds);
  bool late() const { return stop_signal() != 0 || std::chrono::steady_clock::now() >= plan_.end; }
  /// After the context broke every call fails: what is left is measured again in another process.
  bool is_over(std::string_view what) {
    if (!session_.calls().broken_by().empty()) return true;
    if (late()) skip(what, "out of time");
    return late();
  }
  /// Runs one step in time.
  void step(RateKind kind, double work, const std::function<Samples()>& take);

  void time_memory(std::size_t bytes);
  std::optional<NumaNode> near_memory() const;
  void time_host_copies();
  void time_products(NumberFormat format);
  void time_fast_fp8(const GemmShape& shape);
  void time_ceiling(NumberFormat format);
  void time_launches();
  void repeat_copy();

  Samples ceiling(const IssueKernel& kernel, NumberFormat format, int& rounds);
  std::size_t buffer_size() const;
  int matrix_size(NumberFormat format, Seconds pilot) const;
  void time_product(NumberFormat format, Tier tier);
  void look_at_card();

  TimingSession& session_;
  Bench& bench_;
  const NvmlSession& nvml_;
  const TimingPlan& plan_;
  DeviceReport& report_;
  HostCopies host_;
};

void Timer::add(RateKind kind, double work, const Samples& seconds) {
  if (!seconds) return skip(name_of(kind), session_.why());
  std::vector<double> rates;
  for (const double each : *seconds) rates.push_back(work / each);
  const Summary summary = summarize(rates);
  report_.rates.push_back({kind, summary.median, summary.noise, static_cast<int>(rates.size())});
}

void Timer::step(RateKind kind, double work, const std::function<Samples()>& take) {
  if (is_over(name_of(kind))) return;
  add(kind, work, take());
  plan_.publish(report_);
}

/// While it works: an idle card is neither hot nor slowed down.
void Timer::look_at_card() {
  const CardState now = nvml_.state();
  if (now.power.value_or(0) >= report_.under_load.power.value_or(0)) report_.under_load = now;
  if (report_.disturbed_by.empty()) report_.disturbed_by = nvml_.disturbance();
}

/// Bytes of one buffer: past the caches, and others keep what they need. 0 = does not fit.
std::size_t Timer::buffer_size() const {
  const auto count = [](Bytes bytes) {
    return static_cast<std::size_t>(std::max<std::int64_t>(bytes.count(), 0));
  };
  const std::size_t wanted = std::max(kCachesFull * count(report_.l2_cache), kLeastCopyBuffer);
  return wanted <= count(report_.cuda_free) / kFreeParts ? wanted : 0;
}

/// The largest that has room and is over in time, the smallest whatever it takes; 0: no room.
int Timer::matrix_size(NumberFormat format, Seconds pilot) const {
  const double room = report_.cuda_free.as_double() / 4;
  for (const int size : kSizes) {
    const double values = static_cast<double>(size) * size;
    const double bytes = values * static_cast<double>(2 * bytes_of_value(format) + sizeof(float));
    const double seconds = pilot.value * std::pow(static_cast<double>(size) / kPilotSize, 3);
    if (bytes <= room && (seconds <= kLongestProduct || size == kSizes.back())) return size;
  }
  return 0;
}

void Timer::time_memory(std::size_t bytes) {
  const double moved = 2.0 * static_cast<double>(bytes);
  step(RateKind::copy, moved, [&] { return sample_copy(bench_, bytes, kFirstLoad); });
  step(RateKind::read, moved / 2, [&] { return sample_read(bench_, bytes); });
  if (bench_.cuda().copy_on_device != nullptr) {
    step(RateKind::driver_copy, moved, [&] { return sample_driver_copy(bench_, bytes); });
  }
}

/// The memory beside the card: from another socket's a sound link looks slow.
std::optional<NumaNode> Timer::near_memory() const {
  const auto number = numa_node_of(plan_.root, report_.pci_bus_id);
  for (NumaNode& node : numa_nodes(plan_.root)) {
    if (number && node.number == *number) return std::move(node);
  }
  return std::nullopt;
}

void Timer::time_host_copies() {
  if (!host_.possible()) {
    return skip("host copies", "too little host memory, or the driver lacks a function");
  }
  std::optional<NumaBinding> binding;
  if (const auto near = near_memory()) {
    binding.emplace(*near);
    if (binding->on_cpus()) report_.numa_node = near->number;
  }
  const double pinned = host_.pinned_size().as_double();
  const double pageable = host_.pageable_size().as_double();
  step(RateKind::pinned_upload, pinned, [&] { return host_.pinned_upload(); });
  step(RateKind::pinned_download, pinned, [&] { return host_.pinned_download(); });
  step(RateKind::pageable_upload, pageable, [&] { return host_.pageable_upload(); });
  step(RateKind::cold_upload, pageable, [&] { return host_.cold_upload(); });
}

void Timer::time_product(NumberFormat format, Tier tier) {
  const RateKind kind = kind_of(tier, format);
  if (is_over(name_of(kind))) return;
  const auto pilot = session_.gemm().pilot(format, tier);
  if (!pilot) return skip(name_of(kind), session_.why());
  const int size = matrix_size(format, *pilot);
  if (size == 0) return skip(name_of(kind), "too little free memory");
  const GemmShape shape{.m = size, .n = size, .k = size};
  step(kind, operations_of(shape), [&] { return session_.gemm().sample(shape, format, tier); });
  if (kind == RateKind::library_gemm_fp8) time_fast_fp8(shape);
}

/// Beside the exact one, where the library has that: frameworks offer both.
void Timer::time_fast_fp8(const GemmShape& shape) {
  if (report_.rates.empty() || report_.rates.back().kind != RateKind::library_gemm_fp8) return;
  step(RateKind::library_gemm_fp8_fast, operations_of(shape),
       [&] { return session_.gemm().sample_fast_fp8(shape); });
}

void Timer::time_products(NumberFormat format) {
  if (!session_.library().empty()) time_product(format, Tier::library);
  time_product(format, Tier::kernel);
}

/// Seconds of one round by sample.
Samples Timer::ceiling(const IssueKernel& kernel, NumberFormat format, int& rounds) {
  constexpr std::size_t kValues = 1024;  // words the kernels read
  CudaFunction function = bench_.kernels().find(kernel.file, kernel.name, kernel.shared_bytes);
  const DeviceBuffer values(bench_.cuda(), session_.calls(), kValues * sizeof(std::uint32_t));
  const DeviceBuffer sink(bench_.cuda(), session_.calls(), sizeof(float));
  if (function == nullptr || !values.ready() || !sink.ready() || !bench_.fill(values, format)) {
    return std::nullopt;
  }
  LaunchShape blocks = bench_.everywhere(kernel.blocks_per_sm);
  blocks.threads = kernel.threads;
  blocks.shared_bytes = kernel.shared_bytes;
  CudaAddress target = sink.address();
  CudaAddress source = values.address();
  const auto launch = [&] {
    return bench_.watch().launch(function, blocks, {&target, &source, &rounds});
  };
  rounds = kFirstRounds;
  const Samples first = bench_.sample(launch, {.least_sample = Seconds{0}, .samples = 1});
  if (!first) return std::nullopt;
  constexpr double kMostRounds = 1e7;
  rounds = static_cast<int>(
      std::clamp(kFirstRounds * kIssueTime.value / first->front(), 1.0, kMostRounds));
  return bench_.sample(launch, {.least_sample = Seconds{0}});
}

void Timer::time_ceiling(NumberFormat format) {
  const RateKind kind = kind_of(Tier::issue, format);
  const auto kernel =
      issue_kernel(format, kernel_generation(report_.compute_capability, plan_.newest));
  if (!kernel)
    return skip(name_of(kind),
                "our kernels do not use the instructions that reach this GPU's peak");
  int rounds = 0;
  const auto blocks = static_cast<double>(bench_.everywhere(kernel->blocks_per_sm).columns);
  if (is_over(name_of(kind))) return;
  const Samples seconds = ceiling(*kernel, format, rounds);
  add(kind, blocks * kernel->operations_of_block * rounds, seconds);
  plan_.publish(report_);
}

void Timer::time_launches() {
  CudaFunction empty = bench_.kernels().find(KernelFile::memory, "gpulint_empty");
  if (empty == nullptr) return skip(name_of(RateKind::launch), session_.why());
  const auto launch = [&] {
    for (int i = 0; i < kLaunches; ++i) {
      if (!bench_.watch().launch(empty, {.threads = 32}, {})) return false;
    }
    return true;
  };
  step(RateKind::launch, kLaunches,
       [&] { return bench_.sample(launch, {.warm_up = Seconds{0}, .samples = 5}); });
}

/// What the card does at the end differs from what it did at the start by heat and by others' work:
/// that is noise of all it did between.
void Timer::repeat_copy() {
  const auto first = std::find_if(report_.rates.begin(), report_.rates.end(),
                                  [](const Rate& rate) { return rate.kind == RateKind::copy; });
  if (first == report_.rates.end() || late()) return;
  const std::size_t bytes = buffer_size();
  if (const Samples again = sample_copy(bench_, bytes, kAgain)) {
    const double last = 2.0 * static_cast<double>(bytes) / median_of(*again);
    first->noise = std::max(first->noise, std::abs(first->value - last));
  }
}

void Timer::run() {
  const std::size_t bytes = buffer_size();
  if (report_.compute_capability < kFirstWithMemoryPtx) return skip("rates", "the GPU is too old");
  if (bytes == 0) return skip("rates", "too little free memory");
  const bool kernels = bench_.kernels().find(KernelFile::memory, "gpulint_fill") != nullptr;
  if (!kernels) skip("kernels", session_.why());
  if (kernels) time_memory(bytes);
  time_host_copies();
  if (!kernels) return;
  if (session_.library().empty()) skip("library", session_.no_library());
  // Last is what is left out first when time runs short.
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32,
                                    NumberFormat::tf32, NumberFormat::fp8}) {
    time_products(format);
  }
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32,
                                    NumberFormat::tf32, NumberFormat::fp8}) {
    time_ceiling(format);
  }
  time_launches();
  repeat_copy();
  for (const std::string& refused : session_.gemm().refused()) {
    report_.not_timed.push_back(refused);
  }
}

}  // namespace

void time_device(TimingSession& session, const NvmlSession& nvml, const TimingPlan& plan,
                 DeviceReport& report) {
  const auto skip = [&report](std::string_view why) {
    report.not_timed.push_back(fmt::format("rates: {}", why));
  };
  if (!session.ready()) return skip(session.why());
  report.library = session.library();
  if (report.other_processes.value_or(0) > 0) {
    if (!plan.share) return skip("another process uses the GPU; --share times beside it");
    if (report.disturbed_by.empty()) report.disturbed_by = "another process uses the GPU";
  }
  if (report.footprint && report.footprint->verdict == FootprintVerdict::aborted) {
    return skip("other processes use the device: " + report.footprint->why);
  }
  Timer(session, nvml, plan, report).run();
}

}  // namespace gpulint::probe

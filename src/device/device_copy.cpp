#include "device/device_copy.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpulint::probe {
namespace {

/// The last bytes arrived: the whole range was covered.
bool same_end(Bench& bench, const DeviceBuffer& from, const DeviceBuffer& to) {
  constexpr std::size_t kEnd = 4096;
  std::array<std::uint32_t, kEnd / 4> expected{};
  std::array<std::uint32_t, kEnd / 4> arrived{};
  if (!bench.wait() || !from.read(expected.data(), kEnd, from.size() - kEnd) ||
      !to.read(arrived.data(), kEnd, to.size() - kEnd)) {
    return false;
  }
  if (expected == arrived && expected.front() != 0) return true;
  bench.calls().fail(Reason::init_failed, "the copy differs from its source");
  return false;
}

}  // namespace

std::optional<std::vector<double>> sample_copy(Bench& bench, std::size_t bytes,
                                               const SamplePlan& plan, std::size_t beyond) {
  CudaFunction kernel = bench.kernels().find(KernelFile::memory, "gpulint_copy");
  const std::size_t places = std::max<std::size_t>(1, (beyond + bytes - 1) / bytes);
  const DeviceBuffer from(bench.cuda(), bench.calls(), places * bytes);
  const DeviceBuffer to(bench.cuda(), bench.calls(), places * bytes);
  if (kernel == nullptr || !from.ready() || !to.ready() || !bench.fill(from, NumberFormat::fp32)) {
    return std::nullopt;
  }
  CudaAddress source = from.address();
  CudaAddress target = to.address();
  std::uint64_t count = places * bytes / 16;
  const auto launch = [&] {
    return bench.watch().launch(kernel, bench.everywhere(), {&source, &target, &count});
  };
  if (!launch() || !same_end(bench, from, to)) return std::nullopt;
  count = bytes / 16;
  std::size_t place = 0;
  const auto next = [&] {
    place = (place + 1) % places;
    source = from.address() + place * bytes;
    target = to.address() + place * bytes;
    return launch();
  };
  return bench.sample(next, plan);
}

std::optional<std::vector<double>> sample_driver_copy(Bench& bench, std::size_t bytes,
                                                      const SamplePlan& plan) {
  const DeviceBuffer from(bench.cuda(), bench.calls(), bytes);
  const DeviceBuffer to(bench.cuda(), bench.calls(), bytes);
  if (!from.ready() || !to.ready() || !bench.fill(from, NumberFormat::fp32)) return std::nullopt;
  const auto copy = [&] {
    return bench.calls().ok(
        bench.cuda().copy_on_device(to.address(), from.address(), bytes, bench.watch().stream()),
        "cuMemcpyDtoDAsync_v2");
  };
  return bench.sample(copy, plan);
}

std::optional<std::vector<double>> sample_read(Bench& bench, std::size_t bytes,
                                               const SamplePlan& plan) {
  CudaFunction kernel = bench.kernels().find(KernelFile::memory, "gpulint_read");
  const DeviceBuffer from(bench.cuda(), bench.calls(), bytes);
  const DeviceBuffer sink(bench.cuda(), bench.calls(), sizeof(std::uint32_t));
  if (kernel == nullptr || !from.ready() || !sink.ready() ||
      !bench.fill(from, NumberFormat::fp32)) {
    return std::nullopt;
  }
  CudaAddress source = from.address();
  CudaAddress target = sink.address();
  std::uint64_t count = bytes / 16;
  const auto launch = [&] {
    return bench.watch().launch(kernel, bench.everywhere(), {&source, &target, &count});
  };
  return bench.sample(launch, plan);
}

}  // namespace gpulint::probe

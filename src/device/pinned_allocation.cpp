#include "device/pinned_allocation.h"

#include "device/device_objects.h"
#include "device/host_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace gpulint::probe {
namespace {

constexpr std::string_view kPinned = "pinned_allocation";

void time_pinned(const CudaApi& cuda, Calls& calls, Bytes size, const PartWriter& writer) {
  constexpr int kAllocations = 5;
  std::vector<double> rates;
  for (int i = 0; i < kAllocations; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const PinnedBuffer buffer(cuda, calls, static_cast<std::size_t>(size.count()));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (buffer.data() == nullptr) return writer.missing(kPinned, calls.failure().detail);
    rates.push_back(size.as_double() / std::max(took.count(), 1e-9));
  }
  writer.figure(figure_of(FigureKind::pinned_allocation, rates, 1,
                          fmt::format("{} from the driver", format_binary(size))));
}

}  // namespace

void measure_pinned(const DriverLibraries& libraries, const MachineFacts& machine,
                    const PartWriter& writer) {
  const auto loaded = load_driver(libraries, machine);
  if (const auto* none = std::get_if<Unavailable>(&loaded)) {
    return writer.missing(kPinned, none->detail);
  }
  const CudaApi& cuda = std::get<Driver>(loaded).cuda;
  Calls calls(cuda, machine);
  const Bytes size = host_buffer_size(available_host_memory());
  if (cuda.host_allocate == nullptr || cuda.host_free == nullptr || size.count() == 0) {
    return writer.missing(kPinned, "the driver lacks a function, or too little memory is free");
  }
  CudaDevice device = 0;
  if (!calls.ok(cuda.init(0), "cuInit") || !calls.ok(cuda.device_at(&device, 0), "cuDeviceGet")) {
    return writer.missing(kPinned, calls.failure().detail);
  }
  const PrimaryContext context(cuda, device, calls);
  if (!context.ready()) return writer.missing(kPinned, calls.failure().detail);
  time_pinned(cuda, calls, size, writer);
}

}  // namespace gpulint::probe

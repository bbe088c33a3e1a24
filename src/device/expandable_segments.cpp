// The way torch's expandable segments work: address space for all a pool could ever need, physical
// pages mapped into it one behind the other, and unmapped again from the end.

#include "device/device_segments.h"
#include "device/touch.h"

#include <array>
#include <vector>

namespace gpulint::probe {
namespace {

/// Torch reserves addresses for an eighth more than the device has, so that a pool that shrank in
/// its middle may grow on.
constexpr double kAddressesPerByte = 1.125;

std::size_t size_of(Bytes bytes) { return static_cast<std::size_t>(bytes.count()); }

struct Pool {
  CudaAddress address = 0;
  Bytes span;
  Bytes page;
  std::vector<CudaMemoryHandle> pages;
  CudaAddress end() const { return address + pages.size() * size_of(page); }
};

class ExpandableSegments : public DeviceSegments {
 public:
  ExpandableSegments(const CudaApi& cuda, Calls& calls, CudaDevice device)
      : cuda_(cuda), memory_(cuda.virtual_memory), calls_(calls) {
    properties_.type = kAllocationPinned;
    properties_.location = {kLocationDevice, device};
  }
  ~ExpandableSegments() override {
    for (auto pool = pools_.rbegin(); pool != pools_.rend(); ++pool) {
      while (!pool->pages.empty()) unmap_last(*pool);
      if (pool->address != 0) memory_.free_address(pool->address, size_of(pool->span));
    }
  }

  bool reserve(Bytes total) {
    std::size_t granularity = 0;
    if (!calls_.ok(memory_.granularity(&granularity, &properties_, kGranularityMinimum),
                   "cuMemGetAllocationGranularity")) {
      return false;
    }
    const Bytes granule = bytes_of(granularity);
    if (granule <= Bytes{}) return false;
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      Pool& pool = pools_[i];
      pool.page = rounded_up(kExpandablePage[i], granule);
      pool.span = rounded_up(Bytes::rounded(total.as_double() * kAddressesPerByte), pool.page);
      if (!calls_.ok(memory_.reserve(&pool.address, size_of(pool.span), 0, 0, 0),
                     "cuMemAddressReserve")) {
        pool.address = 0;
        return false;
      }
    }
    return true;
  }

  bool play(const SegmentEvent& event) override {
    if (event.segment >= pools_.size()) return false;
    Pool& pool = pools_[event.segment];
    const bool grows = event.bytes > Bytes{};
    const Bytes bytes = grows ? event.bytes : Bytes{} - event.bytes;
    const std::size_t before = pool.pages.size();
    for (Bytes done; done < bytes; done += pool.page) {
      if (grows ? map_next(pool) : unmap_last(pool)) continue;
      while (pool.pages.size() > before) unmap_last(pool);
      return false;
    }
    return true;
  }

 private:
  bool map_next(Pool& pool) {
    const CudaAddress at = pool.end();
    const std::size_t bytes = size_of(pool.page);
    if (at + bytes > pool.address + size_of(pool.span)) {
      calls_.fail(Reason::out_of_memory, "the trace outgrows the address space of its pool");
      return false;
    }
    CudaMemoryHandle handle = 0;
    if (!calls_.ok(memory_.create(&handle, bytes, &properties_, 0), "cuMemCreate")) return false;
    if (!calls_.ok(memory_.map(at, bytes, 0, handle, 0), "cuMemMap")) {
      memory_.release(handle);
      return false;
    }
    pool.pages.push_back(handle);
    held_ += pool.page;
    ++count_;
    const CudaMemoryAccess access{properties_.location, kAccessReadWrite};
    if (calls_.ok(memory_.set_access(at, bytes, &access, 1), "cuMemSetAccess") &&
        touch(cuda_, calls_, at, bytes)) {
      return true;
    }
    unmap_last(pool);
    return false;
  }

  /// Leaves `calls_` as it is: it may hold what made the pool shrink.
  bool unmap_last(Pool& pool) {
    if (pool.pages.empty()) return false;
    const CudaMemoryHandle handle = pool.pages.back();
    pool.pages.pop_back();
    held_ = held_ - pool.page;
    --count_;
    const bool unmapped = memory_.unmap(pool.end(), size_of(pool.page)) == kCudaSuccess;
    return memory_.release(handle) == kCudaSuccess && unmapped;
  }

  const CudaApi& cuda_;
  const VirtualMemoryApi& memory_;
  Calls& calls_;
  CudaMemoryProperties properties_;
  std::array<Pool, 2> pools_{};  // as SegmentEvent numbers them
};

}  // namespace

std::unique_ptr<DeviceSegments> expandable_segments(const CudaApi& cuda, Calls& calls,
                                                    CudaDevice device, Bytes total) {
  auto segments = std::make_unique<ExpandableSegments>(cuda, calls, device);
  if (!segments->reserve(total)) return nullptr;
  return segments;
}

}  // namespace gpulint::probe

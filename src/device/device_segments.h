#pragma once

#include "base/units.h"
#include "device/driver_session.h"
#include "memory/segment_events.h"

#include <memory>

namespace gpulint::probe {

/// Segments of a caching allocator as real device memory, each touched so that it exists; plain
/// device memory only. What is held is given back in reverse order when this ends.
class DeviceSegments {
 public:
  virtual ~DeviceSegments() = default;
  DeviceSegments(const DeviceSegments&) = delete;
  DeviceSegments& operator=(const DeviceSegments&) = delete;

  /// Plays one event. False when the driver refused; nothing was taken then, and the `calls` it was
  /// made with hold why.
  virtual bool play(const SegmentEvent& event) = 0;
  Bytes held() const { return held_; }
  int count() const { return count_; }

 protected:
  DeviceSegments() = default;
  Bytes held_;
  int count_ = 0;  // native: segments; expandable: pages
};

/// Whether the functions are there that native segments need.
bool can_play(const CudaApi& cuda);

/// Each segment is an allocation of its own.
std::unique_ptr<DeviceSegments> native_segments(const CudaApi& cuda, Calls& calls);

/// One address range per pool, pages mapped and unmapped at its end. `total`: of the device.
/// nullptr when the driver reserves none.
std::unique_ptr<DeviceSegments> expandable_segments(const CudaApi& cuda, Calls& calls,
                                                    CudaDevice device, Bytes total);

}  // namespace gpulint::probe

#include "device/device_segments.h"
#include "device/touch.h"

#include <map>

namespace gpulint::probe {
namespace {

struct Segment {
  CudaAddress address = 0;
  Bytes bytes;
};

class NativeSegments : public DeviceSegments {
 public:
  NativeSegments(const CudaApi& cuda, Calls& calls) : cuda_(cuda), calls_(calls) {}
  ~NativeSegments() override {
    while (!segments_.empty()) free(std::prev(segments_.end()));
  }

  bool play(const SegmentEvent& event) override {
    const auto at = segments_.find(event.segment);
    if (event.bytes > Bytes{}) return at == segments_.end() && take(event);
    if (at != segments_.end()) free(at);
    return true;
  }

 private:
  using Segments = std::map<std::uint32_t, Segment>;

  bool take(const SegmentEvent& event) {
    CudaAddress address = 0;
    const auto bytes = static_cast<std::size_t>(event.bytes.count());
    if (!calls_.ok(cuda_.allocate(&address, bytes), "cuMemAlloc_v2")) return false;
    if (!touch(cuda_, calls_, address, bytes)) {
      cuda_.free(address);
      return false;
    }
    segments_[event.segment] = {address, event.bytes};
    held_ += event.bytes;
    ++count_;
    return true;
  }

  void free(Segments::iterator at) {
    cuda_.free(at->second.address);
    held_ = held_ - at->second.bytes;
    --count_;
    segments_.erase(at);
  }

  const CudaApi& cuda_;
  Calls& calls_;
  Segments segments_;  // numbered in the order they are taken
};

}  // namespace

bool can_play(const CudaApi& cuda) {
  return cuda.allocate != nullptr && cuda.free != nullptr && cuda.fill_words != nullptr &&
         cuda.synchronize != nullptr;
}

std::unique_ptr<DeviceSegments> native_segments(const CudaApi& cuda, Calls& calls) {
  return std::make_unique<NativeSegments>(cuda, calls);
}

}  // namespace gpulint::probe

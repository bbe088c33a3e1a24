#pragma once

#include "base/units.h"
#include "device/driver_session.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// Why what broke a context is not tried again.
inline constexpr std::string_view kBrokeContext =
    "it broke the CUDA context; all else was measured again without it";

/// The same kernels as PTX, which the driver compiles, and as machine code for some architectures
/// (a CUDA fat binary; nullptr = none).
struct KernelImage {
  const char* ptx = nullptr;
  const char* fatbin = nullptr;
};

/// A module loaded into the current context: the machine code where the driver and the device take
/// it, else the PTX.
class Module {
 public:
  Module(const CudaApi& cuda, Calls& calls, const KernelImage& image);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();
  /// nullptr after a failure, which `calls` then holds. `shared_bytes`: what a launch will ask for.
  CudaFunction function(const char* name, unsigned int shared_bytes = 0);

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  CudaModule module_ = nullptr;
  CudaResult loaded_ = kCudaSuccess;
};

/// Plain device memory; never managed, never the host's. At most half of what is free at that
/// moment, so that nobody who grows meanwhile finds the device full.
class DeviceBuffer {
 public:
  DeviceBuffer(const CudaApi& cuda, Calls& calls, std::size_t bytes);
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();
  bool ready() const { return address_ != 0; }
  CudaAddress address() const { return address_; }
  std::size_t size() const { return bytes_; }
  /// Blocks until it has been copied.
  bool read(void* to, std::size_t bytes, std::size_t offset = 0) const;

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  CudaAddress address_ = 0;
  std::size_t bytes_ = 0;
};

/// Page-locked host memory, which the device reads and writes by itself.
class PinnedBuffer {
 public:
  PinnedBuffer(const CudaApi& cuda, Calls& calls, std::size_t bytes);
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer();
  void* data() const { return memory_; }  // nullptr after a failure

 private:
  const CudaApi& cuda_;
  void* memory_ = nullptr;
};

struct LaunchShape {
  unsigned int columns = 1;  // blocks in x
  unsigned int rows = 1;     // blocks in y
  unsigned int threads = 256;
  unsigned int layers = 1;  // blocks in z
  unsigned int shared_bytes = 0;
};

/// A stream of its own with two events around what is timed.
class Stopwatch {
 public:
  Stopwatch(const CudaApi& cuda, Calls& calls);
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch();
  bool ready() const { return stop_ != nullptr; }
  CudaStream stream() const { return stream_; }
  bool launch(CudaFunction function, const LaunchShape& shape, std::vector<void*> arguments);
  bool start();
  /// Waits for everything since `start`.
  std::optional<Seconds> stop() { return finish() ? elapsed() : std::nullopt; }
  /// Both halves of `stop`: between them the device works, and the host is free to look at it.
  bool finish();
  std::optional<Seconds> elapsed();

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  CudaStream stream_ = nullptr;
  CudaEvent start_ = nullptr;
  CudaEvent stop_ = nullptr;
};

/// A point in one stream that another waits for, of the same card or of another. It is made in the
/// context of the stream it is recorded in.
class Signal {
 public:
  Signal(const CudaApi& cuda, Calls& calls);
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  ~Signal();
  bool ready() const { return event_ != nullptr; }
  /// What `after` does from here on waits for what `before` was told until here.
  bool pass(CudaStream before, CudaStream after);

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  CudaEvent event_ = nullptr;
};

/// A second stream, for what a card does beside what is timed in its first.
class SideStream {
 public:
  SideStream(const CudaApi& cuda, Calls& calls);
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream();
  bool ready() const { return stream_ != nullptr && begun_.ready() && ended_.ready(); }
  CudaStream stream() const { return stream_; }
  bool begin_after(CudaStream main) { return begun_.pass(main, stream_); }
  bool end_before(CudaStream main) { return ended_.pass(stream_, main); }

 private:
  const CudaApi& cuda_;
  CudaStream stream_ = nullptr;
  Signal begun_;
  Signal ended_;
};

}  // namespace gpulint::probe

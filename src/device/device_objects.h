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
  std::optional<Seconds> stop();

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  CudaStream stream_ = nullptr;
  CudaEvent start_ = nullptr;
  CudaEvent stop_ = nullptr;
};

}  // namespace gpulint::probe

#pragma once

#include "base/units.h"
#include "probe/driver_session.h"

#include <cstddef>
#include <vector>

namespace gpulint::probe {

/// A module loaded into the current context from PTX, which the driver compiles.
class Module {
 public:
  Module(const CudaApi& cuda, Calls& calls, const char* ptx);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();
  /// nullptr after a failure, which `calls` then holds.
  CudaFunction function(const char* name);

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  CudaModule module_ = nullptr;
};

/// Plain device memory; never managed, never the host's.
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

struct LaunchShape {
  unsigned int columns = 1;  // blocks in x
  unsigned int rows = 1;     // blocks in y
  unsigned int threads = 256;
};

/// A stream of its own with two events around what is timed.
class Stopwatch {
 public:
  Stopwatch(const CudaApi& cuda, Calls& calls);
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch();
  bool ready() const { return stop_ != nullptr; }
  bool launch(CudaFunction function, LaunchShape shape, std::vector<void*> arguments);
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

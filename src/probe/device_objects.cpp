#include "probe/device_objects.h"

namespace gpulint::probe {
namespace {

/// CU_STREAM_NON_BLOCKING: the stream does not wait for the default one.
constexpr unsigned int kNonBlocking = 1;
constexpr unsigned int kDefaultEvent = 0;  // CU_EVENT_DEFAULT: with a time stamp
constexpr double kSecondsPerMillisecond = 1e-3;

}  // namespace

Module::Module(const CudaApi& cuda, Calls& calls, const char* ptx) : cuda_(cuda), calls_(calls) {
  if (!calls_.ok(cuda_.module_load(&module_, ptx), "cuModuleLoadData")) module_ = nullptr;
}

Module::~Module() {
  if (module_ != nullptr) cuda_.module_unload(module_);
}

CudaFunction Module::function(const char* name) {
  CudaFunction function = nullptr;
  if (module_ == nullptr ||
      !calls_.ok(cuda_.module_function(&function, module_, name), "cuModuleGetFunction")) {
    return nullptr;
  }
  return function;
}

DeviceBuffer::DeviceBuffer(const CudaApi& cuda, Calls& calls, std::size_t bytes)
    : cuda_(cuda), calls_(calls), bytes_(bytes) {
  if (!calls_.ok(cuda_.allocate(&address_, bytes), "cuMemAlloc_v2")) address_ = 0;
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) cuda_.free(address_);
}

bool DeviceBuffer::read(void* to, std::size_t bytes, std::size_t offset) const {
  return calls_.ok(cuda_.copy_to_host(to, address_ + offset, bytes), "cuMemcpyDtoH_v2");
}

Stopwatch::Stopwatch(const CudaApi& cuda, Calls& calls) : cuda_(cuda), calls_(calls) {
  if (!calls_.ok(cuda_.stream_create(&stream_, kNonBlocking), "cuStreamCreate")) {
    stream_ = nullptr;
  } else if (!calls_.ok(cuda_.event_create(&start_, kDefaultEvent), "cuEventCreate")) {
    start_ = nullptr;
  } else if (!calls_.ok(cuda_.event_create(&stop_, kDefaultEvent), "cuEventCreate")) {
    stop_ = nullptr;
  }
}

Stopwatch::~Stopwatch() {
  if (stop_ != nullptr) cuda_.event_destroy(stop_);
  if (start_ != nullptr) cuda_.event_destroy(start_);
  if (stream_ != nullptr) cuda_.stream_destroy(stream_);
}

bool Stopwatch::launch(CudaFunction function, LaunchShape shape, std::vector<void*> arguments) {
  return calls_.ok(cuda_.launch(function, shape.columns, shape.rows, 1, shape.threads, 1, 1, 0,
                                stream_, arguments.data(), nullptr),
                   "cuLaunchKernel");
}

bool Stopwatch::start() { return calls_.ok(cuda_.event_record(start_, stream_), "cuEventRecord"); }

std::optional<Seconds> Stopwatch::stop() {
  float milliseconds = 0;
  if (!calls_.ok(cuda_.event_record(stop_, stream_), "cuEventRecord") ||
      !calls_.ok(cuda_.event_synchronize(stop_), "cuEventSynchronize") ||
      !calls_.ok(cuda_.event_elapsed(&milliseconds, start_, stop_), "cuEventElapsedTime")) {
    return std::nullopt;
  }
  return Seconds{milliseconds * kSecondsPerMillisecond};
}

}  // namespace gpulint::probe

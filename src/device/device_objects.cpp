#include "device/device_objects.h"

namespace gpulint::probe {
namespace {

/// CU_STREAM_NON_BLOCKING: the stream does not wait for the default one.
constexpr unsigned int kNonBlocking = 1;
constexpr unsigned int kNoTiming = 2;      // CU_EVENT_DISABLE_TIMING
constexpr unsigned int kDefaultEvent = 0;  // CU_EVENT_DEFAULT: with a time stamp
constexpr double kSecondsPerMillisecond = 1e-3;
/// Every device gives a block this much; more has to be asked for.
constexpr unsigned int kSharedWithoutAsking = 48 << 10;

}  // namespace

Module::Module(const CudaApi& cuda, Calls& calls, const KernelImage& image)
    : cuda_(cuda), calls_(calls) {
  if (image.fatbin != nullptr) {
    loaded_ = cuda_.module_load(&module_, image.fatbin);
    // Too old or too new a card, or too old a driver, which has many words for that; PTX asks less
    // of both. What has no room has none for PTX either.
    if (loaded_ == kCudaSuccess || loaded_ == kCudaErrorOutOfMemory) return;
    module_ = nullptr;
  }
  loaded_ = cuda_.module_load(&module_, image.ptx);
}

Module::~Module() {
  if (loaded_ == kCudaSuccess) cuda_.module_unload(module_);
}

CudaFunction Module::function(const char* name, unsigned int shared_bytes) {
  CudaFunction function = nullptr;
  if (!calls_.ok(loaded_, "cuModuleLoadData") ||
      !calls_.ok(cuda_.module_function(&function, module_, name), "cuModuleGetFunction")) {
    return nullptr;
  }
  if (shared_bytes <= kSharedWithoutAsking) return function;
  if (cuda_.function_attribute == nullptr) {
    calls_.fail(Reason::incomplete_driver, "the driver lacks cuFuncSetAttribute");
    return nullptr;
  }
  const CudaResult allowed =
      cuda_.function_attribute(function, kFunctionMaxDynamicShared, static_cast<int>(shared_bytes));
  return calls_.ok(allowed, "cuFuncSetAttribute") ? function : nullptr;
}

DeviceBuffer::DeviceBuffer(const CudaApi& cuda, Calls& calls, std::size_t bytes)
    : cuda_(cuda), calls_(calls), bytes_(bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  if (!calls_.ok(cuda_.memory_info(&free, &total), "cuMemGetInfo_v2")) return;
  if (bytes > free / 2) {
    calls_.fail(Reason::out_of_memory, "too little memory is free");
  } else if (!calls_.ok(cuda_.allocate(&address_, bytes), "cuMemAlloc_v2")) {
    address_ = 0;
  }
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) cuda_.free(address_);
}

bool DeviceBuffer::read(void* to, std::size_t bytes, std::size_t offset) const {
  return calls_.ok(cuda_.copy_to_host(to, address_ + offset, bytes), "cuMemcpyDtoH_v2");
}

PinnedBuffer::PinnedBuffer(const CudaApi& cuda, Calls& calls, std::size_t bytes) : cuda_(cuda) {
  if (!calls.ok(cuda_.host_allocate(&memory_, bytes), "cuMemAllocHost_v2")) memory_ = nullptr;
}

PinnedBuffer::~PinnedBuffer() {
  if (memory_ != nullptr) cuda_.host_free(memory_);
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

bool Stopwatch::launch(CudaFunction function, const LaunchShape& shape,
                       std::vector<void*> arguments) {
  calls_.begin(function);
  return calls_.ok(cuda_.launch(function, shape.columns, shape.rows, shape.layers, shape.threads, 1,
                                1, shape.shared_bytes, stream_, arguments.data(), nullptr),
                   "cuLaunchKernel");
}

bool Stopwatch::start() { return calls_.ok(cuda_.event_record(start_, stream_), "cuEventRecord"); }

bool Stopwatch::finish() { return calls_.ok(cuda_.event_record(stop_, stream_), "cuEventRecord"); }

std::optional<Seconds> Stopwatch::elapsed() {
  float milliseconds = 0;
  if (!calls_.ok(cuda_.event_synchronize(stop_), "cuEventSynchronize") ||
      !calls_.ok(cuda_.event_elapsed(&milliseconds, start_, stop_), "cuEventElapsedTime")) {
    return std::nullopt;
  }
  return Seconds{milliseconds * kSecondsPerMillisecond};
}

Signal::Signal(const CudaApi& cuda, Calls& calls) : cuda_(cuda), calls_(calls) {
  if (!calls_.ok(cuda_.event_create(&event_, kNoTiming), "cuEventCreate")) event_ = nullptr;
}

Signal::~Signal() {
  if (event_ != nullptr) cuda_.event_destroy(event_);
}

bool Signal::pass(CudaStream before, CudaStream after) {
  return calls_.ok(cuda_.event_record(event_, before), "cuEventRecord") &&
         calls_.ok(cuda_.peer.stream_wait(after, event_, 0), "cuStreamWaitEvent");
}

SideStream::SideStream(const CudaApi& cuda, Calls& calls)
    : cuda_(cuda), begun_(cuda, calls), ended_(cuda, calls) {
  if (!calls.ok(cuda_.stream_create(&stream_, kNonBlocking), "cuStreamCreate")) stream_ = nullptr;
}

SideStream::~SideStream() {
  if (stream_ != nullptr) cuda_.stream_destroy(stream_);
}

}  // namespace gpulint::probe

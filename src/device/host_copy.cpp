#include "device/host_copy.h"

#include "host/host_facts.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sys/mman.h>

namespace gpulint::probe {
namespace {

constexpr std::int64_t kAvailableParts = 20;  // a buffer is at most this part of the host's memory
constexpr Bytes kMostBuffer = Bytes::mib(256);
constexpr Bytes kLeastBuffer = Bytes::mib(16);  // less is over before the link is busy
/// One copy of 256 MiB takes 5 ms at 50 GB/s and 130 ms at 2 GB/s.
constexpr SamplePlan kCopies{.warm_up = Seconds{0}, .least_sample = Seconds{0}, .samples = 7};
constexpr int kColdCopies = 3;

/// Plain memory of the process, which nothing has touched.
class PageableBuffer {
 public:
  explicit PageableBuffer(std::size_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  PageableBuffer(const PageableBuffer&) = delete;
  PageableBuffer& operator=(const PageableBuffer&) = delete;
  ~PageableBuffer() {
    if (ready()) munmap(memory_, bytes_);
  }
  bool ready() const { return memory_ != MAP_FAILED; }
  void* data() const { return memory_; }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Every page.
void touch(const PageableBuffer& buffer) {
  constexpr int kAnything = 0x5a;
  std::memset(buffer.data(), kAnything, buffer.size());
}

std::size_t count_of(Bytes size) { return static_cast<std::size_t>(size.count()); }

}  // namespace

Bytes host_buffer_size(std::optional<Bytes> available) {
  if (!available) return kLeastBuffer;
  const Bytes size = std::min(kMostBuffer, Bytes::of(available->count() / kAvailableParts));
  return size < kLeastBuffer ? Bytes{} : size;
}

std::optional<Bytes> available_host_memory() { return free_memory(read_host_facts("")); }

HostCopies::HostCopies(Bench& bench, Bytes size) : bench_(bench), size_(size) {}

bool HostCopies::possible() const {
  const CudaApi& cuda = bench_.cuda();
  return size_.count() > 0 && cuda.host_allocate != nullptr && cuda.host_free != nullptr &&
         cuda.upload != nullptr && cuda.download != nullptr;
}

bool HostCopies::upload(const DeviceBuffer& to, const void* from) {
  return bench_.calls().ok(
      bench_.cuda().upload(to.address(), from, to.size(), bench_.watch().stream()),
      "cuMemcpyHtoDAsync_v2");
}

std::optional<std::vector<double>> HostCopies::no_host_memory() {
  bench_.calls().fail(Reason::init_failed, "the host gives no memory");
  return std::nullopt;
}

std::optional<std::vector<double>> HostCopies::upload_from(const void* host, Bytes size) {
  const DeviceBuffer device(bench_.cuda(), bench_.calls(), count_of(size));
  if (!device.ready()) return std::nullopt;
  return bench_.sample([&] { return upload(device, host); }, kCopies);
}

std::optional<std::vector<double>> HostCopies::pinned_upload() {
  const PinnedBuffer host(bench_.cuda(), bench_.calls(), count_of(size_));
  if (host.data() == nullptr) return std::nullopt;
  return upload_from(host.data(), size_);
}

std::optional<std::vector<double>> HostCopies::pinned_download() {
  const PinnedBuffer host(bench_.cuda(), bench_.calls(), count_of(size_));
  const DeviceBuffer device(bench_.cuda(), bench_.calls(), count_of(size_));
  if (host.data() == nullptr || !device.ready()) return std::nullopt;
  const auto download = [&] {
    return bench_.calls().ok(bench_.cuda().download(host.data(), device.address(), device.size(),
                                                    bench_.watch().stream()),
                             "cuMemcpyDtoHAsync_v2");
  };
  return bench_.sample(download, kCopies);
}

std::optional<std::vector<double>> HostCopies::pageable_upload() {
  const PageableBuffer host(count_of(pageable_size()));
  if (!host.ready()) return no_host_memory();
  touch(host);
  return upload_from(host.data(), pageable_size());
}

std::optional<std::vector<double>> HostCopies::cold_upload() {
  using Clock = std::chrono::steady_clock;
  const DeviceBuffer device(bench_.cuda(), bench_.calls(), count_of(pageable_size()));
  if (!device.ready()) return std::nullopt;
  std::vector<double> seconds;
  for (int i = 0; i < kColdCopies; ++i) {
    const Clock::time_point start = Clock::now();
    const PageableBuffer host(count_of(pageable_size()));
    if (!host.ready()) return no_host_memory();
    touch(host);
    if (!upload(device, host.data()) || !bench_.wait()) return std::nullopt;
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return seconds;
}

}  // namespace gpulint::probe

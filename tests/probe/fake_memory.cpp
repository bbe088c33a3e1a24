// The part of the fake driver that allocates memory: plain allocations, and address space with
// pages mapped into it. It refuses what a real driver refuses and counts what is alive.

#include "probe/fake_memory.h"

#include "device/driver_api.h"
#include "probe/fake_driver.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace gpulint::probe;

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr std::size_t kGranule = std::size_t{2} << 20;

struct Mapping {
  std::size_t bytes;
  CudaMemoryHandle handle;
  bool accessible;
};
std::map<CudaAddress, std::size_t> memory;  // live allocations
std::map<CudaAddress, int> owners;          // the devices they are on
std::array<long long, kMostFakeDevices> bytes_of_device{};
std::map<CudaAddress, std::size_t> reservations;  // address space
std::map<CudaAddress, Mapping> mappings;
std::map<CudaMemoryHandle, std::size_t> handles;  // physical memory
CudaMemoryHandle next_handle = 1;
CudaAddress next_address = CudaAddress{1} << 46;

/// What processes take of one card, where FAKE_SHARED names a file for that: a process that ends
/// has given everything back.
struct Share {
  std::atomic<int> process;
  std::atomic<long long> bytes;
  std::atomic<int> contexts;
};
using Shares = std::array<Share, 64>;

Shares* shares() {
  static Shares* const mapped = [] {
    const char* path = std::getenv("FAKE_SHARED");
    const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, sizeof(Shares)) != 0) return static_cast<Shares*>(nullptr);
    void* table = mmap(nullptr, sizeof(Shares), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return table == MAP_FAILED ? nullptr : static_cast<Shares*>(table);
  }();
  return mapped;
}

bool is_alive(int process) { return process != 0 && kill(process, 0) == 0; }

Share* own_share() {
  const int self = getpid();
  if (shares() == nullptr) return nullptr;
  for (Share& each : *shares()) {
    if (each.process == self) return &each;
  }
  for (Share& each : *shares()) {
    int ended = each.process;
    if (!is_alive(ended) && each.process.compare_exchange_strong(ended, self)) return &each;
  }
  return nullptr;
}

/// Of the others that are alive.
template <class Value>
Value sum_of_others(Value (*value)(const Share&)) {
  Value sum = 0;
  if (shares() == nullptr) return sum;
  for (const Share& each : *shares()) {
    if (each.process != getpid() && is_alive(each.process)) sum += value(each);
  }
  return sum;
}

std::size_t granules(std::size_t bytes) { return (bytes + kGranule - 1) / kGranule * kGranule; }

/// The code a request for memory ends with.
int take(std::size_t bytes) {
  const auto wanted = static_cast<long long>(granules(bytes));
  fake_driver.other_process_mib += fake_driver.growth_mib_per_allocation;
  const int device = current_fake_device();
  if (wanted > static_cast<long long>(free_bytes(device))) {
    ++fake_driver.requests_over_free;
    return kOutOfMemory;
  }
  const long long limit = fake_driver.gives_up_beyond_mib;
  if (limit >= 0 && fake_driver.live_bytes + wanted > (limit << 20)) return kOutOfMemory;
  fake_driver.live_bytes += wanted;
  bytes_of_device[static_cast<std::size_t>(device)] += wanted;
  fake_driver.peak_bytes = std::max(fake_driver.peak_bytes, fake_driver.live_bytes);
  ++fake_driver.allocations;
  tell_others();
  return 0;
}

void give(std::size_t bytes, int device) {
  fake_driver.live_bytes -= static_cast<long long>(granules(bytes));
  bytes_of_device[static_cast<std::size_t>(device)] -= static_cast<long long>(granules(bytes));
  tell_others();
}

template <class Value>
bool within(const std::map<CudaAddress, Value>& ranges, CudaAddress address, std::size_t bytes,
            std::size_t (*size_of)(const Value&)) {
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin()) return false;
  --after;
  return address + bytes <= after->first + size_of(after->second);
}

std::size_t own_size(const std::size_t& bytes) { return bytes; }
std::size_t accessible_size(const Mapping& mapping) {
  return mapping.accessible ? mapping.bytes : 0;
}

/// Mappings that fill a range exactly; empty when none do.
std::vector<CudaAddress> mapped_in(CudaAddress address, std::size_t bytes) {
  std::vector<CudaAddress> found;
  CudaAddress end = address;
  for (auto at = mappings.find(address); at != mappings.end() && at->first == end; ++at) {
    if (end == address + bytes) break;
    found.push_back(at->first);
    end += at->second.bytes;
  }
  if (end != address + bytes) found.clear();
  return found;
}

}  // namespace

bool is_live(unsigned long long address, std::size_t bytes) {
  return within(memory, address, bytes, own_size) ||
         within(mappings, address, bytes, accessible_size);
}

void tell_others() {
  Share* own = own_share();
  if (own == nullptr) return;
  own->contexts = fake_driver.live_contexts;
  own->bytes =
      fake_driver.live_bytes + ((fake_driver.live_contexts * fake_driver.context_mib) << 20);
}

unsigned int other_processes() {
  return fake_driver.processes +
         sum_of_others<unsigned int>([](const Share& each) { return each.contexts > 0 ? 1U : 0U; });
}

unsigned long long free_bytes(int device) {
  const auto index = static_cast<std::size_t>(device);
  const long long others =
      sum_of_others<long long>([](const Share& each) { return each.bytes.load(); });
  const long long taken = (others >> 20) + fake_driver.other_process_mib +
                          fake_driver.growth_mib_per_reading * fake_driver.readings +
                          contexts_of[index] * fake_driver.context_mib;
  const long long left = ((fake_driver.cuda_total_mib - taken) << 20) - bytes_of_device[index];
  return static_cast<unsigned long long>(std::max(left, 0LL));
}

extern "C" {
#pragma GCC diagnostic ignored "-Wmissing-declarations"

CudaResult cuMemAlloc_v2(CudaAddress* address, std::size_t bytes) {
  if (const int code = enter_fake("cuMemAlloc_v2"); code != 0) return code;
  if (const int code = take(bytes); code != 0) return code;
  // Pages that nobody touches cost nothing.
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) {
    give(bytes, current_fake_device());
    return kOutOfMemory;
  }
  *address = reinterpret_cast<CudaAddress>(pages);
  owners[*address] = current_fake_device();
  memory[*address] = bytes;
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuMemFree_v2(CudaAddress address) {
  munmap(reinterpret_cast<void*>(address), memory.at(address));
  give(memory.at(address), owners.at(address));
  memory.erase(address);
  owners.erase(address);
  --fake_driver.live_objects;
  return enter_fake("cuMemFree_v2");
}
CudaResult cuMemsetD32Async(CudaAddress address, unsigned int value, std::size_t words,
                            CudaStream) {
  if (!is_live(address, words * 4)) return 700;  // CUDA_ERROR_ILLEGAL_ADDRESS
  constexpr std::size_t kMostWords = 1U << 18;   // of more nobody looks at
  if (words <= kMostWords && within(memory, address, words * 4, own_size)) {
    std::fill_n(reinterpret_cast<unsigned int*>(address), words, value);
  }
  fake_driver.touched_words += static_cast<long long>(words);
  return enter_fake("cuMemsetD32Async");
}
CudaResult cuCtxSynchronize() { return enter_fake("cuCtxSynchronize"); }

CudaResult cuMemGetAllocationGranularity(std::size_t* bytes, const CudaMemoryProperties* wanted,
                                         int) {
  if (wanted->type != kAllocationPinned || wanted->location.type != kLocationDevice) {
    return kInvalidValue;
  }
  *bytes = kGranule;
  return enter_fake("cuMemGetAllocationGranularity");
}
CudaResult cuMemAddressReserve(CudaAddress* address, std::size_t bytes, std::size_t, CudaAddress,
                               unsigned long long) {
  if (const int code = enter_fake("cuMemAddressReserve"); code != 0) return code;
  if (bytes == 0 || bytes % kGranule != 0) return kInvalidValue;
  *address = next_address;
  next_address += bytes + kGranule;
  reservations[*address] = bytes;
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuMemAddressFree(CudaAddress address, std::size_t bytes) {
  const auto at = reservations.find(address);
  if (at == reservations.end() || at->second != bytes) return kInvalidValue;
  const auto inside = mappings.lower_bound(address);
  if (inside != mappings.end() && inside->first < address + bytes) return kInvalidValue;
  reservations.erase(at);
  --fake_driver.live_objects;
  return enter_fake("cuMemAddressFree");
}
CudaResult cuMemCreate(CudaMemoryHandle* handle, std::size_t bytes,
                       const CudaMemoryProperties* wanted, unsigned long long) {
  if (const int code = enter_fake("cuMemCreate"); code != 0) return code;
  if (bytes == 0 || bytes % kGranule != 0 || wanted->type != kAllocationPinned) {
    return kInvalidValue;
  }
  if (const int code = take(bytes); code != 0) return code;
  *handle = next_handle++;
  handles[*handle] = bytes;
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuMemRelease(CudaMemoryHandle handle) {
  // What is mapped stays until it is unmapped; this program unmaps first.
  for (const auto& [address, mapping] : mappings) {
    if (mapping.handle == handle) return kInvalidValue;
  }
  const auto at = handles.find(handle);
  if (at == handles.end()) return kInvalidValue;
  give(at->second, current_fake_device());
  handles.erase(at);
  --fake_driver.live_objects;
  return enter_fake("cuMemRelease");
}
CudaResult cuMemMap(CudaAddress address, std::size_t bytes, std::size_t offset,
                    CudaMemoryHandle handle, unsigned long long) {
  if (const int code = enter_fake("cuMemMap"); code != 0) return code;
  const auto at = handles.find(handle);
  if (at == handles.end() || at->second != bytes || offset != 0 ||
      !within(reservations, address, bytes, own_size)) {
    return kInvalidValue;
  }
  mappings[address] = {bytes, handle, false};
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuMemUnmap(CudaAddress address, std::size_t bytes) {
  const auto ranges = mapped_in(address, bytes);
  if (ranges.empty()) return kInvalidValue;
  for (const CudaAddress each : ranges) {
    mappings.erase(each);
    --fake_driver.live_objects;
  }
  return enter_fake("cuMemUnmap");
}
CudaResult cuMemSetAccess(CudaAddress address, std::size_t bytes, const CudaMemoryAccess* access,
                          std::size_t count) {
  if (const int code = enter_fake("cuMemSetAccess"); code != 0) return code;
  const auto ranges = mapped_in(address, bytes);
  if (ranges.empty() || count != 1 || access->flags != kAccessReadWrite) return kInvalidValue;
  for (const CudaAddress each : ranges) mappings.at(each).accessible = true;
  return 0;
}
NvmlResult nvmlDeviceGetDisplayActive(NvmlDevice, int* active) {
  *active = fake_driver.display_active;
  return enter_fake("nvmlDeviceGetDisplayActive");
}
NvmlResult nvmlDeviceGetDisplayMode(NvmlDevice, int* connected) {
  *connected = 0;
  return enter_fake("nvmlDeviceGetDisplayMode");
}
}

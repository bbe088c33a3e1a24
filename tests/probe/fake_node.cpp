// Several fake devices in one machine: what joins them, copies between them, how they fare.
// A program cannot set `fake_driver` as a unit test does; FAKE_NODE says "name=value,…".

#include "device/driver_api.h"
#include "probe/fake_driver.h"
#include "probe/fake_kernels.h"
#include "probe/fake_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

using namespace gpulint::probe;

namespace {

std::array<char, kMostFakeDevices> contexts{};  // their addresses are the contexts
int current = 0;
std::array<std::array<bool, kMostFakeDevices>, kMostFakeDevices> peers{};

constexpr double kNvlinkPerSecond = 22.2e9;  // of one, one way: 18 of them make 400 GB/s
constexpr double kPciePerSecond = 48e9;
constexpr double kThroughHostPerSecond = 14e9;

double link_rate(int from, int to) {
  const bool peer = peers[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  double rate = kThroughHostPerSecond;
  const bool next = fake_driver.nvlink_switch || std::abs(from - to) == 1;
  if (peer)
    rate =
        fake_driver.nvlinks > 0 && next ? kNvlinkPerSecond * fake_driver.nvlinks : kPciePerSecond;
  const bool slow =
      (from == fake_driver.slow_from && (to == fake_driver.slow_to || fake_driver.slow_to < 0)) ||
      (to == fake_driver.slow_from && fake_driver.slow_to < 0);
  return slow ? rate / fake_driver.slow_link : rate;
}

void set(std::string_view name, const char* value) {
  const auto number = [value] { return std::atoi(value); };
  if (name == "devices") fake_driver.devices = number();
  if (name == "nvlinks") fake_driver.nvlinks = static_cast<unsigned>(number());
  if (name == "slow_device") fake_driver.slow_device = number();
  if (name == "slow_kernels") fake_driver.slow_kernels = std::atof(value);
  if (name == "slow_from") fake_driver.slow_from = number();
  if (name == "slow_to") fake_driver.slow_to = number();
  if (name == "slow_link") fake_driver.slow_link = std::atof(value);
  if (name == "xid_device") fake_driver.xid_device = number();
  if (name == "ecc_device") fake_driver.ecc_device = number();
}

unsigned int links_of(int device) {
  const unsigned int missing = device == fake_driver.missing_links_of ? 2 : 0;
  return fake_driver.nvlinks - std::min(missing, fake_driver.nvlinks);
}

}  // namespace

int current_fake_device() { return current; }
void* fake_context(int device) { return &contexts[static_cast<std::size_t>(device)]; }
int device_of_fake_context(const void* context) {
  const auto* at = static_cast<const char*>(context);
  return at >= contexts.data() && at < contexts.data() + contexts.size()
             ? static_cast<int>(at - contexts.data())
             : 0;
}
void set_current_fake_device(const void* context) {
  if (context != nullptr) current = device_of_fake_context(context);
}

void read_fake_node() {
  const char* said = std::getenv("FAKE_NODE");
  static bool read = false;
  if (said == nullptr || read) return;
  read = true;
  std::string text = said;
  for (char* word = std::strtok(text.data(), ","); word != nullptr;
       word = std::strtok(nullptr, ",")) {
    if (char* value = std::strchr(word, '=')) {
      *value = '\0';
      set(word, value + 1);
    }
  }
}

const char* fake_bus_id(int device) {
  if (device == 0) return fake_driver.bus_id;
  if (device == 1) return fake_driver.second_bus_id;
  static std::array<std::array<char, 16>, kMostFakeDevices> ids{};
  auto& id = ids[static_cast<std::size_t>(device)];
  std::snprintf(id.data(), id.size(), "0000:%02x:00.0", 0x90 + device);
  return id.data();
}

extern "C" {
#pragma GCC diagnostic ignored "-Wmissing-declarations"

CudaResult cuDeviceCanAccessPeer(int* can, CudaDevice device, CudaDevice peer) {
  *can = device != peer && device != fake_driver.no_peer && peer != fake_driver.no_peer ? 1 : 0;
  return enter_fake("cuDeviceCanAccessPeer");
}
CudaResult cuCtxEnablePeerAccess(CudaContext peer, unsigned int flags) {
  const int code = enter_fake("cuCtxEnablePeerAccess");
  if (code != 0) return code;
  bool& given = peers[static_cast<std::size_t>(current)]
                     [static_cast<std::size_t>(device_of_fake_context(peer))];
  if (given) return kCudaPeerAlreadyEnabled;
  if (flags != 0) return 1;
  given = true;
  ++fake_driver.live_peers;
  return 0;
}
CudaResult cuCtxDisablePeerAccess(CudaContext peer) {
  bool& given = peers[static_cast<std::size_t>(current)]
                     [static_cast<std::size_t>(device_of_fake_context(peer))];
  if (!given) return 705;  // CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
  given = false;
  --fake_driver.live_peers;
  return enter_fake("cuCtxDisablePeerAccess");
}
CudaResult cuMemcpyPeerAsync(CudaAddress to, CudaContext to_context, CudaAddress from,
                             CudaContext from_context, std::size_t bytes, CudaStream stream) {
  const int code = enter_fake("cuMemcpyPeerAsync");
  if (code != 0) return code;
  if (!is_live(from, bytes) || !is_live(to, bytes) || stream == nullptr) return 1;
  constexpr std::size_t kEnd = 4096;
  if (!fake_driver.lost_peer_copies) {
    std::memcpy(reinterpret_cast<char*>(to) + bytes - kEnd,
                reinterpret_cast<const char*>(from) + bytes - kEnd, kEnd);
  }
  ++fake_driver.peer_copies;
  const InStream in(stream);
  fake_now += static_cast<double>(bytes) /
              link_rate(device_of_fake_context(from_context), device_of_fake_context(to_context));
  return 0;
}

NvmlResult nvmlDeviceGetTopologyCommonAncestor(NvmlDevice a, NvmlDevice b, int* level) {
  // Two sockets with half of the devices each, pairs of which share a switch.
  const int first = device_of_fake_context(a);
  const int second = device_of_fake_context(b);
  const int half = std::max(1, fake_driver.devices / 2);
  *level = first / 2 == second / 2         ? kTopologySingle
           : first / half == second / half ? kTopologyNode
                                           : kTopologySystem;
  return enter_fake("nvmlDeviceGetTopologyCommonAncestor");
}
NvmlResult nvmlDeviceGetNvLinkState(NvmlDevice device, unsigned int link, int* active) {
  constexpr unsigned int kLinks = 18;
  if (link >= kLinks) return 2;  // NVML_ERROR_INVALID_ARGUMENT
  *active = link < links_of(device_of_fake_context(device)) ? 1 : 0;
  return enter_fake("nvmlDeviceGetNvLinkState");
}
NvmlResult nvmlDeviceGetNvLinkRemotePciInfo_v2(NvmlDevice device, unsigned int link,
                                               NvmlPciInfo* pci) {
  // Without a switch the links of an even device lead to the next one, and back.
  const int peer = device_of_fake_context(device) ^ 1;
  const char* id = fake_driver.nvlink_switch ? "00000000:C1:00.0" : fake_bus_id(peer);
  if (link >= links_of(device_of_fake_context(device))) return 2;
  std::snprintf(pci->bus_id.data(), pci->bus_id.size(), "%s%s",
                fake_driver.nvlink_switch ? "" : "0000", id);
  return enter_fake("nvmlDeviceGetNvLinkRemotePciInfo_v2");
}
NvmlResult nvmlDeviceGetNvLinkRemoteDeviceType(NvmlDevice, unsigned int, int* type) {
  *type = fake_driver.nvlink_switch ? kNvlinkToSwitch : kNvlinkToGpu;
  return enter_fake("nvmlDeviceGetNvLinkRemoteDeviceType");
}
NvmlResult nvmlDeviceGetEccMode(NvmlDevice, int* now, int* after_reset) {
  *now = *after_reset = 1;
  return enter_fake("nvmlDeviceGetEccMode");
}
NvmlResult nvmlDeviceGetTotalEccErrors(NvmlDevice device, int error, int,
                                       unsigned long long* count) {
  const bool bad = device_of_fake_context(device) == fake_driver.ecc_device;
  *count = bad && error == kEccUncorrected ? 3 : 0;
  return enter_fake("nvmlDeviceGetTotalEccErrors");
}
NvmlResult nvmlDeviceGetRemappedRows(NvmlDevice device, unsigned int* corrected,
                                     unsigned int* uncorrected, unsigned int* pending,
                                     unsigned int* failed) {
  *corrected = *failed = 0;
  const bool bad = device_of_fake_context(device) == fake_driver.remap_device;
  *uncorrected = *pending = bad ? 1 : 0;
  return enter_fake("nvmlDeviceGetRemappedRows");
}
NvmlResult nvmlEventSetCreate(void** set) {
  *set = &peers;
  ++fake_driver.live_objects;
  return enter_fake("nvmlEventSetCreate");
}
NvmlResult nvmlEventSetFree(void*) {
  --fake_driver.live_objects;
  return enter_fake("nvmlEventSetFree");
}
NvmlResult nvmlDeviceRegisterEvents(NvmlDevice, unsigned long long, void*) {
  return enter_fake("nvmlDeviceRegisterEvents");
}
NvmlResult nvmlEventSetWait_v2(void*, NvmlEvent* event, unsigned int) {
  constexpr int kTimeout = 10;  // NVML_ERROR_TIMEOUT
  static int told = -1;
  if (fake_driver.xid_device < 0 || told == fake_driver.xid_device) {
    told = -1;
    return kTimeout;
  }
  told = fake_driver.xid_device;
  *event = {
      .device = fake_context(fake_driver.xid_device), .type = kEventXid, .data = fake_driver.xid};
  return enter_fake("nvmlEventSetWait_v2");
}
}

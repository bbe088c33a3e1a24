#include "device/reason.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace gpulint::probe {
namespace {

struct ReasonWords {
  std::string_view name;
  std::string_view remedy;
};

/// In the order of Reason.
constexpr std::array<ReasonWords, kReasonCount> kWords{{
    {"unsafe_library_path",
     "unset LD_LIBRARY_PATH or keep only absolute folders outside the linted files"},
    {"unsafe_privileges", "run gpulint without set-user-id rights"},
    {"unsupported_vendor", "only NVIDIA GPUs can be measured; lint with --gpu ID instead"},
    {"no_driver", "install the NVIDIA driver, or run on the machine with the GPU"},
    {"incomplete_driver", "update the NVIDIA driver"},
    {"stub_driver",
     "the toolkit's link-time stub was loaded; take its stubs folder out of LD_LIBRARY_PATH"},
    {"no_device", "check nvidia-smi, CUDA_VISIBLE_DEVICES and the container's --gpus option"},
    {"driver_mismatch",
     "the driver's library and kernel module differ in version; reboot after a driver update"},
    {"compat_mismatch",
     "remove the CUDA forward-compatibility library or use a GPU and driver it supports"},
    {"mps", "check the CUDA MPS server, or run outside of it"},
    {"compute_mode_prohibited", "let an administrator allow compute: nvidia-smi -c DEFAULT"},
    {"busy", "wait for the process that owns the GPU exclusively, or choose another GPU"},
    {"out_of_memory", "free GPU memory: other processes leave no room for a CUDA context"},
    {"no_permission",
     "give this user access to /dev/nvidia* (device group, or the container's --gpus option)"},
    {"driver_needs_reboot", "reset the GPU or reboot; nvidia-smi and dmesg name the fault"},
    {"init_failed", "check nvidia-smi and dmesg"},
    {"static_program",
     "install the manylinux wheel on a system with glibc, or build gpulint from a checkout"},
}};

const ReasonWords& words_of(Reason reason) { return kWords[static_cast<std::size_t>(reason)]; }

bool may_open(const char* path) { return access(path, R_OK | W_OK) == 0; }
bool exists(const char* path) { return access(path, F_OK) == 0; }

/// CUresult as cuda.h numbers them (CUDA 13.0).
Reason reason_of(CudaResult code) {
  switch (code) {
    case 2:  // CUDA_ERROR_OUT_OF_MEMORY
      return Reason::out_of_memory;
    case 34:  // CUDA_ERROR_STUB_LIBRARY
      return Reason::stub_driver;
    case 46:  // CUDA_ERROR_DEVICE_UNAVAILABLE: exclusive mode, owned by another process
      return Reason::busy;
    case 100:  // CUDA_ERROR_NO_DEVICE
    case 101:  // CUDA_ERROR_INVALID_DEVICE
      return Reason::no_device;
    case 304:  // CUDA_ERROR_OPERATING_SYSTEM: an operating system call failed
    case 800:  // CUDA_ERROR_NOT_PERMITTED
      return Reason::no_permission;
    case 802:  // CUDA_ERROR_SYSTEM_NOT_READY: fabric manager or driver not started
    case 3:    // CUDA_ERROR_NOT_INITIALIZED
    case 4:    // CUDA_ERROR_DEINITIALIZED
      return Reason::init_failed;
    case 214:  // CUDA_ERROR_ECC_UNCORRECTABLE
      return Reason::driver_needs_reboot;
    case 803:  // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
      return Reason::driver_mismatch;
    case 804:  // CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
      return Reason::compat_mismatch;
    case 805:  // CUDA_ERROR_MPS_CONNECTION_FAILED
    case 806:  // CUDA_ERROR_MPS_RPC_FAILURE
    case 807:  // CUDA_ERROR_MPS_SERVER_NOT_READY
    case 808:  // CUDA_ERROR_MPS_MAX_CLIENTS_REACHED
    case 809:  // CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED
    case 810:  // CUDA_ERROR_MPS_CLIENT_TERMINATED
      return Reason::mps;
    default:
      return Reason::init_failed;
  }
}

}  // namespace

std::string_view name_of(Reason reason) { return words_of(reason).name; }
std::string_view remedy_for(Reason reason) { return words_of(reason).remedy; }

std::optional<Reason> reason_from(std::string_view name) {
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    if (kWords[i].name == name) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

MachineFacts read_machine_facts() {
  MachineFacts facts;
  const bool native = exists("/dev/nvidiactl");
  facts.granted_part = granted_part([](const char* name) { return std::getenv(name); });
  facts.memory_limit = std::getenv("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT") != nullptr;
  facts.wsl = exists("/dev/dxg");
  facts.nvidia_nodes = native || facts.wsl;
  facts.nvidia_nodes_readable = may_open(native ? "/dev/nvidiactl" : "/dev/dxg");
  facts.amd_node = exists("/dev/kfd");
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    facts.cuda_visible_devices = visible;
  }
  return facts;
}

std::string granted_part(const std::function<const char*(const char*)>& variable) {
  for (const char* name :
       {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"}) {
    const char* value = variable(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text = value;
    if (text == "100" || text == "100.0") continue;  // per cent of the threads: all
    return fmt::format("{}={}", name, text);
  }
  return "";
}

Unavailable explain_failure(CudaResult code, std::string_view call, std::string_view error_name,
                            const MachineFacts& machine) {
  Reason reason = reason_of(code);
  std::string detail = error_name.empty()
                           ? fmt::format("{} returned {}", call, code)
                           : fmt::format("{} returned {} ({})", call, code, error_name);
  // A device node that may not be opened looks to the driver like a machine without a GPU.
  const bool hidden = machine.nvidia_nodes && !machine.nvidia_nodes_readable;
  if (hidden && (reason == Reason::no_device || reason == Reason::init_failed)) {
    return {Reason::no_permission, detail + "; the GPU's device file may not be opened"};
  }
  if (reason == Reason::no_device && machine.cuda_visible_devices) {
    detail += fmt::format("; CUDA_VISIBLE_DEVICES is \"{}\"", *machine.cuda_visible_devices);
  }
  return {reason, std::move(detail)};
}

Unavailable explain_missing_driver(std::string_view loader_message, const MachineFacts& machine) {
  if (machine.amd_node && !machine.nvidia_nodes) {
    return {Reason::unsupported_vendor, "this machine has an AMD GPU driver and no NVIDIA one"};
  }
  if (machine.static_program) {
    return {Reason::static_program, "this build of gpulint is static and cannot load a GPU driver"};
  }
  return {Reason::no_driver, fmt::format("no NVIDIA driver library: {}", loader_message)};
}

}  // namespace gpulint::probe

#pragma once

#include "device/driver_api.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// Why there is nothing to measure.
enum class Reason : std::uint8_t {
  unsafe_library_path,
  unsafe_privileges,
  unsupported_vendor,
  no_driver,
  incomplete_driver,
  stub_driver,
  no_device,
  driver_mismatch,
  compat_mismatch,
  mps,
  compute_mode_prohibited,
  busy,
  out_of_memory,
  no_permission,
  driver_needs_reboot,
  init_failed,
  static_program,
};
inline constexpr std::size_t kReasonCount = 17;

std::string_view name_of(Reason reason);
std::optional<Reason> reason_from(std::string_view name);
/// What the user can do about it: a sentence without a full stop.
std::string_view remedy_for(Reason reason);

/// What this machine shows besides its driver library; plain values, so that tests need no machine.
struct MachineFacts {
  bool nvidia_nodes = false;           // /dev/nvidiactl exists (or /dev/dxg: WSL) …
  bool nvidia_nodes_readable = false;  // … and may be opened by this user
  bool amd_node = false;               // /dev/kfd exists
  bool memory_limit = false;           // the MPS server grants less than is free
  std::string granted_part;            // variable that gives a process a part of the card; "" = all
  bool static_program = false;         // this program is one; said by `load_driver`
  bool wsl = false;                    // Windows lends the GPU, and may promise too much memory
  std::optional<std::string> cuda_visible_devices;
};
MachineFacts read_machine_facts();
/// "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50", or "" where MPS gives a process all of the card.
std::string granted_part(const std::function<const char*(const char*)>& variable);

struct Unavailable {
  Reason reason;
  std::string detail;  // what was seen, for people
  friend bool operator==(const Unavailable&, const Unavailable&) = default;
};

/// The reason behind a failed driver call. `code` != 0; `call` is the symbol that returned it,
/// `error_name` the driver's own name for the code or "".
Unavailable explain_failure(CudaResult code, std::string_view call, std::string_view error_name,
                            const MachineFacts& machine);
/// The reason when libcuda cannot be opened.
Unavailable explain_missing_driver(std::string_view loader_message, const MachineFacts& machine);

}  // namespace gpulint::probe

#pragma once

// The state of the fake driver, found by its symbol `fake_driver`. Tests set it before they
// measure; a forked child inherits it.

#include <array>
#include <cstddef>

namespace gpulint::probe {

inline constexpr int kMostFakeDevices = 16;

struct FakeDriver {
  // What it answers.
  const char* name = "NVIDIA H200";
  const char* bus_id = "0000:03:00.0";
  const char* second_bus_id = "0000:81:00.0";  // of the device at 1
  int devices = 1;
  int compute_mode = 0;
  long long nvml_total_mib = 143771;
  long long cuda_total_mib = 143156;
  long long context_mib = 519;
  long long other_process_mib = 0;
  /// Another process takes this much more at every reading of the free memory.
  long long growth_mib_per_reading = 0;
  unsigned int processes = 0;
  unsigned int pcie_lanes = 16;
  int compute_capability_major = 9;
  unsigned long long throttle_bits = 0;
  unsigned long long throttle_bits_under_load = 0;  // while something runs
  unsigned int clock_mhz = 1755;
  unsigned int milliwatts = 690'000;
  double clock_scatter = 0;       // every second time is longer by this part
  bool wrong_products = false;    // one element of every matrix product
  bool lost_copies = false;       // kernels copy nothing
  const char* wrong_kernel = "";  // this one alone multiplies wrongly
  const char* slow_kernel = "";   // this one alone takes twice as long
  int fatbin_code = 0;            // machine code is refused with this
  int kernel_timeout = 0;
  int integrated = 0;
  int host_page_tables = 0;
  int virtual_memory = 1;
  int display_active = 0;
  // Several devices.
  unsigned int nvlinks = 18;      // of each, to a switch; 0 = PCIe alone
  bool nvlink_switch = true;      // false: each device has its links to the next one
  int slow_from = -1;             // copies from this device to that take longer
  int slow_to = -1;               // -1: to any, and from any
  double slow_link = 1;           // so many times
  int slow_device = -1;           // its kernels take longer
  double slow_kernels = 1;        // so many times
  int no_peer = -1;               // reads nobody's memory, and nobody reads its
  bool lost_peer_copies = false;  // between devices nothing arrives
  int missing_links_of = -1;      // has two NVLinks less
  int xid_device = -1;            // reports an error once something has run
  unsigned int xid = 79;
  int ecc_device = -1;    // has had errors it could not correct
  int remap_device = -1;  // has a row to be remapped
  // How it fails.
  /// Another process takes this much more at every allocation of ours.
  long long growth_mib_per_allocation = 0;
  /// No memory beyond this is allocated, whatever is free; -1: all that is free.
  long long gives_up_beyond_mib = -1;
  /// cuInit starts a helper with rights of its own and fails where none may be gained.
  bool needs_helper = false;
  double slow_products = 1;       // our own take this many times longer
  const char* failing_call = "";  // this function returns failing_code
  int failing_code = 0;
  const char* hanging_call = "";     // never returns
  const char* crashing_call = "";    // raises SIGSEGV
  const char* faulting_kernel = "";  // breaks the context: every later call of CUDA fails with 700
  bool broken = false;
  // What it saw.
  int largest_product = 0;  // rows
  int live_contexts = 0;
  int current_contexts = 0;
  int nvml_sessions = 0;
  int calls = 0;
  int readings = 0;
  int chosen_device = -1;
  bool nvml_saw_second = false;
  int live_objects = 0;  // allocations, modules, streams, events
  int launches = 0;
  int fatbins = 0;  // that were to be loaded
  int peer_copies = 0;
  int live_peers = 0;       // directions in which memory may be read
  int pinned_cpus = 0;      // that the thread might run on when it locked memory last
  int repeated_copies = 0;  // by our kernel, from where the one before copied
  unsigned long long last_source = 0;
  const void* pinned_memory = nullptr;
  std::size_t most_pinned = 0;  // bytes
  long long live_bytes = 0;     // of device memory
  long long peak_bytes = 0;
  int allocations = 0;
  int requests_over_free = 0;
  long long touched_words = 0;
};

}  // namespace gpulint::probe

extern "C" gpulint::probe::FakeDriver fake_driver;
/// Counts a call; the code it should fail with, or 0.
int enter_fake(const char* call);

/// Device of the context that is current, 0 without one.
int current_fake_device();
void* fake_context(int device);
int device_of_fake_context(const void* context);
/// What FAKE_NODE says of the devices is taken over, once.
void read_fake_node();
/// "0000:03:00.0"
const char* fake_bus_id(int device);

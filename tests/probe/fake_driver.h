#pragma once

// The state of the fake driver, found by its symbol `fake_driver`. Tests set it before they
// measure; a forked child inherits it.

#include <cstddef>

namespace gpulint::probe {

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
  unsigned int clock_mhz = 1755;
  unsigned int milliwatts = 690'000;
  double clock_scatter = 0;       // every second time is longer by this part
  bool wrong_products = false;    // one element of every matrix product
  bool lost_copies = false;       // kernels copy nothing
  const char* wrong_kernel = "";  // this one alone multiplies wrongly
  int fatbin_code = 0;            // machine code is refused with this
  int kernel_timeout = 0;
  int integrated = 0;
  int host_page_tables = 0;
  int virtual_memory = 1;
  int display_active = 0;
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
  int fatbins = 0;          // that were to be loaded
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

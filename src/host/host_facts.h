#pragma once

#include "base/units.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// What this process may use of its machine. Unknown where the kernel does not say.
struct HostFacts {
  std::optional<int> online_cpus;         // logical, of the machine
  std::optional<int> allowed_cpus;        // logical, by affinity and cpuset
  std::optional<int> allowed_cores;       // physical ones behind those
  std::optional<double> cpu_quota;        // CPUs' worth of time that control groups grant
  std::string cpu_quota_of;               // "cpu.max of /jobs/a"; "" = no quota
  std::optional<Bytes> memory_total;      // of the machine
  std::optional<Bytes> memory_available;  // of the machine, as the kernel estimates it
  std::optional<Bytes> memory_limit;      // of control groups
  std::optional<Bytes> memory_left;       // under the tightest of them
  std::string memory_limit_of;            // "memory.max of /jobs/a"; "" = no limit
  std::optional<Bytes> shm_size;          // of /dev/shm
  std::optional<Bytes> shm_free;
  std::optional<int> numa_nodes;
  std::optional<Bytes> locked_limit;  // RLIMIT_MEMLOCK
  bool locked_unlimited = false;
  std::optional<Bytes> last_cache;       // the largest cache a CPU of this machine has
  std::vector<std::string> unread = {};  // what was there and made no sense
  friend bool operator==(const HostFacts&, const HostFacts&) = default;
};

/// `root`: where /proc, /sys and /dev lie; "" on a real machine, a folder in tests.
HostFacts read_host_facts(const std::string& root);

/// CPUs' worth of time this process gets: the fewer of allowed CPUs and quota.
std::optional<double> available_cpus(const HostFacts& facts);
/// Worker processes that run at once: whole CPUs, at least 1.
int parallel_workers(const HostFacts& facts);
/// The smaller of the machine's memory and the limit.
std::optional<Bytes> usable_memory(const HostFacts& facts);
/// The smaller of what the machine has available and what the limit leaves.
std::optional<Bytes> free_memory(const HostFacts& facts);

/// How many CPUs "0-3,8,10-11" names; nullopt where it is no such list.
std::optional<int> cpus_in_list(std::string_view list);

}  // namespace gpulint::probe

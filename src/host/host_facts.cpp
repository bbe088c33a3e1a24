#include "host/host_facts.h"

#include "base/text.h"
#include "host/control_groups.h"
#include "host/kernel_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sys/statvfs.h>
#include <utility>

namespace gpulint::probe {
namespace {

/// The kernel's own limit is 8192; a list beyond this is none.
constexpr std::int64_t kMostCpus = 65536;

/// Ranges of a list, each first <= last; nullopt where it is no list.
std::optional<std::vector<std::pair<int, int>>> ranges_of(std::string_view list) {
  std::vector<std::pair<int, int>> ranges;
  for (const std::string_view part : split(trim(list), ',')) {
    const auto ends = split(part, '-');
    const auto first = whole_number(ends.front());
    const auto last = ends.size() == 2 ? whole_number(ends.back()) : first;
    if (ends.size() > 2 || !first || !last || *last < *first || *last >= kMostCpus) {
      return std::nullopt;
    }
    ranges.emplace_back(static_cast<int>(*first), static_cast<int>(*last));
  }
  return ranges;
}

std::optional<int> count_in(const std::string& path, HostFacts& facts) {
  const auto text = read_kernel_file(path);
  if (!text) return std::nullopt;
  const auto count = cpus_in_list(*text);
  if (!count) facts.unread.push_back(std::string(file_name(path)));
  return count;
}

/// Logical CPUs that share a core name the same siblings.
std::optional<int> cores_behind(const std::string& root, std::string_view list) {
  const auto ranges = ranges_of(list);
  if (!ranges) return std::nullopt;
  std::set<std::string> cores;
  for (const auto& [first, last] : *ranges) {
    for (int cpu = first; cpu <= last; ++cpu) {
      const auto siblings = read_kernel_file(
          fmt::format("{}/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", root, cpu));
      if (!siblings) return std::nullopt;
      cores.insert(std::string(trim(*siblings)));
    }
  }
  return static_cast<int>(cores.size());
}

void add_cpus(const std::string& root, HostFacts& facts) {
  facts.online_cpus = count_in(root + "/sys/devices/system/cpu/online", facts);
  facts.numa_nodes = count_in(root + "/sys/devices/system/node/online", facts);
  const auto status = read_kernel_file(root + "/proc/self/status");
  const auto allowed = status ? value_on_line(*status, "Cpus_allowed_list:") : std::nullopt;
  if (!allowed) return;
  facts.allowed_cpus = cpus_in_list(*allowed);
  if (!facts.allowed_cpus) {
    facts.unread.emplace_back("Cpus_allowed_list");
    return;
  }
  facts.allowed_cores = cores_behind(root, *allowed);
}

/// "24684096 kB"
std::optional<Bytes> kibibytes(const std::string& meminfo, std::string_view key) {
  const auto value = value_on_line(meminfo, key);
  if (!value || !value->ends_with("kB")) return std::nullopt;
  const auto number = whole_number(std::string_view(*value).substr(0, value->size() - 2));
  return number ? std::optional(Bytes::kib(*number)) : std::nullopt;
}

void add_memory(const std::string& root, HostFacts& facts) {
  const auto meminfo = read_kernel_file(root + "/proc/meminfo");
  if (!meminfo) return;
  facts.memory_total = kibibytes(*meminfo, "MemTotal:");
  facts.memory_available = kibibytes(*meminfo, "MemAvailable:");
  if (!facts.memory_total) facts.unread.emplace_back("MemTotal");
}

void add_shm(const std::string& root, HostFacts& facts) {
  struct statvfs shm {};
  if (statvfs((root + "/dev/shm").c_str(), &shm) != 0) return;
  const auto block = static_cast<std::int64_t>(shm.f_frsize);
  // A tmpfs without a size of its own has no blocks and ends with the memory.
  if (shm.f_blocks == 0) return;
  facts.shm_size = Bytes::of(saturating_multiply(static_cast<std::int64_t>(shm.f_blocks), block));
  facts.shm_free = Bytes::of(saturating_multiply(static_cast<std::int64_t>(shm.f_bavail), block));
}

/// "Max locked memory         8388608              8388608              bytes": the soft limit.
void add_locked_limit(const std::string& root, HostFacts& facts) {
  const auto limits = read_kernel_file(root + "/proc/self/limits");
  const auto line = limits ? value_on_line(*limits, "Max locked memory") : std::nullopt;
  if (!line) return;
  const std::string_view soft = split(*line, ' ').front();
  facts.locked_unlimited = soft == "unlimited";
  if (const auto number = whole_number(soft)) facts.locked_limit = Bytes::of(*number);
}

/// "32768K", "260M"
std::optional<Bytes> cache_size(std::string_view text) {
  const std::string_view size = trim(text);
  if (size.empty()) return std::nullopt;
  const auto number = whole_number(size.substr(0, size.size() - 1));
  if (!number) return std::nullopt;
  if (size.back() == 'K') return Bytes::kib(*number);
  if (size.back() == 'M') return Bytes::mib(*number);
  return std::nullopt;
}

void add_cache(const std::string& root, HostFacts& facts) {
  constexpr int kMostCaches = 8;
  for (int index = 0; index < kMostCaches; ++index) {
    const auto text = read_kernel_file(
        fmt::format("{}/sys/devices/system/cpu/cpu0/cache/index{}/size", root, index));
    const auto size = text ? cache_size(*text) : std::nullopt;
    if (size && (!facts.last_cache || *facts.last_cache < *size)) facts.last_cache = size;
  }
}

}  // namespace

std::optional<int> cpus_in_list(std::string_view list) {
  const auto ranges = ranges_of(list);
  if (!ranges) return std::nullopt;
  int count = 0;
  for (const auto& [first, last] : *ranges) count += last - first + 1;
  return count;
}

HostFacts read_host_facts(const std::string& root) {
  HostFacts facts;
  add_cpus(root, facts);
  add_memory(root, facts);
  add_shm(root, facts);
  add_locked_limit(root, facts);
  add_cache(root, facts);
  add_control_groups(root, facts);
  return facts;
}

}  // namespace gpulint::probe

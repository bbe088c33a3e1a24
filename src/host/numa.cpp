#include "host/numa.h"

#include "base/text.h"
#include "host/kernel_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace gpulint::probe {
namespace {

constexpr int kMostNumaNodes = 1024;  // MAX_NUMNODES of Linux
constexpr int kMostNumaCpus = 8192;   // NR_CPUS of Linux

#ifdef __linux__

/// A set of its own size: CPU_SETSIZE, 1024, is less than large machines have.
class CpuSet {
 public:
  CpuSet() : set_(CPU_ALLOC(kMostNumaCpus)) { CPU_ZERO_S(bytes(), set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  ~CpuSet() { CPU_FREE(set_); }
  static std::size_t bytes() { return CPU_ALLOC_SIZE(kMostNumaCpus); }
  cpu_set_t* get() const { return set_; }

 private:
  cpu_set_t* set_;
};

bool run_on(const std::vector<int>& cpus) {
  const CpuSet set;
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < kMostNumaCpus) {
      CPU_SET_S(static_cast<std::size_t>(cpu), CpuSet::bytes(), set.get());
    }
  }
  return !cpus.empty() && sched_setaffinity(0, CpuSet::bytes(), set.get()) == 0;
}

std::vector<int> running_on() {
  const CpuSet set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, CpuSet::bytes(), set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < kMostNumaCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), CpuSet::bytes(), set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

constexpr int kDefaultMemory = 0;    // MPOL_DEFAULT of numaif.h, which libnuma brings
constexpr int kPreferredMemory = 1;  // MPOL_PREFERRED

bool allocate_on(int policy, int node) {
  constexpr unsigned long kBits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, kMostNumaNodes / kBits> mask{};
  if (policy == kDefaultMemory) {
    return syscall(SYS_set_mempolicy, policy, nullptr, 0UL) == 0;
  }
  if (node < 0 || node >= kMostNumaNodes) return false;
  const auto bit = static_cast<unsigned long>(node);
  mask[bit / kBits] = 1UL << (bit % kBits);
  // The kernel takes one bit less than it is told.
  return syscall(SYS_set_mempolicy, policy, mask.data(), kMostNumaNodes + 1UL) == 0;
}

#else

bool run_on(const std::vector<int>&) { return false; }
std::vector<int> running_on() { return {}; }
constexpr int kDefaultMemory = 0;
constexpr int kPreferredMemory = 1;
bool allocate_on(int, int) { return false; }

#endif

std::optional<int> number_in(std::string_view text) {
  const auto value = whole_number(text);
  return value && *value < kMostNumaCpus ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

std::vector<int> cpus_of_list(std::string_view list) {
  std::vector<int> cpus;
  for (const std::string_view part : split(trim(list), ',')) {
    const auto dash = part.find('-');
    const auto first = number_in(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in(part.substr(dash + 1));
    if (!first || !last || *last < *first) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<NumaNode> numa_nodes(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/node";
  const auto online = read_kernel_file(folder + "/online");
  const auto status = read_kernel_file(root + "/proc/self/status");
  const auto allowed =
      cpus_of_list(value_on_line(status.value_or(""), "Cpus_allowed_list:").value_or(""));
  std::vector<NumaNode> nodes;
  for (const int number : cpus_of_list(online.value_or(""))) {
    NumaNode node{.number = number, .cpus = {}};
    const auto list = read_kernel_file(fmt::format("{}/node{}/cpulist", folder, number));
    for (const int cpu : cpus_of_list(list.value_or(""))) {
      if (allowed.empty() || std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) {
        node.cpus.push_back(cpu);
      }
    }
    if (!node.cpus.empty()) nodes.push_back(std::move(node));
  }
  return nodes;
}

std::optional<int> numa_node_of(const std::string& root, std::string_view pci_bus_id) {
  constexpr std::size_t kLongDomain = 8;  // digits, as NVML writes it; the kernel writes four
  std::string id = to_lower(pci_bus_id);
  if (id.find(':') == kLongDomain) id.erase(0, kLongDomain / 2);
  if (id.find('/') != std::string::npos) return std::nullopt;
  const auto text = read_kernel_file(root + "/sys/bus/pci/devices/" + id + "/numa_node");
  return text ? number_in(*text) : std::nullopt;  // -1: the kernel does not know
}

NumaBinding::NumaBinding(const NumaNode& node) : before_(running_on()) {
  on_cpus_ = !before_.empty() && run_on(node.cpus);
  on_memory_ = on_cpus_ && allocate_on(kPreferredMemory, node.number);
}

NumaBinding::~NumaBinding() {
  if (on_memory_) allocate_on(kDefaultMemory, 0);
  if (on_cpus_) run_on(before_);
}

}  // namespace gpulint::probe

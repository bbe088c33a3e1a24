#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// One memory of the machine and the CPUs beside it.
struct NumaNode {
  int number = 0;
  std::vector<int> cpus;  // that this process may run on; empty = memory alone, or none allowed
  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

/// Nodes with CPUs this process may use, by number. `root`: where /sys and /proc lie, "" on a real
/// machine. Empty where the kernel does not say.
std::vector<NumaNode> numa_nodes(const std::string& root);

/// The node a PCI device hangs on; nullopt where the machine has one node, or the kernel does not
/// know. `pci_bus_id`: "0000:03:00.0" in any case, the domain of four or eight digits.
std::optional<int> numa_node_of(const std::string& root, std::string_view pci_bus_id);

/// The CPUs "0-3,8" names; empty where it is no such list.
std::vector<int> cpus_of_list(std::string_view list);

/// This thread on the CPUs of a node, and what it allocates in that node's memory as long as there
/// is some, until this ends.
class NumaBinding {
 public:
  explicit NumaBinding(const NumaNode& node);
  NumaBinding(const NumaBinding&) = delete;
  NumaBinding& operator=(const NumaBinding&) = delete;
  ~NumaBinding();
  /// False: the system refused, and everything is as before.
  bool on_cpus() const { return on_cpus_; }
  /// False: some containers forbid it; memory then comes from where the thread runs.
  bool on_memory() const { return on_memory_; }

 private:
  std::vector<int> before_;
  bool on_cpus_ = false;
  bool on_memory_ = false;
};

}  // namespace gpulint::probe

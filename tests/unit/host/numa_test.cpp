#include "host/numa.h"

#include "unit/host/kernel_tree.h"

using namespace gpulint::probe;

TEST_CASE("NUMA nodes have the CPUs that this process may use") {
  KernelTree tree;
  tree.file("sys/devices/system/node/online", "0-2\n");
  tree.file("sys/devices/system/node/node0/cpulist", "0-3,8\n");
  tree.file("sys/devices/system/node/node1/cpulist", "4-7\n");
  tree.file("sys/devices/system/node/node2/cpulist", "\n");  // memory alone
  tree.file("proc/self/status", "Cpus_allowed_list:\t2-5\n");
  const auto nodes = numa_nodes(tree.root());
  CHECK(nodes == std::vector<NumaNode>{{0, {2, 3}}, {1, {4, 5}}});
}

TEST_CASE("the node of a card is found under any spelling of its address") {
  KernelTree tree;
  tree.file("sys/bus/pci/devices/0000:c1:00.0/numa_node", "1\n");
  tree.file("sys/bus/pci/devices/0000:03:00.0/numa_node", "-1\n");
  CHECK(numa_node_of(tree.root(), "00000000:C1:00.0") == 1);
  CHECK(numa_node_of(tree.root(), "0000:c1:00.0") == 1);
  CHECK_FALSE(numa_node_of(tree.root(), "0000:03:00.0").has_value());  // the kernel does not know
  CHECK_FALSE(numa_node_of(tree.root(), "0000:ff:00.0").has_value());
  CHECK_FALSE(numa_node_of(tree.root(), "../../etc").has_value());
}

TEST_CASE("a binding holds as long as it lives") {
  const auto nodes = numa_nodes("");
  if (nodes.empty()) return;  // a kernel that names none
  cpu_set_t before;
  CPU_ZERO(&before);
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  {
    const NumaBinding binding({nodes.front().number, {nodes.front().cpus.front()}});
    if (!binding.on_cpus()) return;
    cpu_set_t bound;
    CPU_ZERO(&bound);
    sched_getaffinity(0, sizeof bound, &bound);
    CHECK(CPU_COUNT(&bound) == 1);
  }
  cpu_set_t after;
  CPU_ZERO(&after);
  sched_getaffinity(0, sizeof after, &after);
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("no list, no CPUs") {
  CHECK(cpus_of_list("3-1").empty());
  CHECK(cpus_of_list("a").empty());
  CHECK(cpus_of_list("").empty());
  CHECK(cpus_of_list("0,2-3\n") == std::vector<int>{0, 2, 3});
}

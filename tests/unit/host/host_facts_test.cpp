#include "host/host_facts.h"

#include "unit/host/kernel_tree.h"

using namespace gpulint;
using namespace gpulint::probe;

TEST_CASE("a list of CPUs is counted") {
  CHECK(cpus_in_list("0") == 1);
  CHECK(cpus_in_list("0-3\n") == 4);
  CHECK(cpus_in_list("0-3,8,10-11") == 7);
}

TEST_CASE("what is no list of CPUs counts as nothing known") {
  for (const char* text : {"", "-", "3-0", "0-", "a", "0,,1", "0-1-2", "0-99999999", "-1"}) {
    CAPTURE(text);
    CHECK_FALSE(cpus_in_list(text).has_value());
  }
}

TEST_CASE("a plain machine is read from its kernel files") {
  KernelTree tree;
  tree.file("sys/devices/system/cpu/online", "0-7\n");
  tree.file("sys/devices/system/node/online", "0-1\n");
  tree.file("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3\n");
  for (int cpu = 0; cpu < 4; ++cpu) tree.siblings(cpu, cpu < 2 ? "0-1" : "2-3");
  tree.file("proc/meminfo",
            "MemTotal:       1048576 kB\nMemFree: 1 kB\nMemAvailable:    524288 kB\n");
  tree.file("proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max locked memory         8388608              8388608              bytes     \n");
  tree.file("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
  tree.file("sys/devices/system/cpu/cpu0/cache/index3/size", "260M\n");
  const HostFacts facts = read_host_facts(tree.root());
  CHECK(facts.online_cpus == 8);
  CHECK(facts.allowed_cpus == 4);
  CHECK(facts.allowed_cores == 2);
  CHECK(facts.numa_nodes == 2);
  CHECK(facts.memory_total == Bytes::gib(1));
  CHECK(facts.memory_available == Bytes::mib(512));
  CHECK(facts.locked_limit == Bytes::mib(8));
  CHECK_FALSE(facts.locked_unlimited);
  CHECK(facts.last_cache == Bytes::mib(260));
  CHECK_FALSE(facts.cpu_quota.has_value());
  CHECK_FALSE(facts.memory_limit.has_value());
  CHECK(facts.unread.empty());
  CHECK(available_cpus(facts) == 4.0);
  CHECK(usable_memory(facts) == Bytes::gib(1));
  CHECK(free_memory(facts) == Bytes::mib(512));
}

TEST_CASE("a machine without kernel files is unknown, not zero") {
  const KernelTree tree;
  const HostFacts facts = read_host_facts(tree.root());
  CHECK(facts == HostFacts{});
  CHECK_FALSE(available_cpus(facts).has_value());
  CHECK_FALSE(usable_memory(facts).has_value());
  CHECK(parallel_workers(facts) == 1);
}

TEST_CASE("kernel files that make no sense are named") {
  KernelTree tree;
  tree.file("sys/devices/system/cpu/online", "many\n");
  tree.file("proc/self/status", "Cpus_allowed_list:\t\n");
  tree.file("proc/meminfo", "MemTotal: lots\n");
  const HostFacts facts = read_host_facts(tree.root());
  CHECK(facts.unread == std::vector<std::string>{"online", "Cpus_allowed_list", "MemTotal"});
  CHECK_FALSE(facts.online_cpus.has_value());
}

TEST_CASE("locked memory without a limit is said to be unlimited") {
  KernelTree tree;
  tree.file("proc/self/limits", "Max locked memory         unlimited            unlimited bytes\n");
  const HostFacts facts = read_host_facts(tree.root());
  CHECK(facts.locked_unlimited);
  CHECK_FALSE(facts.locked_limit.has_value());
}

TEST_CASE("the kernel files of this machine agree with its system calls") {
  const HostFacts facts = read_host_facts("");
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  CHECK(facts.allowed_cpus == CPU_COUNT(&set));
  CHECK(facts.memory_total.has_value());
  CHECK(facts.unread.empty());
}

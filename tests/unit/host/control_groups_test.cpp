#include "host/control_groups.h"

#include "unit/host/kernel_tree.h"

using namespace gpulint;
using namespace gpulint::probe;

namespace {

constexpr const char* kUnified =
    "25 30 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kControllers =
    "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw master:11 - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:32 / /sys/fs/cgroup/memory rw master:12 - cgroup cgroup rw,memory\n";

HostFacts control_groups(const KernelTree& tree) {
  HostFacts facts;
  add_control_groups(tree.root(), facts);
  return facts;
}

}  // namespace

TEST_CASE("version 2: quota, limit and what is left are those of the process's group") {
  KernelTree tree;
  tree.groups("0::/job\n", kUnified);
  tree.file("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  tree.file("sys/fs/cgroup/job/memory.max", "536870912\n");
  tree.file("sys/fs/cgroup/job/memory.current", "314572800\n");
  tree.file("sys/fs/cgroup/job/memory.stat", "anon 1\nactive_file 7\ninactive_file 104857600\n");
  const HostFacts facts = control_groups(tree);
  CHECK(facts.cpu_quota == 1.5);
  CHECK(facts.cpu_quota_of == "cpu.max of /job");
  CHECK(facts.memory_limit == Bytes::mib(512));
  CHECK(facts.memory_limit_of == "memory.max of /job");
  CHECK(facts.memory_left == Bytes::mib(312));
}

TEST_CASE("version 2: max is no limit") {
  KernelTree tree;
  tree.groups("0::/job\n", kUnified);
  tree.file("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  tree.file("sys/fs/cgroup/job/memory.max", "max\n");
  CHECK(control_groups(tree) == HostFacts{});
}

TEST_CASE("of nested groups the tightest limit counts") {
  KernelTree tree;
  tree.groups("0::/a/b/c\n", kUnified);
  tree.file("sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  tree.file("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  tree.file("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  tree.file("sys/fs/cgroup/a/b/memory.max", "1073741824\n");
  tree.file("sys/fs/cgroup/a/b/memory.current", "0\n");
  tree.file("sys/fs/cgroup/a/b/c/memory.max", "2147483648\n");
  tree.file("sys/fs/cgroup/a/b/c/memory.current", "1610612736\n");
  const HostFacts facts = control_groups(tree);
  CHECK(facts.cpu_quota == 1.0);
  CHECK(facts.cpu_quota_of == "cpu.max of /a");
  CHECK(facts.memory_limit == Bytes::gib(1));
  CHECK(facts.memory_limit_of == "memory.max of /a/b");
  CHECK(facts.memory_left == Bytes::mib(512));
}

TEST_CASE("version 1: each controller has its own tree") {
  KernelTree tree;
  tree.groups("5:memory:/box\n3:cpu,cpuacct:/slow\n1:name=systemd:/x\n", kControllers);
  tree.file("sys/fs/cgroup/cpu,cpuacct/slow/cpu.cfs_quota_us", "250000\n");
  tree.file("sys/fs/cgroup/cpu,cpuacct/slow/cpu.cfs_period_us", "100000\n");
  tree.file("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "536870912\n");
  tree.file("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "536870912\n");
  tree.file("sys/fs/cgroup/memory/box/memory.stat",
            "inactive_file 5\ntotal_inactive_file 268435456\n");
  const HostFacts facts = control_groups(tree);
  CHECK(facts.cpu_quota == 2.5);
  CHECK(facts.cpu_quota_of == "cpu.cfs_quota_us of /slow");
  CHECK(facts.memory_limit == Bytes::mib(512));
  CHECK(facts.memory_left == Bytes::mib(256));
}

TEST_CASE("version 1 writes a number where there is no limit") {
  KernelTree tree;
  tree.groups("5:memory:/\n3:cpu,cpuacct:/\n", kControllers);
  tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(control_groups(tree) == HostFacts{});
}

TEST_CASE("a container that sees only its own part of a tree finds its limit there") {
  KernelTree tree;
  tree.groups("5:memory:/docker/abc\n",
              "33 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  const HostFacts facts = control_groups(tree);
  CHECK(facts.memory_limit == Bytes::gib(1));
  CHECK(facts.memory_limit_of == "memory.limit_in_bytes of /");
}

TEST_CASE("a group below the visible part is found, one beside it is not") {
  KernelTree tree;
  const char* mount = "25 30 0:22 /pod /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  tree.file("sys/fs/cgroup/inner/memory.max", "1073741824\n");
  tree.file("sys/fs/cgroup/memory.max", "2147483648\n");
  tree.groups("0::/pod/inner\n", mount);
  CHECK(control_groups(tree).memory_limit == Bytes::gib(1));
  tree.groups("0::/podium/inner\n", mount);
  CHECK(control_groups(tree).memory_limit == Bytes::gib(2));
  tree.groups("0::/../../elsewhere\n", mount);
  CHECK(control_groups(tree).memory_limit == Bytes::gib(2));
}

TEST_CASE("both versions side by side are read both") {
  KernelTree tree;
  tree.groups(
      "4:memory:/m\n0::/u\n",
      std::string(kControllers) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  tree.file("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "1073741824\n");
  tree.file("sys/fs/cgroup/unified/u/cpu.max", "200000 100000\n");
  const HostFacts facts = control_groups(tree);
  CHECK(facts.memory_limit == Bytes::gib(1));
  CHECK(facts.cpu_quota == 2.0);
}

TEST_CASE("limits that are no numbers are named and limit nothing") {
  KernelTree tree;
  tree.groups("0::/job\n", kUnified);
  for (const char* quota : {"many 100000", "150000", "150000 0", "0 100000", "-5 100000"}) {
    CAPTURE(quota);
    tree.file("sys/fs/cgroup/job/cpu.max", quota);
    tree.file("sys/fs/cgroup/job/memory.max", "12 GiB\n");
    const HostFacts facts = control_groups(tree);
    CHECK_FALSE(facts.cpu_quota.has_value());
    CHECK_FALSE(facts.memory_limit.has_value());
    CHECK(facts.unread == std::vector<std::string>{"cpu.max of /job", "memory.max of /job"});
  }
}

TEST_CASE("garbage in the lists of groups and mounts gives nothing") {
  KernelTree tree;
  for (const char* text :
       {"", ":", "::", "0:", "x:y:z\n\n\n", " - ", " - cgroup2", "\\040 - a b"}) {
    CAPTURE(text);
    tree.groups(text, text);
    CHECK(control_groups(tree) == HostFacts{});
  }
}

TEST_CASE("very deep groups end") {
  KernelTree tree;
  std::string name;
  for (int i = 0; i < 500; ++i) name += "/d";
  tree.groups("0::" + name + "\n", kUnified);
  CHECK(control_groups(tree) == HostFacts{});
}

// Control groups of version 1 (one tree a controller), version 2 (one tree) and both side by side.
// /proc/self/cgroup says where in each tree the process is, /proc/self/mountinfo where a tree is
// mounted and which part of it: in a container often only the container's own part, under a path
// that the process's own name for its group still contains.
// Sources: cgroups(7), and the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.

#include "host/control_groups.h"

#include "base/text.h"
#include "host/kernel_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpulint::probe {
namespace {

/// Groups are nested a few deep; the kernel's own default limit is far above this.
constexpr int kMostLevels = 64;
/// Version 1 writes the largest number of whole pages where there is no limit.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

struct GroupTree {
  std::string mounted_at;
  std::string part;   // of the tree that is mounted there, "/" = all of it
  std::string group;  // the process's own, as /proc/self/cgroup names it
};

bool has_word(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The group of a controller; of version 2 where `controller` is empty.
std::optional<std::string> own_group(std::string_view cgroup_file, std::string_view controller) {
  for (const std::string_view line : split(cgroup_file, '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool matches =
        controller.empty() ? line.starts_with("0::") : has_word(controllers, controller);
    if (matches) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

/// Spaces in paths are written \040 there.
std::string unescaped(std::string_view path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.substr(i).starts_with("\\040")) {
      text += ' ';
      i += 3;
    } else {
      text += path[i];
    }
  }
  return text;
}

/// "31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup cgroup rw,memory"
std::optional<GroupTree> mounted_tree(std::string_view mountinfo, std::string_view controller) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3) continue;
    const bool matches = controller.empty()
                             ? after[0] == "cgroup2"
                             : after[0] == "cgroup" && has_word(after[2], controller);
    if (matches) return GroupTree{unescaped(before[4]), unescaped(before[3]), ""};
  }
  return std::nullopt;
}

std::optional<GroupTree> find_tree(const std::string& root, std::string_view controller) {
  const auto groups = read_kernel_file(root + "/proc/self/cgroup");
  const auto mounts = read_kernel_file(root + "/proc/self/mountinfo");
  if (!groups || !mounts) return std::nullopt;
  const auto group = own_group(*groups, controller);
  auto tree = mounted_tree(*mounts, controller);
  if (!group || !tree) return std::nullopt;
  tree->group = *group;
  return tree;
}

/// The group's path below the mount. A group outside of the mounted part (another namespace's
/// name, "/..") is not visible: what is mounted is then all there is to see.
std::string visible_group(const GroupTree& tree) {
  const std::string group = normalize_path(tree.group);
  if (tree.group.find("..") != std::string::npos) return "/";
  if (tree.part == "/") return group.empty() ? "/" : group;
  if (group == tree.part) return "/";
  const bool below = group.starts_with(tree.part) && group.size() > tree.part.size() &&
                     group[tree.part.size()] == '/';
  return below ? group.substr(tree.part.size()) : "/";
}

struct Group {
  std::string folder;  // on this machine
  std::string name;    // below the mount
};

/// The process's own group and those around it, up to the mount.
std::vector<Group> groups_of(const std::string& root, const GroupTree& tree) {
  std::vector<Group> groups;
  std::string name = visible_group(tree);
  for (int level = 0; level < kMostLevels; ++level) {
    groups.push_back({root + tree.mounted_at + (name == "/" ? "" : name), name});
    if (name == "/" || name.empty()) break;
    name = std::string(parent_path(name));
    if (name.empty()) name = "/";
  }
  return groups;
}

void add_quota(double cpus, const std::string& from, HostFacts& facts) {
  if (facts.cpu_quota && *facts.cpu_quota <= cpus) return;
  facts.cpu_quota = cpus;
  facts.cpu_quota_of = from;
}

void unreadable(const Group& group, std::string_view file, HostFacts& facts) {
  facts.unread.push_back(fmt::format("{} of {}", file, group.name));
}

/// "150000 100000" or "max 100000"
void read_cpu_max(const Group& group, HostFacts& facts) {
  const auto text = read_kernel_file(group.folder + "/cpu.max");
  if (!text) return;
  const auto words = split(trim(*text), ' ');
  if (words.size() == 2 && words[0] == "max") return;
  const auto quota = words.size() == 2 ? whole_number(words[0]) : std::nullopt;
  const auto period = words.size() == 2 ? whole_number(words[1]) : std::nullopt;
  if (!quota || !period || *quota == 0 || *period == 0) return unreadable(group, "cpu.max", facts);
  add_quota(static_cast<double>(*quota) / static_cast<double>(*period),
            fmt::format("cpu.max of {}", group.name), facts);
}

/// A quota of -1 is none.
void read_cfs_quota(const Group& group, HostFacts& facts) {
  const auto text = read_kernel_file(group.folder + "/cpu.cfs_quota_us");
  if (!text || trim(*text) == "-1") return;
  const auto quota = whole_number(*text);
  const auto period_text = read_kernel_file(group.folder + "/cpu.cfs_period_us");
  const auto period = period_text ? whole_number(*period_text) : std::nullopt;
  if (!quota || !period || *quota == 0 || *period == 0) {
    return unreadable(group, "cpu.cfs_quota_us", facts);
  }
  add_quota(static_cast<double>(*quota) / static_cast<double>(*period),
            fmt::format("cpu.cfs_quota_us of {}", group.name), facts);
}

struct MemoryFiles {
  std::string_view limit;
  std::string_view usage;
  std::string_view reclaimable;  // of memory.stat: file pages the kernel drops first
};
constexpr MemoryFiles kVersion2{"memory.max", "memory.current", "inactive_file "};
constexpr MemoryFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                "total_inactive_file "};

/// What a group may still take: cached files that nobody uses are given back before it is refused.
std::optional<Bytes> left_under(const Group& group, Bytes limit, const MemoryFiles& files) {
  const auto text = read_kernel_file(fmt::format("{}/{}", group.folder, files.usage));
  const auto usage = text ? whole_number(*text) : std::nullopt;
  if (!usage) return std::nullopt;
  const auto stat = read_kernel_file(group.folder + "/memory.stat");
  const auto line = stat ? value_on_line(*stat, files.reclaimable) : std::nullopt;
  const auto cached = line ? whole_number(*line) : std::nullopt;
  const Bytes used = Bytes::of(*usage - std::min(*usage, cached.value_or(0)));
  return std::max(Bytes{}, limit - used);
}

void read_memory_limit(const Group& group, const MemoryFiles& files, HostFacts& facts) {
  const auto text = read_kernel_file(fmt::format("{}/{}", group.folder, files.limit));
  if (!text || trim(*text) == "max" || trim(*text) == "-1") return;
  const auto number = whole_number(*text);
  if (!number) return unreadable(group, files.limit, facts);
  if (*number >= kNoLimit) return;
  const Bytes limit = Bytes::of(*number);
  if (!facts.memory_limit || limit < *facts.memory_limit) {
    facts.memory_limit = limit;
    facts.memory_limit_of = fmt::format("{} of {}", files.limit, group.name);
  }
  const auto left = left_under(group, limit, files);
  if (left && (!facts.memory_left || *left < *facts.memory_left)) facts.memory_left = left;
}

}  // namespace

void add_control_groups(const std::string& root, HostFacts& facts) {
  if (const auto tree = find_tree(root, "")) {
    for (const Group& group : groups_of(root, *tree)) {
      read_cpu_max(group, facts);
      read_memory_limit(group, kVersion2, facts);
    }
  }
  if (const auto tree = find_tree(root, "cpu")) {
    for (const Group& group : groups_of(root, *tree)) read_cfs_quota(group, facts);
  }
  if (const auto tree = find_tree(root, "memory")) {
    for (const Group& group : groups_of(root, *tree)) read_memory_limit(group, kVersion1, facts);
  }
}

}  // namespace gpulint::probe

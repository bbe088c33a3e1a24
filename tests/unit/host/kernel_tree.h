#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>

/// A folder with recorded files of /proc and /sys, removed again.
class KernelTree {
 public:
  KernelTree() {
    std::string name = (std::filesystem::temp_directory_path() / "gpulint_kernel_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  KernelTree(const KernelTree&) = delete;
  KernelTree& operator=(const KernelTree&) = delete;
  ~KernelTree() {
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }
  const std::string& root() const { return root_; }
  void file(const std::string& path, const std::string& text) const {
    const std::filesystem::path whole = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  void siblings(int cpu, const std::string& list) const {
    file(fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu),
         list + "\n");
  }
  /// `groups` of /proc/self/cgroup, `mounts` of /proc/self/mountinfo.
  void groups(const std::string& groups, const std::string& mounts) const {
    file("proc/self/cgroup", groups);
    file("proc/self/mountinfo", mounts);
  }

 private:
  std::string root_;
};

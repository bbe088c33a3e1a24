#include "device/library_search.h"

#include "base/text.h"
#include "host/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::probe {
namespace {

namespace fs = std::filesystem;

/// What a vendor's library is called, best first, and where its wheels have it beneath
/// site-packages (nvidia-cublas and nvidia-cublas-cu12; nvidia-nccl-cu12 and -cu13).
struct KnownLibrary {
  std::array<std::string_view, 2> names;
  std::array<std::string_view, 2> wheel_folders;
};
constexpr KnownLibrary kCublaslt{{"libcublasLt.so.13", "libcublasLt.so.12"},
                                 {"nvidia/cu13/lib", "nvidia/cublas/lib"}};
constexpr KnownLibrary kNccl{{"libnccl.so.2", ""}, {"nvidia/nccl/lib", ""}};
constexpr std::array<std::string_view, 2> kTargets{"x86_64-linux", "sbsa-linux"};
constexpr std::array<std::string_view, 3> kSystemFolders{
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"};
constexpr std::size_t kMostEntries = 4096;  // of a folder that is searched

/// Names in a folder that start with `prefix`, the highest first; none for a folder that is not
/// there.
std::vector<std::string> entries(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end && seen < kMostEntries;
       it.increment(error), ++seen) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(name);
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

void add_python(const std::string& python, const KnownLibrary& library,
                std::vector<std::string>& folders) {
  if (python.empty()) return;
  // Not resolved: the python of a virtual environment is a link to the system's.
  const std::string absolute = fs::absolute(python).lexically_normal().string();
  const std::string prefix(parent_path(parent_path(absolute)));
  for (const std::string_view folder : {"lib", "lib64", "local/lib"}) {
    const std::string root = join_path(prefix, folder);
    for (const std::string& version : entries(root, "python3")) {
      for (const std::string_view packages : {"site-packages", "dist-packages"}) {
        for (const std::string_view wheel : library.wheel_folders) {
          if (wheel.empty()) continue;
          folders.push_back(join_path(join_path(join_path(root, version), packages), wheel));
        }
      }
    }
    folders.push_back(root);  // conda
  }
}

/// Of the environment's Pythons; what PyTorch brings with it comes before everything else.
std::vector<std::string> package_folders(const LibraryWish& wish, const KnownLibrary& library) {
  std::vector<std::string> folders;
  add_python(wish.python, library, folders);
  for (const std::string& environment : {wish.virtual_env, wish.conda_prefix}) {
    if (!environment.empty()) add_python(join_path(environment, "bin/python"), library, folders);
  }
  return folders;
}

/// Absolute folders that the loader's configuration names; what a file includes is one folder deep.
void add_loader_folders(const std::string& file, std::vector<std::string>& folders) {
  std::ifstream lines(file);
  std::string line;
  for (std::size_t seen = 0; seen < kMostEntries && std::getline(lines, line); ++seen) {
    const std::string_view entry = trim(line);
    if (entry.starts_with('/')) folders.emplace_back(entry);
  }
}

std::vector<std::string> loader_folders(const LibraryWish& wish, const std::string& linted_folder) {
  std::vector<std::string> folders;
  const std::string safe = safe_library_path(wish.library_path, linted_folder);
  for (const std::string_view entry : split(safe, ':')) {
    if (!entry.empty()) folders.emplace_back(entry);
  }
  add_loader_folders(join_path(wish.loader_config, "ld.so.conf"), folders);
  const std::string more = join_path(wish.loader_config, "ld.so.conf.d");
  for (const std::string& name : entries(more, "")) {
    if (name.ends_with(".conf")) add_loader_folders(join_path(more, name), folders);
  }
  folders.insert(folders.end(), kSystemFolders.begin(), kSystemFolders.end());
  return folders;
}

std::vector<std::string> cublaslt_folders(const LibraryWish& wish) {
  std::vector<std::string> folders = package_folders(wish, kCublaslt);
  folders.push_back(join_path(wish.toolkits, "cuda/lib64"));
  for (const std::string& toolkit : entries(wish.toolkits, "cuda-")) {
    for (const std::string_view target : kTargets) {
      folders.push_back(join_path(join_path(join_path(wish.toolkits, toolkit), "targets"),
                                  join_path(target, "lib")));
    }
  }
  folders.insert(folders.end(), kSystemFolders.begin(), kSystemFolders.end());
  return folders;
}

void consider(const std::string& path, const std::string& linted_folder, LibraryChoice& choice) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) return;
  if (std::find(choice.paths.begin(), choice.paths.end(), real) != choice.paths.end()) return;
  if (const auto why = unsafe_library_file(real, linted_folder)) {
    choice.refused.push_back(fmt::format("{}: {}", path, *why));
  } else {
    choice.paths.push_back(real);
  }
}

/// The user's word, else every file of a known name in these folders.
LibraryChoice choose(const LibraryWish& wish, const std::string& named, const KnownLibrary& library,
                     const std::vector<std::string>& folders, const std::string& linted_folder) {
  LibraryChoice choice;
  if (!wish.allowed) return choice;
  if (!named.empty()) {
    consider(named, "", choice);
    if (choice.paths.empty() && choice.refused.empty()) {
      choice.refused.push_back(fmt::format("{}: no such file", named));
    }
    return choice;  // nothing else is tried in its place
  }
  for (const std::string& folder : folders) {
    for (const std::string_view name : library.names) {
      if (!name.empty()) consider(join_path(folder, name), linted_folder, choice);
    }
  }
  return choice;
}

/// A group that has its user's name and nobody else in it: many systems give each user one, and let
/// it write to what the user makes.
bool is_private_group(uid_t user, gid_t group) {
  const passwd* owner = getpwuid(user);
  const std::string name = owner != nullptr ? owner->pw_name : "";
  const struct group* members = getgrgid(group);
  if (name.empty() || members == nullptr || name != members->gr_name) return false;
  for (char** member = members->gr_mem; *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  return true;
}

}  // namespace

std::optional<int> library_major(std::string_view path) {
  constexpr std::string_view kSuffix = ".so.";
  const std::string_view name = file_name(path);
  const std::size_t at = name.find(kSuffix);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(at + kSuffix.size());
  int major = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), major);
  if (error != std::errc{} || end == digits.data() || major < 0) return std::nullopt;
  return major;
}

std::optional<std::string> unsafe_library_file(const std::string& path,
                                               const std::string& linted_folder) {
  struct stat file {};
  struct stat folder {};
  if (stat(path.c_str(), &file) != 0) return "it cannot be inspected";
  if (!S_ISREG(file.st_mode)) return "it is not a regular file";
  if (file.st_uid != 0 && file.st_uid != geteuid()) return "it belongs to another user";
  const bool by_group =
      (file.st_mode & S_IWGRP) != 0 && !is_private_group(file.st_uid, file.st_gid);
  if (by_group || (file.st_mode & S_IWOTH) != 0) return "its group or everybody may write to it";
  if (stat(std::string(parent_path(path)).c_str(), &folder) != 0 ||
      ((folder.st_mode & S_IWOTH) != 0 && (folder.st_mode & S_ISVTX) == 0)) {
    return "everybody may replace it";
  }
  if (is_inside(path, linted_folder)) return "it lies inside the linted folder";
  return std::nullopt;
}

LibraryChoice find_cublaslt(const LibraryWish& wish, const std::string& linted_folder) {
  return choose(wish, wish.named, kCublaslt, cublaslt_folders(wish), linted_folder);
}

LibraryChoice find_nccl(const LibraryWish& wish, const std::string& linted_folder) {
  std::vector<std::string> folders = package_folders(wish, kNccl);
  const std::vector<std::string> more = loader_folders(wish, linted_folder);
  folders.insert(folders.end(), more.begin(), more.end());
  return choose(wish, wish.nccl, kNccl, folders, linted_folder);
}

}  // namespace gpulint::probe

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// What the user said of the vendor's library, and where the machine may have it.
struct LibraryWish {
  bool allowed = true;                  // false: --no-library
  std::string named = {};               // --cublaslt PATH
  std::string nccl = {};                // --nccl PATH
  std::string python = {};              // --python PATH, whose packages are looked at
  std::string virtual_env = {};         // $VIRTUAL_ENV
  std::string conda_prefix = {};        // $CONDA_PREFIX
  std::string toolkits = "/usr/local";  // the folder of cuda, cuda-13.0, …
  std::string library_path = {};        // $LD_LIBRARY_PATH
  std::string loader_config = "/etc";   // the folder of ld.so.conf and ld.so.conf.d
};

struct LibraryChoice {
  std::vector<std::string> paths;    // absolute, resolved, safe to load; best first
  std::vector<std::string> refused;  // "path: why", of those that are there
};

/// Where cuBLASLt may be loaded from: the file named, packages of the Python environment, the CUDA
/// toolkits. Python itself is not run. Refused is what is not a regular file, belongs to neither
/// root nor this user, may be written or replaced by others, or lies inside `linted_folder`
/// (absolute, resolved) unless it was named: a library's constructors run the moment it is loaded.
LibraryChoice find_cublaslt(const LibraryWish& wish, const std::string& linted_folder);

/// Likewise of NCCL, in the order in which PyTorch finds it: the package beside it, which it names
/// itself; LD_LIBRARY_PATH, whose unsafe entries are left out; the folders of the loader's cache.
LibraryChoice find_nccl(const LibraryWish& wish, const std::string& linted_folder);

/// Why this file may not be loaded, or nothing. `path`: absolute, resolved; `linted_folder` "" =
/// it may lie anywhere.
std::optional<std::string> unsafe_library_file(const std::string& path,
                                               const std::string& linted_folder);

/// 13 of ".../libcublasLt.so.13.1.0.3"; unset without a number.
std::optional<int> library_major(std::string_view path);

}  // namespace gpulint::probe

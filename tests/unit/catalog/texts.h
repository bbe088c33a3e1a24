#pragma once

#include "catalog/catalog.h"
#include "source/read.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// A YAML text under a data file's path.
inline Document document(std::string path, std::string text) {
  Result<Document> read = read_yaml(std::move(path), std::move(text), kNoFile);
  if (!read) throw read.error();
  return std::move(read).value();
}

inline DataFile data_file(const std::string& path, std::string text) {
  return {path, document(path, std::move(text))};
}

inline const std::string kRtx3080 = R"(names: [NVIDIA GeForce RTX 3080]
vendor: nvidia
architecture: Ampere
compute_capability: "8.6"
pci_device_ids: ["2206"]
memory_total: 10240 MiB
usable_memory: {low: 10002 MiB, high: 10009 MiB, evidence: observed}
memory_bandwidth: 760 GB/s
peak_flops: {fp32: 29.8 TFLOP/s, fp16: 59.5 TFLOP/s, evidence: recalled}
achieved_fraction: {fp16: 1.05}
features: {tensor_cores: true, bf16_native: true, tf32: true, fp8: false, fp4: false,
  flash_attention_2: true, flash_attention_3: false, sdpa_flash: true,
  sdpa_memory_efficient: true, torch_compile: true}
tdp: 320 W
pcie: {generation: 4, lanes: 16}
sources: {usable_memory: logs, others: data sheet}
)";

/// `text` with the first `from` replaced by `to`.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::string("not in the text: " + from);
  return text.replace(at, from.size(), to);
}

/// A folder of files in memory.
class MemoryReader final : public FileReader {
 public:
  explicit MemoryReader(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  Result<std::string> read(const std::string& path, std::size_t) const override {
    const auto found = files_.find(path);
    if (found == files_.end()) return fail(Error{"is missing", path});
    return found->second;
  }
  FileKind kind(const std::string& path) const override {
    if (files_.count(path) != 0) return FileKind::regular;
    const auto below = files_.lower_bound(path + "/");
    const bool folder = below != files_.end() && below->first.starts_with(path + "/");
    return folder ? FileKind::directory : FileKind::missing;
  }
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    std::vector<DirectoryEntry> entries;
    for (const auto& [path, text] : files_) {
      if (!path.starts_with(directory + "/")) continue;
      const std::string rest = path.substr(directory.size() + 1);
      const std::string name = rest.substr(0, rest.find('/'));
      if (entries.empty() || entries.back().name != name) {
        entries.push_back({name, kind(directory + "/" + name), false});
      }
    }
    return entries;
  }
  std::string canonical(const std::string& path) const override { return path; }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace gpulint

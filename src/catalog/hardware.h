#pragma once

#include "base/result.h"
#include "base/units.h"
#include "catalog/data_kind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class Document;

enum class Precision : std::uint8_t { fp64, fp32, tf32, fp16, bf16, fp8, int8 };
inline constexpr std::size_t kPrecisionCount = 7;

enum class Evidence : std::uint8_t { observed, recalled, derived };

/// low <= high
struct FractionRange {
  double low = 0;
  double high = 0;
};

/// What NCCL's collectives carry between GPUs of one machine: bus bandwidth, bytes/s, of so many.
struct CollectiveBandwidth {
  PerSecond bus;
  int gpus = 0;
};

/// One accelerator of hardware_db/gpus. Everything optional is unknown when the file leaves it out.
struct Gpu {
  std::string id;
  std::vector<std::string> names;  // as drivers print them; the first is for display
  std::string vendor;
  std::string architecture;               // name of the generation, for people ("Ampere")
  std::optional<int> compute_capability;  // major * 10 + minor, NVIDIA only
  std::vector<std::string> pci_device_ids;
  std::optional<int> sm_count;
  std::optional<Bytes> memory_total;  // what nvidia-smi (NVML) reports
  /// What CUDA can allocate on Linux: driver reserve taken off. Unknown for the few parts whose
  /// total nobody published.
  std::optional<BytesRange> usable_memory;
  Evidence usable_memory_evidence = Evidence::derived;
  std::optional<PerSecond> memory_bandwidth;             // bytes/s
  std::optional<PerSecond> peak_flops[kPrecisionCount];  // dense, fp32 accumulate; operations/s
  Evidence peak_evidence = Evidence::recalled;
  std::optional<double> achieved_fraction[kPrecisionCount];  // of peak, by the framework's own GEMM
  /// Of peak, where the vendor's library lies on a sound card of this model.
  std::optional<FractionRange> achieved_band[kPrecisionCount];
  std::optional<double> achieved_bandwidth;  // of memory_bandwidth, by a large copy
  bool tensor_cores = false;
  bool bf16_native = false;
  bool tf32 = false;
  bool fp8 = false;
  bool fp4 = false;
  bool flash_attention_2 = false;
  bool flash_attention_3 = false;
  bool sdpa_flash = false;
  bool sdpa_memory_efficient = false;
  bool torch_compile = false;
  bool tf32_convolutions = false;  // fp32 convolutions run as TF32 unless the run says otherwise
  std::optional<int> fp32_units;   // of a multiprocessor
  std::optional<int> first_cuda;   // release that first knew the generation, major * 10 + minor
  std::optional<Bytes> l2_cache;
  std::optional<Bytes> cublas_workspace;
  std::optional<int> tdp_watts;
  std::optional<int> pcie_generation;
  std::optional<int> pcie_lanes;
  std::optional<PerSecond> nvlink_bandwidth;  // bytes/s, both directions, all links
  bool nvlink_bridge = false;                 // NVLink joins pairs of cards only
  bool nvlink_sharp = false;                  // switches add up all-reduces themselves
  /// Measured ones; unset = what the links are assumed to carry.
  std::optional<CollectiveBandwidth> collectives;
  std::optional<PerSecond> pinned_copy;  // bytes/s, from page-locked memory of the host
  std::optional<bool> mig;
  std::vector<std::string> notes;
  std::vector<std::string> sources;  // "field: citation"
  /// Day of the local measurement that memory and rates are from, "2026-11-20"; "" = the database.
  std::string measured_on;
  std::optional<Bytes> bare_context;  // what a CUDA context takes without a framework; measured
};

/// One generation of hardware_db/architectures: what its compute capability fixes, as the GPU it
/// makes. A GPU's file states the rest and what differs.
struct Architecture {
  static constexpr DataKind kKind = DataKind::architecture;
  static Result<Architecture> parse(const Document& document);

  std::string id;
  Gpu fixed;
  std::vector<std::string> sources;
};

/// A list of GPUs that are shown side by side, of hardware_db/fleets.
struct GpuFleet {
  static constexpr DataKind kKind = DataKind::fleet;
  static Result<GpuFleet> parse(const Document& document);

  std::string id;
  std::string summary;
  std::vector<std::string> gpus;  // ids, in the order they are shown
};

/// "measured 2026-11-20" or "database": where the figures of a GPU are from.
std::string figures_from(const Gpu& gpu);
inline constexpr std::string_view kDatabaseFigures = "database";  // what it says of all others

std::string_view name_of(Precision precision);
std::string_view name_of(Evidence evidence);

/// A dated price; never current, always printed with its date.
struct Price {
  Money per_hour;
  std::string as_of;
  std::string source;
  bool recalled = false;  // from memory, not from a page that was read
};

/// One machine shape of hardware_db/hosts.
struct Host {
  std::string id;
  std::vector<std::string> names;  // further spellings (cloud SKU)
  std::string cloud;               // "" for a workstation
  std::string gpu;                 // Gpu id; "" = none
  std::optional<int> gpu_count;
  std::optional<int> cpu_cores;  // what the operating system schedules on (vCPUs)
  std::optional<Bytes> ram;
  std::optional<Bytes> shm;  // size of /dev/shm when it is not half of the RAM
  std::optional<Price> price;
  std::vector<std::string> notes;
  std::vector<std::string> sources;
};

}  // namespace gpulint

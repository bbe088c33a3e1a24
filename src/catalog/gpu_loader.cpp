#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, kPrecisionCount> kPrecisionNames = {
    "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8"};
constexpr std::array<std::string_view, 3> kEvidenceNames = {"observed", "recalled", "derived"};
/// Fields that hold numbers (or names a machine is matched by) and so need a citation.
constexpr std::array<std::string_view, 21> kCitedFields = {
    "names",         "pci_device_ids",   "sm_count",   "compute_capability", "memory_total",
    "l2_cache",      "memory_bandwidth", "peak_flops", "achieved_fraction",  "usable_memory",
    "tdp",           "cublas_workspace", "pcie",       "nvlink_bandwidth",   "achieved_bandwidth",
    "achieved_band", "fp32_units",       "first_cuda", "nvlink_sharp",       "collectives",
    "pinned_copy"};
/// Boost clocks above the one a data sheet reckons with can pass the "peak", but not by half.
constexpr double kGreatestAchievedFraction = 1.5;

std::optional<int> narrow(std::optional<std::int64_t> value) {
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<int> read_small_integer(Complaints& complaints, NodeId node, int least) {
  return narrow(read_integer(complaints, node, least, std::numeric_limits<std::int16_t>::max()));
}

/// "8.6" -> 86: a compute capability or the release of a toolkit.
std::optional<int> read_major_minor(Complaints& complaints, NodeId node) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const std::vector<std::string_view> parts = split(word, '.');
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&](std::string_view text) {
    int value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return value;
  };
  if (parts.size() == 2 && !parts[0].empty() && parts[0].size() <= 2 && parts[1].size() == 1 &&
      std::all_of(parts[0].begin(), parts[0].end(), is_digit) && is_digit(parts[1][0])) {
    return number(parts[0]) * 10 + number(parts[1]);
  }
  complaints.about(
      node, "expected major.minor as in \"8.6\", found \"" + escape_for_display(word) + "\"");
  return std::nullopt;
}

std::vector<std::string> read_pci_ids(Complaints& complaints, NodeId node) {
  std::vector<std::string> ids = read_words(complaints, node);
  for (std::string& id : ids) {
    const bool hexadecimal = std::all_of(id.begin(), id.end(), [](unsigned char c) {
      return std::isdigit(c) != 0 || (c >= 'A' && c <= 'F');
    });
    if (id.size() == 4 && hexadecimal) continue;
    complaints.about(node, "\"" + escape_for_display(id) +
                               "\" is not a PCI device id; write four upper-case hex digits as in "
                               "\"2204\"");
  }
  return ids;
}

Evidence read_evidence(Complaints& complaints, NodeId node) {
  const std::optional<std::size_t> index = read_choice(complaints, node, kEvidenceNames);
  return static_cast<Evidence>(index.value_or(static_cast<std::size_t>(Evidence::derived)));
}

void read_usable_memory(Complaints& complaints, NodeId node, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  const std::optional<Bytes> low = read_bytes(complaints, mapping.need("low"));
  const std::optional<Bytes> high = read_bytes(complaints, mapping.need("high"));
  gpu.usable_memory_evidence = read_evidence(complaints, mapping.need("evidence"));
  mapping.refuse_unknown_keys();
  if (!low || !high) return;
  if (*low > *high) complaints.about(node, "\"low\" is above \"high\"");
  if (gpu.memory_total && *high > *gpu.memory_total) {
    complaints.about(node, "more than memory_total (" + format_binary(*gpu.memory_total) + ")");
  }
  gpu.usable_memory = BytesRange{*low, *high};
}

void read_peaks(Complaints& complaints, NodeId node, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    gpu.peak_flops[i] = read_flops(complaints, mapping.find(kPrecisionNames[i]));
  }
  gpu.peak_evidence = read_evidence(complaints, mapping.need("evidence"));
  mapping.refuse_unknown_keys();
}

void read_achieved(Complaints& complaints, NodeId node, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    gpu.achieved_fraction[i] =
        read_fraction(complaints, mapping.find(kPrecisionNames[i]), 0, kGreatestAchievedFraction);
  }
  mapping.refuse_unknown_keys();
}

void read_bands(Complaints& complaints, NodeId node, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    const NodeId range = mapping.find(kPrecisionNames[i]);
    if (range == kNoNode) continue;
    StrictMapping ends(complaints, range);
    const auto low = read_fraction(complaints, ends.need("low"), 0, kGreatestAchievedFraction);
    const auto high = read_fraction(complaints, ends.need("high"), 0, kGreatestAchievedFraction);
    ends.refuse_unknown_keys();
    if (!low || !high) continue;
    if (*low > *high) complaints.about(range, "\"low\" is above \"high\"");
    gpu.achieved_band[i] = FractionRange{*low, *high};
  }
  mapping.refuse_unknown_keys();
}

/// Every feature has to be stated where no architecture fixes it.
void read_features(Complaints& complaints, NodeId node, bool all, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  const auto feature = [&](std::string_view key, bool& fixed) {
    const NodeId value = all ? mapping.need(key) : mapping.find(key);
    fixed = read_boolean(complaints, value).value_or(fixed);
  };
  feature("tensor_cores", gpu.tensor_cores);
  feature("bf16_native", gpu.bf16_native);
  feature("tf32", gpu.tf32);
  feature("fp8", gpu.fp8);
  feature("fp4", gpu.fp4);
  feature("flash_attention_2", gpu.flash_attention_2);
  feature("flash_attention_3", gpu.flash_attention_3);
  feature("sdpa_flash", gpu.sdpa_flash);
  feature("sdpa_memory_efficient", gpu.sdpa_memory_efficient);
  feature("torch_compile", gpu.torch_compile);
  const NodeId convolutions = mapping.find("tf32_convolutions");
  gpu.tf32_convolutions =
      read_boolean(complaints, convolutions).value_or(all ? gpu.tf32 : gpu.tf32_convolutions);
  mapping.refuse_unknown_keys();
}

/// Replaces `value` where the file states another one.
template <class T>
void set_if_stated(std::optional<T>& value, std::optional<T> stated) {
  if (stated) value = std::move(stated);
}

/// What an architecture fixes; a GPU's file may state another value.
void read_fixed(Complaints& complaints, StrictMapping& file, NodeId features, bool all_features,
                Gpu& gpu) {
  set_if_stated(gpu.compute_capability,
                read_major_minor(complaints, file.find("compute_capability")));
  read_features(complaints, features, all_features, gpu);
  set_if_stated(gpu.cublas_workspace, read_bytes(complaints, file.find("cublas_workspace")));
  set_if_stated(gpu.fp32_units, read_small_integer(complaints, file.find("fp32_units"), 1));
  set_if_stated(gpu.first_cuda, read_major_minor(complaints, file.find("first_cuda")));
}

void read_pcie(Complaints& complaints, NodeId node, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  gpu.pcie_generation = read_small_integer(complaints, mapping.need("generation"), 1);
  gpu.pcie_lanes = read_small_integer(complaints, mapping.need("lanes"), 1);
  mapping.refuse_unknown_keys();
}

void read_collectives(Complaints& complaints, NodeId node, Gpu& gpu) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  const auto bus = read_bandwidth(complaints, mapping.need("bus_bandwidth"));
  const auto gpus = read_small_integer(complaints, mapping.need("gpus"), 2);
  mapping.refuse_unknown_keys();
  if (bus && gpus) gpu.collectives = CollectiveBandwidth{*bus, *gpus};
}

void read_optional_numbers(Complaints& complaints, StrictMapping& file, Gpu& gpu) {
  gpu.sm_count = read_small_integer(complaints, file.find("sm_count"), 1);
  gpu.memory_bandwidth = read_bandwidth(complaints, file.find("memory_bandwidth"));
  gpu.achieved_bandwidth = read_fraction(complaints, file.find("achieved_bandwidth"), 0, 1);
  gpu.l2_cache = read_bytes(complaints, file.find("l2_cache"));
  if (const auto watts = read_quantity(complaints, file.find("tdp"), "W")) {
    gpu.tdp_watts = static_cast<int>(saturating_round(std::min(*watts, 1e6)));
  }
  gpu.nvlink_bandwidth = read_bandwidth(complaints, file.find("nvlink_bandwidth"));
  gpu.nvlink_bridge = read_boolean(complaints, file.find("nvlink_bridge")).value_or(false);
  gpu.nvlink_sharp = read_boolean(complaints, file.find("nvlink_sharp")).value_or(false);
  read_collectives(complaints, file.find("collectives"), gpu);
  gpu.pinned_copy = read_bandwidth(complaints, file.find("pinned_copy"));
  gpu.mig = read_boolean(complaints, file.find("mig"));
}

/// Vendor and what else an architecture fixes: needed here where there is none.
void read_generation(Complaints& complaints, StrictMapping& file, NodeId generation, bool is_known,
                     const ArchitectureLookup& architectures, Gpu& gpu) {
  const NodeId vendor = file.find("vendor");
  if (vendor != kNoNode) gpu.vendor = read_word(complaints, vendor);
  const NodeId features = file.find("features");
  read_fixed(complaints, file, features, !is_known, gpu);
  if (is_known || (vendor != kNoNode && features != kNoNode) || generation == kNoNode) return;
  const std::string similar = architectures.similar ? architectures.similar(gpu.architecture) : "";
  complaints.about(generation, "\"" + escape_for_display(gpu.architecture) +
                                   "\" is not a known architecture" + similar +
                                   "; name one, or state vendor and features here");
}

}  // namespace

std::string_view name_of(Precision precision) {
  return kPrecisionNames[static_cast<std::size_t>(precision)];
}

std::string_view name_of(Evidence evidence) {
  return kEvidenceNames[static_cast<std::size_t>(evidence)];
}

std::string figures_from(const Gpu& gpu) {
  return gpu.measured_on.empty() ? std::string(kDatabaseFigures) : "measured " + gpu.measured_on;
}

Result<Architecture> Architecture::parse(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a GPU architecture");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  Architecture architecture;
  architecture.id = stem_of(document.path());
  Gpu& fixed = architecture.fixed;
  fixed.architecture = read_word(complaints, file.need("name"));
  fixed.vendor = read_word(complaints, file.need("vendor"));
  read_fixed(complaints, file, file.need("features"), /*all_features=*/true, fixed);
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) {
    architecture.sources = read_sources(complaints, document.root(), sources, kCitedFields);
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(architecture));
}

Result<Gpu> parse_gpu(const Document& document, const ArchitectureLookup& architectures) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a GPU");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  const NodeId generation = file.need("architecture");
  const std::string_view word = read_word(complaints, generation);
  const Architecture* known = architectures.find ? architectures.find(word) : nullptr;
  Gpu gpu = known != nullptr ? known->fixed : Gpu{};
  if (known == nullptr) gpu.architecture = word;
  gpu.id = stem_of(document.path());
  gpu.names = read_words(complaints, file.need("names"));
  read_generation(complaints, file, generation, known != nullptr, architectures, gpu);
  gpu.pci_device_ids = read_pci_ids(complaints, file.find("pci_device_ids"));
  gpu.memory_total = read_bytes(complaints, file.find("memory_total"));
  read_usable_memory(complaints, file.find("usable_memory"), gpu);
  read_peaks(complaints, file.find("peak_flops"), gpu);
  read_achieved(complaints, file.find("achieved_fraction"), gpu);
  read_bands(complaints, file.find("achieved_band"), gpu);
  read_optional_numbers(complaints, file, gpu);
  read_pcie(complaints, file.find("pcie"), gpu);
  gpu.notes = read_words(complaints, file.find("notes"));
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) {
    gpu.sources = read_sources(complaints, document.root(), sources, kCitedFields);
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(gpu));
}

Result<GpuFleet> GpuFleet::parse(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a list of GPUs");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  GpuFleet fleet;
  fleet.id = stem_of(document.path());
  fleet.summary = read_word(complaints, file.need("summary"));
  fleet.gpus = read_words(complaints, file.need("gpus"));
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(fleet));
}

}  // namespace gpulint

// Finding hardware by the names people and drivers give it.

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/gpu_words.h"

#include <algorithm>
#include <cstdlib>

namespace gpulint {
namespace {

/// GDDR with ECC on loses a sixteenth, and the driver's reserve takes up to 4.7 % (RTX 4060): one
/// card is seen up to this much below its nominal total. Two sizes sold under one name differ by
/// 17 % and more.
constexpr double kMemoryTolerance = 0.08;

/// The candidate whose memory is nearest to `memory`, within the tolerance.
const Gpu* pick_by_memory(const std::vector<const Gpu*>& candidates, Bytes memory) {
  const Gpu* best = nullptr;
  double best_distance = kMemoryTolerance * memory.as_double();
  for (const Gpu* gpu : candidates) {
    if (!gpu->memory_total) continue;
    const double distance = std::abs(gpu->memory_total->as_double() - memory.as_double());
    if (distance > best_distance) continue;
    best = gpu;
    best_distance = distance;
  }
  return best;
}

const Gpu* pick(const std::vector<const Gpu*>& candidates, std::optional<Bytes> memory_total) {
  if (memory_total) {
    const Gpu* by_memory = pick_by_memory(candidates, *memory_total);
    const bool sizes_known = std::all_of(candidates.begin(), candidates.end(), [](const Gpu* gpu) {
      return gpu->memory_total.has_value();
    });
    if (by_memory != nullptr || sizes_known) return by_memory;
  }
  return candidates.size() == 1 ? candidates.front() : nullptr;
}

/// "RTX 3090", "rtx3090" and "rtx-3090" are one name.
std::string letters_and_digits(std::string_view name) {
  std::string kept = to_lower(name);
  std::erase_if(kept, [](char c) { return !is_name_part(c) || c == '_'; });
  return kept;
}

/// "rtx-3080-12gb" is another size of "rtx-3080": only who writes the id knows which one is meant.
bool is_size_of(std::string_view other, std::string_view id) {
  return other.starts_with(id) && other.substr(id.size()).starts_with('-') && other.ends_with("gb");
}

}  // namespace

std::vector<const Gpu*> Catalog::gpus_named(std::string_view driver_name) const {
  std::vector<const Gpu*> named;
  for (const Gpu* gpu : gpus()) {
    const bool has_name = std::any_of(gpu->names.begin(), gpu->names.end(), [&](const auto& name) {
      return equals_ignoring_case(name, driver_name);
    });
    if (has_name) named.push_back(gpu);
  }
  return named;
}

std::string Catalog::mismatch(std::string_view gpu, std::string_view host) const {
  const Gpu* card = find_gpu(gpu);
  const Host* machine = find_host(host);
  if (card == nullptr || machine == nullptr || machine->gpu == card->id) return {};
  if (machine->gpu.empty()) return machine->id + " has no GPU";
  return machine->id + " has " + machine->gpu + ", not " + card->id;
}

const Gpu* Catalog::find_gpu(std::string_view id_or_name, std::optional<Bytes> memory_total) const {
  if (const Gpu* by_id = gpu(to_lower(id_or_name))) return by_id;
  // A name that several GPUs have leaves open which one is meant, however it is spelt.
  const std::vector<const Gpu*> named = gpus_named(id_or_name);
  if (!named.empty()) return pick(named, memory_total);
  const std::string letters = letters_and_digits(id_or_name);
  const std::vector<std::string_view> ids = gpu_ids();
  for (const std::string_view id : ids) {
    if (letters_and_digits(id) != letters) continue;
    const bool has_sizes = std::any_of(
        ids.begin(), ids.end(), [&](std::string_view other) { return is_size_of(other, id); });
    return has_sizes ? nullptr : gpu(id);
  }
  return nullptr;
}

const Gpu* Catalog::gpu_by_pci(std::string_view device_id,
                               std::optional<Bytes> memory_total) const {
  if (starts_with_ignoring_case(device_id, "0x")) device_id.remove_prefix(2);
  std::vector<const Gpu*> matching;
  for (const Gpu* gpu : gpus()) {
    const auto& ids = gpu->pci_device_ids;
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const auto& id) { return equals_ignoring_case(id, device_id); })) {
      matching.push_back(gpu);
    }
  }
  return pick(matching, memory_total);
}

const Host* Catalog::find_host(std::string_view id_or_name) const {
  if (const Host* by_id = host(to_lower(id_or_name))) return by_id;
  for (const Host* host : hosts()) {
    for (const std::string& name : host->names) {
      if (equals_ignoring_case(name, id_or_name)) return host;
    }
  }
  const std::string letters = letters_and_digits(id_or_name);
  for (const std::string_view id : host_ids()) {
    if (letters_and_digits(id) == letters) return host(id);
  }
  return nullptr;
}

std::string Catalog::similar_gpus(std::string_view word) const {
  std::vector<std::string_view> candidates = gpu_ids();
  for (const Gpu* gpu : gpus()) {
    candidates.insert(candidates.end(), gpu->names.begin(), gpu->names.end());
  }
  return gpulint::similar_gpus(word, candidates, words("gpu-brands"));
}

std::string Catalog::similar_hosts(std::string_view word) const {
  std::vector<std::string_view> candidates = host_ids();
  for (const Host* host : hosts()) {
    candidates.insert(candidates.end(), host->names.begin(), host->names.end());
  }
  return did_you_mean(word, candidates);
}

}  // namespace gpulint

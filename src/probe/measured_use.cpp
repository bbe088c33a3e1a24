#include "probe/measured_use.h"

#include "base/text.h"
#include "probe/local_gpu.h"
#include "probe/rate_checks.h"

#include <algorithm>
#include <map>

namespace gpulint::probe {
namespace {

void add_memory(Gpu& gpu, const MeasuredGpu& measured) {
  gpu.memory_total = measured.memory_total;
  gpu.usable_memory = BytesRange{measured.cuda_total, measured.cuda_total};
  gpu.usable_memory_evidence = Evidence::observed;
  gpu.bare_context = measured.context;
}

/// What the library that frameworks use reached is what they reach.
void replace(Gpu& gpu, Precision precision, double rate) {
  const auto index = static_cast<std::size_t>(precision);
  const auto& peak = gpu.peak_flops[index];
  if (peak && peak->value > 0) gpu.achieved_fraction[index] = rate / peak->value;
}

/// What our own kernel reached is the least the card can do.
void raise(Gpu& gpu, Precision precision, double rate) {
  const auto index = static_cast<std::size_t>(precision);
  const auto& peak = gpu.peak_flops[index];
  auto& fraction = gpu.achieved_fraction[index];
  if (!peak || !(peak->value > 0) || !fraction) return;
  fraction = std::max(*fraction, rate / peak->value);
}

void add_rate(Gpu& gpu, const Rate& rate) {
  if (rate.kind == RateKind::copy && gpu.memory_bandwidth && gpu.memory_bandwidth->value > 0) {
    gpu.achieved_bandwidth = rate.value / gpu.memory_bandwidth->value;
  }
  if (rate.kind == RateKind::pinned_upload) gpu.pinned_copy = PerSecond{rate.value};
  const auto product = product_of(rate.kind);
  if (!product || product->tier == Tier::issue) return;
  const Precision precision = precision_of(product->format);
  if (product->tier == Tier::library) return replace(gpu, precision, rate.value);
  raise(gpu, precision, rate.value);
}

bool has_key_of(const MeasuredOf& each, const MachineKey& machine) {
  if (!contains(machine.gpu_ids, each.gpu->id)) return true;  // measured on another machine
  const MeasuredGpu& measured = each.measured;
  const bool driver = machine.driver_version.empty() || measured.driver_version.empty() ||
                      machine.driver_version == measured.driver_version;
  const bool card = machine.pci_devices.empty() || measured.pci_device_id.empty() ||
                    contains(machine.pci_devices, measured.pci_device_id);
  const bool itself =
      machine.cards.empty() || measured.card.empty() || contains(machine.cards, measured.card);
  return driver && card && itself;
}

/// The links of cards that are all in this machine, or of a GPU that is not.
bool has_key_of(const LinksOf& each, const MachineKey& machine) {
  if (!contains(machine.gpu_ids, each.gpu->id)) return true;
  const MeasuredLinks& links = each.links;
  const bool driver = machine.driver_version.empty() || links.driver_version.empty() ||
                      machine.driver_version == links.driver_version;
  const bool cards = std::all_of(links.cards.begin(), links.cards.end(), [&](const auto& card) {
    return machine.cards.empty() || contains(machine.cards, card);
  });
  return driver && cards;
}

bool better(const MeasuredGpu& a, const MeasuredGpu& b) {
  if (a.day != b.day) return a.day > b.day;
  return a.cuda_total < b.cuda_total;
}

}  // namespace

Gpu with_figures(const Gpu& gpu, const MeasuredGpu& measured) {
  Gpu result = gpu;
  add_memory(result, measured);
  for (const Rate& rate : measured.rates) add_rate(result, rate);
  result.measured_on = day_text(measured.day);
  return result;
}

MachineKey machine_key(const FileReader& machine, const Catalog& catalog) {
  MachineKey key;
  key.driver_version = local_driver_version(machine);
  for (const LocalGpu& local : find_local_gpus(machine)) {
    if (const Gpu* gpu = look_up(local, catalog)) key.gpu_ids.push_back(gpu->id);
    if (!local.pci_device_id.empty()) key.pci_devices.push_back(local.pci_device_id);
    if (!local.card.empty()) key.cards.push_back(local.card);
  }
  return key;
}

std::vector<Gpu> measured_gpus(const MeasuredSet& set, const MachineKey& machine) {
  std::map<std::string_view, const MeasuredOf*> best;
  for (const MeasuredOf& each : set.kept) {
    if (!has_key_of(each, machine)) continue;
    const MeasuredOf*& chosen = best[each.gpu->id];
    if (chosen == nullptr || better(each.measured, chosen->measured)) chosen = &each;
  }
  std::map<std::string_view, Gpu> gpus;
  for (const auto& [id, each] : best) gpus.emplace(id, with_figures(*each->gpu, each->measured));
  for (const LinksOf& each : set.links) {  // the newest comes last
    if (!has_key_of(each, machine)) continue;
    const auto known = gpus.emplace(each.gpu->id, *each.gpu).first;
    known->second = with_links(std::move(known->second), each.links);
  }
  std::vector<Gpu> all;
  for (auto& [id, gpu] : gpus) all.push_back(std::move(gpu));
  return all;
}

}  // namespace gpulint::probe

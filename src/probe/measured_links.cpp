#include "probe/measured_links.h"

#include "base/text.h"
#include "host/wire_reader.h"
#include "probe/link_checks.h"
#include "probe/measured.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace gpulint::probe {
namespace {

constexpr std::string_view kLinksSchema = "gpulint.measured-links/1";
/// Half of one lane of PCIe 1, bytes/s: less is a broken file.
constexpr double kLeastBus = 0.1e9;
/// Sixteen lanes of PCIe 6 in one direction, bytes/s.
constexpr double kMostOfPcie = 121e9;
constexpr double kMostOfLink = 1.3;
/// The collectives of a training step.
constexpr std::array kOfSteps{Collective::all_reduce, Collective::all_gather,
                              Collective::reduce_scatter};

bool is_steady(const Speed& speed) {
  constexpr double kMostNoise = 0.05;
  return speed.value > 0 && speed.noise <= kMostNoise * speed.value;
}

/// Equal cards, whole ones, that nothing slowed down.
bool is_sound(const NodeReport& node) {
  const bool whole = node.cut_off.empty() && node.disturbed_by.empty();
  if (!whole || node.machines != 1 || node.ranks < 2) return false;
  if (static_cast<int>(node.cards.size()) != node.ranks) return false;
  const DeviceReport& first = node.cards.front().device;
  return std::all_of(node.cards.begin(), node.cards.end(), [&](const NodeCard& card) {
    const DeviceReport& device = card.device;
    return !device.mig && device.limited_by.empty() && device.nvml_total &&
           device.name == first.name && device.nvml_total == first.nvml_total &&
           card.slowed_down.empty() && card.xids.empty();
  });
}

std::optional<double> slowest(const NodeReport& node) {
  std::optional<double> bus;
  for (const Collective kind : kOfSteps) {
    const CollectiveRate* rate = largest_of(node, kind);
    if (rate == nullptr || !is_steady(rate->bus)) return std::nullopt;
    bus = std::min(bus.value_or(rate->bus.value), rate->bus.value);
  }
  return bus;
}

std::string member_text(const Json& json, const char* key) {
  const auto member = json.is_object() ? json.find(key) : json.end();
  return member != json.end() && member->is_string() ? member->get<std::string>() : "";
}

}  // namespace

std::optional<MeasuredLinks> measured_links_from(const NodeReport& node, std::string pci_device_id,
                                                 std::chrono::sys_days day) {
  if (node.cards.empty() || !is_sound(node)) return std::nullopt;
  const auto bus = slowest(node);
  if (!bus) return std::nullopt;
  const DeviceReport& first = node.cards.front().device;
  MeasuredLinks links{.name = first.name,
                      .pci_device_id = std::move(pci_device_id),
                      .driver_version = node.driver_version,
                      .nccl = node.nccl.substr(0, node.nccl.find(',')),
                      .memory_total = *first.nvml_total,
                      .gpus = node.ranks,
                      .bus = *bus,
                      .day = day};
  for (const NodeCard& card : node.cards) {
    if (!card.device.card.empty()) links.cards.push_back(card.device.card);
  }
  return links;
}

std::string file_name_of(const MeasuredLinks& links) {
  std::string name =
      to_lower(fmt::format("links-{}-{}-{}x-{}-{}", links.name, links.memory_total.count() >> 20,
                           links.gpus, links.driver_version, links.nccl));
  if (!links.cards.empty()) name += "-" + links.cards.front();
  constexpr std::size_t kMostNameBytes = 200;  // file systems allow 255
  name = name.substr(0, kMostNameBytes);
  for (char& c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.')) c = '-';
  }
  return name + ".json";
}

std::string write_measured_links(const MeasuredLinks& links, std::string_view version) {
  const Json json = {{"schema", kLinksSchema},
                     {"version", version},
                     {"day", day_text(links.day)},
                     {"name", links.name},
                     {"pci_device_id", links.pci_device_id},
                     {"driver_version", links.driver_version},
                     {"nccl", links.nccl},
                     {"memory_total", links.memory_total.count()},
                     {"cards", links.cards},
                     {"gpus", links.gpus},
                     {"bus_bandwidth", links.bus}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_measured_links(std::string_view text) {
  return member_text(Json::parse(text, nullptr, false), "schema") == kLinksSchema;
}

Result<MeasuredLinks> read_measured_links(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (member_text(json, "schema") != kLinksSchema)
    return fail(fmt::format("is not of schema {}", kLinksSchema));
  MeasuredLinks links;
  const auto day = day_from(member_text(json, "day"));
  if (!day) return fail("lacks its day");
  links.day = *day;
  links.pci_device_id = member_text(json, "pci_device_id");
  if (!is_pci_device_id(links.pci_device_id)) return fail("has no valid pci_device_id");
  Reader reader(json);
  reader.read("name", links.name);
  reader.read("driver_version", links.driver_version);
  reader.read("nccl", links.nccl);
  reader.read("memory_total", links.memory_total);
  reader.read("gpus", links.gpus);
  reader.read("bus_bandwidth", links.bus);
  const auto cards = json.find("cards");
  if (cards == json.end() || !cards->is_array() || cards->size() > kMostCardsOfProcess) {
    return fail("has incomplete figures");
  }
  for (const Json& card : *cards) {
    if (!card.is_string()) return fail("has incomplete figures");
    links.cards.push_back(card.get<std::string>());
  }
  if (reader.broken() || links.gpus < 2 || links.gpus > kMostCardsOfProcess || !(links.bus > 0)) {
    return fail("has incomplete figures");
  }
  return links;
}

Result<void> check_measured_links(const MeasuredLinks& links, const Gpu& gpu,
                                  std::chrono::sys_days today) {
  if (auto good = check_age(links.day, today); !good) return good;
  const double nvlink = gpu.nvlink_bandwidth ? gpu.nvlink_bandwidth->value / 2 : 0;
  const double most = kMostOfLink * std::max(kMostOfPcie, nvlink);
  if (links.bus >= kLeastBus && links.bus <= most) return {};
  return fail(fmt::format("bus_bandwidth is {:.3g} B/s, outside of {:.3g} to {:.3g}", links.bus,
                          kLeastBus, most));
}

Gpu with_links(Gpu gpu, const MeasuredLinks& links) {
  gpu.collectives = CollectiveBandwidth{PerSecond{links.bus}, links.gpus};
  gpu.measured_on = std::max(gpu.measured_on, day_text(links.day));
  return gpu;
}

}  // namespace gpulint::probe

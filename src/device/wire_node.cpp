#include "device/wire_node.h"

#include "device/wire.h"
#include "device/wire_load.h"

#include <cmath>

namespace gpulint::probe {
namespace {

constexpr std::size_t kMostCards = kMostCardsOfProcess;

template <class T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json speed_json(const Speed& speed) {
  return {{"median", speed.value}, {"noise", speed.noise}, {"samples", speed.samples}};
}
Json speed_json(const std::optional<Speed>& speed) { return speed ? speed_json(*speed) : Json(); }

void read_speed(Reader& reader, Speed& speed) {
  reader.read("median", speed.value);
  reader.read("noise", speed.noise);
  reader.read("samples", speed.samples);
}

/// Counts of 64 bits travel as numbers that are not negative.
void read_count(Reader& reader, const char* key, std::optional<std::int64_t>& count) {
  std::optional<Bytes> value;
  reader.read(key, value);
  if (value && value->count() < 0) reader.refuse();
  if (value) count = value->count();
}

void read_health(Reader& reader, MemoryHealth& health) {
  reader.read("ecc", health.ecc);
  read_count(reader, "corrected_errors", health.corrected);
  read_count(reader, "uncorrected_errors", health.uncorrected);
  read_count(reader, "uncorrected_errors_ever", health.uncorrected_ever);
  reader.read("remapped_rows", health.remapped_rows);
  reader.read("remap_pending", health.remap_pending);
  reader.read("remap_failed", health.remap_failed);
  reader.read("retired_pages", health.retired_pages);
}

Json card_json(const NodeCard& card) {
  return {{"device", Json::parse(write_wire(card.device))["device"]},
          {"numa_node", known(card.numa_node)},
          {"nvlinks", known(card.nvlinks)},
          {"idle", to_json(card.idle)},
          {"memory", to_json(card.health)},
          {"slowed_down", card.slowed_down},
          {"xids", card.xids}};
}

void read_card(const Json& object, Reader& reader, NodeCard& card) {
  reader.read("numa_node", card.numa_node);
  reader.read("nvlinks", card.nvlinks);
  reader.part("idle", card.idle, read_state);
  reader.part("memory", card.health, read_health);
  reader.read("slowed_down", card.slowed_down);
  const auto xids = object.find("xids");
  if (xids == object.end() || !xids->is_array() || xids->size() > kMostCards) reader.refuse();
  for (std::size_t i = 0; !reader.broken() && i < xids->size(); ++i) {
    const Json& each = (*xids)[i];
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > 1'000'000) return reader.refuse();
    card.xids.push_back(each.get<int>());
  }
  const auto device = object.find("device");
  if (device == object.end()) return reader.refuse();
  const Outcome outcome = read_wire(Json{{"device", *device}}.dump());
  const auto* report = std::get_if<DeviceReport>(&outcome);
  if (report == nullptr) return reader.refuse();
  card.device = *report;
}

void read_pair(Reader& reader, CardPair& pair) {
  std::string ancestor;
  reader.read("from", pair.from);
  reader.read("to", pair.to);
  reader.read("ancestor", ancestor);
  reader.read("nvlinks", pair.nvlinks);
  reader.read("peers", pair.peers);
  reader.part("one_way", pair.one_way, read_speed);
  reader.part("both_ways", pair.both_ways, read_speed);
  const auto known_one = ancestor_from(ancestor);
  if (!known_one) reader.refuse();
  pair.ancestor = known_one.value_or(Ancestor::unknown);
}

void read_numa_copy(Reader& reader, NumaCopy& copy) {
  reader.read("card", copy.card);
  reader.read("node", copy.node);
  reader.read("memory_chosen", copy.memory_chosen);
  reader.part("upload", copy.upload, read_speed);
  reader.part("download", copy.download, read_speed);
  reader.part("both_ways", copy.both_ways, read_speed);
}

void read_collective(Reader& reader, CollectiveRate& rate) {
  std::string name;
  reader.read("name", name);
  reader.read("size", rate.size);
  reader.part("bus_bandwidth", rate.bus, read_speed);
  const auto kind = collective_from(name);
  if (!kind) reader.refuse();
  rate.kind = kind.value_or(Collective::all_reduce);
}

template <class T>
Json list_json(const std::vector<T>& values, Json (*one)(const T&)) {
  Json list = Json::array();
  for (const T& each : values) list.push_back(one(each));
  return list;
}

Json node_json(const NodeReport& report) {
  return {{"driver_version", report.driver_version},
          {"driver_library", report.driver_library},
          {"cuda_version", report.cuda_version},
          {"visible_devices", report.visible_devices},
          {"cards", list_json(report.cards, card_json)},
          {"pairs", list_json<CardPair>(report.pairs, to_json)},
          {"numa_copies", list_json<NumaCopy>(report.numa_copies, to_json)},
          {"nccl", report.nccl},
          {"ranks", report.ranks},
          {"machines", report.machines},
          {"collectives", list_json<CollectiveRate>(report.collectives, to_json)},
          {"not_measured", report.not_measured},
          {"disturbed_by", report.disturbed_by},
          {"cut_off", report.cut_off}};
}

/// Places of cards are those of cards that are there.
bool is_sound(const NodeReport& report) {
  const auto cards = static_cast<int>(report.cards.size());
  for (const CardPair& pair : report.pairs) {
    if (pair.from >= cards || pair.to >= cards || pair.from == pair.to) return false;
  }
  for (const NumaCopy& copy : report.numa_copies) {
    if (copy.card >= cards) return false;
  }
  return true;
}

NodeOutcome read_node(const Json& object) {
  NodeReport report;
  Reader reader(object);
  reader.read("driver_version", report.driver_version);
  reader.read("driver_library", report.driver_library);
  reader.read("cuda_version", report.cuda_version);
  reader.read("visible_devices", report.visible_devices);
  const auto cards = object.find("cards");
  if (cards == object.end() || !cards->is_array() || cards->size() > kMostCards) reader.refuse();
  for (std::size_t i = 0; !reader.broken() && i < cards->size(); ++i) {
    const Json& card = (*cards)[i];
    Reader own(card);
    if (!card.is_object()) return Failed{"the measuring process sent an incomplete report"};
    read_card(card, own, report.cards.emplace_back());
    if (own.broken()) reader.refuse();
  }
  reader.parts("pairs", report.pairs, kMostCards * kMostCards, read_pair);
  reader.parts("numa_copies", report.numa_copies, kMostCards * kMostCards, read_numa_copy);
  reader.read("nccl", report.nccl);
  reader.read("ranks", report.ranks);
  reader.read("machines", report.machines);
  reader.parts("collectives", report.collectives, kMostCards, read_collective);
  reader.read("not_measured", report.not_measured);
  reader.read("disturbed_by", report.disturbed_by);
  reader.read("cut_off", report.cut_off);
  if (reader.broken() || !is_sound(report)) {
    return Failed{"the measuring process sent an incomplete report"};
  }
  return report;
}

}  // namespace

Json to_json(const MemoryHealth& health) {
  return {{"ecc", known(health.ecc)},
          {"corrected_errors", known(health.corrected)},
          {"uncorrected_errors", known(health.uncorrected)},
          {"uncorrected_errors_ever", known(health.uncorrected_ever)},
          {"remapped_rows", known(health.remapped_rows)},
          {"remap_pending", known(health.remap_pending)},
          {"remap_failed", known(health.remap_failed)},
          {"retired_pages", known(health.retired_pages)}};
}

Json to_json(const CardPair& pair) {
  return {{"from", pair.from},
          {"to", pair.to},
          {"ancestor", name_of(pair.ancestor)},
          {"nvlinks", pair.nvlinks},
          {"peers", pair.peers},
          {"one_way", speed_json(pair.one_way)},
          {"both_ways", speed_json(pair.both_ways)}};
}

Json to_json(const NumaCopy& copy) {
  return {{"card", copy.card},
          {"node", copy.node},
          {"memory_chosen", copy.memory_chosen},
          {"upload", speed_json(copy.upload)},
          {"download", speed_json(copy.download)},
          {"both_ways", speed_json(copy.both_ways)}};
}

Json to_json(const CollectiveRate& rate) {
  return {{"name", name_of(rate.kind)},
          {"size", rate.size.count()},
          {"bus_bandwidth", speed_json(rate.bus)}};
}

std::string write_node_wire(const NodeOutcome& outcome) {
  if (const auto* report = std::get_if<NodeReport>(&outcome)) {
    return Json{{"node", node_json(*report)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  if (const auto* none = std::get_if<Unavailable>(&outcome)) return write_wire(*none);
  return write_wire(std::get<Failed>(outcome));
}

NodeOutcome read_node_wire(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("node") && json["node"].is_object()) {
    return read_node(json["node"]);
  }
  Outcome outcome = read_wire(text);
  if (auto* none = std::get_if<Unavailable>(&outcome)) return std::move(*none);
  if (auto* failed = std::get_if<Failed>(&outcome)) return std::move(*failed);
  return Failed{"the measuring process sent no readable report"};
}

}  // namespace gpulint::probe

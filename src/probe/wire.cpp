#include "probe/wire.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>

namespace gpulint::probe {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count()) : Json(); }

Json to_json(const std::optional<PcieLink>& link) {
  if (!link) return {};
  return {{"width", link->width},
          {"max_width", link->max_width},
          {"generation", link->generation},
          {"max_generation", link->max_generation}};
}

Json to_json(const std::vector<Rate>& rates) {
  Json list = Json::array();
  for (const Rate& rate : rates) {
    list.push_back({{"name", name_of(rate.kind)},
                    {"value", rate.value},
                    {"noise", rate.noise},
                    {"samples", rate.samples}});
  }
  return list;
}

Json to_json(const DeviceReport& report) {
  return {{"name", report.name},
          {"pci_bus_id", report.pci_bus_id},
          {"driver_version", report.driver_version},
          {"driver_library", report.driver_library},
          {"cuda_version", report.cuda_version},
          {"compute_capability", report.compute_capability},
          {"sm_count", report.sm_count},
          {"l2_cache", report.l2_cache.count()},
          {"visible_devices", report.visible_devices},
          {"mig", report.mig},
          {"nvml_total", to_json(report.nvml_total)},
          {"nvml_reserved", to_json(report.nvml_reserved)},
          {"cuda_total", report.cuda_total.count()},
          {"free_before_context", to_json(report.free_before_context)},
          {"free_after_context", to_json(report.free_after_context)},
          {"cuda_free", report.cuda_free.count()},
          {"context", to_json(report.context)},
          {"drift", report.drift.count()},
          {"other_processes", report.other_processes ? Json(*report.other_processes) : Json()},
          {"pcie", to_json(report.pcie)},
          {"rates", to_json(report.rates)},
          {"not_timed", report.not_timed},
          {"disturbed_by", report.disturbed_by}};
}

/// Members of one object; `broken` after the first that is missing or of another type.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  void read(const char* key, std::string& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_string()) {
      value = member->get<std::string>();
    } else {
      broken_ = true;
    }
  }
  void read(const char* key, bool& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_boolean()) {
      value = member->get<bool>();
    } else {
      broken_ = true;
    }
  }
  void read(const char* key, int& value) {
    const std::optional<std::int64_t> number = integer(key);
    constexpr std::int64_t kMost = 1'000'000'000;
    if (number && *number >= 0 && *number <= kMost) {
      value = static_cast<int>(*number);
    } else {
      broken_ = true;
    }
  }
  void read(const char* key, Bytes& value) {
    if (const std::optional<std::int64_t> number = integer(key)) {
      value = Bytes::of(*number);
    } else {
      broken_ = true;
    }
  }
  /// Finite and not negative.
  void read(const char* key, double& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_number()) value = member->get<double>();
    if (member == nullptr || !member->is_number() || !std::isfinite(value) || value < 0) {
      broken_ = true;
    }
  }
  void read(const char* key, PcieLink& link) {
    const Json* member = find(key);
    if (member == nullptr || !member->is_object()) {
      broken_ = true;
      return;
    }
    Reader reader(*member);
    reader.read("width", link.width);
    reader.read("max_width", link.max_width);
    reader.read("generation", link.generation);
    reader.read("max_generation", link.max_generation);
    broken_ = broken_ || reader.broken();
  }
  void read(const char* key, std::vector<Rate>& rates) {
    const Json* member = find(key);
    if (member == nullptr || !member->is_array() || member->size() > kRateKindCount) {
      broken_ = true;
      return;
    }
    for (const Json& each : *member) rates.push_back(rate_from(each));
  }
  void read(const char* key, std::vector<std::string>& texts) {
    const Json* member = find(key);
    if (member == nullptr || !member->is_array() || member->size() > kRateKindCount) {
      broken_ = true;
      return;
    }
    for (const Json& each : *member) {
      broken_ = broken_ || !each.is_string();
      if (each.is_string()) texts.push_back(each.get<std::string>());
    }
  }
  template <class T>
  void read(const char* key, std::optional<T>& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_null()) return;
    T present{};
    read(key, present);
    value = present;
  }
  bool broken() const { return broken_; }

 private:
  Rate rate_from(const Json& object) {
    Reader reader(object);
    Rate rate;
    std::string name;
    reader.read("name", name);
    reader.read("value", rate.value);
    reader.read("noise", rate.noise);
    reader.read("samples", rate.samples);
    const std::optional<RateKind> kind = rate_kind_from(name);
    broken_ = broken_ || reader.broken() || !kind;
    rate.kind = kind.value_or(RateKind::copy);
    return rate;
  }
  const Json* find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto member = object_.find(key);
    return member == object_.end() ? nullptr : &*member;
  }
  std::optional<std::int64_t> integer(const char* key) const {
    const Json* member = find(key);
    if (member == nullptr || !member->is_number_integer()) return std::nullopt;
    return member->get<std::int64_t>();
  }
  const Json& object_;
  bool broken_ = false;
};

Outcome read_report(const Json& object) {
  Reader reader(object);
  DeviceReport report;
  reader.read("name", report.name);
  reader.read("pci_bus_id", report.pci_bus_id);
  reader.read("driver_version", report.driver_version);
  reader.read("driver_library", report.driver_library);
  reader.read("cuda_version", report.cuda_version);
  reader.read("compute_capability", report.compute_capability);
  reader.read("sm_count", report.sm_count);
  reader.read("l2_cache", report.l2_cache);
  reader.read("visible_devices", report.visible_devices);
  reader.read("mig", report.mig);
  reader.read("nvml_total", report.nvml_total);
  reader.read("nvml_reserved", report.nvml_reserved);
  reader.read("cuda_total", report.cuda_total);
  reader.read("free_before_context", report.free_before_context);
  reader.read("free_after_context", report.free_after_context);
  reader.read("cuda_free", report.cuda_free);
  reader.read("context", report.context);
  reader.read("drift", report.drift);
  reader.read("other_processes", report.other_processes);
  reader.read("pcie", report.pcie);
  reader.read("rates", report.rates);
  reader.read("not_timed", report.not_timed);
  reader.read("disturbed_by", report.disturbed_by);
  if (reader.broken()) return Failed{"the measuring process sent an incomplete report"};
  return report;
}

struct ToJson {
  Json operator()(const DeviceReport& report) const { return {{"device", to_json(report)}}; }
  Json operator()(const Unavailable& unavailable) const {
    return {{"reason", name_of(unavailable.reason)}, {"detail", unavailable.detail}};
  }
  Json operator()(const Failed& failed) const { return {{"failed", failed.message}}; }
};

}  // namespace

std::string write_wire(const Outcome& outcome) {
  return std::visit(ToJson{}, outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome read_wire(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const Failed nonsense{"the measuring process sent no readable report"};
  if (!json.is_object()) return nonsense;
  if (const auto device = json.find("device"); device != json.end() && device->is_object()) {
    return read_report(*device);
  }
  Reader reader(json);
  if (json.contains("failed")) {
    Failed failed;
    reader.read("failed", failed.message);
    if (reader.broken()) return nonsense;
    return failed;
  }
  std::string name;
  std::string detail;
  reader.read("reason", name);
  reader.read("detail", detail);
  const std::optional<Reason> reason = reason_from(name);
  if (reader.broken() || !reason) return nonsense;
  return Unavailable{*reason, detail};
}

}  // namespace gpulint::probe

#include "device/wire_load.h"
#include "device/wire_node.h"
#include "report/check_report.h"
#include "report/json_text.h"
#include "report/node_report.h"
#include "report/report.h"

namespace gpulint {
namespace {

using probe::NodeCard;
using probe::NodeConfirmation;
using probe::NodeReport;

template <class T>
Json known_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json text_or_null_of(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json node_card_json(const NodeCard& card) {
  Json json = {{"name", card.device.name},
               {"pci_bus_id", card.device.pci_bus_id},
               {"card", text_or_null_of(card.device.card)},
               {"compute_capability", card.device.compute_capability},
               {"numa_node", known_or_null(card.numa_node)},
               {"nvlinks", known_or_null(card.nvlinks)},
               {"pcie", card.device.pcie ? pcie_json(*card.device.pcie) : Json()},
               {"rates", rates_json(card.device)},
               {"idle", probe::to_json(card.idle)},
               {"under_load", probe::to_json(card.device.under_load)},
               {"slowed_down", card.slowed_down},
               {"memory", probe::to_json(card.health)},
               {"xids", card.xids}};
  return json;
}

template <class T>
Json each_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& each : values) list.push_back(probe::to_json(each));
  return list;
}

struct NodeStatus {
  Json& json;
  const NodeConfirmation& confirmation;

  void operator()(const probe::Unavailable& none) const { unavailable_json(json, none); }
  void operator()(const probe::Failed& failed) const {
    json["status"] = "failed";
    json["message"] = failed.message;
  }
  void operator()(const NodeReport& node) const {
    json["status"] = "ok";
    json["gpu"] = text_or_null_of(confirmation.gpu_id);
    json["driver_version"] = text_or_null_of(node.driver_version);
    json["driver_library"] = node.driver_library;
    json["cuda_version"] = node.cuda_version;
    json["visible_devices"] = node.visible_devices;
    json["cards"] = Json::array();
    for (const NodeCard& card : node.cards) json["cards"].push_back(node_card_json(card));
    json["links"] = each_json(node.pairs);
    json["host_copies"] = each_json(node.numa_copies);
    json["nccl"] = text_or_null_of(node.nccl);
    json["ranks"] = node.ranks;
    json["machines"] = node.machines;
    json["collectives"] = each_json(node.collectives);
    json["not_measured"] = node.not_measured;
    json["disturbed_by"] = text_or_null_of(node.disturbed_by);
    json["cut_off"] = text_or_null_of(node.cut_off);
    json["config"] = text_or_null_of(confirmation.config);
    json["checks"] = Json::array();
    for (const probe::Check& check : confirmation.checks) {
      json["checks"].push_back(check_json(check));
    }
    json["not_judged"] = confirmation.not_judged;
    json["stands_out"] = confirmation.stands_out;
  }
};

}  // namespace

std::string node_json(const NodeConfirmation& confirmation) {
  Json json = {{"schema", "gpulint.confirm-links/1"},
               {"version", kVersion},
               {"validated_on_hardware", false}};
  std::visit(NodeStatus{json, confirmation}, confirmation.outcome);
  return json_text(json);
}

}  // namespace gpulint

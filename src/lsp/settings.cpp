#include "lsp/settings.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

namespace gpulint::lsp {
namespace {

class SettingsReader {
 public:
  SettingsReader(const Catalog& catalog, std::vector<std::string>& refused)
      : catalog_(catalog), refused_(refused) {}

  Settings read(const Json& value) {
    if (!value.is_object()) return {};
    for (const auto& [key, item] : value.items()) read(key, item);
    return std::move(settings_);
  }

 private:
  void read(const std::string& key, const Json& item) {
    if (item.is_null()) return;
    if (key == "gpu") {
      read_gpu(item);
    } else if (key == "host") {
      read_host(item);
    } else if (key == "gpus") {
      read_count("gpus_per_node", key, item);
    } else if (key == "nodes") {
      read_count("nodes", key, item);
    } else if (key == "set") {
      read_facts(item);
    } else if (key == "preview" || key == "code") {
      read_switch(key, item);
    } else if (key != "diagnostics" && key != "showsResults") {  // settled when the server starts
      refused_.push_back(fmt::format("there is no setting \"{}\"", escape_for_display(key)));
    }
  }

  void read_gpu(const Json& item) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    if (catalog_.find_gpu(name) != nullptr) {
      settings_.gpu = name;
    } else if (!item.is_string() || !name.empty()) {
      refuse("gpu", item, "is not a known GPU" + catalog_.similar_gpus(name));
    }
  }

  void read_host(const Json& item) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    if (catalog_.find_host(name) != nullptr) {
      settings_.host = name;
    } else if (!item.is_string() || !name.empty()) {
      refuse("host", item, "is not a known machine" + catalog_.similar_hosts(name));
    }
  }

  void read_count(std::string_view fact, std::string_view key, const Json& item) {
    constexpr std::int64_t kMost = 1'000'000;
    const bool counts = item.is_number_integer() && item.get<std::int64_t>() >= 1 &&
                        item.get<std::int64_t>() <= kMost;
    if (!counts) return refuse(key, item, "is not a whole number from 1");
    settings_.default_facts.emplace_back(fact, to_text(item));
  }

  void read_facts(const Json& item) {
    if (!item.is_object()) return refuse("set", item, "is not an object of facts");
    for (const auto& [name, value] : item.items()) {
      const std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
      const FactRow* row = find_fact(name);
      TrainingPlan scratch;
      std::string why = "no such fact";
      if (row != nullptr && set_fact(scratch, *row, text, {.origin = Origin::project}, &why)) {
        settings_.facts.emplace_back(name, text);
      } else {
        refuse(fmt::format("set.{}", name), value, why);
      }
    }
  }

  void read_switch(std::string_view key, const Json& item) {
    if (!item.is_boolean()) return refuse(key, item, "is neither true nor false");
    (key == "preview" ? settings_.previews : settings_.read_code) = item.get<bool>();
  }

  void refuse(std::string_view key, const Json& item, std::string_view why) {
    refused_.push_back(fmt::format("setting {}: {} {}", escape_for_display(key),
                                   escape_for_display(to_text(item)), why));
  }

  const Catalog& catalog_;
  std::vector<std::string>& refused_;
  Settings settings_;
};

}  // namespace

Settings settings_from(const Json& value, const Catalog& catalog,
                       std::vector<std::string>& refused) {
  return SettingsReader(catalog, refused).read(value);
}

LintRequest request_of(const Settings& settings, std::vector<std::string> paths,
                       std::optional<Date> today) {
  LintRequest request;
  request.paths = std::move(paths);
  request.today = today;
  LintOptions& options = request.options;
  options.gpu = settings.gpu;
  options.host = settings.host;
  options.facts = settings.facts;
  options.default_facts = settings.default_facts;
  options.previews = settings.previews;
  options.read_code = settings.read_code;
  options.force_exclude = true;  // an editor opens whatever lies in the folder
  return request;
}

}  // namespace gpulint::lsp

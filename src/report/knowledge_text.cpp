// What `gpulint list` shows of the files of knowledge/ and of hardware_db/architectures/.

#include "base/text.h"
#include "report/report.h"
#include "report/table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace gpulint {
namespace {

using KnowledgeRow = std::vector<std::string>;

/// "2", "0 - 1": an amount without its middle.
std::string range_of(double low, double high) {
  return low == high ? fmt::format("{:.3g}", low) : fmt::format("{:.3g} - {:.3g}", low, high);
}

std::string values_of(double low, double high) {
  return range_of(low, high) + (low == 1 && high == 1 ? " value" : " values") + " per parameter";
}

/// What an optimizer keeps: "2 values", "2.03 - 8 B".
std::string state_text(const OptimizerTraits& optimizer) {
  if (!optimizer.state_values) return "state not described";
  const OptionalAmount& values = *optimizer.state_values;
  if (optimizer.state_bytes.high > values.without.high) {
    return range_of(optimizer.state_bytes.low, optimizer.state_bytes.high) + " B per parameter";
  }
  const AmountRange& most = values.with ? *values.with : values.without;
  return values_of(values.without.low, most.high);
}

std::string_view place_text(const AdapterTraits& adapter) {
  if (!adapter.place) return "not described";
  switch (*adapter.place) {
    case AdapterPlace::layers:
      return "on layers";
    case AdapterPlace::tokens:
      return "tokens";
    case AdapterPlace::attention:
      return "beside attention";
    case AdapterPlace::norms:
      return "norms or biases";
  }
  return "";
}

std::string capability_text(const Gpu& gpu) {
  if (!gpu.compute_capability) return "";
  return fmt::format("compute capability {}.{}", *gpu.compute_capability / 10,
                     *gpu.compute_capability % 10);
}

std::string formats_text(const Gpu& gpu) {
  std::vector<std::string> formats;
  if (gpu.bf16_native) formats.emplace_back("bf16");
  if (gpu.tf32) formats.emplace_back("tf32");
  if (gpu.fp8) formats.emplace_back("fp8");
  if (gpu.fp4) formats.emplace_back("fp4");
  return join(formats, " ");
}

template <class Traits>
std::string summaries_of(const std::vector<const Traits*>& all) {
  std::vector<KnowledgeRow> rows;
  for (const Traits* each : all) rows.push_back({each->id, each->summary});
  return table_text(rows);
}

std::string optimizers_text(const Catalog& catalog) {
  std::vector<KnowledgeRow> rows;
  for (const OptimizerTraits* optimizer : catalog.all_described<OptimizerTraits>()) {
    rows.push_back({optimizer->id, state_text(*optimizer), optimizer->summary});
  }
  return table_text(rows);
}

std::string adapters_text(const Catalog& catalog) {
  std::vector<KnowledgeRow> rows;
  for (const AdapterTraits* adapter : catalog.all_described<AdapterTraits>()) {
    rows.push_back({adapter->id, std::string(place_text(*adapter)), adapter->summary});
  }
  return table_text(rows);
}

std::string implementations_text(const Catalog& catalog) {
  return summaries_of(catalog.all_described<ImplementationTraits>());
}

std::string engines_text(const Catalog& catalog) {
  return summaries_of(catalog.all_described<EngineTraits>());
}

std::string architectures_text(const Catalog& catalog) {
  std::vector<KnowledgeRow> rows;
  for (const Architecture* architecture : catalog.all_described<Architecture>()) {
    const Gpu& gpu = architecture->fixed;
    rows.push_back({architecture->id, gpu.architecture, capability_text(gpu), formats_text(gpu)});
  }
  return table_text(rows);
}

}  // namespace

std::string list_knowledge_text(const Listing& listing) {
  if (listing.topic == "optimizers") return optimizers_text(listing.catalog);
  if (listing.topic == "adapters") return adapters_text(listing.catalog);
  if (listing.topic == "implementations") return implementations_text(listing.catalog);
  if (listing.topic == "engines") return engines_text(listing.catalog);
  if (listing.topic == "architectures") return architectures_text(listing.catalog);
  return {};
}

}  // namespace gpulint

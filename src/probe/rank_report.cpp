#include "probe/rank_report.h"

#include "device/wire.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace gpulint::probe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRankSchema = "gpulint.confirm-rank/1";
constexpr int kMostRanks = 10'000'000;
constexpr std::size_t kMostNameBytes = 253;  // a host name's, RFC 1035
constexpr std::size_t kMostContradicted = 64;

constexpr std::array<const char*, 4> kRankVariables{"SLURM_PROCID", "RANK", "OMPI_COMM_WORLD_RANK",
                                                    "PMI_RANK"};
constexpr std::array<const char*, 4> kLocalRankVariables{
    "SLURM_LOCALID", "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"};

std::optional<int> count_from(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view word(text);
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value >= 0 && value < kMostRanks ? std::optional(value) : std::nullopt;
}

template <std::size_t n>
std::optional<int> first_count(const std::function<const char*(const char*)>& variable,
                               const std::array<const char*, n>& names) {
  for (const char* name : names) {
    if (const std::optional<int> count = count_from(variable(name))) return count;
  }
  return std::nullopt;
}

/// As part of a file name: no folder, no hidden file, no surprise in a shell.
std::string in_file_name(std::string_view text) {
  std::string name(text.substr(0, kMostNameBytes / 2));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.' && c != '_') c = '-';
  }
  return name.empty() ? "unknown" : name;
}

std::string text_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_string()) return "";
  return member->get<std::string>().substr(0, kMostNameBytes);
}

std::optional<int> rank_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_number_unsigned()) return std::nullopt;
  const auto value = member->get<std::uint64_t>();
  return value < kMostRanks ? std::optional(static_cast<int>(value)) : std::nullopt;
}

Json to_json(const std::optional<int>& rank) { return rank ? Json(*rank) : Json(); }

std::vector<std::string> names_of(const Json& object, const char* key) {
  std::vector<std::string> names;
  const auto list = object.find(key);
  if (list == object.end() || !list->is_array()) return names;
  for (const Json& each : *list) {
    if (names.size() == kMostContradicted) break;
    if (each.is_string()) names.push_back(each.get<std::string>().substr(0, kMostNameBytes));
  }
  return names;
}

}  // namespace

RankFacts rank_facts(const std::function<const char*(const char*)>& variable,
                     std::string_view host_name) {
  RankFacts facts;
  facts.rank = first_count(variable, kRankVariables);
  facts.local_rank = first_count(variable, kLocalRankVariables);
  const char* node = variable("SLURMD_NODENAME");
  facts.node = node == nullptr || *node == '\0' ? std::string(host_name) : std::string(node);
  return facts;
}

RankReport rank_report(RankFacts place, const Confirmation& confirmation) {
  RankReport report{std::move(place), confirmation.gpu_id, confirmation.outcome, {}};
  for (const Check& check : confirmation.checks) {
    if (check.judgement.verdict == Verdict::contradicted) report.contradicted.push_back(check.name);
  }
  return report;
}

std::string file_name_of(const RankReport& report) {
  if (report.place.rank) return fmt::format("confirm-rank-{}.json", *report.place.rank);
  const auto* device = std::get_if<DeviceReport>(&report.outcome);
  return fmt::format("confirm-{}-{}.json", in_file_name(report.place.node),
                     device == nullptr ? "no-device" : in_file_name(device->pci_bus_id));
}

std::string write_rank_report(const RankReport& report, std::string_view version) {
  const Json json = {{"schema", kRankSchema},
                     {"version", version},
                     {"validated_on_hardware", false},
                     {"rank", to_json(report.place.rank)},
                     {"local_rank", to_json(report.place.local_rank)},
                     {"node", report.place.node},
                     {"gpu", report.gpu_id},
                     {"outcome", Json::parse(write_wire(report.outcome))},
                     {"contradicted", report.contradicted}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RankReport> read_rank_report(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail("is not JSON, or cut off");
  if (!json.is_object() || text_of(json, "schema") != kRankSchema) {
    return fail(fmt::format("is not a report of confirm --report (schema {})", kRankSchema));
  }
  const auto outcome = json.find("outcome");
  if (outcome == json.end() || !outcome->is_object()) return fail("has no outcome");
  RankReport report;
  report.outcome = read_wire(outcome->dump());
  if (std::holds_alternative<Failed>(report.outcome) && !outcome->contains("failed")) {
    return fail("has an incomplete outcome");
  }
  report.place = {rank_of(json, "rank"), rank_of(json, "local_rank"), text_of(json, "node")};
  report.gpu_id = text_of(json, "gpu");
  report.contradicted = names_of(json, "contradicted");
  return report;
}

}  // namespace gpulint::probe

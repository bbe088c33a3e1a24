#include "base/text.h"
#include "catalog/dialect_parts.h"
#include "catalog/gpu_words.h"
#include "catalog/project.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 3> kSeverityNames = {"note", "warning", "error"};
constexpr std::array<Severity, 3> kSeverities = {Severity::note, Severity::warning,
                                                 Severity::error};
constexpr std::array<std::string_view, 3> kMemoryKinds = {"nvidia-smi", "reserved", "allocated"};
/// Far above any machine or batch that exists; keeps products of such numbers meaningful.
constexpr std::int64_t kMostGpusPerNode = 1024;
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kLargestBatch = 1'000'000'000;

using Names = std::vector<std::string_view>;

void complain_unknown(Complaints& complaints, NodeId node, std::string_view kind,
                      std::string_view name, std::string_view hint) {
  const Node& place = complaints.document().node(node);
  complaints.at(
      place.begin, place.end,
      "unknown " + std::string(kind) + " \"" + escape_for_display(name) + "\"" + std::string(hint));
}

/// Complains about a name the product does not know. `node` is what the message points at.
void check_name(Complaints& complaints, NodeId node, std::string_view kind, std::string_view name,
                const Names& known) {
  const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
  if (is_known || known.empty() || name.empty()) return;
  complain_unknown(complaints, node, kind, name, did_you_mean(name, known));
}

NodeId key_of(const Complaints& complaints, NodeId value) {
  return complaints.document().node(value).key;
}

/// Entries whose keys must be names of `kind`.
std::vector<std::pair<std::string_view, NodeId>> read_named(Complaints& complaints, NodeId node,
                                                            std::string_view kind,
                                                            const Names& known) {
  if (node == kNoNode) return {};
  auto entries = read_entries(complaints, node);
  for (const auto& [name, value] : entries) {
    check_name(complaints, key_of(complaints, value), kind, name, known);
  }
  return entries;
}

std::vector<std::string> read_rule_names(Complaints& complaints, NodeId node, const Names& rules) {
  if (node == kNoNode) return {};
  std::vector<std::string> names = read_words(complaints, node);
  for (const std::string& name : names) check_name(complaints, node, "rule", name, rules);
  return names;
}

Measurement read_measurement(Complaints& complaints, NodeId node, const Names& facts) {
  StrictMapping mapping(complaints, node);
  Measurement measurement;
  measurement.span = complaints.document().span(node);
  for (const auto& [fact, value] : read_named(complaints, mapping.find("when"), "fact", facts)) {
    measurement.when.emplace_back(fact, read_word(complaints, value));
  }
  std::sort(measurement.when.begin(), measurement.when.end());
  measurement.per_device_batch_size =
      read_integer(complaints, mapping.need("per_device_batch_size"), 1, kLargestBatch).value_or(1);
  measurement.peak = read_bytes(complaints, mapping.need("peak")).value_or(Bytes{});
  const auto kind = read_choice(complaints, mapping.need("kind"), kMemoryKinds);
  measurement.kind = static_cast<MemoryKind>(kind.value_or(0));
  mapping.refuse_unknown_keys();
  return measurement;
}

/// GPUs and hosts are found in any spelling of upper and lower case, facts and rules in one.
template <class Similar>
std::optional<std::string> read_target(Complaints& complaints, NodeId node, std::string_view kind,
                                       const Names& known, const Similar& similar) {
  if (node == kNoNode) return std::nullopt;
  const std::string_view name = read_word(complaints, node);
  const bool is_known = std::any_of(known.begin(), known.end(), [&](std::string_view candidate) {
    return equals_ignoring_case(candidate, name);
  });
  if (!is_known && !known.empty() && !name.empty()) {
    complain_unknown(complaints, node, kind, name, similar(name, known));
  }
  return std::string(name);
}

ProjectSettings read_settings(Complaints& complaints, StrictMapping& mapping,
                              const ProjectVocabulary& vocabulary) {
  ProjectSettings settings;
  const auto similar = [&](std::string_view word, std::span<const std::string_view> known) {
    return similar_gpus(word, known, vocabulary.gpu_brands);
  };
  settings.gpu = read_target(complaints, mapping.find("gpu"), "GPU", vocabulary.gpus, similar);
  settings.host =
      read_target(complaints, mapping.find("host"), "host", vocabulary.hosts, did_you_mean);
  if (settings.gpu && settings.host && vocabulary.mistake_of_pair) {
    const std::string mistake = vocabulary.mistake_of_pair(*settings.gpu, *settings.host);
    if (!mistake.empty()) complaints.about(mapping.find("host"), mistake);
  }
  settings.gpus_per_node =
      read_integer(complaints, mapping.find("gpus_per_node"), 1, kMostGpusPerNode);
  settings.nodes = read_integer(complaints, mapping.find("nodes"), 1, kMostNodes);
  settings.measured = read_boolean(complaints, mapping.find("measured"));
  settings.headroom = read_fraction(complaints, mapping.find("headroom"), 0, 1);
  const Document& document = complaints.document();
  for (const auto& [fact, value] :
       read_named(complaints, mapping.find("facts"), "fact", vocabulary.facts)) {
    const std::string_view word = read_word(complaints, value);
    settings.facts.emplace_back(fact, std::pair(std::string(word), document.span(value)));
  }
  if (const NodeId list = mapping.find("measurements"); list != kNoNode) {
    for (const NodeId item : read_items(complaints, list)) {
      settings.measurements.push_back(read_measurement(complaints, item, vocabulary.facts));
    }
  }
  return settings;
}

ProjectSettings read_override(Complaints& complaints, NodeId node,
                              const ProjectVocabulary& vocabulary) {
  StrictMapping mapping(complaints, node);
  const NodeId paths = mapping.need("paths");
  ProjectSettings settings = read_settings(complaints, mapping, vocabulary);
  settings.paths = read_words(complaints, paths);
  if (paths != kNoNode && settings.paths.empty()) complaints.about(paths, "names no pattern");
  mapping.refuse_unknown_keys();
  return settings;
}

void read_severities(Complaints& complaints, NodeId node, const Names& rules,
                     ProjectConfig& project) {
  for (const auto& [rule, value] : read_named(complaints, node, "rule", rules)) {
    const auto index = read_choice(complaints, value, kSeverityNames);
    if (index) project.severities.emplace_back(rule, kSeverities[*index]);
  }
}

void read_in_house_keys(Complaints& complaints, NodeId node, const ProjectVocabulary& vocabulary,
                        ProjectConfig& project) {
  if (node == kNoNode) return;
  for (const auto& [native, value] : read_entries(complaints, node)) {
    const std::size_t first = project.keys.size();
    read_key(complaints, native, value, project.keys);
    for (std::size_t i = first; i < project.keys.size(); ++i) {
      KeyMapping& key = project.keys[i];
      key.priority = -1;  // the project's word about its own keys beats ours
      check_name(complaints, value, "fact", key.fact, vocabulary.facts);
      if (key.fact.empty() || !vocabulary.mistake_of_key) continue;
      const std::string mistake = vocabulary.mistake_of_key(key);
      if (!mistake.empty()) complaints.about(value, mistake);
    }
  }
}

void read_runs(Complaints& complaints, NodeId node, ProjectConfig& project) {
  if (node == kNoNode) return;
  for (const NodeId item : read_items(complaints, node)) {
    std::vector<std::string> files = read_words(complaints, item);
    if (files.size() < 2) complaints.about(item, "a run is a list of two files or more");
    project.runs.push_back(std::move(files));
  }
}

}  // namespace

Result<ProjectConfig> parse_project(const Document& document, const ProjectVocabulary& vocabulary) {
  Complaints complaints(document);
  ProjectConfig project;
  project.path = document.path();
  project.file = document.file();
  refuse_reader_problems(complaints);
  if (document.roots().size() > 1) {
    const Node& second = document.node(document.roots()[1]);
    complaints.at(second.begin, second.end, "a project file is one YAML document; found a second");
  }
  if (document.root() == kNoNode || is_null(document, document.root())) {
    return std::move(complaints).finish(std::move(project));
  }
  StrictMapping file(complaints, document.root());
  project.settings = read_settings(complaints, file, vocabulary);
  if (const NodeId overrides = file.find("overrides"); overrides != kNoNode) {
    for (const NodeId item : read_items(complaints, overrides)) {
      project.overrides.push_back(read_override(complaints, item, vocabulary));
    }
  }
  read_severities(complaints, file.find("severity"), vocabulary.rules, project);
  project.disabled = read_rule_names(complaints, file.find("disable"), vocabulary.rules);
  project.enabled = read_rule_names(complaints, file.find("enable"), vocabulary.rules);
  project.unignorable = read_rule_names(complaints, file.find("unignorable"), vocabulary.rules);
  read_in_house_keys(complaints, file.find("keys"), vocabulary, project);
  project.exclude = read_words(complaints, file.find("exclude"));
  read_runs(complaints, file.find("runs"), project);
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(project));
}

}  // namespace gpulint

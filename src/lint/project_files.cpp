#include "lint/project_files.h"

#include "base/text.h"
#include "lint/folders.h"
#include "plan/fact_table.h"
#include "plan/plan.h"
#include "source/toml_reader.h"

#include <algorithm>

namespace gpulint {
namespace {

/// Python projects may keep the settings in a table there; a `.gpulint.yaml` beside it wins.
constexpr std::string_view kSharedFileName = "pyproject.toml";
constexpr std::string_view kSharedTable = "tool.gpulint";
/// Far more than a project states by hand.
constexpr std::size_t kMaxProjectBytes = std::size_t{1} << 20;

ProjectVocabulary vocabulary_of(const Catalog& catalog) {
  ProjectVocabulary vocabulary;
  for (const FactRow& row : fact_table()) vocabulary.facts.push_back(row.name);
  for (const Rule& rule : catalog.rules()) vocabulary.rules.push_back(rule.id);
  for (const OwnRule& rule : own_rules()) vocabulary.rules.push_back(rule.id);
  vocabulary.mistake_of_key = [&catalog](const KeyMapping& key) {
    return mistake_of(key, catalog.dialects(), &catalog);
  };
  vocabulary.mistake_of_pair = [&catalog](std::string_view gpu, std::string_view host) {
    return catalog.mismatch(gpu, host);
  };
  vocabulary.gpus = catalog.gpu_ids();
  vocabulary.hosts = catalog.host_ids();
  return vocabulary;
}

/// Driver names and SKUs too: they cost a parse of all hardware files, so they are only asked for
/// when an id did not do.
void add_names(ProjectVocabulary& vocabulary, const Catalog& catalog) {
  for (const Gpu* gpu : catalog.gpus()) {
    vocabulary.gpus.insert(vocabulary.gpus.end(), gpu->names.begin(), gpu->names.end());
  }
  for (const Host* host : catalog.hosts()) {
    vocabulary.hosts.insert(vocabulary.hosts.end(), host->names.begin(), host->names.end());
  }
  vocabulary.gpu_brands = catalog.words("gpu-brands");
}

Result<ProjectConfig> parse_with_catalog(const Document& document, const Catalog& catalog) {
  ProjectVocabulary vocabulary = vocabulary_of(catalog);
  Result<ProjectConfig> config = parse_project(document, vocabulary);
  if (config) return config;
  add_names(vocabulary, catalog);
  return parse_project(document, vocabulary);
}

RuleSettings rule_settings(const ProjectConfig& config) {
  RuleSettings rules;
  rules.severities.insert(config.severities.begin(), config.severities.end());
  rules.disabled = config.disabled;
  rules.enabled_previews = config.enabled;
  return rules;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& relative) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return matches_pattern(pattern, relative);
  });
}

void add_fact(ProjectFacts& facts, const std::string& name, std::string text, SourceSpan span) {
  const bool stated =
      std::any_of(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
  if (!stated) facts.push_back({name, {std::move(text), span}});
}

/// `weaker` fills what is still unset.
void lay_under(FileSettings& settings, const ProjectSettings& weaker) {
  // A GPU and a host of different strength could contradict each other; the stronger pair stands.
  if (!settings.gpu && !settings.host) {
    settings.gpu = weaker.gpu;
    settings.host = weaker.host;
  }
  if (!settings.measured) settings.measured = weaker.measured;
  if (!settings.headroom) settings.headroom = weaker.headroom;
  for (const auto& [name, value] : weaker.facts) {
    add_fact(settings.facts, name, value.first, value.second);
  }
  if (weaker.gpus_per_node) {
    add_fact(settings.facts, "gpus_per_node", std::to_string(*weaker.gpus_per_node), {});
  }
  if (weaker.nodes) add_fact(settings.facts, "nodes", std::to_string(*weaker.nodes), {});
  settings.measurements.insert(settings.measurements.end(), weaker.measurements.begin(),
                               weaker.measurements.end());
}

/// Most such files are somebody else's: they are looked at as text, and parsed when they may name
/// the table.
bool states_settings(const FileReader& reader, const std::string& path) {
  if (reader.kind(path) != FileKind::regular) return false;
  const auto text = reader.read(path, kMaxProjectBytes);
  return text && text->find("[tool.gpulint") != std::string::npos;
}

}  // namespace

ProjectFiles::ProjectFiles(const FileReader& reader, const Catalog& catalog, FileId first_id)
    : reader_(reader), catalog_(catalog), first_id_(first_id) {}

const ProjectFile* ProjectFiles::governing(const std::string& folder) {
  std::vector<std::string> asked;
  const ProjectFile* found = nullptr;
  for (std::string at = folder; !at.empty(); at = parent_folder(reader_, at)) {
    if (const auto known = by_folder_.find(at); known != by_folder_.end()) {
      found = known->second;
      break;
    }
    asked.push_back(at);
    if (const std::string path = project_file_in(at); !path.empty()) {
      found = load(at, path);
      break;
    }
    if (is_repository_root(reader_, at)) break;
  }
  for (std::string& each : asked) by_folder_.emplace(std::move(each), found);
  return found;
}

std::string ProjectFiles::project_file_in(const std::string& folder) {
  const auto lies = [&](std::string_view name) {
    return reader_.kind(join_path(folder, name)) == FileKind::regular;
  };
  const bool second = lies(kProjectFileName2);
  if (!lies(kProjectFileName) && !second) {
    const std::string shared = join_path(folder, kSharedFileName);
    return states_settings(reader_, shared) ? shared : "";
  }
  if (!lies(kProjectFileName)) return join_path(folder, kProjectFileName2);
  if (second) {
    errors_.push_back({.message = "is not read: .gpulint.yaml lies beside it; keep one of them",
                       .file = join_path(folder, kProjectFileName2)});
  }
  return join_path(folder, kProjectFileName);
}

const ProjectFile* ProjectFiles::load(const std::string& folder, const std::string& path) {
  auto text = reader_.read(path, kMaxProjectBytes);
  if (!text) {
    errors_.push_back(std::move(text).error());
    return nullptr;
  }
  const FileId id = first_id_ + static_cast<FileId>(files_.size());
  auto document = file_name(path) == kSharedFileName
                      ? read_toml_table(path, *text, kSharedTable, id)
                      : read_yaml(path, *text, id);
  if (!document) {
    errors_.push_back(std::move(document).error());
    return nullptr;
  }
  auto config = parse_with_catalog(*document, catalog_);
  if (!config) {
    errors_.push_back(std::move(config).error());
    return nullptr;
  }
  RuleSettings rules = rule_settings(*config);
  files_.push_back({std::move(*config), folder, std::string(file_name(path)), std::move(*text),
                    std::move(rules)});
  return &files_.back();
}

FileSettings settings_for(const ProjectFile& project, const std::string& relative) {
  FileSettings settings;
  settings.file = project.name;
  const std::vector<ProjectSettings>& overrides = project.config.overrides;
  for (auto each = overrides.rbegin(); each != overrides.rend(); ++each) {
    if (each->paths.empty() || matches_any(each->paths, relative)) lay_under(settings, *each);
  }
  lay_under(settings, project.config.settings);
  return settings;
}

bool matches_pattern(const std::string& pattern, const std::string& relative) {
  // A pattern without a folder matches at any depth, and a folder stands for all it holds.
  return glob_match(pattern, relative) || glob_match(pattern + "/**", relative) ||
         (pattern.find('/') == std::string::npos && glob_match("**/" + pattern, relative));
}

bool names_hardware(const ProjectFile& project) {
  const auto names = [](const ProjectSettings& settings) { return settings.gpu || settings.host; };
  const std::vector<ProjectSettings>& overrides = project.config.overrides;
  return names(project.config.settings) || std::any_of(overrides.begin(), overrides.end(), names);
}

bool is_excluded(const ProjectFile& project, const std::string& relative) {
  return matches_any(project.config.exclude, relative);
}

}  // namespace gpulint

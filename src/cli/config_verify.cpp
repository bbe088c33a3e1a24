// `gpulint config verify`: are the project files right, and what do they set? A lint run uses them
// silently, so a pattern that matches nothing or a fact of the wrong form is best found here.

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "lint/folders.h"
#include "lint/lint.h"
#include "lint/project_files.h"
#include "model/footprint.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gpulint::cli {
namespace {

/// Facts whose text does not fit their type or range; the loader knows names only.
std::vector<std::string> wrong_facts(const ProjectFile& project, const Catalog& catalog) {
  std::vector<std::string> lines;
  const auto look_at = [&](const ProjectSettings& settings) {
    for (const auto& [name, value] : settings.facts) {
      const FactRow* row = find_fact(name);
      TrainingPlan scratch;
      std::string why;
      if (row == nullptr) continue;
      if (set_fact(scratch, *row, value.first, {.origin = Origin::project}, &why)) {
        why = misspelt_word(*row, value.first, catalog);
        if (why.empty()) continue;
      }
      const LineColumn at = LineIndex(project.text).at(project.text, value.second.begin);
      lines.push_back(
          fmt::format("{}:{}:{}: {}: {}", project.config.path, at.line, at.column, name, why));
    }
  };
  look_at(project.config.settings);
  for (const ProjectSettings& each : project.config.overrides) look_at(each);
  return lines;
}

/// "gpu a10g, host g5-xlarge, 3 facts, 1 override".
std::string what_it_sets(const ProjectConfig& config) {
  std::vector<std::string> parts;
  const ProjectSettings& settings = config.settings;
  if (settings.gpu) parts.push_back("gpu " + *settings.gpu);
  if (settings.host) parts.push_back("host " + *settings.host);
  const auto add = [&](std::int64_t count, std::string_view one) {
    if (count > 0) parts.push_back(counted(count, one));
  };
  add(std::ssize(settings.facts), "fact");
  add(std::ssize(settings.measurements), "measurement");
  add(std::ssize(config.overrides), "override");
  add(std::ssize(config.severities), "changed severity|changed severities");
  add(std::ssize(config.disabled), "disabled rule");
  add(std::ssize(config.enabled), "preview rule");
  add(std::ssize(config.keys), "mapped key");
  add(std::ssize(config.exclude), "exclusion");
  add(std::ssize(config.runs), "run");
  return parts.empty() ? "nothing" : join(parts, ", ");
}

/// Patterns of overrides and exclusions that match no config below the file's folder.
std::vector<std::string> idle_patterns(const ProjectFile& project, const FileReader& reader) {
  std::vector<Error> errors;
  std::vector<std::string> files;
  for (const DiscoveredFile& file : discover(reader, {project.folder}, errors)) {
    files.push_back(relative_path(reader, project.folder, file.path));
  }
  const auto matches = [&](const std::string& pattern) {
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return matches_pattern(pattern, file); });
  };
  std::vector<std::string> idle;
  for (const ProjectSettings& each : project.config.overrides) {
    for (const std::string& pattern : each.paths) {
      if (!matches(pattern)) idle.push_back("overrides: " + pattern);
    }
  }
  for (const std::string& pattern : project.config.exclude) {
    if (!matches(pattern)) idle.push_back("exclude: " + pattern);
  }
  for (const std::vector<std::string>& run : project.config.runs) {
    for (const std::string& path : run) {
      if (reader.kind(join_path(project.folder, path)) != FileKind::regular)
        idle.push_back("runs: " + path);
    }
  }
  return idle;
}

/// Why models of the user's own files are of no use: a run would call them not known.
std::vector<std::string> broken_models(const ModelFiles& files) {
  std::vector<std::string> lines;
  model::ModelLibrary library(files);
  for (const DataFile& file : files.loose) {
    const std::size_t folder = file.path.rfind('/');
    const std::string_view name = std::string_view(file.path).substr(folder + 1);
    const std::string_view id = name.substr(0, name.rfind('.'));
    if (!library.knows(id)) continue;  // parts that families use
    if (const auto found = library.find(id); !found) lines.push_back(found.error().to_string());
  }
  return lines;
}

/// The folder whose project file is asked for: that of a `.gpulint.yaml` named as such.
std::string folder_to_verify(const FileReader& reader, const std::string& path) {
  return reader.kind(path) == FileKind::directory ? path : folder_of(path);
}

}  // namespace

int verify_config(const Arguments& arguments, const SessionView& session) {
  const FileReader& reader = session.files();
  ProjectFiles projects(reader, session.catalog(), 0);
  int code = kClean;
  std::set<const ProjectFile*> seen;
  std::string text;
  for (const std::string& path : arguments.paths) {
    const std::size_t errors_before = projects.errors().size();
    if (reader.kind(path) == FileKind::missing) {
      print_error(fmt::format("{}: no such file or folder", path));
      code = kUsage;
      continue;
    }
    const ProjectFile* project = projects.governing(folder_to_verify(reader, path));
    if (project == nullptr) {
      if (projects.errors().size() == errors_before) {
        print_error(
            fmt::format("{}: no .gpulint.yaml governs it; `gpulint schema project` shows "
                        "what one may hold",
                        path));
      }
      code = kUsage;
      continue;
    }
    if (!seen.insert(project).second) continue;
    const std::vector<std::string> wrong = wrong_facts(*project, session.catalog());
    for (const std::string& line : wrong) print_error(line);
    if (!wrong.empty()) {
      code = kUsage;
      continue;
    }
    text += fmt::format("{}: valid; sets {}\n", escape_for_display(project->config.path),
                        what_it_sets(project->config));
    for (const std::string& pattern : idle_patterns(*project, reader)) {
      print_note(fmt::format("{}: {} matches no file that may be a config", project->config.path,
                             pattern));
    }
  }
  for (const std::string& line : broken_models(session.catalog().model_files())) {
    print_error(line);
    code = kUsage;
  }
  for (const Error& error : projects.errors()) print_error(error);
  if (auto written = write_results(arguments.outputs.front(), text); !written) {
    print_error(written.error());
    return kUsage;
  }
  return code;
}

}  // namespace gpulint::cli

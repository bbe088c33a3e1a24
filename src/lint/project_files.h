#pragma once

#include "base/file_reader.h"
#include "catalog/catalog.h"
#include "catalog/project.h"
#include "engine/engine.h"
#include "finding/own_rules.h"
#include "source/read.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// One `.gpulint.yaml` with what every file it governs shares.
struct ProjectFile {
  ProjectConfig config;
  std::string folder;
  std::string name;  // of the file in it
  std::string text;
  RuleSettings rules;
};

using ProjectFacts = std::vector<std::pair<std::string, std::pair<std::string, SourceSpan>>>;

/// What a `.gpulint.yaml` says about one file: its settings with the matching overrides laid over.
struct FileSettings {
  std::string file = {};  // its name without a folder
  std::optional<std::string> gpu;
  std::optional<std::string> host;
  std::optional<bool> measured;
  std::optional<double> headroom;
  ProjectFacts facts;  // one per name, the strongest statement
  std::vector<Measurement> measurements;
};

/// The `.gpulint.yaml` files of a run, each read once. The nearest one above a file governs it
/// alone; the search ends where the repository does.
class ProjectFiles {
 public:
  ProjectFiles(const FileReader& reader, const Catalog& catalog, FileId first_id);

  /// nullptr when there is none or it is broken (then `errors` names it once).
  const ProjectFile* governing(const std::string& folder);

  const std::deque<ProjectFile>& files() const { return files_; }
  const std::vector<Error>& errors() const { return errors_; }

 private:
  /// The project file of a folder; "" = there is none.
  std::string project_file_in(const std::string& folder);
  const ProjectFile* load(const std::string& folder, const std::string& path);

  const FileReader& reader_;
  const Catalog& catalog_;
  FileId first_id_;
  std::deque<ProjectFile> files_;  // stable addresses
  std::map<std::string, const ProjectFile*> by_folder_;
  std::vector<Error> errors_;
};

/// `path` relative to the folder of the `.gpulint.yaml`, as its patterns see it.
FileSettings settings_for(const ProjectFile& project, const std::string& relative);
/// Does a pattern of a project file (overrides, exclude) mean this file?
bool matches_pattern(const std::string& pattern, const std::string& relative);
/// Whether it says for some file what GPU or host it is meant for.
bool names_hardware(const ProjectFile& project);
bool is_excluded(const ProjectFile& project, const std::string& relative);

}  // namespace gpulint

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/joined_errors.h"
#include "catalog/strict_reader.h"
#include "source/read.h"

#include <algorithm>
#include <map>

namespace gpulint {
namespace {

constexpr const char* kModelFolder = "model_db";
// Where the files that `gpulint-record` writes lie in a data folder of another name.
constexpr const char* kHomeOfOwnModels = "model_db/recorded/project";
constexpr std::size_t kGreatestFileBytes = std::size_t{1} << 20;

/// One folder must not hold one id of a kind twice: neither would replace the other knowingly.
std::optional<Error> find_id_written_twice(const std::vector<DataFile>& files) {
  std::map<std::pair<DataKind, std::string_view>, const DataFile*> seen;
  for (const DataFile& file : files) {
    const std::optional<DataKind> kind = kind_of(file.path);
    if (!kind) continue;  // refused when it is checked
    const auto [first, is_new] = seen.emplace(std::pair(*kind, stem_of(file.path)), &file);
    if (is_new) continue;
    return Error{"this id is already taken by " + std::string(first->second->document.path()),
                 std::string(file.document.path())};
  }
  return std::nullopt;
}

class FolderWalk {
 public:
  FolderWalk(const FileReader& reader, const std::string& root) : reader_(reader), root_(root) {}

  /// Reads every file below `relative`, `levels` folders deep; hidden entries are left alone.
  void visit(const std::string& relative, int levels) {
    Result<std::vector<DirectoryEntry>> entries = reader_.list(join_path(root_, relative));
    if (!entries) return append(error_, std::move(entries).error());
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = join_path(relative, entry.name);
      if (entry.name.starts_with('.')) continue;
      if (entry.kind == FileKind::directory && levels > 0) visit(path, levels - 1);
      if (entry.kind == FileKind::regular) read(path);
    }
  }

  Result<std::vector<DataFile>> finish() && {
    if (error_) return fail(*std::move(error_));
    return std::move(files_);
  }

 private:
  void read(const std::string& path) {
    const std::string shown = join_path(root_, path);
    if (extension(path) != "yaml") {
      return append(error_, {"data files are named <id>.yaml; rename or remove it", shown});
    }
    Result<std::string> text = reader_.read(shown, kGreatestFileBytes);
    if (!text) return append(error_, std::move(text).error());
    Result<Document> document = read_yaml(shown, std::move(text).value(), kNoFile);
    if (!document) return append(error_, std::move(document).error());
    const bool own = parent_path(path) == kOwnModelsFolder;
    files_.push_back(
        {own ? join_path(kHomeOfOwnModels, file_name(path)) : path, std::move(document).value()});
  }

  const FileReader& reader_;
  const std::string& root_;
  std::vector<DataFile> files_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<DataFile>> read_data_folder(const FileReader& reader,
                                               const std::string& folder) {
  if (reader.kind(folder) != FileKind::directory) {
    return fail(
        Error{"is not a folder; name one with rules/, hardware_db/, dialects/, knowledge/ or "
              "model_db/ in it",
              folder});
  }
  FolderWalk walk(reader, folder);
  const auto visit = [&](const std::string& relative, int levels) {
    if (reader.kind(join_path(folder, relative)) != FileKind::missing) {
      walk.visit(relative, levels);
    }
  };
  visit(kModelFolder, 2);  // whole: a model in the wrong place is told where it belongs
  if (file_name(folder) == kProjectDataFolder) visit(std::string(kOwnModelsFolder), 0);
  for (const KindFolder& kind : kKindFolders) {
    if (kind.kind != DataKind::model) visit(std::string(kind.path), kind.below.empty() ? 0 : 1);
  }
  Result<std::vector<DataFile>> files = std::move(walk).finish();
  if (!files) return files;
  std::sort(files->begin(), files->end(),
            [](const DataFile& a, const DataFile& b) { return a.path < b.path; });
  if (std::optional<Error> error = find_id_written_twice(*files)) return fail(*std::move(error));
  return files;
}

}  // namespace gpulint

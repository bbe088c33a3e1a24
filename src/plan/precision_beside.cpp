// What the configs around one say of mixed precision. A switch that is off in one config and on in
// its neighbour was set on purpose, and so was the one in a framework's own file of defaults.

#include "plan/precision_beside.h"

#include "base/text.h"
#include "plan/run_paths.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

constexpr int kMostFoldersAsked = 3;         // the config's own and those around it
constexpr std::size_t kMostNeighbours = 96;  // each may have to be read

/// The file of the run that holds the value; "" where it is not a file of the project.
std::string file_of(const Run& run, const SourceSpan& span) {
  if (run.document().file() == span.file) return std::string(run.document().path());
  for (const RunFile* file : run.reads()) {
    if (file->id == span.file) return file->path;
  }
  return {};
}

/// "16-mixed", "bf16" and "true", as every framework spells half precision.
bool turns_on(std::string_view value) {
  const std::string text = to_lower(trim(value));
  return text == "true" || text == "yes" || text == "on" || text.find("16") != std::string::npos;
}

bool turns_on_at(const RunFile& file, const std::string& pointer) {
  if (!file.document || file.document->root() == kNoNode) return false;
  const NodeId value = file.document->at(pointer);
  return value != kNoNode && file.document->kind(value) == NodeKind::scalar &&
         turns_on(file.document->scalar(value));
}

}  // namespace

bool is_switched_on_beside(const Run& run, const Provenance& from) {
  if (run.files() == nullptr || from.pointer.empty()) return false;
  const RunFiles& files = *run.files();
  const std::string own = file_of(run, from.span);
  const std::string ending = extension(own);
  if (ending != "yaml" && ending != "yml" && ending != "json") return false;
  std::string folder(parent_path(own));
  std::size_t asked = 0;
  for (int up = 0; up < kMostFoldersAsked; ++up) {
    const auto entries = files.reader().list(folder.empty() ? "." : folder);
    if (!entries) return false;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || extension(entry.name) != ending) continue;
      const std::string path = normalize_path(join_path(folder, entry.name));
      if (path == own) continue;
      if (++asked > kMostNeighbours) return false;
      if (turns_on_at(*files.open(path), from.pointer)) return true;
    }
    const std::string around = normalize_path(join_path(folder, ".."));
    if (around == folder || !is_inside(files, run.root(), around.empty() ? "." : around)) break;
    folder = around;
  }
  return false;
}

bool is_default_of_package(const Run& run, const Provenance& from) {
  if (run.files() == nullptr) return false;
  const std::string own = file_of(run, from.span);
  const std::string_view name = file_name(own);
  const std::string_view stem = name.substr(0, name.rfind('.'));
  if (stem != "defaults" && stem != "default") return false;
  const std::string folder(parent_path(own));
  const auto is_package = [&](const std::string& at) {
    return !at.empty() &&
           run.files()->kind(normalize_path(join_path(at, "__init__.py"))) == FileKind::regular;
  };
  return is_package(folder) || is_package(std::string(parent_path(folder)));
}

}  // namespace gpulint

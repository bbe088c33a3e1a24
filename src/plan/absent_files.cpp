// A config that names another config by a path that leads nowhere: code that opens it fails, or
// goes on without it. Only names of configs are looked for, because data and weights seldom lie in
// a repository.

#include "base/system_path.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/knowledge.h"
#include "plan/contradictions.h"
#include "plan/private_files.h"
#include "plan/run_paths.h"
#include "source/data_files.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

/// `engines`: what spreads a run's states is configured by a file that lies under its name.
bool is_config_key(std::string_view key, std::span<const std::string_view> engines) {
  constexpr std::array<std::string_view, 2> kWords = {"config", "cfg"};
  constexpr std::array<std::string_view, 10> kWritten = {
      "output", "save", "dump", "export", "log", "result", "cache", "out_", "write", "gen_"};
  const std::string words = to_lower(key);
  const auto has = [&](std::string_view word) { return words.find(word) != std::string::npos; };
  return (std::any_of(kWords.begin(), kWords.end(), has) ||
          std::any_of(engines.begin(), engines.end(), has)) &&
         std::none_of(kWritten.begin(), kWritten.end(), has);
}

/// A path somebody wrote for this repository, not a template's.
bool is_own_path(std::string_view name) {
  if (is_absolute(name) || name.starts_with('~') || name.starts_with("..")) return false;
  if (name.find('/') == std::string_view::npos) return false;  // looked for who knows where
  if (!is_data_file_name(name)) return false;
  const std::string words = to_lower(name);
  for (const std::string_view word : {"path/to", "path_to", "your", "example", "xxx", "todo",
                                      "placeholder", "my_", "some", "$", "{", "<", "*"}) {
    if (words.find(word) != std::string::npos) return false;
  }
  return true;
}

/// Configs of a folder: the names of its files that end alike.
bool has_configs(const RunFiles& files, const std::string& folder, std::string_view ending) {
  const auto entries = files.reader().list(folder.empty() ? "." : folder);
  return entries && std::any_of(entries->begin(), entries->end(), [&](const DirectoryEntry& each) {
           return each.kind == FileKind::regular && extension(each.name) == ending;
         });
}

/// Where the file should lie: a folder whose name is a letter away and that holds such configs. Any
/// other may be made or fetched by another step.
std::string folder_for(const RunFiles& files, const std::string& root, const std::string& from,
                       std::string_view name) {
  const std::string ending = extension(name);
  const std::string named = normalize_path(parent_path(name));
  const NamedPath there = find_around(files, root, from, named, FileKind::directory);
  if (!there.path.empty()) return {};  // its files may be fetched or made
  // `.hydra/config.yaml`: what a run writes into its own folder.
  if (named.find('/') != std::string::npos || named.size() < 4 || named[0] == '.') return {};
  std::string folder(parent_path(from));
  for (int up = 0; up < 4; ++up) {
    const auto entries = files.reader().list(folder.empty() ? "." : folder);
    for (const DirectoryEntry& each : entries ? *entries : std::vector<DirectoryEntry>()) {
      if (each.kind != FileKind::directory || edit_distance(each.name, named, 1) != 1) continue;
      const std::string found = normalize_path(join_path(folder, each.name));
      if (has_configs(files, found, ending)) return found;
    }
    const std::string next = normalize_path(join_path(folder, ".."));
    if (next == folder || !is_inside(files, root, next.empty() ? "." : next)) break;
    folder = next;
  }
  return {};
}

}  // namespace

void observe_absent_files(const Document& document, const RunFiles& files, const std::string& root,
                          const Catalog* catalog, std::vector<Observation>& observations) {
  constexpr std::size_t kMostAsked = 32;  // each may touch the disk
  const std::vector<std::string_view> engines =
      catalog != nullptr ? catalog->ids(EngineTraits::kKind) : std::vector<std::string_view>();
  std::size_t asked = 0;
  for (NodeId id = 0; id < document.size() && asked < kMostAsked; ++id) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode || document.kind(id) != NodeKind::scalar) continue;
    const SourceSpan span = document.span(id);
    const std::string_view name = document.scalar(id);
    if (span.file != document.file() || !is_config_key(document.scalar(key), engines)) continue;
    if (!names_a_config(name) || !is_own_path(name)) continue;
    ++asked;
    if (!find_around(files, root, document.path(), name).is_missing) continue;
    std::string folder = folder_for(files, root, std::string(document.path()), name);
    if (folder.empty()) continue;
    const std::string beside =
        normalize_path(join_path(parent_path(document.path()), std::string(name)));
    if (may_be_private(files.reader(), beside)) continue;
    Observation& item = observations.emplace_back();
    item.list = "absent_files";
    item.span = span;
    item.pointer = document.pointer(id);
    item.name = std::string(document.scalar(key));
    item.value = std::string(name);
    item.detail = std::move(folder);
  }
}

}  // namespace gpulint

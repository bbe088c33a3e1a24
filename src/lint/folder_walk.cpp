#include "lint/folder_walk.h"

#include "base/text.h"
#include "lint/folders.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {
namespace {

/// A .gitignore is a short list; a larger one is not read.
constexpr std::size_t kMaxIgnoreFileBytes = std::size_t{1} << 20;

/// Folders that tools fill: version control, packages, caches. What a training run writes
/// (`outputs/`, `wandb/`) is not the business of this list; such copies are usually git-ignored.
constexpr std::array<std::string_view, 16> kSkippedFolders{
    ".git",  ".hg",           ".svn",          "node_modules",      "__pycache__", ".venv",
    "venv",  ".tox",          ".nox",          ".mypy_cache",       ".ruff_cache", ".gpulint",
    ".eggs", "site-packages", ".pytest_cache", ".ipynb_checkpoints"};

bool is_skipped_folder(std::string_view name) {
  return std::find(kSkippedFolders.begin(), kSkippedFolders.end(), name) != kSkippedFolders.end();
}

}  // namespace

/// Links to folders wait until all real folders are seen, so that a file keeps its real name.
void FolderWalk::below(const std::string& folder) {
  pending_.push_back({folder, reader_.canonical(folder), outer_scope(folder), false, false});
  while (!pending_.empty() || !pending_links_.empty()) {
    std::deque<Folder>& source = pending_.empty() ? pending_links_ : pending_;
    const Folder next = std::move(source.front());
    source.pop_front();
    if (!visited_.insert(next.canonical).second) continue;
    if (folders_ >= options_.most_folders || entries_ >= options_.most_entries) {
      truncated_ = true;
      pending_.clear();
      pending_links_.clear();
      return;
    }
    ++folders_;
    visit(next);
  }
}

/// Patterns of the folders around a named one, as far as its repository reaches.
const IgnoreScope* FolderWalk::outer_scope(const std::string& path) {
  std::vector<std::string> around;
  for (std::string folder = path; !is_repository_root(reader_, folder);) {
    folder = parent_folder(reader_, folder);
    if (folder.empty()) return nullptr;  // no repository: only what lies inside counts
    around.push_back(folder);
  }
  const IgnoreScope* scope = nullptr;
  for (auto folder = around.rbegin(); folder != around.rend(); ++folder) {
    if (reader_.kind(join_path(*folder, ".gitignore")) == FileKind::regular) {
      scope = inner_scope(*folder, reader_.canonical(*folder), scope);
    }
  }
  return scope;
}

/// Patterns are judged on canonical paths: a folder above the working directory has no other
/// spelling in common with the files below it.
const IgnoreScope* FolderWalk::inner_scope(const std::string& folder, const std::string& canonical,
                                           const IgnoreScope* parent) {
  const auto text = reader_.read(join_path(folder, ".gitignore"), kMaxIgnoreFileBytes);
  if (!text) return parent;
  scopes_.push_back({parent, IgnoreFile(canonical, *text)});
  return &scopes_.back();
}

void FolderWalk::visit(const Folder& folder) {
  const auto entries = reader_.list(folder.path);
  if (!entries) {
    if (errors_ != nullptr) errors_->push_back(entries.error());
    return;
  }
  entries_ += entries->size();
  const IgnoreScope* scope = folder.scope;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name == ".gitignore") scope = inner_scope(folder.path, folder.canonical, scope);
  }
  for (const DirectoryEntry& entry : *entries) visit(folder, entry, scope);
}

void FolderWalk::visit(const Folder& folder, const DirectoryEntry& entry,
                       const IgnoreScope* scope) {
  if (entry.symlink && !options_.follows_links) return;
  const bool is_folder = entry.kind == FileKind::directory;
  if (is_folder) {
    if (is_skipped_folder(entry.name)) return;
    if (!options_.enters_hidden && entry.name.starts_with('.')) return;
  } else if (entry.kind != FileKind::regular || !options_.takes_name(entry.name)) {
    return;
  }
  std::string canonical = join_path(folder.canonical, entry.name);
  const bool ignored = folder.ignored || is_ignored(scope, canonical, is_folder);
  if (ignored && !tracked_.has(canonical, is_folder)) return;
  std::string path = join_path(folder.path, entry.name);
  const bool linked = folder.linked || entry.symlink;
  if (entry.symlink) canonical = reader_.canonical(path);
  if (is_folder) {
    (entry.symlink ? pending_links_ : pending_)
        .push_back({std::move(path), std::move(canonical), scope, linked, ignored});
  } else if (!options_.takes || options_.takes(path)) {
    found_.push_back({std::move(path), std::move(canonical), linked});
  }
}

}  // namespace gpulint

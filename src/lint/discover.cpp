#include "base/text.h"
#include "lint/folders.h"
#include "lint/ignore_rules.h"
#include "lint/lint.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <tuple>

namespace gpulint {
namespace {

/// A .gitignore is a short list; a larger one is not read.
constexpr std::size_t kMaxIgnoreFileBytes = std::size_t{1} << 20;

/// Folders that tools fill: version control, packages, caches. What a training run writes
/// (`outputs/`, `wandb/`) is no business of this list; such copies are usually git-ignored.
constexpr std::array<std::string_view, 16> kSkippedFolders{
    ".git",  ".hg",           ".svn",          "node_modules",      "__pycache__", ".venv",
    "venv",  ".tox",          ".nox",          ".mypy_cache",       ".ruff_cache", ".gpulint",
    ".eggs", "site-packages", ".pytest_cache", ".ipynb_checkpoints"};

constexpr std::array<std::string_view, 9> kExtensions{"yaml", "yml",    "json",  "env", "sh",
                                                       "bash", "sbatch", "slurm", "pbs"};

/// A Python file larger than this is code or data.
constexpr std::size_t kMaxPythonBytes = std::size_t{256} << 10;

/// A folder around the file is named for configs.
bool lies_among_configs(std::string_view path) {
  for (const std::string_view folder : split(parent_path(path), '/')) {
    if (folder == "configs" || folder == "config" || folder == "conf") return true;
  }
  return false;
}

bool is_skipped_folder(std::string_view name) {
  return std::find(kSkippedFolders.begin(), kSkippedFolders.end(), name) != kSkippedFolders.end();
}

struct Found {
  std::string canonical;
  bool linked = false;
  DiscoveredFile file;
};

struct Folder {
  std::string path;
  std::string canonical;
  const IgnoreScope* scope = nullptr;
  bool linked = false;
};

class Walk {
 public:
  Walk(const FileReader& reader, std::vector<Error>& errors) : reader_(reader), errors_(errors) {}

  void name(const std::string& given) {
    const std::string path = normalize_path(given);
    switch (reader_.kind(path)) {
      case FileKind::missing:
        errors_.push_back({.message = "no such file or folder; check the path", .file = given});
        break;
      case FileKind::directory:
        pending_.push_back({path, reader_.canonical(path), outer_scope(path), false});
        walk();
        break;
      case FileKind::regular:
      case FileKind::other:  // reading it will say what is wrong with it
        found_.push_back({reader_.canonical(path), false, {path, true}});
        break;
    }
  }

  /// One entry per real file: the name given by the user, else a real path, else the first link.
  std::vector<DiscoveredFile> finish() {
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tuple(std::string_view(a.canonical), !a.file.named, a.linked,
                        std::string_view(a.file.path)) < std::tuple(std::string_view(b.canonical),
                                                                    !b.file.named, b.linked,
                                                                    std::string_view(b.file.path));
    });
    const auto same = [](const Found& a, const Found& b) { return a.canonical == b.canonical; };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
    std::vector<DiscoveredFile> files;
    files.reserve(found_.size());
    for (Found& found : found_) files.push_back(std::move(found.file));
    std::sort(files.begin(), files.end(),
              [](const DiscoveredFile& a, const DiscoveredFile& b) { return a.path < b.path; });
    return files;
  }

 private:
  /// Patterns of the folders around a named one, as far as its repository reaches.
  const IgnoreScope* outer_scope(const std::string& path) {
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
  const IgnoreScope* inner_scope(const std::string& folder, const std::string& canonical,
                                 const IgnoreScope* parent) {
    const auto text = reader_.read(join_path(folder, ".gitignore"), kMaxIgnoreFileBytes);
    if (!text) return parent;
    scopes_.push_back({parent, IgnoreFile(canonical, *text)});
    return &scopes_.back();
  }

  /// Links to folders wait until all real folders are seen, so that a file keeps its real name.
  void walk() {
    while (!pending_.empty() || !pending_links_.empty()) {
      std::vector<Folder>& source = pending_.empty() ? pending_links_ : pending_;
      const Folder folder = std::move(source.back());
      source.pop_back();
      if (visited_.insert(folder.canonical).second) visit(folder);
    }
  }

  void visit(const Folder& folder) {
    const auto entries = reader_.list(folder.path);
    if (!entries) {
      errors_.push_back(entries.error());
      return;
    }
    const IgnoreScope* scope = folder.scope;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.name == ".gitignore") scope = inner_scope(folder.path, folder.canonical, scope);
    }
    for (const DirectoryEntry& entry : *entries) visit(folder, entry, scope);
  }

  void visit(const Folder& folder, const DirectoryEntry& entry, const IgnoreScope* scope) {
    const bool is_folder = entry.kind == FileKind::directory;
    if (is_folder ? is_skipped_folder(entry.name) : entry.kind != FileKind::regular) return;
    const bool may_be = is_folder || may_be_config(entry.name);
    if (!may_be && !entry.name.ends_with(".py")) return;
    std::string path = join_path(folder.path, entry.name);
    if (!may_be && !is_config(path, entry.name)) return;
    std::string canonical = join_path(folder.canonical, entry.name);
    if (is_ignored(scope, canonical, is_folder)) return;
    const bool linked = folder.linked || entry.symlink;
    if (entry.symlink) canonical = reader_.canonical(path);
    if (is_folder) {
      (entry.symlink ? pending_links_ : pending_)
          .push_back({std::move(path), std::move(canonical), scope, linked});
    } else {
      found_.push_back({std::move(canonical), linked, {std::move(path), false}});
    }
  }

  bool is_config(const std::string& path, const std::string& name) const {
    if (may_be_config(name)) return true;
    if (!name.ends_with(".py") || !lies_among_configs(path)) return false;
    const auto text = reader_.read(path, kMaxPythonBytes);
    return text && is_python_config(path, *text);
  }

  const FileReader& reader_;
  std::vector<Error>& errors_;
  std::vector<Found> found_;
  std::set<std::string> visited_;
  std::vector<Folder> pending_;
  std::vector<Folder> pending_links_;
  std::deque<IgnoreScope> scopes_;  // stable addresses
};

}  // namespace

bool may_be_config(std::string_view name) {
  return !name.starts_with(".gpulint") &&  // our own settings and baselines
         std::find(kExtensions.begin(), kExtensions.end(), extension(name)) != kExtensions.end();
}

bool is_python_config(std::string_view path, std::string_view text) {
  if (!path.ends_with(".py") || !lies_among_configs(path)) return false;
  constexpr std::array<std::string_view, 6> kMarks = {
      "_base_ =", "dict(type=", "dict(\n    type=", "read_base(", "LazyCall", "ConfigDict("};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  });
}

std::vector<DiscoveredFile> discover(const FileReader& reader,
                                     const std::vector<std::string>& paths,
                                     std::vector<Error>& errors) {
  Walk walk(reader, errors);
  for (const std::string& path : paths) walk.name(path);
  return walk.finish();
}

}  // namespace gpulint

#include "lsp/projects.h"

#include "base/system_path.h"
#include "base/text.h"
#include "lint/folders.h"

#include <algorithm>
#include <utility>

namespace gpulint::lsp {
namespace {

bool is_below(const std::string& folder, const std::string& path) {
  if (folder.ends_with('/')) return path.starts_with(folder);
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace

void Projects::add_folder(const std::string& folder) {
  if (std::count(folders_.begin(), folders_.end(), folder) == 0) folders_.push_back(folder);
}

void Projects::remove_folder(const std::string& folder) {
  std::erase(folders_, folder);
  sessions_.erase(folder);
}

std::string Projects::root_of(const std::string& path) const {
  std::string best;
  for (const std::string& folder : folders_) {
    if (is_below(folder, path) && folder.size() > best.size()) best = folder;
  }
  if (!best.empty()) return best;
  const std::string own = folder_of(path);
  for (std::string at = own; !at.empty(); at = parent_folder(disk_, at)) {
    if (is_repository_root(disk_, at)) return at;
  }
  return own;
}

Result<Session*> Projects::session(const std::string& root) {
  if (const auto known = sessions_.find(root); known != sessions_.end()) return &known->second;
  auto opened = Session::open(disk_, {.data_folder = data_folder_, .folder = root});
  if (!opened) return fail(std::move(opened).error());
  for (const auto& [path, held] : buffers_) opened->set_buffer(path, held.text, held.version);
  return &sessions_.emplace(root, std::move(*opened)).first->second;
}

void Projects::set_buffer(const std::string& path, const std::string& text, std::int64_t version) {
  buffers_[path] = {text, version};
  for (auto& [root, session] : sessions_) session.set_buffer(path, text, version);
}

void Projects::close_buffer(const std::string& path) {
  buffers_.erase(path);
  for (auto& [root, session] : sessions_) session.close_buffer(path);
}

bool Projects::refresh() {
  bool changed = false;
  for (auto& [root, session] : sessions_) {
    const auto refreshed = session.refresh();
    changed = changed || (refreshed && *refreshed);
  }
  return changed;
}

std::vector<Error> Projects::errors() const {
  std::vector<Error> errors;
  for (const auto& [root, session] : sessions_) {
    for (Error& error : session.errors()) errors.push_back(std::move(error));
  }
  return errors;
}

void Projects::keep_only(const std::vector<std::string>& used) {
  std::erase_if(sessions_, [&](const auto& entry) {
    return std::count(folders_.begin(), folders_.end(), entry.first) == 0 &&
           std::count(used.begin(), used.end(), entry.first) == 0;
  });
}

}  // namespace gpulint::lsp

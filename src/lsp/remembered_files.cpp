#include "lsp/remembered_files.h"

namespace gpulint::lsp {
namespace {

/// Of texts; beyond them files are read anew each time.
constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

}  // namespace

void RememberedFiles::forget() {
  const std::scoped_lock lock(mutex_);
  texts_.clear();
  kinds_.clear();
  lists_.clear();
  canonical_.clear();
  text_bytes_ = 0;
}

template <class Value, class Look>
Value RememberedFiles::remember(std::map<std::string, Value>& known, const std::string& path,
                                const Look& look) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known.find(path); found != known.end()) return found->second;
  }
  Value value = look();
  const std::scoped_lock lock(mutex_);
  known.emplace(path, value);
  return value;
}

/// A file over the limit of one reader may be within that of another: only texts are kept.
Result<std::string> RememberedFiles::read(const std::string& path, std::size_t limit) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = texts_.find(path);
    if (found != texts_.end() && found->second->size() <= limit) return found->second;
  }
  Result<std::string> text = disk_.read(path, limit);
  const std::scoped_lock lock(mutex_);
  if (text && text_bytes_ + text->size() <= kMostTextBytes && texts_.emplace(path, text).second) {
    text_bytes_ += text->size();
  }
  return text;
}

FileKind RememberedFiles::kind(const std::string& path) const {
  return remember(kinds_, path, [&] { return disk_.kind(path); });
}

Result<std::vector<DirectoryEntry>> RememberedFiles::list(const std::string& directory) const {
  return remember(lists_, directory, [&] { return disk_.list(directory); });
}

std::string RememberedFiles::canonical(const std::string& path) const {
  return remember(canonical_, path, [&] { return disk_.canonical(path); });
}

}  // namespace gpulint::lsp

#include "plan/run_files.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace gpulint {

RunFiles::RunFiles(const FileReader& reader, ReadLimits limits, std::vector<std::string> known,
                   ParsedFiles* parsed)
    : reader_(reader), limits_(limits), known_(std::move(known)), parsed_(parsed) {}

FileKind RunFiles::kind(const std::string& path) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto at = kinds_.find(path); at != kinds_.end()) return at->second;
  }
  const FileKind kind = reader_.kind(path);
  const std::scoped_lock lock(mutex_);
  return kinds_.emplace(path, kind).first->second;
}

std::string RunFiles::canonical(const std::string& path) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto at = canonical_.find(path); at != canonical_.end()) return at->second;
  }
  std::string real = reader_.canonical(path);
  const std::scoped_lock lock(mutex_);
  return canonical_.emplace(path, std::move(real)).first->second;
}

const RunFile* RunFiles::open(const std::string& path) const {
  Slot* slot = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Slot>& place = slots_[path];
    if (!place) place = std::make_unique<Slot>();
    slot = place.get();
  }
  std::call_once(slot->once, [&] {
    RunFile& file = slot->file;
    file.path = path;
    file.id = id_of(path);
    auto text = reader_.read(path, limits_.max_bytes);
    if (!text) {
      file.why = text.error().message;
      return;
    }
    auto document = parsed_ != nullptr ? parsed_->read(path, *text, file.id, limits_)
                                       : read_document(path, std::move(*text), file.id, limits_);
    if (document) {
      file.document = std::move(*document);
    } else {
      file.why = "cannot be parsed: " + document.error().message;
    }
  });
  return &slot->file;
}

std::vector<std::string> RunFiles::extra_paths() const {
  const std::scoped_lock lock(mutex_);
  return extra_;
}

std::optional<RunFiles::Text> RunFiles::text(const std::string& path, std::size_t most) const {
  auto read = reader_.read(path, most);
  if (!read) return std::nullopt;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = text_ids_.find(path); known != text_ids_.end())
      return Text{std::move(*read), known->second};
  }
  const FileId id = id_of(path);
  const std::scoped_lock lock(mutex_);
  return Text{std::move(*read), text_ids_.emplace(path, id).first->second};
}

FileId RunFiles::id_of(const std::string& path) const {
  const auto known = std::lower_bound(known_.begin(), known_.end(), path);
  if (known != known_.end() && *known == path) {
    return static_cast<FileId>(known - known_.begin());
  }
  const std::scoped_lock lock(mutex_);
  const auto met = std::find(extra_.begin(), extra_.end(), path);
  const auto place = static_cast<FileId>(met - extra_.begin());
  if (met == extra_.end()) extra_.push_back(path);
  return kFirstExtraId + place;
}

}  // namespace gpulint

#include "source/parsed_files.h"

#include <iterator>
#include <utility>

namespace gpulint {
namespace {

/// Texts of one path that are kept: what it holds, and what it held before or holds elsewhere (the
/// two sides of a change, a fix and the text it starts from).
constexpr std::size_t kMostTexts = 2;
/// Lists, maps and counters around a document.
constexpr std::size_t kBytesPerEntry = 512;

/// The same answer for a file that has another number in this request.
Result<Document> numbered(const Result<Document>& parsed, FileId file) {
  if (parsed) return parsed->as_file(file);
  Error error = parsed.error();
  if (error.where.known()) error.where.file = file;
  return fail(std::move(error));
}

}  // namespace

bool ParsedFiles::Entry::answers(std::string_view text, const ReadLimits& asked) const {
  return limits == asked && text == (parsed ? parsed->text() : std::string_view(refused_text));
}

Result<Document> ParsedFiles::read(const std::string& path, std::string_view text, FileId file,
                                   const ReadLimits& limits) {
  if (most_bytes_ == 0) return read_document(path, std::string(text), file, limits);
  {
    const std::scoped_lock lock(mutex_);
    if (const Result<Document>* parsed = find(path, text, limits)) {
      ++use_.found;
      return numbered(*parsed, file);
    }
    ++use_.parsed;
  }
  Result<Document> parsed = read_document(path, std::string(text), file, limits);
  Entry entry{path, limits, parsed ? std::string() : std::string(text), numbered(parsed, file), 0};
  entry.bytes = kBytesPerEntry + (parsed ? parsed->bytes() : text.size());
  const std::scoped_lock lock(mutex_);
  if (find(path, text, limits) == nullptr) keep(std::move(entry));
  return parsed;
}

ParsedFiles::Use ParsedFiles::use() const {
  const std::scoped_lock lock(mutex_);
  return use_;
}

Result<Document>* ParsedFiles::find(const std::string& path, std::string_view text,
                                    const ReadLimits& limits) {
  const auto [first, last] = by_path_.equal_range(path);
  for (auto at = first; at != last; ++at) {
    if (!at->second->answers(text, limits)) continue;
    recent_.splice(recent_.begin(), recent_, at->second);
    return &at->second->parsed;
  }
  return nullptr;
}

void ParsedFiles::keep(Entry entry) {
  if (entry.bytes > most_bytes_) return;
  use_.bytes += entry.bytes;
  ++use_.documents;
  recent_.push_front(std::move(entry));
  by_path_.emplace(recent_.front().path, recent_.begin());
  const auto [first, last] = by_path_.equal_range(recent_.front().path);
  if (static_cast<std::size_t>(std::distance(first, last)) > kMostTexts) drop(first->second);
  while (use_.bytes > most_bytes_) drop(std::prev(recent_.end()));
}

void ParsedFiles::drop(Entries::iterator entry) {
  auto [at, last] = by_path_.equal_range(entry->path);
  while (at != last && at->second != entry) ++at;
  if (at != last) by_path_.erase(at);
  use_.bytes -= entry->bytes;
  --use_.documents;
  recent_.erase(entry);
}

}  // namespace gpulint

#pragma once

// Documents that were parsed before. A file is linted again and again while somebody edits its
// neighbours, and a base is a part of every config that names it: whoever asks for the same path
// with the same text gets the arrays that are there. The text itself is compared, so an entry never
// is out of date; what a file held before leaves when it has changed twice.

#include "source/read.h"

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace gpulint {

class ParsedFiles {
 public:
  /// `most_bytes`: of all documents kept together; the ones asked for longest ago leave first. 0
  /// keeps nothing.
  explicit ParsedFiles(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// As read_document(); the document, or the reason why there is none, may be one that was made
  /// for an earlier request. Thread-safe; a text is parsed outside of the lock.
  Result<Document> read(const std::string& path, std::string_view text, FileId file,
                        const ReadLimits& limits = {});

  struct Use {
    std::size_t documents = 0;  // kept now
    std::size_t bytes = 0;      // which they take
    std::size_t found = 0;      // answered from memory since the beginning
    std::size_t parsed = 0;     // read anew
  };
  Use use() const;

 private:
  struct Entry {
    std::string path;
    ReadLimits limits;
    std::string refused_text;  // where there is no document; else the text lies in it
    Result<Document> parsed;
    std::size_t bytes = 0;

    bool answers(std::string_view text, const ReadLimits& asked) const;
  };
  using Entries = std::list<Entry>;

  Result<Document>* find(const std::string& path, std::string_view text, const ReadLimits& limits);
  void keep(Entry entry);
  void drop(Entries::iterator entry);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;  // guards all below
  Entries recent_;            // the one asked for last comes first
  std::multimap<std::string, Entries::iterator, std::less<>> by_path_;
  Use use_;
};

}  // namespace gpulint

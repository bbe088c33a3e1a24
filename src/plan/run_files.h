#pragma once

#include "base/file_reader.h"
#include "source/document.h"
#include "source/parsed_files.h"
#include "source/read.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// A file that configs name, read and parsed once for all of them.
struct RunFile {
  std::string path;
  FileId id = kNoFile;
  std::optional<Document> document;  // unset: `why`
  std::string why = {};              // "no such file", "cannot be parsed: …"
};

/// Everything that runs read beside the config that names them. Thread-safe: a file asked for by
/// several threads is read by the first.
class RunFiles {
 public:
  /// Ids of files that are not among the known ones start here, in the order they are met.
  static constexpr FileId kFirstExtraId = 0x40000000U;

  /// `known`: paths whose ids are their places in the list, sorted. `parsed`: where documents of
  /// earlier requests are found; nullptr: all are read anew.
  RunFiles(const FileReader& reader, ReadLimits limits, std::vector<std::string> known,
           ParsedFiles* parsed = nullptr);

  const FileReader& reader() const { return reader_; }
  FileKind kind(const std::string& path) const;
  /// The file at a normalized path; never null.
  const RunFile* open(const std::string& path) const;
  /// A file's text with its id, where it can be read and is no longer than `most`; its own reader
  /// makes something else of it than a document.
  struct Text {
    std::string text;
    FileId file = kNoFile;
  };
  std::optional<Text> text(const std::string& path, std::size_t most) const;
  /// The real path without links, asked for once per path.
  std::string canonical(const std::string& path) const;
  /// The number of a file that is not a document: of code that a fact points into.
  FileId number(const std::string& path) const { return id_of(path); }
  /// Paths of the extra files; their ids are kFirstExtraId plus their places.
  std::vector<std::string> extra_paths() const;

 private:
  struct Slot {
    std::once_flag once;
    RunFile file;
  };
  FileId id_of(const std::string& path) const;

  const FileReader& reader_;
  ReadLimits limits_;
  std::vector<std::string> known_;
  ParsedFiles* parsed_ = nullptr;
  mutable std::mutex mutex_;  // guards what follows; files are read outside of it
  mutable std::map<std::string, std::unique_ptr<Slot>> slots_;
  mutable std::map<std::string, FileKind> kinds_;
  mutable std::map<std::string, std::string> canonical_;
  mutable std::vector<std::string> extra_;
  mutable std::map<std::string, FileId> text_ids_;
};

}  // namespace gpulint

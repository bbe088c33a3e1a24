#pragma once

// The texts that a client holds open.

#include "lsp/json.h"
#include "lsp/positions.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::lsp {

struct OpenDocument {
  std::string uri;   // as the client spells it
  std::string path;  // absolute, normalized
  std::string real;  // with links followed: as runs name what they read
  std::string text;
  std::int64_t version = 0;
};

class Documents {
 public:
  /// Takes the place of one that is open at the path.
  void open(OpenDocument document);
  void close(const std::string& path);
  OpenDocument* find(const std::string& path);
  const OpenDocument* find(const std::string& path) const;
  /// By path.
  const std::map<std::string, OpenDocument>& all() const { return by_path_; }
  /// The client's own spelling where the file is open.
  std::string uri_of(const std::string& path) const;

 private:
  std::map<std::string, OpenDocument> by_path_;
};

/// One item of `contentChanges`: a range and what stands there now, or a whole text. False where it
/// is neither; `text` is as it was then.
bool apply_change(std::string& text, const Json& change, Units units);

}  // namespace gpulint::lsp

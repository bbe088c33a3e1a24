#pragma once

#include "lsp/checks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint::lsp {

/// Remembers what a client was told of each file, and tells it what is new.
class Publisher {
 public:
  /// The diagnostics of `path` over all checks, each once.
  static Json diagnostics(const std::string& path, const Checks& checks);

  struct Publication {
    Json message;         // textDocument/publishDiagnostics
    bool edited = false;  // the document is open in another version than last time
  };
  /// Those of `paths` that are open in another version than last time, or say something else.
  std::vector<Publication> publish(const std::set<std::string>& paths, const Checks& checks,
                                   const Documents& documents);
  /// Takes the place of what is published beside all checks: broken data folders, by path.
  std::set<std::string> set_others(std::map<std::string, Json> others);

 private:
  struct Told {
    Json diagnostics = Json::array();
    std::optional<std::int64_t> version = {};
  };
  std::map<std::string, Told> told_;
  std::map<std::string, Json> others_;
};

}  // namespace gpulint::lsp

#pragma once

// What a client sets: the target, facts it knows, and which rules and files count. The same words
// as the command line's.

#include "lint/lint.h"
#include "lsp/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
class Catalog;
}

namespace gpulint::lsp {

struct Settings {
  std::optional<std::string> gpu;
  std::optional<std::string> host;
  std::vector<std::pair<std::string, std::string>> facts;          // "set": over the configs
  std::vector<std::pair<std::string, std::string>> default_facts;  // "gpus", "nodes": under them
  bool previews = false;
  bool read_code = true;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// `value`: {"gpu": "…", "host": "…", "gpus": 4, "nodes": 1, "set": {"fact": "value"}, "preview":
/// false, "code": true}, everything optional. What is of no use is left out and named in `refused`,
/// one sentence each.
Settings settings_from(const Json& value, const Catalog& catalog,
                       std::vector<std::string>& refused);

LintRequest request_of(const Settings& settings, std::vector<std::string> paths,
                       std::optional<Date> today);

}  // namespace gpulint::lsp

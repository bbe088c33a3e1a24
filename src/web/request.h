#pragma once

// What a page asks, read from JSON (docs/playground.md has the table of keys).

#include "base/result.h"
#include "lint/lint.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::web {

enum class Ask : std::uint8_t { catalogue, check, explain, facts, estimate, fit, diff };

/// A file of the page. Paths are relative to the one folder there is.
struct PageFile {
  std::string path;
  std::string text;
};

struct PageRequest {
  Ask ask = Ask::check;
  std::vector<PageFile> files;
  std::vector<PageFile> before;   // of a diff: the version that `files` is compared with
  std::string config;             // of facts and fit: the file they look at
  std::vector<std::string> gpus;  // of fit and diff; none of fit: all, of diff: what configs name
  std::string rule;               // of explain
  LintOptions options;
  std::optional<Date> today;
};

/// An Error names the key that is wrong. Whether a GPU is known is not asked here.
Result<PageRequest> read_request(std::string_view json);

}  // namespace gpulint::web

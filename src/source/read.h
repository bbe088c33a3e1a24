#pragma once

#include "base/result.h"
#include "source/document.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace gpulint {

/// Bounds on hostile input. Each one reached is an Error that names it (or a ProblemKind::limit
/// where reading can go on).
struct ReadLimits {
  std::size_t max_bytes = std::size_t{8} << 20;  // per file
  std::uint32_t max_depth = 200;                 // nesting of mappings and sequences
  std::uint32_t max_nodes = 1'000'000;           // as written
  std::uint32_t max_expanded_nodes =
      2'000'000;  // visited through aliases and merge keys by one walk
  friend bool operator==(const ReadLimits&, const ReadLimits&) = default;
};

/// Errors carry file, span and line:column; the text is moved into the Document.
Result<Document> read_yaml(std::string path, std::string text, FileId file,
                           const ReadLimits& limits = {});
/// JSON; with comments, trailing commas or NaN it is read all the same and noted as
/// not_strict_json.
Result<Document> read_json(std::string path, std::string text, FileId file,
                           const ReadLimits& limits = {});
/// KEY=value and `export KEY=value` lines (quotes removed, no expansion); every other line is
/// skipped and never quoted. One flat mapping.
Result<Document> read_env(std::string path, std::string text, FileId file,
                          const ReadLimits& limits = {});
/// By file name: .json -> JSON; .env and *.sh -> env; .py and the code of .ipynb -> Python;
/// everything else -> YAML.
Result<Document> read_document(std::string path, std::string text, FileId file,
                               const ReadLimits& limits = {});

}  // namespace gpulint

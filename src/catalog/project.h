#pragma once

#include "base/result.h"
#include "base/severity.h"
#include "base/units.h"
#include "source/document.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// How a memory figure was read: what the device shows, what the framework's allocator holds, or
/// tensors alone.
enum class MemoryKind : std::uint8_t { nvidia_smi, reserved, allocated };

/// A peak the user measured. Points are joined only where all `when` facts are equal.
struct Measurement {
  std::vector<std::pair<std::string, std::string>> when;  // fact -> canonical value
  std::int64_t per_device_batch_size = 0;
  Bytes peak;
  MemoryKind kind = MemoryKind::nvidia_smi;
  SourceSpan span;
};

/// Target hardware and facts for the files a pattern matches; unset members leave the outer value.
struct ProjectSettings {
  std::vector<std::string> paths;  // patterns relative to the .gpulint.yaml; empty = all
  std::optional<std::string> gpu;
  std::optional<std::string> host;
  std::optional<std::int64_t> gpus_per_node;
  std::optional<std::int64_t> nodes;
  std::optional<double>
      headroom;  // fraction of usable memory above which a budget is thin; default 0.9
  std::vector<std::pair<std::string, std::pair<std::string, SourceSpan>>>
      facts;  // stated for the team: fact -> text
  std::vector<Measurement> measurements;
};

/// One `.gpulint.yaml`.
struct ProjectConfig {
  std::string path;
  FileId file = kNoFile;
  ProjectSettings settings;
  std::vector<ProjectSettings> overrides;                    // later ones win
  std::vector<std::pair<std::string, Severity>> severities;  // rule -> severity
  std::vector<std::string> disabled;                         // rules
  std::vector<std::string> enabled;                          // preview rules asked for
  std::vector<std::pair<std::string, std::string>>
      keys;                          // in-house dotted key or leaf -> canonical fact
  std::vector<std::string> exclude;  // patterns never linted
};

/// Strict: unknown keys, unknown rules or facts are errors with file:line:column and "did you
/// mean". `known_facts` and `known_rules` are what keys and names are checked against.
struct ProjectVocabulary {
  std::vector<std::string> facts;
  std::vector<std::string> rules;
  std::vector<std::string> gpus;
  std::vector<std::string> hosts;
};
Result<ProjectConfig> parse_project(const Document& document, const ProjectVocabulary& vocabulary);

}  // namespace gpulint

#pragma once

#include "base/result.h"
#include "base/severity.h"
#include "base/units.h"
#include "catalog/dialect.h"
#include "source/document.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  std::optional<bool> measured;  // judge by what `confirm` measured on the machine that lints
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
  std::vector<std::string> unignorable;  // rules no suppression and no baseline hides
  std::vector<KeyMapping> keys;      // in-house dotted keys or leaves; one without `transform` and
                                     // `values` is read as such facts usually are
  std::vector<std::string> exclude;  // patterns never linted
  std::vector<std::vector<std::string>> runs;  // files that are one run each
};

/// The names a project file may use; an empty list is not checked against. Views: only for the
/// call.
struct ProjectVocabulary {
  std::vector<std::string_view> facts;
  std::vector<std::string_view> rules;
  std::vector<std::string_view> gpus;        // ids and driver names
  std::vector<std::string_view> hosts;       // ids and names
  std::vector<std::string> gpu_brands = {};  // words that tell no two GPUs apart
  /// What is wrong with a key that means what it says: "unknown transform \"nmae\""; "" = nothing.
  std::function<std::string(const KeyMapping&)> mistake_of_key = {};
  /// Why this GPU cannot be in this host; "" = it can.
  std::function<std::string(std::string_view gpu, std::string_view host)> mistake_of_pair = {};
};

/// Names of a project's file; the first one counts where both lie in a folder.
inline constexpr std::string_view kProjectFileName = ".gpulint.yaml";
inline constexpr std::string_view kProjectFileName2 = ".gpulint.yml";
inline bool is_project_file(std::string_view name) {
  return name == kProjectFileName || name == kProjectFileName2;
}

/// Strict: unknown keys, rules, facts, GPUs and hosts, wrong types and missing units are errors
/// with file:line:column and "did you mean"; all of them are returned joined.
Result<ProjectConfig> parse_project(const Document& document, const ProjectVocabulary& vocabulary);

}  // namespace gpulint

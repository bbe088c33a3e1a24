#pragma once

// Scripts and the configs they start: which runs a script holds. Internal to this room.

#include "launch/launch.h"
#include "lint/file_linter.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

inline constexpr std::size_t kMostScriptBytes = std::size_t{1} << 20;  // of one that is read

/// One training command of a script, with the config it starts where it starts one.
struct StartedRun {
  std::shared_ptr<const LaunchScript> script;
  const Launch* launch = nullptr;  // of `script`
  std::string path;                // of the script, or of the program in Python that starts it
  const RunFile* config = nullptr;
  std::string program;  // Python file of the project it starts; "" = none that was found
  std::vector<std::string> beside;  // further files its flags name: DeepSpeed, a model's config
  std::vector<std::string> over;    // configs that lie over `config`, in their order
  std::vector<std::string> names;   // every file of the project that its words name
  /// Names that whoever starts the script completes: `configs/*/*.yaml`, `*` for `"$1"`.
  std::vector<std::string> patterns;
};

/// The runs of a script, in its order; `limits` is given what was left out.
std::vector<StartedRun> started_runs(const LintShared& shared, const std::string& root,
                                     const std::string& path, std::string_view text, FileId file,
                                     std::vector<std::string>& limits);

/// The runs of a file of YAML of the kind `carrier`.
std::vector<StartedRun> started_runs(const LintShared& shared, const std::string& root,
                                     const std::string& path, const Document& document,
                                     const Launcher& carrier, std::vector<std::string>& limits);

/// Everything about a run that assembling it asks for; it borrows from `started`.
RunCommand command_of(const StartedRun& started);

}  // namespace gpulint

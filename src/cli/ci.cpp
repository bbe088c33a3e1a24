#include "cli/ci.h"

#include "base/platform.h"
#include "base/system_path.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gpulint::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool lies_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

std::string repository_around(const std::string& directory) {
  for (const char* name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const std::string folder = with_slashes(variable(name));
    if (!is_absolute(folder)) continue;
    std::string normal = normalize_path(folder);
    if (lies_below(directory, normal)) return normal;
  }
  std::string_view folder = directory;
  while (!folder.empty()) {
    if (path_exists(join_path(folder, ".git"))) return std::string(folder);
    const std::string_view parent = parent_path(folder);
    if (parent == folder) break;
    folder = parent;
  }
  return directory;
}

}  // namespace

Surroundings surroundings_of_run(int exit_code) {
  const std::string directory = working_folder();
  if (directory.empty()) return {.exit_code = exit_code};
  return {
      .root = repository_around(directory), .working_directory = directory, .exit_code = exit_code};
}

bool on_github() { return variable("GITHUB_ACTIONS") == "true"; }

bool log_is_executed() {
  return on_github() || equals_ignoring_case(variable("TF_BUILD"), "true") ||
         !variable("TEAMCITY_VERSION").empty();
}

void print_annotations(std::string_view commands) {
  std::fflush(stdout);
  std::fwrite(commands.data(), 1, commands.size(), stderr);
}

Result<void> append_step_summary(std::string_view markdown) {
  const std::string path = variable("GITHUB_STEP_SUMMARY");
  if (path.empty()) return {};
  std::FILE* file = open_file(path, "ab");
  if (file == nullptr) {
    return fail(fmt::format("cannot write the step summary {}: {}", path, std::strerror(errno)));
  }
  const bool written = std::fwrite(markdown.data(), 1, markdown.size(), file) == markdown.size();
  if (std::fclose(file) != 0 || !written) {
    return fail(fmt::format("cannot write the step summary {}: {}", path, std::strerror(errno)));
  }
  return {};
}

}  // namespace gpulint::cli

#pragma once

// Runs git as a child process: arguments as they are, no shell, nothing a repository's settings
// could start (hooks, fsmonitor, pagers, external diffs), no network, no prompt, no lock.

#include "base/result.h"
#include "cli/child_process.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::cli {

struct GitOutput {
  int code = 0;
  std::string out;
  std::string err;  // trimmed
};

/// Runs `git ARGUMENTS` in `directory`. An Error when git cannot be started or prints more than
/// `limit` bytes; a failing git is an output with its code.
Result<GitOutput> run_git(const std::string& directory, const std::vector<std::string>& arguments,
                          std::size_t limit);

/// A running `git cat-file --batch`: object names in, contents out. Not thread-safe.
class GitBatch {
 public:
  explicit GitBatch(std::string directory) : directory_(std::move(directory)) {}

  /// Content of a blob of at most `limit` bytes. `object`: a full object name.
  Result<std::string> blob(const std::string& object, std::size_t limit);

 private:
  Result<void> start();
  void stop();
  bool read_line(std::string& line);
  bool read_exactly(std::size_t size, std::string& text);

  std::string directory_;
  std::optional<ChildProcess> child_;
  std::string buffered_;
};

}  // namespace gpulint::cli

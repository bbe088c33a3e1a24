#pragma once

// A program that runs beside this one, with pipes as its standard streams; no shell. Each system
// has a file: child_process_posix.cpp, child_process_windows.cpp.

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::cli {

class ChildProcess {
 public:
  /// Streams without a pipe lead nowhere.
  struct Pipes {
    bool in = false;
    bool out = false;
    bool err = false;
  };

  /// Starts the program `words[0]` of PATH. `environment`: "NAME=value" over that of this process,
  /// "NAME=" for a variable it must not have. An Error says that it was not found, or why it cannot
  /// be started.
  static Result<ChildProcess> start(const std::vector<std::string>& words,
                                    const std::vector<std::string>& environment,
                                    const Pipes& pipes);

  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  bool write(std::string_view text);
  /// Appends what the child wrote next, waiting for it; false at the end.
  bool read(std::string& text);
  /// Reads both streams to their ends; false when one passes its limit.
  bool drain(std::string& out, std::size_t most_out, std::string& err, std::size_t most_err);
  void kill();
  /// Closes the pipes and waits for the end; the child's exit code.
  int wait();

 private:
  struct System;
  explicit ChildProcess(std::unique_ptr<System> system);
  std::unique_ptr<System> system_;
};

}  // namespace gpulint::cli

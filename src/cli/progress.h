#pragma once

#include "lint/lint.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace gpulint::cli {

/// While it lives, says on standard error how many files of a long lint are done, from the second
/// second on, and takes the line away at the end. Does nothing where nobody looks on: standard
/// error is no terminal, or a CI system keeps it.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  LintProgress* counts() { return &counts_; }

 private:
  void show();

  LintProgress counts_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace gpulint::cli

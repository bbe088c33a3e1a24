#pragma once

// Which program, of those in knowledge/launchers, the words of a command start. Internal to this
// room.

#include "launch/command_line.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace gpulint {

/// A launcher that a command starts with, and by how many of its words.
struct Called {
  const Launcher* launcher = nullptr;
  std::size_t words = 0;
};

class LauncherCalls {
 public:
  explicit LauncherCalls(std::span<const Launcher* const> launchers) : launchers_(launchers) {}

  /// The most exact of all launchers whose call the words begin with. `inside_program`: they stand
  /// behind one that starts a program. Readings of one script ask for the same few programs again
  /// and again.
  Called of(const Words& words, bool inside_program) const;
  /// `submit.py --gpus 8 -- torchrun train.py`: a program that hands on what stands behind the
  /// dashes, which then are the words.
  bool starts_behind_dashes(Words& words) const;

 private:
  Called find(const Words& words, bool inside_program) const;

  std::span<const Launcher* const> launchers_;
  mutable std::map<std::string, Called> known_;
};

}  // namespace gpulint

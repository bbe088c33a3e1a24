#pragma once

// What all runs of a script have in common: what it does, its imports above all, before it asks for
// anything that differs from run to run. A project has hundreds of configs and a few scripts, whose
// imports are most of the work. Internal to this room.

#include "code/counted_rounds.h"
#include "code/fitting_trainers.h"
#include "code/followed_step.h"
#include "code/frozen_models.h"
#include "code/loaded_networks.h"
#include "code/sampled_data.h"
#include "code/script_reader.h"
#include "code/skipped_calls.h"
#include "code/trained_networks.h"
#include "code/training_loop.h"
#include "python/program_state.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace gpulint {

/// What is noted of the calls of a running script.
struct ScriptNotes {
  std::vector<SourceSpan> unpacked;  // values that a library is given through ** or *
  TrainedNetworks trained;
  FrozenModels frozen;
  FollowedStep step;
  SkippedCalls skipped;
  bool splits_batches = false;  // the trained network divides each batch among GPUs
  bool has_trainer = false;     // a library's, whose arguments are the keys of a dialect
  SourceSpan backward;          // the last call that others come after
  SourceSpan fitted_at;         // the optimizer of a network that a library's trainer fits
  std::map<std::string_view, Around> around;  // of calls others come after
  TrainingLoop loop;
  CountedRounds rounds;
  FittingTrainers trainers;
  LoadedNetworks loaded;
  SampledData samples;
  std::vector<std::int64_t> unfollowed;  // causes of calls that nobody could follow, each once

  void note_unfollowed(std::int64_t cause) {
    constexpr std::size_t kMost = 64;
    if (cause == 0 || unfollowed.size() >= kMost) return;
    if (std::find(unfollowed.begin(), unfollowed.end(), cause) == unfollowed.end())
      unfollowed.push_back(cause);
  }
};

struct ScriptStart {
  python::ProgramMemory program;
  ScriptRun made;
  ScriptNotes notes;
};

/// Starts of one script. The first run finds out how far they reach, the second keeps what it has
/// come to there, and the others begin with that. Thread-safe.
class ScriptStarts {
 public:
  /// Runs that begin alike.
  enum class Kind : std::uint8_t { follows, counts, notes_reads };

  std::shared_ptr<const ScriptStart> of(Kind kind) const;
  /// The statement of the script before which the start ends; kNoSyntax: nobody knows yet, or it is
  /// kept already.
  python::SyntaxId wanted_at(Kind kind) const;
  void ended_at(Kind kind, python::SyntaxId statement);
  void keep(Kind kind, ScriptStart start);

 private:
  struct Known {
    bool is_met = false;
    python::SyntaxId end = python::kNoSyntax;
    std::shared_ptr<const ScriptStart> start = {};
  };
  Known& known(Kind kind) { return known_.at(static_cast<std::size_t>(kind)); }
  const Known& known(Kind kind) const { return known_.at(static_cast<std::size_t>(kind)); }

  mutable std::mutex mutex_;
  std::array<Known, 3> known_;
};

}  // namespace gpulint

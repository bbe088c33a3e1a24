#pragma once

// One script, run with the config at hand. Internal to this room.

#include "code/read_code.h"
#include "code/seen_facts.h"
#include "python/host.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint {

struct ScriptRun {
  std::vector<SeenFact> seen;
  std::vector<SourceSpan> handed_on;  // mappings of the config that leave the project whole
  std::set<std::string> modules;      // paths
  std::set<std::string> loaded;       // other configs
  std::set<std::string> taken;        // CodeReading::taken
  bool stopped = false;               // it raised for certain
  bool has_empty_option = false;      // an option has an empty text for want of a value
  bool has_switch = false;            // an option is off for want of one
  bool has_training_switch = false;   // one of those turns its training on
  bool makes_optimizer = false;
  bool goes_backward = false;         // something calls `backward()`
  bool loads_config = false;          // the one that is asked about
  /// It names another config, of the folder or of another machine, and no option chooses one.
  bool is_of_sibling = false;
  SourceSpan loaded_at;
  std::vector<CodeRefusal> refusals;  // in the order in which they are met
  /// Sides of conditions nobody can decide on which it reads a key that the config does not have.
  std::vector<std::vector<python::Side>> lacking;
  bool may_leave_keys_unread = false;
  bool takes_little = false;  // of the values that a config in YAML, JSON, TOML or Python states
  std::vector<SourceSpan> explained;  // CodeReading::explained
  KeyReads reads;                     // of this script alone, where they were asked for
  std::optional<FollowedNetwork> followed;
  std::vector<CodeGap> gaps;
  std::vector<std::string> doubts;  // facts that a script may decide which is not seen to train
  std::vector<SeenFact> built;  // of networks it builds, if nobody knows which it trains
  bool truncated = false;   // a limit left something out
  std::uint64_t steps = 0;  // what it took, as the interpreter counts
};

/// An optimizer is made or steps, a trainer is given arguments, or gradients are worked out.
bool trains(const ScriptRun& run);

/// `by_option`: the config takes the place of what the script loads by default. `may_train`: false
/// where the script was not seen to train with a config nobody knows; its networks are followed
/// only if it trains with this one, because that takes most of the time.
ScriptRun run_script(const CodeRequest& request, const Script& script, bool by_option,
                     bool may_train = true);

/// The same with options nobody knows, where they are not given: what it refuses then, it refuses
/// whatever else is said on its command line.
ScriptRun run_script_with_any_options(const CodeRequest& request, const Script& script,
                                      bool by_option);

/// The same, with what it does with the keys: `reads`.
ScriptRun run_script_for_reads(const CodeRequest& request, const Script& script, bool by_option);

/// What the script does with a config nobody knows; found out once.
const ScriptProfile& profile_of(const CodeRequest& request, const Script& script);

}  // namespace gpulint

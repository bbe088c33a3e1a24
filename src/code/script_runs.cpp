// How often a script is run, and under which settings, until it is understood.

#include "code/script_runs.h"

#include <mutex>
#include <utility>

namespace gpulint {

bool trains(const ScriptRun& run) { return run.goes_backward || trains(run.seen); }

ScriptRun run_script(const CodeRequest& request, const Script& script, bool by_option,
                     bool may_train) {
  // Where no command is at hand, a switch may turn the training on: `--train`.
  const auto may_be_off = [&](const ScriptRun& run) {
    return request.arguments == nullptr && run.has_switch && !trains(run);
  };
  if (!may_train) {
    ScriptRun counted = read_script(request, script, {.by_option = by_option, .counts_only = true});
    if (!trains(counted) && !counted.stopped && !may_be_off(counted)) return counted;
  }
  ScriptRun made = read_script(request, script, {.by_option = by_option});
  // Whoever trains with `if args.train: trainer.fit(…)` gives that switch.
  if (made.has_training_switch && !made.makes_optimizer && !made.truncated) {
    ScriptRun other =
        read_script(request, script, {.by_option = by_option, .turns_training_on = true});
    if (trains(other) && other.makes_optimizer && !other.stopped) return other;
  }
  if (made.truncated || (!made.stopped && !may_be_off(made))) return made;
  // It refuses to start without options that somebody gives it: those without a value, mostly.
  if (made.has_empty_option) {
    ScriptRun given = read_script(request, script, {.by_option = by_option, .opens_empty = true});
    if (trains(given) && !given.stopped) return given;
  }
  if (trains(made)) return made;
  ScriptRun other = read_script(request, script, {.by_option = by_option, .opens_switches = true});
  if (trains(other) || !made.stopped || request.arguments != nullptr)
    return trains(other) ? std::move(other) : std::move(made);
  // `if args.name == "model": raise ValueError("enter a name")`: it refuses its own default.
  ScriptRun named = read_script(request, script, {.by_option = by_option, .opens_texts = true});
  return trains(named) && !named.stopped ? std::move(named) : std::move(made);
}

ScriptRun run_script_with_any_options(const CodeRequest& request, const Script& script,
                                      bool by_option) {
  return read_script(request, script, {.by_option = by_option, .knows_options = false});
}

ScriptRun run_script_for_reads(const CodeRequest& request, const Script& script, bool by_option) {
  const ScriptSetting setting{.by_option = by_option, .knows_options = false, .notes_reads = true};
  return read_script(request, script, setting);
}

const ScriptProfile& profile_of(const CodeRequest& request, const Script& script) {
  ScriptProfile& profile = *script.profile;
  std::call_once(profile.once, [&] {
    ScriptSetting setting{.by_option = true, .looks_only = true};
    ScriptHabits habits = habits_of(request, script, setting);
    setting.opens_switches = true;
    const bool is_off = habits.has_switch && !trains(habits.seen);
    if (!habits.asks_for_config && (habits.stopped || is_off)) {
      ScriptHabits opened = habits_of(request, script, setting);
      if (habits.stopped || trains(opened.seen)) habits = std::move(opened);
    }
    profile.loads = habits.asks_for_config;
    profile.loads_several = habits.asks_again;
    profile.trains = trains(habits.seen);
  });
  return profile;
}

}  // namespace gpulint

#include "code/read_code.h"

#include "base/text.h"
#include "code/absences.h"
#include "code/code_refusals.h"
#include "code/key_reads.h"
#include "code/script_choice.h"
#include "code/script_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostReaders = 3;  // scripts that are asked about one config
constexpr std::size_t kMostGuesses = 6;  // scripts near a config that do not name it, but load one
constexpr std::size_t kMostLooks = 24;   // those that are looked at for it
constexpr std::size_t kFewValues = 4;  // a script that takes fewer may be meant for another config

/// Of a script that only lies near: a config of its own has keys that it looks for, or names the
/// network that it trains.
bool takes_keys(const std::vector<CodeFact>& facts, const Document& config) {
  return std::any_of(facts.begin(), facts.end(), [&](const CodeFact& fact) {
    if (fact.from_config) return true;
    const std::string_view call = fact.taken_by;
    const std::string_view network = call.substr(0, call.find('('));
    return fact.fact == "parameters" && !network.empty() && has_word(config.text(), network);
  });
}

/// Keys that the config does not have, at places that are reached for certain.
std::ptrdiff_t lacking_keys(const ScriptRun& run) {
  return std::count_if(run.refusals.begin(), run.refusals.end(), [](const CodeRefusal& each) {
    return each.how == python::Refusal::How::lacks;
  });
}

bool is_likely(const Candidate& candidate) { return candidate.takes_config || candidate.is_train; }

/// How many values of the config the facts are taken from. Any script that uses a device reads it.
std::size_t values_taken(const std::vector<CodeFact>& facts) {
  constexpr std::string_view kDevice = "accelerator";
  std::set<std::uint64_t> places;
  for (const CodeFact& fact : facts) {
    if (fact.known && fact.from_config && fact.fact != kDevice)
      places.insert((std::uint64_t{fact.span.file} << 32U) | fact.span.begin);
  }
  return places.size();
}

/// Of several scripts that may be meant, another may train another network.
void doubt_networks(std::vector<CodeFact>& facts) {
  std::erase_if(facts, [](const CodeFact& fact) {
    return fact.fact == "network" && !fact.from_config;
  });
  for (CodeFact& fact : facts) {
    if (fact.fact != "parameters" && fact.fact != "trainable_parameters") continue;
    if (!fact.at_least) fact.source += "; another script may train this config";
    fact.at_least = true;
  }
}

/// The innermost folder around the config and what the script imports.
void note_scope(const CodeRequest& request, const ScriptRun& script, CodeReading& reading) {
  reading.handed_on.insert(reading.handed_on.end(), script.handed_on.begin(),
                           script.handed_on.end());
  std::string around = reading.scripts.size() > 1 ? reading.scope + "/" : request.path;
  around.resize(common_folder(around, around));
  for (const std::string& path : script.modules) {
    around.resize(common_folder(around, path));
    reading.modules.push_back(path);
  }
  if (!around.empty()) around.pop_back();
  reading.scope = std::move(around);
}

/// Facts that nobody may assume, as code may decide them that was not followed to its end.
std::vector<CodeFact> doubtful(const std::vector<std::string>& names) {
  std::vector<CodeFact> facts;
  for (const std::string& name : names) {
    CodeFact& fact = facts.emplace_back();
    fact.fact = name;
    fact.fills = true;
    fact.known = false;
  }
  return facts;
}

/// Adds what the files of a program have no word of, where its run says nothing of it.
void add_without_words(const CodeRequest& request, const std::string& program,
                       std::vector<CodeFact>& facts) {
  std::vector<CodeFact> more = facts_without_words(request, program);
  std::erase_if(more, [&](const CodeFact& fact) {
    return std::any_of(facts.begin(), facts.end(),
                       [&](const CodeFact& each) { return each.fact == fact.fact; });
  });
  std::move(more.begin(), more.end(), std::back_inserter(facts));
}

/// What a script that trains has said.
std::vector<CodeFact> stated_by(ScriptRun& run) {
  std::vector<SeenFact> all = std::move(run.seen);
  std::move(run.built.begin(), run.built.end(), std::back_inserter(all));
  return agreed(std::move(all));
}

/// What is left of a script that was not seen to train: nobody may assume what it may decide, and
/// what it builds is the least that it trains.
std::vector<CodeFact> left_of(ScriptRun& run) {
  std::vector<CodeFact> facts = doubtful(run.doubts);
  std::vector<CodeFact> built = agreed(std::move(run.built));
  std::move(built.begin(), built.end(), std::back_inserter(facts));
  return facts;
}

/// The script a command starts, whatever config it loads.
CodeReading read_script(const CodeRequest& request) {
  CodeReading reading;
  Script script;
  script.path = request.script;
  ScriptRun run = run_script(request, script, request.script != request.path);
  reading.gaps = std::move(run.gaps);
  if (!trains(run)) {
    reading.facts = left_of(run);
    add_without_words(request, request.script, reading.facts);
    return reading;
  }
  reading.scripts.push_back(request.script);
  reading.loads.push_back({request.script, run.loaded_at});
  reading.taken = run.taken;
  reading.loaded.assign(run.loaded.begin(), run.loaded.end());
  note_scope(request, run, reading);
  reading.truncated = run.truncated;
  reading.steps = run.steps;
  reading.facts = stated_by(run);
  if (run.truncated) add_without_words(request, request.script, reading.facts);
  reading.followed = std::move(run.followed);
  if (!run.refusals.empty()) {
    run = run_script_with_any_options(request, script, request.script != request.path);
    reading.refusals = std::move(run.refusals);
  }
  return reading;
}

}  // namespace

std::vector<CodeFact> agreed_by_all(const std::vector<std::vector<CodeFact>>& readings) {
  std::map<std::string, CodeFact> joined;
  for (const std::vector<CodeFact>& reading : readings) {
    for (const CodeFact& fact : reading) {
      const auto [at, is_new] = joined.emplace(fact.dialect + fact.fact, fact);
      if (is_new) continue;
      const bool same =
          at->second.known && fact.known && equals_ignoring_case(at->second.value, fact.value);
      if (!same) at->second.known = false;
      if (same && fact.from_config && !at->second.from_config) at->second = fact;
    }
  }
  std::vector<CodeFact> facts;
  for (auto& [name, fact] : joined) facts.push_back(std::move(fact));
  return facts;
}

CodeReading read_scripts_of(const CodeRequest& request) {
  if (!request.script.empty()) return read_script(request);
  CodeReading reading;
  if (request.code->scripts(request.root).empty()) return reading;
  std::vector<std::vector<CodeFact>> readings;
  bool may_refuse = false;
  bool may_be_unread = true;
  std::size_t asked = 0;
  std::size_t guessed = 0;
  std::size_t looked = 0;
  const bool is_placed = lies_among_configs(request.path, request.code->consumers().scripts());
  const std::vector<Candidate> all = candidates(request);
  const Candidate* first = nullptr;  // of those that say something
  const auto may_train = [&](const Candidate& each) {
    return is_likely(each) &&
           (each.is_train || each.script->trains || profile_of(request, *each.script).trains);
  };
  std::vector<CodeFact> left;  // by a script that loads the config and is not seen to train
  // Others may train the config too; not those of other folders, where one lies around it.
  const auto has_others = [&](const Candidate& own) {
    const bool lies_around = own.depth == 0 && own.near > 0;
    return std::count_if(all.begin(), all.end(), [&](const Candidate& each) {
             const bool is_meant = !lies_around || each.depth == 0 || each.near >= own.near;
             return is_meant && may_train(each);
           }) > 1;
  };
  const bool has_named = !all.empty() && all.front().named;
  reading.is_idle = request.program.empty() &&
                    ((!has_named && is_of_idle_program(request)) || is_of_other_entry(request));
  const bool is_of_own = !has_named && request.program.empty() && has_own_program(request);
  for (const Candidate& candidate : all) {
    if (asked >= kMostReaders || reading.is_idle) break;
    if (is_of_own && !is_own_program(request, candidate.script->path)) continue;
    if (!candidate.named && !request.is_recognised && !is_placed) break;
    // One that is only near says nothing more, unless the file holds a run of its own for it.
    const bool is_behind = !candidate.named && first != nullptr;
    const bool is_less_alike = is_behind && first->shares_word && !candidate.shares_word;
    if (is_behind && (first->named || candidate.near < first->near || is_less_alike)) break;
    if (!candidate.named && ++looked > kMostLooks) break;
    // What the first leaves out another may take: then it is the one that is meant.
    const bool is_rival =
        is_behind && !takes_other_section(*request.document, *candidate.script, *first->script);
    if (is_rival && (!is_likely(candidate) || values_taken(readings.front()) >= kFewValues))
      continue;
    if (!candidate.named && has_configs_elsewhere(request, *candidate.script)) continue;
    const ScriptProfile& profile = profile_of(request, *candidate.script);
    if (!profile.loads) continue;
    if (!candidate.named && ++guessed > kMostGuesses) break;
    ++asked;
    ScriptRun script;
    const bool trains_any = profile.trains;
    if (candidate.named) script = run_script(request, *candidate.script, false, trains_any);
    if (!script.loads_config) script = run_script(request, *candidate.script, true, trains_any);
    // One that asks whether it has arguments may load its config only if it has none.
    if (!candidate.named && !script.loads_config)
      script = run_script(request, *candidate.script, false, trains_any);
    // What one builds that may not be meant is not surely there.
    if (!candidate.named && has_others(candidate)) script.built.clear();
    const std::ptrdiff_t lacking = script.loads_config ? lacking_keys(script) : 0;
    // One may be forgotten. A protocol names programs that never load it.
    const bool misses_many = (!candidate.named || candidate.is_said) && lacking > 1;
    may_refuse = may_refuse ||
                 (script.loads_config && !script.refusals.empty() && !misses_many);
    if (!script.loads_config || !trains(script)) {
      if (readings.empty() && reading.gaps.empty()) reading.gaps = std::move(script.gaps);
      if (!trains_any && !candidate.is_train) script.built.clear();
      if (script.loads_config && left.empty()) left = left_of(script);
      continue;
    }
    // It names a file beside this one, and another module names this one.
    if (script.is_of_sibling && !candidate.named &&
        request.code->mentions_file(request.root, file_name(request.path)))
      continue;
    std::vector<CodeFact> facts = stated_by(script);
    const bool may_be_anothers = request.is_of_framework || lacking > 0;
    if (may_be_anothers && !candidate.named && !takes_keys(facts, *request.document)) continue;
    if (!candidate.named && script.takes_little) continue;
    if (is_rival) {
      if (values_taken(facts) <= values_taken(readings.front())) continue;
      first = nullptr;
      readings.clear();
      reading = {};
      may_be_unread = true;
    }
    if (!candidate.named && has_others(candidate)) doubt_networks(facts);
    if (first == nullptr) first = &candidate;
    may_be_unread = may_be_unread && script.may_leave_keys_unread && !misses_many;
    reading.is_of_sibling = reading.is_of_sibling || script.is_of_sibling;
    reading.scripts.push_back(candidate.script->path);
    reading.loads.push_back({candidate.script->path, script.loaded_at});
    note_scope(request, script, reading);
    reading.loaded.insert(reading.loaded.end(), script.loaded.begin(), script.loaded.end());
    reading.truncated = reading.truncated || script.truncated;
    reading.steps += script.steps;
    reading.explained.insert(reading.explained.end(), script.explained.begin(),
                             script.explained.end());
    if (readings.empty()) {
      reading.followed = std::move(script.followed);
      reading.gaps = std::move(script.gaps);
      if (reading.followed && !candidate.named && has_others(candidate))
        reading.followed->missing.emplace_back("what another script may train");
    } else if (reading.followed &&
               (!script.followed || script.followed->text != reading.followed->text)) {
      reading.followed.reset();
    }
    readings.push_back(std::move(facts));
  }
  if (readings.empty() && reading.gaps.empty())
    reading.gaps.push_back({"parameters", "a program of the project that trains by this file"});
  reading.facts = readings.empty() ? std::move(left) : agreed_by_all(readings);
  const bool is_own = request.is_recognised && !request.is_of_framework && !reading.is_idle;
  if (is_own && (readings.empty() || reading.truncated))
    add_without_words(request, reading.scripts.empty() ? request.program : reading.scripts.front(),
                      reading.facts);
  if (may_refuse) reading.refusals = refusals_of(request, all);
  if (may_be_unread && !readings.empty() && !reading.truncated) {
    reading.reads = key_reads(request, all);
  }
  reading.by_script = std::move(readings);
  return reading;
}

}  // namespace gpulint

#include "code/code_refusals.h"

#include "base/text.h"
#include "code/script_reader.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::size_t kMostMeant = 10;  // of more scripts nobody knows which is meant

/// The one script whose own text has most of the keys, well before any other; nullptr: none.
const Candidate* script_of_keys(const CodeRequest& request, const std::vector<Candidate>& all) {
  constexpr double kMost = 0.8;
  constexpr double kLead = 0.1;
  constexpr std::size_t kFewest = 8;  // keys that tell a script
  const std::vector<std::string_view> keys = top_keys(*request.document);
  if (keys.size() < kFewest) return nullptr;
  const Candidate* best = nullptr;
  double share = 0;
  double second = 0;
  for (const Candidate& each : all) {
    if (!each.script->trains) continue;
    const auto has = std::count_if(keys.begin(), keys.end(), [&](std::string_view key) {
      return has_word(each.script->text, key);
    });
    const double own = static_cast<double>(has) / static_cast<double>(keys.size());
    second = std::max(second, std::min(own, share));
    if (own > share) {
      share = own;
      best = &each;
    }
  }
  return share >= kMost && share >= second + kLead ? best : nullptr;
}

/// The scripts a config may be for: the one that has its keys, and those that name it, else those
/// that take one and lie nearest to it.
std::vector<const Candidate*> meant_scripts(const CodeRequest& request,
                                            const std::vector<Candidate>& all) {
  std::vector<const Candidate*> meant;
  const Candidate* likeliest = script_of_keys(request, all);
  const bool is_known = likeliest != nullptr || !request.is_of_framework;
  for (const Candidate& each : all) {  // those that name it come first, then the nearest
    // One that names it and loads it in a way nobody sees is meant, not those around.
    if (!each.named && all.front().named) break;
    const bool is_behind =
        !meant.empty() && (meant.front()->named || each.near < meant.front()->near);
    if (!each.named && (is_behind || !is_known)) break;
    const ScriptProfile& profile = profile_of(request, *each.script);
    // Which loop it comes to may be for the config to say: such a script is asked when it has run.
    if (profile.loads && (profile.trains || each.is_train || each.named)) meant.push_back(&each);
  }
  if (likeliest != nullptr) {
    std::erase(meant, likeliest);
    meant.insert(meant.begin(), likeliest);
  }
  return meant;
}

/// A script is asked about a config that it does not load by itself where configs lie, or beside
/// it.
bool lies_for(const CodeRequest& request, const Candidate& candidate) {
  const std::string folder(parent_path(request.path));
  return names_config_place(folder, request.code->consumers().scripts()) ||
         parent_path(candidate.script->path).starts_with(folder);
}

/// `configs/eval/a.yaml` and `eval.py`: the same word tells what they are for.
bool share_a_job(const std::string& config, std::string_view script, const ScriptMarks& marks) {
  return std::any_of(marks.other_names.begin(), marks.other_names.end(), [&](const auto& word) {
    return script.find(word) != script.npos && config.find(word) != config.npos;
  });
}

/// A script that evaluates or samples, and is named like the config or names it, takes it as it
/// stands.
bool is_for_another_job(const CodeRequest& request) {
  const ScriptMarks& marks = request.code->consumers().scripts();
  const std::string config = to_lower(request.path);
  std::size_t asked = 0;
  for (const Script& script : request.code->other_scripts(request.root)) {
    const bool is_named = script.text.find(file_name(request.path)) != std::string::npos;
    if (!is_named && !share_a_job(config, to_lower(file_name(script.path)), marks)) continue;
    if (!profile_of(request, script).loads) continue;
    if (asked++ >= kMostMeant) return true;  // one of so many may
    const ScriptRun run = run_script_with_any_options(request, script, true);
    if (run.loads_config && run.refusals.empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<CodeRefusal> refusals_of(const CodeRequest& request,
                                     const std::vector<Candidate>& all) {
  std::vector<CodeRefusal> found;
  if (lies_elsewhere(request.path, request.code->consumers().scripts())) return found;
  const std::vector<const Candidate*> meant = meant_scripts(request, all);
  if (meant.size() > kMostMeant) return found;
  for (const Candidate* each : meant) {
    ScriptRun run;
    if (each->named) run = run_script_with_any_options(request, *each->script, false);
    const bool is_own = run.loads_config || each->script->path == request.program;
    if (!run.loads_config) run = run_script_with_any_options(request, *each->script, true);
    if (!run.loads_config || (!is_own && !lies_for(request, *each))) continue;
    if (!each->named && run.takes_little) continue;
    const bool is_for_training =
        each->is_train || profile_of(request, *each->script).trains || trains(run.seen);
    if (!is_for_training) continue;
    if (run.refusals.empty()) return {};
    if (found.empty()) found = std::move(run.refusals);
  }
  if (found.empty() || !request.program.empty()) return found;
  const bool is_own = std::any_of(meant.begin(), meant.end(), [&](const Candidate* each) {
    return is_own_program(request, each->script->path);
  });
  // One missing key is a slip. With more, a config that no program names is another one's.
  const bool is_named = !meant.empty() && meant.front()->named && !meant.front()->is_said;
  const auto lacking = std::count_if(found.begin(), found.end(), [](const CodeRefusal& each) {
    return each.how == python::Refusal::How::lacks;
  });
  if (!is_own && !is_named && lacking > 1) return {};
  if ((!is_own && has_own_program(request)) || is_for_another_job(request)) return {};
  return found;
}

}  // namespace gpulint

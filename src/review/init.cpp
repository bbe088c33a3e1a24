#include "review/init.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "lint/lint.h"
#include "plan/fact_table.h"
#include "plan/key_index.h"
#include "plan/plan.h"
#include "review/init_code.h"
#include "review/init_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace gpulint {
namespace {

constexpr int kMostLevels = 6;           // of sections around a key
constexpr std::size_t kMostKeys = 2000;  // looked at per file: a config has tens
constexpr std::size_t kShownValue = 24;  // characters of an example

struct Survey {
  const SessionView& session;
  const InitRequest& request;
  std::map<std::string, std::int64_t> dialects = {};
  std::set<std::string> in_house = {};  // paths of configs of no framework
  std::map<std::pair<std::string, std::string>, KeyProposal> keys = {};  // fact, key
  std::set<std::string> bare = {};  // paths of configs that a script may load
  /// Of the dialects that read bare keys: key in lower case -> the fact it states.
  std::map<std::string, std::string> known_keys = {};
  std::set<std::string> known_sections = {};  // in which they count

  void learn_known_keys() {
    for (const Dialect& dialect : session.catalog().dialects()) {
      if (dialect.leaf_sections.empty()) continue;
      for (const KeyMapping& key : dialect.mapping->keys.all())
        known_keys.emplace(to_lower(key.path), key.fact);
      for (const std::string& section : dialect.leaf_sections) {
        known_sections.insert(to_lower(section));
      }
    }
  }

  void look_at(const std::string& path) {
    const auto text = session.files().read(path, request.limits.max_bytes);
    if (!text) return;
    const auto document = session.parsed().read(path, *text, 0, request.limits);
    if (!document) return;
    const std::vector<Dialect>& known = session.catalog().dialects();
    Recognition found = recognise(*document, known);
    if (found.dialect != nullptr && found.dialect->leaf_sections.empty()) {
      ++dialects[found.dialect->id];
      return;
    }
    if (found.dialect == nullptr && found.reason != "no training keys") return;
    if (document->format() != Format::python) bare.insert(path);
    std::vector<Plan> plans;
    if (found.dialect != nullptr) {
      plans = make_plans({.document = &*document, .recognition = std::move(found)});
    }
    if (guess_keys(*document, plans) || !plans.empty()) in_house.insert(path);
  }

  /// True when some key looks like a setting.
  bool guess_keys(const Document& document, const std::vector<Plan>& plans) {
    std::size_t budget = kMostKeys;
    std::map<std::string, std::pair<std::string, std::string>> best;  // fact -> key, value
    walk(document, document.resolve(document.root()), "", 0, budget, [&](auto key, auto value) {
      const std::string fact(guess_fact(key, value));
      if (fact.empty() || known_fact(key) != nullptr || states(plans, fact)) return;
      best.emplace(fact, std::pair(key, value));  // the first of a file counts
    });
    if (best.size() < 2 && plans.empty()) return false;
    for (auto& [fact, found] : best) {
      KeyProposal& proposal = keys[{fact, found.first}];
      if (proposal.files++ > 0) continue;
      proposal.key = found.first;
      proposal.fact = fact;
      proposal.value = found.second.substr(0, kShownValue);
      proposal.path = std::string(document.path());
    }
    return true;
  }

  /// The fact of a key our own dialect for in-house configs reads already, at the top or in a known
  /// section; nullptr for any other.
  const std::string* known_fact(const std::string& path) const {
    const std::string lower = to_lower(path);
    const std::size_t dot = lower.rfind('.');
    auto known = known_keys.find(lower);
    if (known == known_keys.end() && dot != std::string::npos &&
        known_sections.count(lower.substr(0, dot)) != 0) {
      known = known_keys.find(lower.substr(dot + 1));
    }
    return known == known_keys.end() ? nullptr : &known->second;
  }

  /// Without the keys whose likeliest fact is read anyway.
  std::vector<CodeKey> unread_keys(std::vector<CodeKey> all) const {
    std::vector<CodeKey> unread;
    for (auto first = all.begin(); first != all.end();) {
      const auto end = std::find_if(first, all.end(),
                                    [&](const CodeKey& each) { return each.key != first->key; });
      const std::string* known = known_fact(first->key);
      if (known == nullptr || *known != first->fact) {
        unread.insert(unread.end(), std::make_move_iterator(first), std::make_move_iterator(end));
      }
      first = end;
    }
    return unread;
  }

  static bool states(const std::vector<Plan>& plans, const std::string& fact) {
    const FactRow* row = find_fact(fact);
    return std::any_of(plans.begin(), plans.end(), [&](const Plan& plan) {
      const Provenance* from = provenance_of(plan.facts, *row);
      return from != nullptr && from->origin == Origin::stated;
    });
  }

  template <class Visit>
  static void walk(const Document& document, NodeId mapping, const std::string& prefix, int level,
                   std::size_t& budget, const Visit& visit) {
    if (mapping == kNoNode || document.kind(mapping) != NodeKind::mapping) return;
    for (const Member& member : document.members(mapping)) {
      if (budget == 0 || member.value == kNoNode) return;
      --budget;
      const std::string name(document.scalar(document.resolve(member.key)));
      if (name.empty() || name.find('.') != std::string::npos) continue;
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      if (document.kind(member.value) == NodeKind::scalar) {
        visit(path, std::string(document.scalar(member.value)));
      } else if (level < kMostLevels) {
        walk(document, member.value, path, level + 1, budget, visit);
      }
    }
  }
};

/// A key as YAML writes it without a doubt.
std::string as_yaml_key(const std::string& key) {
  const bool plain = key.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_.-") == std::string::npos &&
                     !key.starts_with('-') && !(key[0] >= '0' && key[0] <= '9');
  if (plain) return key;
  std::string quoted = "\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string what_was_found(const InitProposal& proposal) {
  std::string text;
  for (const auto& [dialect, files] : proposal.dialects) {
    text += fmt::format("#   {:<14} {}\n", counted(files, "config"), dialect);
  }
  if (proposal.in_house > 0) {
    text += fmt::format("#   {:<14} no framework gpulint knows\n",
                        counted(proposal.in_house, "config"));
  }
  return text.empty() ? "#   no training config\n" : text;
}

/// Keys and facts that the lines written so far speak for.
struct Spoken {
  std::set<std::string_view> facts = {};
  std::set<std::string_view> keys = {};
};

/// Each with its evidence above it. A key is proposed once; what is worked out of it, and what it
/// means elsewhere, is left to the code, which gpulint reads anyway.
std::string code_key_lines(const InitProposal& proposal, Spoken& spoken) {
  std::string text;
  for (const CodeKey& each : proposal.code_keys) {
    const bool proposed = !each.computed && spoken.keys.insert(each.key).second;
    if (proposed) spoken.facts.insert(each.fact);
    text += fmt::format("  # {}\n", escape_for_display(each.evidence));
    text += fmt::format("  {}{}: {}{}\n", proposed ? "" : "# ",
                        as_yaml_key(escape_for_display(each.key)), each.fact,
                        each.computed ? "  # worked out on the way" : "");
  }
  return text;
}

std::string key_lines(const InitProposal& proposal, Spoken& spoken) {
  std::string text;
  for (const KeyProposal& each : proposal.keys) {
    // The most frequent key of a fact is proposed; the others are left to whoever knows them.
    const bool proposed = spoken.facts.count(each.fact) == 0 && spoken.keys.insert(each.key).second;
    if (proposed) spoken.facts.insert(each.fact);
    const char* comment = proposed ? "" : "# ";
    const std::string line =
        fmt::format("  {}{}: {}", comment, as_yaml_key(escape_for_display(each.key)), each.fact);
    text += fmt::format("{:<48}  # in {}, as in {}: {}\n", line, counted(each.files, "file"),
                        escape_for_display(each.path), escape_for_display(each.value));
  }
  return text;
}

std::string keys_text(const InitProposal& proposal) {
  if (proposal.keys.empty() && proposal.code_keys.empty()) {
    return "# Keys of your own that gpulint does not know, each with the fact it states\n"
           "# (`gpulint list facts`):\n"
           "# keys:\n"
           "#   optim.step_size: learning_rate\n";
  }
  Spoken spoken;
  std::string code = code_key_lines(proposal, spoken);
  const bool proposes = !spoken.keys.empty();
  std::string guessed = key_lines(proposal, spoken);
  std::string text;
  if (!code.empty()) {
    text +=
        "# Keys of your own that your code explains: what loads the config, and the call that\n"
        "# takes the value.\n";
  }
  if (!proposes && guessed.empty()) return text + code;
  text += code.empty() ? "" : "keys:\n" + code;
  if (guessed.empty()) return text;
  text +=
      "# Keys of your own that look like training settings. Keep the lines that are right: a\n"
      "# wrong line makes wrong findings.\n";
  return text + (code.empty() ? "keys:\n" : "") + guessed;
}

std::string project_text(const InitProposal& proposal) {
  std::string text = fmt::format(
      "# Settings of gpulint for the configs below this folder, proposed by `gpulint init`.\n"
      "# Found:\n{}"
      "# `gpulint config verify` checks this file, `gpulint facts CONFIG` shows what it does.\n\n"
      "# The hardware the configs are meant for. Without it, rules about memory stay silent.\n"
      "# gpu: a100-sxm4-80gb    # an id of `gpulint list gpus`\n"
      "# host: g5.xlarge        # or a whole machine: an id of `gpulint list hosts`\n"
      "# gpus_per_node: 8\n"
      "# nodes: 1\n\n",
      what_was_found(proposal));
  text += keys_text(proposal);
  text +=
      "\n# Files that are not configs of yours, for example what runs write:\n"
      "# exclude: [outputs/**, wandb/**]\n";
  return text;
}

}  // namespace

InitProposal propose_project(const SessionView& session, const InitRequest& request) {
  InitProposal proposal;
  Survey survey{.session = session, .request = request};
  survey.learn_known_keys();
  for (const DiscoveredFile& file : discover(session.files(), request.paths, proposal.errors)) {
    survey.look_at(file.path);
  }
  proposal.dialects.assign(survey.dialects.begin(), survey.dialects.end());
  std::stable_sort(proposal.dialects.begin(), proposal.dialects.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  CodeSurvey code = survey_code(session, request, survey.bare);
  survey.in_house.merge(code.configs);
  proposal.in_house = std::ssize(survey.in_house);
  for (auto& [key, each] : survey.keys) proposal.keys.push_back(std::move(each));
  std::sort(proposal.keys.begin(), proposal.keys.end(),
            [](const KeyProposal& a, const KeyProposal& b) {
              return std::tie(a.fact, b.files, a.key) < std::tie(b.fact, a.files, b.key);
            });
  proposal.code_keys = survey.unread_keys(std::move(code.keys));
  proposal.text = project_text(proposal);
  return proposal;
}

}  // namespace gpulint

#include "review/init.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "lint/lint.h"
#include "plan/fact_table.h"
#include "plan/key_index.h"
#include "plan/plan.h"
#include "review/init_guess.h"

#include <fmt/format.h>

#include <algorithm>
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
  std::int64_t in_house = 0;
  std::map<std::pair<std::string, std::string>, KeyProposal> keys = {};  // fact, key
  std::set<std::string> known_keys = {};      // of the dialects that read bare keys, lower case
  std::set<std::string> known_sections = {};  // in which they count

  void learn_known_keys() {
    for (const Dialect& dialect : session.catalog().dialects()) {
      if (dialect.leaf_sections.empty()) continue;
      for (const KeyMapping& key : dialect.mapping->keys) known_keys.insert(to_lower(key.path));
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
    std::vector<Plan> plans;
    if (found.dialect != nullptr) {
      plans = make_plans({.document = &*document, .recognition = std::move(found)});
    }
    if (guess_keys(*document, plans) || !plans.empty()) ++in_house;
  }

  /// True when some key looks like a setting.
  bool guess_keys(const Document& document, const std::vector<Plan>& plans) {
    std::size_t budget = kMostKeys;
    std::map<std::string, std::pair<std::string, std::string>> best;  // fact -> key, value
    walk(document, document.resolve(document.root()), "", 0, budget, [&](auto key, auto value) {
      const std::string fact(guess_fact(key, value));
      if (fact.empty() || is_known(key) || states(plans, fact)) return;
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

  /// A key our own dialect for in-house configs reads already, at the top or in a known section.
  bool is_known(const std::string& path) const {
    const std::string lower = to_lower(path);
    const std::size_t dot = lower.rfind('.');
    if (known_keys.count(lower) != 0 || dot == std::string::npos)
      return known_keys.count(lower) != 0;
    return known_sections.count(lower.substr(0, dot)) != 0 &&
           known_keys.count(lower.substr(dot + 1)) != 0;
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

std::string key_lines(const InitProposal& proposal) {
  std::string text;
  std::set<std::string_view> taken;
  std::set<std::string_view> used;
  for (const KeyProposal& each : proposal.keys) {
    // The most frequent key of a fact is proposed; the others are left to whoever knows them.
    const bool proposed = taken.count(each.fact) == 0 && used.insert(each.key).second;
    if (proposed) taken.insert(each.fact);
    const char* comment = proposed ? "" : "# ";
    const std::string line =
        fmt::format("  {}{}: {}", comment, as_yaml_key(escape_for_display(each.key)), each.fact);
    text += fmt::format("{:<48}  # in {}, as in {}: {}\n", line, counted(each.files, "file"),
                        escape_for_display(each.path), escape_for_display(each.value));
  }
  return text;
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
  if (proposal.keys.empty()) {
    text +=
        "# Keys of your own that gpulint does not know, each with the fact it states\n"
        "# (`gpulint list facts`):\n"
        "# keys:\n"
        "#   optim.step_size: learning_rate\n";
  } else {
    text +=
        "# Keys of your own that look like training settings. Keep the lines that are right: a\n"
        "# wrong line makes wrong findings.\n"
        "keys:\n" +
        key_lines(proposal);
  }
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
  proposal.in_house = survey.in_house;
  for (auto& [key, each] : survey.keys) proposal.keys.push_back(std::move(each));
  std::sort(proposal.keys.begin(), proposal.keys.end(),
            [](const KeyProposal& a, const KeyProposal& b) {
              return std::tie(a.fact, b.files, a.key) < std::tie(b.fact, a.files, b.key);
            });
  proposal.text = project_text(proposal);
  return proposal;
}

}  // namespace gpulint

#pragma once

#include "base/result.h"
#include "catalog/dialect.h"
#include "catalog/project.h"
#include "plan/training_plan.h"
#include "source/document.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// Which dialect a document is written in.
struct Recognition {
  const Dialect* dialect = nullptr;  // nullptr: not a training config
  std::string section = {};          // root under which its keys lie; "" = top level
  bool foreign = false;              // it is the file of another tool
  std::string reason = {};  // why it is none: "no training keys", "a docker-compose file", …
  std::span<const Dialect> dialects = {};  // all of them (shared value maps), borrowed
  std::string role = {};  // of a training config that nobody trains with: "a test fixture", …
  std::span<const std::string> judged_by = {};  // families of rules that such a file is judged by
};
/// One walk over the keys, then hashed lookups: made to run on every YAML and JSON file of a
/// repository. Keys of a dialect are compared ignoring case and '-' against '_'.
Recognition recognise(const Document& document, std::span<const Dialect> dialects,
                      std::span<const KeyMapping> in_house_keys = {});

class KeyIndex;
/// The same over keys that are indexed already; `path`: of the file below its project's root, by
/// default the document's.
Recognition recognise(const KeyIndex& keys, std::span<const Dialect> dialects,
                      std::span<const KeyMapping> in_house_keys = {}, std::string_view path = {});

/// What the path of a script says of the runs it starts, where their configs say nothing: the role
/// of a test, say.
void take_role_of(std::string_view path, std::span<const Dialect> dialects,
                  Recognition& recognition);

/// Cheap look at text that could not be parsed or is over a limit: does it hold two or more
/// recognition keys?
bool looks_like_training_config(std::string_view text, std::span<const Dialect> dialects);

/// A file of a run and what it says there; the strongest comes first.
struct RunSource {
  std::string path;
  std::string role;  // "flags, which win", "config", "base", "deepspeed, decides …"
  friend bool operator==(const RunSource&, const RunSource&) = default;
};

class Run;

struct PlanRequest {
  const Document* document = nullptr;
  Recognition recognition = {};
  const Run* run = nullptr;          // plan/run.h; then `document` and `recognition` are the run's
  const Catalog* catalog = nullptr;  // describes what facts name; nullptr: nothing is described
  std::span<const KeyMapping> in_house_keys = {};  // `.gpulint.yaml` keys
  /// Facts of `.gpulint.yaml`: they fill what the config leaves unknown.
  std::span<const std::pair<std::string, std::pair<std::string, SourceSpan>>> project_facts = {};
  /// Facts of the command line: they win over the config, which is how a user asks "what if".
  std::span<const std::pair<std::string, std::string>> overruling_facts = {};
  /// Also observe the keys that nobody understood, and keep how the code takes the others.
  bool explains = false;
};

// Observation lists a rule may walk with `for_each` (fields not named stay empty):
//   duplicate_keys        span: the key that loses, other: the key that wins, value: the lost
//   value,
//                         detail: the value that counts, fact: what the key states
//   string_numbers        span: a number PyYAML reads as a string ("2e-5"), fact, detail:
//                         "read by PyYAML" or "loader unknown"
//   bad_values            span: a number no run can have, fact, detail: "expected …"
//   unread_values         span: a value of a key that `.gpulint.yaml` explains, which cannot be
//                         read, name, value, fact, detail: why not
//   refused_keys          span: a key that what the config chose does not take, name, value: the
//                         choice, detail: the code that refuses it
//   contradicted_comments span: a value whose comment says something else of it, name, value, fact
//   unread_keys           span: a key that no fact came from, name: its dotted path, value; only
//                         where they are asked for
//   keys_without_reader   span: a value that no code of the project reads, so that it states
//                         nothing, name: its key, value, fact: what it would state
//   refused_values        span: a number that the framework refuses, fact, detail: the code that
//                         refuses it
//   conflicting_keys      span: second key for one fact with another value, other: the first key,
//                         fact (left unknown), detail: what the first says
//   scaled_learning_rate  span: a key by which the training code scales the rate, detail: linear or
//                         sqrt
//   misspelt_keys         span: a key one slip away from `detail`, which the framework reads
//   outdated_keys         span: a key that none of the releases the project allows takes, name,
//                         value: the releases that take it, detail: what the project asks for
//   vanishing_keys        the same where an older one that it allows takes the key
//   shifted_defaults      span: the mapping that leaves a key out whose default differs between the
//                         releases that the project allows, name: the key, value: the defaults,
//                         detail: what the project asks for, fact
//   unknown_keys, mixed_releases  span: a key no release takes, or none together with other; name,
//                         value: what refuses it or the releases that take it, fact, detail
//   auto_values           span: "auto" in a file that another one names, name: its key, fact
//   not_strict_json       span, detail: what is not JSON
//   limits                span, detail: which limit was reached and what was left out
//   unread_references     span: the name of a file the run refers to, name: the key, value: the
//                         name, detail: "no such file" (beside the config, where its framework
//                         looks for it), "it includes itself: …", "it lies outside the project",
//                         "not found in the project", …
//   broken_aliases        span, detail: alias or merge key that leads nowhere
// Those about the text itself come with the first plan of a file.

/// Facts of each phase (usually one): key map, value forms, references, dialect defaults, then what
/// follows from them (derive.cpp: global batch, world size, mixed precision from its switches,
/// batch bytes, …).
std::vector<Plan> make_plans(const PlanRequest& request);

/// Checks what a dialect file says against the names this room owns: facts, transforms, value maps,
/// and that every canonical value fits its fact. The Error lists all mistakes. `catalog`: where the
/// words of facts have to be described; nullptr: any word will do.
Result<void> check_dialect(const Dialect& dialect, std::span<const Dialect> all,
                           const Catalog* catalog = nullptr);
/// The same of one key of `.gpulint.yaml` whose fact is known; "" = nothing is wrong.
std::string mistake_of(const KeyMapping& key, std::span<const Dialect> all,
                       const Catalog* catalog = nullptr);

}  // namespace gpulint

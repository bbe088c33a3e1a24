#include "plan/run_join.h"

#include "base/text.h"
#include "plan/key_index.h"
#include "plan/run_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpulint {
namespace {

bool lists(const std::vector<std::string>& facts, std::string_view fact) {
  return std::find(facts.begin(), facts.end(), fact) != facts.end();
}

/// Two files of one run state different values, and the framework compares them.
Observation conflict(const FactRow& row, const Mapping& config, const Mapping& companion,
                     const Document& document, bool is_refused) {
  const Provenance& ours = *provenance_of(config.facts, row);
  const Provenance& theirs = *provenance_of(companion.facts, row);
  Observation item;
  item.list = is_refused ? "refused_conflicts" : "conflicting_keys";
  item.fact = std::string(row.name);
  item.span = theirs.span;
  item.pointer = theirs.pointer;
  item.name = theirs.pointer.substr(theirs.pointer.rfind('/') + 1);
  item.value = canonical_text(companion.facts, row);
  item.other = ours.key_span;
  item.detail = fmt::format("{} of {} says {}", ours.pointer, document.path(),
                            canonical_text(config.facts, row));
  return item;
}

void take(Mapping& config, const Mapping& companion, const FactRow& row, std::size_t index) {
  clear_fact(config.facts, row);
  set_fact(config.facts, row, canonical_text(companion.facts, row),
           *provenance_of(companion.facts, row));
  config.states[index] = FactState::set;
}

/// Fewer ranks than a launcher starts on one node: it, or the code, writes over that number.
void forget_smaller_world(const Companion& terms, Mapping& config) {
  const TrainingPlan& facts = config.facts;
  if (!lists(terms.decides, "gpus_per_node") || !facts.world_size || !facts.gpus_per_node) return;
  if (facts.world_size->value >= facts.gpus_per_node->value) return;
  const FactRow& row = *find_fact("world_size");
  clear_fact(config.facts, row);
  config.states[static_cast<std::size_t>(&row - fact_table().data())] = FactState::untouched;
}

}  // namespace

const Dialect* find_dialect(std::span<const Dialect> dialects, std::string_view id) {
  const auto found = std::find_if(dialects.begin(), dialects.end(),
                                  [&](const Dialect& dialect) { return dialect.id == id; });
  return found == dialects.end() ? nullptr : &*found;
}

const Companion* terms_of(const Dialect& dialect, std::string_view companion) {
  const auto found = std::find_if(dialect.companions.begin(), dialect.companions.end(),
                                  [&](const Companion& each) { return each.dialect == companion; });
  return found == dialect.companions.end() ? nullptr : &*found;
}

bool own_key_names(const std::string& path, const Recognition& recognition, const KeyIndex& keys,
                   const ReferencePlace& place) {
  const PathHash section = path_below(kRootPath, recognition.section);
  const Document& document = keys.document();
  const std::vector<Reference>& references = recognition.dialect->references;
  return std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
    const Place key = keys.find(path_below(section, reference.key));
    if (!key.found() || document.kind(key.value) != NodeKind::scalar) return false;
    const std::string name(trim(document.scalar(key.value)));
    return find_around(place.files, place.root, place.from, name).path == path;
  });
}

void yield_to(std::span<const FactState> stated, Mapping& companion) {
  const std::span<const FactRow> table = fact_table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (stated[i] == FactState::untouched) continue;
    clear_fact(companion.facts, table[i]);
    companion.states[i] = FactState::untouched;
  }
}

void join_companion(Mapping& config, Mapping companion, const CompanionDocument& joined,
                    const Document& document) {
  static const Companion kNoTerms;
  const Companion& terms = joined.terms != nullptr ? *joined.terms : kNoTerms;
  const std::span<const FactRow> table = fact_table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const FactRow& row = table[i];
    const bool is_open = companion.states[i] == FactState::blocked;
    if (is_open && joined.launches && config.states[i] == FactState::untouched) {
      config.states[i] = FactState::blocked;
    }
    if (is_open && joined.wins) {
      clear_fact(config.facts, row);  // a flag that nobody can read decides all the same
      config.states[i] = FactState::blocked;
    }
    if (companion.states[i] != FactState::set) continue;
    const std::string theirs = canonical_text(companion.facts, row);
    const bool known = provenance_of(config.facts, row) != nullptr;
    if (!known) {
      const bool may_fill =
          config.states[i] == FactState::untouched || lists(terms.decides, row.name) || joined.wins;
      if (may_fill) take(config, companion, row, i);
      continue;
    }
    const std::string ours = canonical_text(config.facts, row);
    if (ours == theirs) continue;
    const bool wins = joined.wins || lists(terms.decides, row.name) ||
                      (ours == "none" && lists(terms.fills_none, row.name));
    if (wins) {
      take(config, companion, row, i);
    } else if (terms.refuses_conflicts) {
      const bool is_refused = joined.is_compared && lists(terms.compares, row.name);
      config.observations.push_back(conflict(row, config, companion, document, is_refused));
      clear_fact(config.facts, row);
      config.states[i] = FactState::blocked;
    }
  }
  forget_smaller_world(terms, config);
  std::move(companion.observations.begin(), companion.observations.end(),
            std::back_inserter(config.observations));
}

}  // namespace gpulint

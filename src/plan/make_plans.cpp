#include "base/text.h"
#include "catalog/catalog.h"
#include "code/code_base.h"
#include "plan/code_facts.h"
#include "plan/complete.h"
#include "plan/dead_keys.h"
#include "plan/deliberate.h"
#include "plan/derive.h"
#include "plan/divided_batch.h"
#include "plan/fact_table.h"
#include "plan/map_keys.h"
#include "plan/observe.h"
#include "plan/observe_plan.h"
#include "plan/open_weights.h"
#include "plan/phase_code.h"
#include "plan/plan.h"
#include "plan/run.h"
#include "plan/run_join.h"
#include "plan/sections.h"
#include "plan/unread_companions.h"
#include "plan/unread_keys.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace gpulint {

namespace {

// One phase: the name of its section, "" for a file that is one run.
struct Phase {
  std::string_view name;
  Scope scope;
  bool is_whole = false;  // it shares nothing with what lies beside it
};

bool is_training_phase(const TrainingPlan& facts) {
  const int evidence = (facts.per_device_batch_size ? 1 : 0) + (facts.learning_rate ? 1 : 0) +
                       ((facts.epochs || facts.max_steps) ? 1 : 0);
  return evidence >= 2;
}

class PlanMaker {
 public:
  explicit PlanMaker(const PlanRequest& request)
      : request_(request),
        document_(request.run != nullptr ? request.run->document() : *request.document),
        recognition_(request.run != nullptr ? request.run->recognition() : request.recognition),
        dialect_(*recognition_.dialect),
        own_keys_(request.run != nullptr ? nullptr : std::make_unique<KeyIndex>(document_)),
        keys_(request.run != nullptr ? request.run->keys() : *own_keys_) {
    if (request.run != nullptr && request.catalog != nullptr)
      dead_ = read_dead_keys(*request.run, *request.catalog);
    top_ = {document_.resolve(document_.root()), kRootPath, kCommonOrder};
    if (!recognition_.section.empty()) {
      top_.path = path_below(kRootPath, recognition_.section);
      top_.node = keys_.find(top_.path).value;
    }
  }

  std::vector<Plan> make() const {
    std::vector<Plan> plans;
    std::vector<Phase> phases = find_runs();
    if (phases.empty()) phases = find_phases();
    if (phases.size() < 2) {
      plans.push_back(make_one(phases.empty() ? nullptr : &phases.front(), phases));
    } else {
      for (const Phase& phase : phases) {
        plans.push_back(make_one(&phase, phases));
        plans.back().phase = std::string(phase.name);
      }
    }
    const CodeReading no_code;
    const CodeReading& code = request_.run != nullptr ? request_.run->code() : no_code;
    note_deliberate(document_, request_.run, plans);
    note_padded_vocabulary(plans);
    observe_plan({.keys = keys_,
                  .dialect = dialect_,
                  .top = top_,
                  .recognition = recognition_,
                  .catalog = request_.catalog,
                  .run = request_.run,
                  .dead_keys = dead_.observations,
                  .is_partial = is_partial()},
                 plans.front());
    if (request_.explains) {
      if (const auto terms = code_terms(code)) plans.front().code_paths = code_paths(*terms);
      const Run* run = request_.run;
      if (run != nullptr && run->project() != nullptr)
        plans.front().unknown_parts = unknown_parts(code, *run->project());
      std::vector<Observation> unread = unread_keys(document_, dialect_, plans);
      plans.front().observations.insert(plans.front().observations.end(),
                                        std::make_move_iterator(unread.begin()),
                                        std::make_move_iterator(unread.end()));
    }
    if (phases.size() == kMostPhases) {
      plans.front().observations.push_back(
          limit_observation(document_, "64 phases were read; further sections were left out"));
    }
    return plans;
  }

 private:
  static constexpr int kPhaseOrder = 0;
  static constexpr int kCommonOrder = 10;  // behind all sections of a phase
  static constexpr std::size_t kMostPhases = 64;
  static constexpr std::size_t kMostSections = 256;

  MappingRequest mapping_request() const {
    return {&keys_,           &dialect_, recognition_.dialects, request_.in_house_keys, {},
            request_.catalog, {},        dead_.values};
  }

  // The recognised section and those beside it that hold runs of their own; empty when there are
  // none.
  std::vector<Phase> find_runs() const {
    std::vector<Phase> runs;
    if (dialect_.run_sections.empty() || recognition_.section.empty()) return runs;
    const NodeId root = document_.resolve(document_.root());
    runs.push_back({recognition_.section, top_, true});
    for (NodeId child = document_.node(root).first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      if (runs.size() == kMostPhases) break;
      const NodeId value = document_.resolve(child);
      const NodeId key = document_.node(child).key;
      if (key == kNoNode || document_.kind(value) != NodeKind::mapping) continue;
      const std::string_view name = document_.scalar(key);
      const PathHash path = path_below(kRootPath, name);
      if (!is_named(dialect_.run_sections, name) || keys_.find(path).value != value) continue;
      runs.push_back({name, {value, path, kCommonOrder}, true});
    }
    if (runs.size() < 2) runs.clear();
    return runs;
  }

  // Sections named like phases that each hold a run of their own.
  std::vector<Phase> find_phases() const {
    constexpr int kMostCandidates = 256;  // each one is mapped to see whether it trains
    int candidates = 0;
    std::vector<Phase> phases;
    if (dialect_.phase_sections.empty() || top_.node == kNoNode) return phases;
    for (NodeId child = document_.node(top_.node).first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      if (phases.size() == kMostPhases || candidates == kMostCandidates) break;
      const NodeId value = document_.resolve(child);
      const NodeId key = document_.node(child).key;
      if (value == kNoNode || key == kNoNode) continue;
      if (document_.kind(value) != NodeKind::mapping) continue;
      const std::string_view name = document_.scalar(key);
      const PathHash path = path_below(top_.path, name);
      if (keys_.find(path).value != value || !is_named(dialect_.phase_sections, name)) continue;
      ++candidates;
      const Phase phase{name, {value, path, kPhaseOrder}};
      MappingRequest request = mapping_request();
      add_scopes(keys_, dialect_, phase.scope, request.scopes);
      if (is_training_phase(map_keys(request).facts)) phases.push_back(phase);
    }
    return phases;
  }

  static bool is_named(const std::vector<std::string>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return component_matches(pattern, name);
    });
  }

  /// Sections of the phase, then those of the file that belong to no phase.
  void add_sections(const Phase* phase, const std::vector<Phase>& phases,
                    std::vector<Scope>& sections) const {
    if (!has_bare_keys(dialect_)) return;
    if (phase != nullptr) {
      sections = sections_below(keys_, dialect_, phase->scope, {}, kMostSections);
    }
    if (phase != nullptr && phase->is_whole) return;
    std::vector<NodeId> others;
    for (const Phase& each : phases) others.push_back(each.scope.node);
    const std::vector<Scope> common = sections_below(keys_, dialect_, top_, others, kMostSections);
    sections.insert(sections.end(), common.begin(), common.end());
  }

  Plan make_one(const Phase* phase, const std::vector<Phase>& phases) const {
    MappingRequest request = mapping_request();
    if (phase != nullptr) add_scopes(keys_, dialect_, phase->scope, request.scopes);
    const bool is_whole = phase != nullptr && phase->is_whole;
    if (!is_whole) add_scopes(keys_, dialect_, top_, request.scopes);
    add_sections(phase, phases, request.sections);
    const PathHash top = is_whole ? phase->scope.path : top_.path;
    Mapping mapping = map_keys(request);
    const std::vector<std::vector<FactState>> companion_states = join_companions(mapping);
    if (request_.run != nullptr)
      leave_unread_companions_open(request_.run->observations(), recognition_.dialects, mapping);
    const CodeReading of_phase = phase == nullptr ? CodeReading{} : code_of(*phase, phases);
    const bool is_whole_run = phase == nullptr && request_.run != nullptr;
    if (const auto code = code_terms(is_whole_run ? request_.run->code() : of_phase))
      add_code_facts(*code, mapping);
    const bool has_bare_keys = !dialect_.leaf_sections.empty() && request_.catalog != nullptr;
    if (is_whole_run && has_bare_keys) read_divided_batch(*request_.run, *request_.catalog, mapping);

    Plan plan;
    plan.dialect = dialect_.id;
    plan.path = std::string(document_.path());
    plan.role = recognition_.role;
    CodeBase* const code_around = request_.run == nullptr ? nullptr : request_.run->project();
    plan.has_code =
        code_around != nullptr &&
        may_have_program(*code_around, request_.run->root(), document_.path());
    plan.judged_by.assign(recognition_.judged_by.begin(), recognition_.judged_by.end());
    plan.observations = std::move(mapping.observations);
    auto sources = std::make_shared<FactSources>();
    sources->given = std::move(mapping.facts);
    sources->given.knowledge = request_.catalog;
    sources->states = std::move(mapping.states);
    add_outside_facts(sources->given, plan);
    if (request_.catalog != nullptr)
      leave_formats_open(document_, *request_.catalog, *sources);
    leave_token_batches_open(document_, *sources);
    if (!is_partial()) add_defaults(*sources, companion_states, top);
    plan.facts = complete(*sources);
    if (request_.catalog != nullptr)
      leave_frozen_open(document_, *request_.catalog, plan.facts, *sources);
    plan.sources = std::move(sources);
    return plan;
  }

  /// Code that pads the vocabulary by itself has thought about its size. The code is asked last,
  /// because all of it is read.
  void note_padded_vocabulary(std::vector<Plan>& plans) const {
    constexpr std::int64_t kRound = 8;
    const bool has_code = request_.run != nullptr && request_.run->project() != nullptr;
    if (!has_code || request_.catalog == nullptr) return;
    for (Plan& plan : plans) {
      if (!plan.facts.vocab_size || plan.facts.vocab_size->value % kRound == 0) continue;
      const std::vector<std::string>& names = request_.catalog->words("vocabulary-padding");
      const bool pads = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return request_.run->project()->names(request_.run->root(), name);
      });
      if (pads) plan.deliberate.emplace_back("vocab_size");
    }
  }

  CodeReading code_of(const Phase& phase, const std::vector<Phase>& phases) const {
    if (request_.run == nullptr || phase.is_whole) return {};
    std::vector<NodeId> sections;
    for (const Phase& each : phases) sections.push_back(each.scope.node);
    return code_of_section(request_.run->code(), document_, phase.scope.node, sections);
  }

  /// nullopt: the code of the project says nothing of the run.
  std::optional<CodeTerms> code_terms(const CodeReading& code) const {
    const Run* run = request_.run;
    if (run == nullptr || run->project() == nullptr || code.facts.empty()) return std::nullopt;
    return CodeTerms{.code = code,
                     .base = *run->project(),
                     .files = *run->files(),
                     .document = document_,
                     .dialects = recognition_.dialects,
                     .decides = !dialect_.leaf_sections.empty()};
  }

  /// What the command line states, then what `.gpulint.yaml` adds.
  void add_outside_facts(TrainingPlan& given, Plan& plan) const {
    for (const auto& [name, text] : request_.overruling_facts) {
      if (const FactRow* row = find_fact(name)) add_outside_fact(given, plan, *row, text, {});
    }
    for (const auto& [name, stated] : request_.project_facts) {
      const FactRow* row = find_fact(name);
      if (row == nullptr || provenance_of(given, *row) != nullptr) continue;
      add_outside_fact(given, plan, *row, stated.first, stated.second);
    }
  }

  static void add_outside_fact(TrainingPlan& given, Plan& plan, const FactRow& row,
                               const std::string& text, SourceSpan span) {
    Provenance from;
    from.origin = Origin::project;
    from.span = span;
    std::string why;
    if (set_fact(given, row, text, std::move(from), &why)) return;
    Observation item;
    item.list = "bad_values";
    item.span = span;
    item.name = row.name;
    item.value = text;
    item.fact = row.name;
    item.detail = std::move(why);
    plan.observations.push_back(std::move(item));
  }

  /// Joins what the companions state; the states of their own keys are handed back.
  std::vector<std::vector<FactState>> join_companions(Mapping& mapping) const {
    std::vector<std::vector<FactState>> states;
    if (request_.run == nullptr || request_.run->companions().empty()) return states;
    derive_mixed_precision(mapping.facts, mapping.states);
    for (const CompanionDocument& companion : request_.run->companions()) {
      MappingRequest request{
          companion.keys, companion.dialect, recognition_.dialects, {}, {}, request_.catalog, {}};
      const Scope scope{companion.node, companion.path, kCommonOrder};
      add_scopes(*companion.keys, *companion.dialect, scope, request.scopes);
      if (has_bare_keys(*companion.dialect))
        request.sections =
            sections_below(*companion.keys, *companion.dialect, scope, {}, kMostSections);
      Mapping theirs = map_keys(request);
      observe_auto_values(*companion.keys, *companion.dialect, companion.path, theirs.observations);
      states.push_back(theirs.states);
      if (companion.named_by >= 0)
        yield_to(states[static_cast<std::size_t>(companion.named_by)], theirs);
      join_companion(mapping, std::move(theirs), companion, document_);
    }
    return states;
  }

  // A file that includes others is only a part of its run: what is absent may stand elsewhere.
  bool is_partial() const {
    if (request_.run != nullptr && request_.run->is_complete()) return false;
    return std::any_of(
        dialect_.partial_keys.begin(), dialect_.partial_keys.end(),
        [&](const std::string& key) { return keys_.has(path_below(kRootPath, key)); });
  }

  /// The dialect's defaults, then those of companions: they hold where neither a companion ("auto")
  /// nor the config speaks of the fact.
  void add_defaults(FactSources& sources, std::span<const std::vector<FactState>> companion_states,
                    PathHash top) const {
    const auto is_blocked = [](std::span<const FactState> states, const DefaultValue& value) {
      const FactRow* row = find_fact(value.fact);
      if (row == nullptr) return true;
      return states[static_cast<std::size_t>(row - fact_table().data())] == FactState::blocked;
    };
    // Code of the project that defines the key itself says what it means, and what is the default.
    const auto is_own = [this](const DefaultValue& value) {
      return request_.run != nullptr && request_.run->code().taken.contains(value.when_key);
    };
    const auto has_key = [&](const DefaultValue& value, const KeyIndex& keys, PathHash below) {
      if (value.when_key.empty()) return true;
      if (is_own(value)) return false;
      const Place place = keys.find(path_below(below, value.when_key));
      return place.found() && value_matches(keys.document(), place.value, value.when_key_is);
    };
    const auto leave_open = [&](std::string_view fact) {
      const auto place = static_cast<std::size_t>(find_fact(fact) - fact_table().data());
      if (place < sources.states.size()) sources.states[place] = FactState::blocked;
    };
    // More ranks than the GPUs of the one node that a launcher takes where none are stated: either
    // is a mistake, and neither says how many nodes there are.
    const auto leave_nodes_open = [&](const DefaultValue& value) {
      const TrainingPlan& given = sources.given;
      if (value.fact != "nodes" || given.nodes || !given.world_size || !given.gpus_per_node) return;
      if (given.world_size->value > given.gpus_per_node->value) leave_open(value.fact);
    };
    // A launcher that is told of no format may know one, which counts before the code's defaults.
    const auto leave_format_open = [&](const DefaultValue& value) {
      const TrainingPlan& given = sources.given;
      if (value.fact != "mixed_precision" || given.mixed_precision) return;
      for (const Maybe<bool>* each : {&given.fp16_enabled, &given.bf16_enabled})
        if (*each && ((*each)->value || (*each)->from.origin != Origin::code)) return;
      leave_open(value.fact);
    };
    for (const DefaultValue& value : dialect_.mapping->defaults) {
      if (value.overridable && has_key(value, keys_, top)) leave_nodes_open(value);
      if (value.overridable || is_blocked(sources.states, value)) continue;
      if (has_key(value, keys_, top)) sources.defaults.push_back(&value);
    }
    for (std::size_t i = 0; i < companion_states.size(); ++i) {
      const CompanionDocument& companion = request_.run->companions()[i];
      for (const DefaultValue& value : companion.dialect->mapping->defaults) {
        if (value.overridable && has_key(value, *companion.keys, companion.path)) {
          leave_nodes_open(value);
          leave_format_open(value);
        }
        if (value.overridable || is_blocked(sources.states, value)) continue;
        if (is_blocked(companion_states[i], value)) continue;
        if (has_key(value, *companion.keys, companion.path)) sources.defaults.push_back(&value);
      }
    }
  }

  const PlanRequest& request_;
  const Document& document_;
  const Recognition& recognition_;
  const Dialect& dialect_;
  std::unique_ptr<KeyIndex> own_keys_;
  const KeyIndex& keys_;
  Scope top_;
  DeadKeys dead_;
};

}  // namespace

std::vector<Plan> make_plans(const PlanRequest& request) {
  const Recognition& recognition =
      request.run != nullptr ? request.run->recognition() : request.recognition;
  const bool given = request.run != nullptr || request.document != nullptr;
  if (!given || recognition.dialect == nullptr) return {};
  return PlanMaker(request).make();
}

}  // namespace gpulint

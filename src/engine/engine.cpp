#include "engine/engine.h"

#include "catalog/joined_errors.h"
#include "engine/finding_builder.h"
#include "engine/subject_environment.h"
#include "engine/symbols.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kItem = "item";

Error in_rule(const Rule& rule, std::string_view part, const Error& error) {
  Error result = error;
  result.file = fmt::format("rules/{}/{}.yaml", rule.family, rule.id);
  result.message = fmt::format("{}: {}", part, error.message);
  return result;
}

Result<void> bind_condition(expr::Expression& condition, const Rule& rule, std::string_view part) {
  if (condition.empty()) return {};
  const Result<expr::Type> type = condition.bind(Engine::symbols());
  if (!type) return fail(in_rule(rule, part, type.error()));
  if (type->kind != expr::Kind::boolean) {
    return fail(in_rule(rule, part,
                        Error{fmt::format("`{}` is {}; write a condition that is true or false",
                                          condition.text(), expr::to_string(*type))}));
  }
  return {};
}

Result<void> bind_template(expr::Template& text, const Rule& rule, std::string_view part) {
  if (text.empty()) return {};
  const Result<void> bound = text.bind(Engine::symbols());
  if (!bound) return fail(in_rule(rule, part, bound.error()));
  return {};
}

std::string similar_fact(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FactRow& row : fact_table()) names.push_back(row.name);
  return did_you_mean(name, names);
}

Result<void> check_fact(const Rule& rule, std::string_view part, std::string_view fact) {
  if (find_fact(fact) != nullptr) return {};
  return fail(
      in_rule(rule, part, Error{fmt::format("unknown fact \"{}\"{}", fact, similar_fact(fact))}));
}

Result<void> bind_fix_set(const Rule& rule, FixSet& change) {
  for (const std::string& fact : change.remove) {
    if (Result<void> known = check_fact(rule, "fix.remove", fact); !known) return known;
  }
  for (auto& [fact, expression] : change.set) {
    if (Result<void> known = check_fact(rule, "fix.set", fact); !known) return known;
    const Result<expr::Type> type = expression.bind(Engine::symbols());
    if (!type) return fail(in_rule(rule, "fix.set", type.error()));
    const expr::Type wanted = type_of(*find_fact(fact));
    if (type->kind != wanted.kind || type->unit != wanted.unit) {
      return fail(
          in_rule(rule, "fix.set",
                  Error{fmt::format("{} is {}, but `{}` is {}", fact, expr::to_string(wanted),
                                    expression.text(), expr::to_string(*type))}));
    }
  }
  return {};
}

Result<void> bind_texts(const Rule& rule, RuleTexts& texts) {
  if (Result<void> bound = bind_template(texts.message, rule, "message"); !bound) return bound;
  for (expr::Template& line : texts.arithmetic) {
    if (Result<void> bound = bind_template(line, rule, "arithmetic"); !bound) return bound;
  }
  for (FixSet& change : texts.fix_sets) {
    if (Result<void> bound = bind_fix_set(rule, change); !bound) return bound;
  }
  return bind_template(texts.fix_advice, rule, "fix.advice");
}

Result<void> check_places(const Rule& rule) {
  for (const std::string& fact : rule.at) {
    if (fact == kItem && !rule.for_each.empty()) continue;
    if (Result<void> known = check_fact(rule, "at", fact); !known) return known;
  }
  return {};
}

/// All of a rule that is not trusted.
Result<void> bind_rule(Rule& rule, RuleTexts& texts) {
  if (Result<void> bound = Engine::bind_conditions(rule); !bound) return bound;
  if (Result<void> known = check_places(rule); !known) return known;
  return bind_texts(rule, texts);
}

/// How severe a rule finds one subject (or one observation of it); unset: it is silent.
/// `trace`: what it read, for whoever asks.
std::optional<Severity> judge(const Rule& rule, const SubjectEnvironment& environment,
                              expr::Trace* trace = nullptr) {
  const auto holds = [&](const expr::Expression& condition) {
    if (condition.empty()) return true;
    return trace == nullptr ? condition.holds(environment)
                            : condition.evaluate(environment, trace).is_true();
  };
  if (!holds(rule.when)) return std::nullopt;
  for (const SeverityLevel& level : rule.severity) {
    if (holds(level.when)) return level.severity;
  }
  return std::nullopt;
}

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

/// Facts behind a symbol that nobody states; of the memory of the device, those that the estimate
/// lacks.
void add_open_facts(const SubjectEnvironment& environment, std::uint32_t symbol,
                    std::vector<std::string>& facts) {
  const Estimate* estimate = environment.subject().estimate;
  const std::string& name = Engine::symbols().symbols()[symbol].name;
  if (name.starts_with("gpu.") || name.starts_with("host.")) return;  // a target answers
  if (name.starts_with("vram.") && estimate != nullptr) {
    facts.insert(facts.end(), estimate->unknown_for_vram.begin(), estimate->unknown_for_vram.end());
    return;
  }
  for (const std::string_view fact : facts_behind(symbol)) {
    const FactRow* row = find_fact(fact);
    if (row != nullptr && provenance_of(environment.facts(), *row) == nullptr)
      facts.emplace_back(fact);
  }
}

/// Symbols without a value that keep a condition from being decided.
struct Undecided {
  bool is_so = false;
  std::vector<std::uint32_t> symbols;
};

Undecided undecided_by(const expr::Expression& condition, const SubjectEnvironment& environment) {
  if (condition.empty()) return {};
  expr::Trace trace;
  const bool known = condition.evaluate(environment, &trace).known();
  return {!known, std::move(trace.unknown)};
}

/// What one judgement missed. Where severities are undecided, the one that hangs on least: any of
/// them would be a finding.
void explain(const Rule& rule, const SubjectEnvironment& environment, Silence& silence) {
  Undecided why = undecided_by(rule.when, environment);
  const std::vector<std::uint32_t> of_condition = why.symbols;
  if (!why.is_so && (rule.when.empty() || rule.when.holds(environment))) {
    for (const SeverityLevel& level : rule.severity) {
      Undecided here = undecided_by(level.when, environment);
      const bool is_less = !why.is_so || here.symbols.size() < why.symbols.size();
      if (here.is_so && is_less) why = std::move(here);
    }
  }
  if (!why.is_so) {
    for (const std::uint32_t symbol : of_condition) {
      const std::string& name = Engine::symbols().symbols()[symbol].name;
      if (rule.when.text().find("stated(" + name + ")") != std::string_view::npos)
        silence.unstated.push_back(name);
    }
    return;
  }
  for (const std::uint32_t symbol : why.symbols) {
    silence.missing.push_back(Engine::symbols().symbols()[symbol].name);
    add_open_facts(environment, symbol, silence.facts);
  }
}

/// Over all observations of a `for_each` rule: what kept it silent about any of them.
Silence silence_of(const Rule& rule, SubjectEnvironment& environment) {
  Silence silence{rule.id, {}};
  if (rule.for_each.empty()) {
    explain(rule, environment, silence);
  } else {
    for (const Observation& item : environment.subject().plan->observations) {
      if (item.list != rule.for_each) continue;
      environment.set_item(&item);
      explain(rule, environment, silence);
    }
    environment.set_item(nullptr);
  }
  for (std::vector<std::string>* names : {&silence.missing, &silence.facts, &silence.unstated})
    sort_names(*names);
  return silence;
}

/// A file that nobody trains with is asked for what is wrong, not for what would be faster.
bool concerns(const Rule& rule, const Plan& plan) {
  return plan.role.empty() || std::find(plan.judged_by.begin(), plan.judged_by.end(),
                                        rule.family) != plan.judged_by.end();
}

bool asked_for(const Rule& rule, const RuleSettings& settings) {
  const auto listed = [&](const std::vector<std::string>& rules) {
    return std::find(rules.begin(), rules.end(), rule.id) != rules.end();
  };
  return !listed(settings.disabled) && (!rule.preview || listed(settings.enabled_previews));
}

}  // namespace

class Engine::TextCache {
 public:
  explicit TextCache(std::size_t rules) : texts_(rules) {}

  void keep(std::size_t index, RuleTexts texts) {
    texts_[index] = std::make_unique<const RuleTexts>(std::move(texts));
  }

  /// Of a shipped rule when it first fires; the build bound them all, so there is no error to
  /// place.
  const RuleTexts& of(std::size_t index, const Rule& rule) {
    const std::scoped_lock lock(mutex_);
    if (texts_[index] == nullptr) {
      RuleTexts texts = rule.texts();
      [[maybe_unused]] const Result<void> bound = bind_texts(rule, texts);
      assert(bound);
      keep(index, std::move(texts));
    }
    return *texts_[index];
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<const RuleTexts>> texts_;
};

Engine::Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<void> Engine::bind_conditions(Rule& rule) {
  if (Result<void> bound = bind_condition(rule.when, rule, "when"); !bound) return bound;
  for (SeverityLevel& level : rule.severity) {
    if (Result<void> bound = bind_condition(level.when, rule, "severity"); !bound) return bound;
  }
  return {};
}

Result<Engine> Engine::bind(const std::vector<Rule>& rules) {
  Engine engine;
  engine.rules_.reserve(rules.size());
  engine.texts_ = std::make_unique<TextCache>(rules.size());
  std::optional<Error> error;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].trusted) {
      engine.rules_.push_back({&rules[i], nullptr});
      continue;
    }
    auto own = std::make_unique<Rule>(rules[i]);
    RuleTexts texts = own->texts();
    if (Result<void> bound = bind_rule(*own, texts); !bound) append(error, bound.error());
    engine.texts_->keep(i, std::move(texts));
    const Rule* rule = own.get();
    engine.rules_.push_back({rule, std::move(own)});
  }
  if (error) return fail(*std::move(error));
  return engine;
}

/// Asks one rule about the environment's present item; true when it spoke.
bool Engine::run_rule(std::size_t index, const SubjectEnvironment& environment,
                      const RuleSettings& settings, std::vector<Finding>& findings) const {
  const Rule& rule = *rules_[index].rule;
  if (!judge(rule, environment)) return false;
  expr::Trace trace;  // only what fires pays for knowing what it read
  Severity severity = judge(rule, environment, &trace).value();
  const bool is_used = environment.subject().plan->role.empty();
  if (!is_used && severity == Severity::error) severity = Severity::warning;
  const auto chosen = settings.severities.find(rule.id);
  if (chosen != settings.severities.end()) severity = chosen->second;
  findings.push_back(build_finding(rule, texts_->of(index, rule), severity, environment, trace));
  return true;
}

bool Engine::run_rule_over_items(std::size_t index, SubjectEnvironment& environment,
                                 const RuleSettings& settings,
                                 std::vector<Finding>& findings) const {
  bool spoke = false;
  for (const Observation& item : environment.subject().plan->observations) {
    if (item.list != rules_[index].rule->for_each) continue;
    environment.set_item(&item);
    spoke = run_rule(index, environment, settings, findings) || spoke;
  }
  environment.set_item(nullptr);
  return spoke;
}

std::vector<Finding> Engine::run(const Subject& subject, const RuleSettings& settings,
                                 std::vector<Silence>* silences) const {
  std::vector<Finding> findings;
  // What a GPU could do does not concern a run that does not use one.
  const Maybe<std::string>& accelerator = subject.run.facts().accelerator;
  const bool elsewhere = accelerator && accelerator->value != "gpu";
  SubjectEnvironment environment(
      subject, elsewhere ? subject.run.on({.host = subject.run.host()}) : subject.run);
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = *rules_[i].rule;
    if (!asked_for(rule, settings) || !concerns(rule, *subject.plan)) continue;
    const bool spoke = rule.for_each.empty()
                           ? run_rule(i, environment, settings, findings)
                           : run_rule_over_items(i, environment, settings, findings);
    if (spoke || silences == nullptr) continue;
    silences->push_back(silence_of(rule, environment));
  }
  return findings;
}

}  // namespace gpulint

#include "engine/finding_builder.h"

#include "engine/symbols.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace gpulint {
namespace {

constexpr std::size_t kMostRelatedPlaces = 4;
constexpr std::string_view kItemPlace = "item";

const Provenance* origin_of(const TrainingPlan& plan, std::string_view fact) {
  const FactRow* row = find_fact(fact);
  return row == nullptr ? nullptr : provenance_of(plan, *row);
}

/// Facts behind everything the condition read, in reading order, once each.
std::vector<std::string_view> facts_read(const expr::Trace& trace) {
  std::vector<std::string_view> facts;
  for (const std::uint32_t symbol : trace.read) {
    for (const std::string_view fact : facts_behind(symbol)) {
      if (std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(fact);
    }
  }
  return facts;
}

/// Points the finding at `fact`: its value, else its key. Only places in `only` count where one is
/// given, so that a finding about a config points into the config rather than the project file.
bool point_at(Finding& finding, const TrainingPlan& plan, std::string_view fact, FileId only) {
  const Provenance* from = origin_of(plan, fact);
  if (from == nullptr) return false;
  const SourceSpan span = from->span.known() ? from->span : from->key_span;
  if (!span.known() || (only != kNoFile && span.file != only)) return false;
  finding.span = span;
  finding.pointer = from->pointer;
  return true;
}

/// The first place in the config itself: any fact will do when those of the rule have none.
bool point_at_any_fact(Finding& finding, const TrainingPlan& plan, FileId only) {
  const std::span<const FactRow> rows = fact_table();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const FactRow& row) { return point_at(finding, plan, row.name, only); });
}

/// Stated on the command line, which no file shows.
bool is_from_outside(const TrainingPlan& plan, std::string_view fact) {
  const Provenance* from = origin_of(plan, fact);
  return from != nullptr && from->origin == Origin::project && !from->span.known() &&
         !from->key_span.known();
}

void set_place(Finding& finding, const Rule& rule, const SubjectEnvironment& environment,
               const std::vector<std::string_view>& read) {
  const TrainingPlan& plan = environment.facts();
  if (const Observation* item = environment.item()) {
    finding.span = item->span;
    finding.pointer = item->pointer;
    return;
  }
  const Document* document = environment.subject().document;
  const FileId config = document != nullptr ? document->file() : kNoFile;
  for (const FileId only : {config, kNoFile}) {
    for (const std::string& fact : rule.at) {
      if (fact != kItemPlace && point_at(finding, plan, fact, only)) return;
    }
    for (const std::string_view fact : read) {
      if (point_at(finding, plan, fact, only)) return;
    }
  }
  const bool is_outside = std::any_of(
      read.begin(), read.end(), [&](std::string_view fact) { return is_from_outside(plan, fact); });
  if (!is_outside && point_at_any_fact(finding, plan, config)) return;
  if (document != nullptr) finding.span = {config, 0, 0};
}

void add_related(Finding& finding, const SubjectEnvironment& environment,
                 const std::vector<std::string_view>& read) {
  const TrainingPlan& plan = environment.facts();
  const auto add = [&](SourceSpan span, std::string message) {
    if (!span.known() || span == finding.span || finding.related.size() >= kMostRelatedPlaces) {
      return;
    }
    finding.related.push_back({span, std::move(message)});
  };
  if (const Observation* item = environment.item()) add(item->other, "the other place");
  for (const std::string_view fact : read) {
    const FactRow* row = find_fact(fact);
    const Provenance* from = row == nullptr ? nullptr : provenance_of(plan, *row);
    if (from != nullptr) add(from->span, fmt::format("{}: {}", fact, display(plan, *row)));
  }
}

void add_reference(Finding& finding, const SubjectEnvironment& environment,
                   const expr::Trace& trace) {
  const bool asked = std::any_of(trace.read.begin(), trace.read.end(), [](std::uint32_t symbol) {
    return Engine::symbols().symbols()[symbol].name.starts_with("lr.");
  });
  if (!asked) return;
  const auto& reference = environment.learning_rate().reference;
  if (!reference || reference->kind == LearningRateReference::Kind::stated) return;
  if (!reference->span.known()) return;
  finding.related.push_back({reference->span, "the learning rate compared with"});
}

/// Says where hardware figures are from, if the rule read any.
void add_hardware(Finding& finding, const SubjectEnvironment& environment,
                  const expr::Trace& trace) {
  constexpr std::array<std::string_view, 4> kOfHardware{"gpu.", "vram.", "fit.", "speedup."};
  const Gpu* gpu = environment.gpu();
  const bool asked = std::any_of(trace.read.begin(), trace.read.end(), [&](std::uint32_t symbol) {
    const std::string_view name = Engine::symbols().symbols()[symbol].name;
    return std::any_of(kOfHardware.begin(), kOfHardware.end(),
                       [&](std::string_view group) { return name.starts_with(group); });
  });
  if (asked && gpu != nullptr) finding.hardware = figures_from(*gpu);
}

void add_numbers(Finding& finding, const std::vector<expr::Template::Printed>& printed) {
  for (const expr::Template::Printed& one : printed) {
    const bool number = std::holds_alternative<std::int64_t>(one.value.data) ||
                        std::holds_alternative<double>(one.value.data);
    const auto same = [&](const NamedNumber& other) { return other.name == one.name; };
    // A placeholder may be a whole expression; only what has a name is a number by name.
    if (!number || !Engine::symbols().find_symbol(one.name)) continue;
    if (std::any_of(finding.numbers.begin(), finding.numbers.end(), same)) continue;
    finding.numbers.push_back({one.name, one.value.number(), one.text,
                               std::holds_alternative<std::int64_t>(one.value.data)});
  }
}

/// Lines of arithmetic; one that would print "unknown" says nothing and is left out.
void add_arithmetic(Finding& finding, const RuleTexts& texts,
                    const SubjectEnvironment& environment) {
  for (const expr::Template& line : texts.arithmetic) {
    std::vector<expr::Template::Printed> printed;
    std::string text = line.render(environment, &printed);
    const bool complete = std::all_of(printed.begin(), printed.end(),
                                      [](const auto& one) { return one.value.known(); });
    if (!complete || text.empty()) continue;
    finding.arithmetic.push_back(std::move(text));
    add_numbers(finding, printed);
  }
}

/// Says which numbers the known model brought, and its file: nothing in the config shows them.
void add_model_sources(Finding& finding, const TrainingPlan& plan, const expr::Trace& trace) {
  std::vector<std::string> numbers;
  std::string file;
  // A budget's own arithmetic names what it counted; a symbol of one or two facts is a plain
  // quotient.
  constexpr std::size_t kFewFacts = 3;
  for (const std::uint32_t symbol : trace.read) {
    const std::vector<std::string_view> facts = facts_behind(symbol);
    const bool has_value =
        std::find(trace.unknown.begin(), trace.unknown.end(), symbol) == trace.unknown.end();
    if (!has_value || facts.size() > kFewFacts) continue;
    for (const std::string_view fact : facts) {
      const FactRow* row = find_fact(fact);
      const Provenance* from = row == nullptr ? nullptr : provenance_of(plan, *row);
      if (from == nullptr || from->origin != Origin::model) continue;
      std::string number = fmt::format("{}: {}", fact, display(plan, *row));
      if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) continue;
      numbers.push_back(std::move(number));
      file = from->detail;
    }
  }
  if (numbers.empty()) return;
  finding.arithmetic.push_back(fmt::format("{} ({})", fmt::join(numbers, ", "), file));
}

/// Says what of the condition was stated on the command line.
void add_outside_facts(Finding& finding, const TrainingPlan& plan,
                       const std::vector<std::string_view>& read) {
  std::vector<std::string> stated;
  for (const std::string_view fact : read) {
    const FactRow* row = find_fact(fact);
    if (row != nullptr && is_from_outside(plan, fact))
      stated.push_back(fmt::format("{}={}", fact, canonical_text(plan, *row)));
  }
  if (!stated.empty())
    finding.arithmetic.push_back(
        fmt::format("set outside the config (--set or .gpulint.yaml): {}", fmt::join(stated, ", ")));
}

FixKind fix_kind(std::string_view name) {
  if (name == "safe") return FixKind::safe;
  return name == "unsafe" ? FixKind::unsafe : FixKind::display;
}

Fix build_fix(const RuleTexts& texts, const SubjectEnvironment& environment) {
  Fix fix;
  fix.kind = fix_kind(texts.fix_kind);
  fix.advice = texts.fix_advice.render(environment);
  if (fix.kind == FixKind::display) return fix;
  auto written = write_fix(texts, environment);
  if (!written) {
    fix.kind = FixKind::display;
    fix.refusal = std::move(written).error().message;
    return fix;
  }
  fix.edits = std::move(written->edits);
  fix.changes = std::move(written->changes);
  return fix;
}

}  // namespace

Finding build_finding(const Rule& rule, const RuleTexts& texts, Severity severity,
                      const SubjectEnvironment& environment, const expr::Trace& trace) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = severity;
  finding.phase = environment.subject().plan->phase;
  const std::vector<std::string_view> read = facts_read(trace);
  set_place(finding, rule, environment, read);
  add_reference(finding, environment, trace);
  add_related(finding, environment, read);
  std::vector<expr::Template::Printed> printed;
  finding.message = texts.message.render(environment, &printed);
  add_numbers(finding, printed);
  add_arithmetic(finding, texts, environment);
  add_model_sources(finding, environment.facts(), trace);
  add_outside_facts(finding, environment.facts(), read);
  add_hardware(finding, environment, trace);
  if (!texts.fix_advice.empty()) finding.fix = build_fix(texts, environment);
  finding.runs = {environment.subject().plan->path};
  return finding;
}

}  // namespace gpulint

// Which of the open questions decide most is tried: each is answered with its first and its last
// answer, and the one is taken that leaves the narrowest intervals, then another one beside it.

#include "search/conditions.h"

#include "search/open_questions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

/// An interval this narrow, high over low, needs no conditions; and what more than two answers
/// would make of it is not worth a second one.
constexpr double kNarrow = 2;
/// A second question is asked only where it takes this much off the width.
constexpr double kWorthAsking = 0.8;
/// Ends that differ by less are one number to a reader; the wider interval is the one that is said.
constexpr double kSame = 0.05;
constexpr std::size_t kMostQuestions = 2;
/// Of an interval without an upper end.
constexpr double kUnbounded = 1e6;

struct Supposed {
  Interval needed;
  bool bounded_above = false;
  bool lower_bound_only = true;
  MemoryVerdict verdict;
};

double width_of(const Interval& needed) {
  return needed.high.as_double() / std::max(1.0, needed.low.as_double());
}

double width_of(const std::optional<Supposed>& supposed) {
  if (!supposed || !supposed->bounded_above) return kUnbounded;
  return width_of(supposed->needed);
}

std::optional<Supposed> suppose(const EstimateRequest& request, const FactChanges& changes) {
  EstimateRequest supposed = request;
  supposed.run = request.run.with(changes, Origin::project);
  supposed.predict_time = false;
  const Estimate tried = estimate(supposed);
  if (!tried.vram) return std::nullopt;
  return Supposed{tried.vram->needed, tried.vram->bounded_above, tried.vram->lower_bound_only,
                  tried.vram_verdict};
}

FactChanges both(FactChanges first, const FactChanges& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

using Questions = std::vector<const OpenQuestion*>;

/// All combinations of the answers, the last question's changing fastest.
std::vector<FactChanges> combinations(const Questions& questions, bool ends_only) {
  std::vector<FactChanges> all(1);
  for (const OpenQuestion* question : questions) {
    std::vector<FactChanges> longer;
    for (const FactChanges& changes : all) {
      for (std::size_t i = 0; i < question->answers.size(); ++i) {
        const bool end = i == 0 || i + 1 == question->answers.size();
        if (end || !ends_only) longer.push_back(both(changes, question->answers[i]));
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Geometric mean of the widths that the extreme answers leave.
double width_under(const EstimateRequest& request, const Questions& questions) {
  double logarithms = 0;
  const std::vector<FactChanges> tried = combinations(questions, true);
  for (const FactChanges& changes : tried) {
    logarithms += std::log(width_of(suppose(request, changes)));
  }
  return std::exp(logarithms / static_cast<double>(tried.size()));
}

/// Nothing is bounded while the size of the input is open; else the questions that narrow most.
Questions most_deciding(const EstimateRequest& request, const Estimate& known,
                        const std::vector<OpenQuestion>& questions) {
  Questions chosen;
  for (const OpenQuestion& question : questions) {
    if (question.sizes_input) chosen.push_back(&question);
  }
  if (chosen.size() > kMostQuestions) return {};
  double width = known.vram->bounded_above ? width_of(known.vram->needed) : kUnbounded;
  if (!chosen.empty()) width = width_under(request, chosen);
  while (chosen.size() < kMostQuestions && width > kNarrow) {
    const OpenQuestion* best = nullptr;
    double narrowest = width * kWorthAsking;
    for (const OpenQuestion& question : questions) {
      if (std::find(chosen.begin(), chosen.end(), &question) != chosen.end()) continue;
      Questions tried = chosen;
      tried.push_back(&question);
      const double left = width_under(request, tried);
      if (left >= narrowest) continue;
      narrowest = left;
      best = &question;
    }
    if (best == nullptr) break;
    chosen.push_back(best);
    width = narrowest;
  }
  return width < kUnbounded ? chosen : Questions{};
}

bool same(Bytes a, Bytes b) {
  const double larger = std::max(a.as_double(), b.as_double());
  return std::abs(a.as_double() - b.as_double()) <= kSame * larger;
}

bool need_the_same(const Condition& a, const Condition& b) {
  if (a.lower_bound_only != b.lower_bound_only || a.bounded_above != b.bounded_above) return false;
  if (a.verdict.fit != b.verdict.fit) return false;
  return same(a.needed.low, b.needed.low) && same(a.needed.high, b.needed.high);
}

/// The only fact in which they differ; nullopt where there are several, or other facts.
std::optional<std::size_t> only_difference(const Condition& a, const Condition& b) {
  if (a.facts.size() != b.facts.size()) return std::nullopt;
  std::optional<std::size_t> difference;
  for (std::size_t i = 0; i < a.facts.size(); ++i) {
    if (a.facts[i] == b.facts[i]) continue;
    if (a.facts[i].fact != b.facts[i].fact || difference) return std::nullopt;
    difference = i;
  }
  return difference;
}

void widen(Condition& condition, const Condition& other) {
  condition.needed.low = std::min(condition.needed.low, other.needed.low);
  condition.needed.high = std::max(condition.needed.high, other.needed.high);
}

/// Puts `added` into the last condition that says the same but for the values of one fact.
void add_or_join(std::vector<Condition>& conditions, Condition added) {
  for (auto into = conditions.rbegin(); into != conditions.rend(); ++into) {
    const auto difference = only_difference(*into, added);
    if (!difference || !need_the_same(*into, added)) continue;
    std::vector<std::string>& values = into->facts[*difference].values;
    const std::vector<std::string>& more = added.facts[*difference].values;
    values.insert(values.end(), more.begin(), more.end());
    widen(*into, added);
    return;
  }
  conditions.push_back(std::move(added));
}

std::vector<Condition> joined(std::vector<Condition> conditions) {
  for (std::size_t before = conditions.size() + 1; conditions.size() < before;) {
    before = conditions.size();
    std::vector<Condition> fewer;
    for (Condition& condition : conditions) add_or_join(fewer, std::move(condition));
    conditions = std::move(fewer);
  }
  return conditions;
}

Condition condition_of(const FactChanges& changes, const Supposed& supposed) {
  Condition condition{.facts = {},
                      .needed = supposed.needed,
                      .lower_bound_only = supposed.lower_bound_only,
                      .bounded_above = supposed.bounded_above,
                      .verdict = supposed.verdict};
  for (const auto& [fact, value] : changes) condition.facts.push_back({fact, {value}});
  return condition;
}

/// Whether answers can help: nothing else than open facts keeps the estimate from being bounded.
bool is_worth_supposing(const Estimate& known, const std::vector<OpenQuestion>& questions) {
  if (!known.vram || known.vram->basis == VramBasis::process_only) return false;
  if (questions.empty()) return false;
  if (known.vram->bounded_above) {
    return known.vram->lower_bound_only || width_of(known.vram->needed) > kNarrow;
  }
  return std::any_of(questions.begin(), questions.end(),
                     [](const OpenQuestion& question) { return question.sizes_input; });
}

std::vector<Condition> answered(const EstimateRequest& request, const Questions& chosen) {
  if (chosen.empty()) return {};
  std::vector<Condition> conditions;
  bool any_bounded = false;
  for (const FactChanges& changes : combinations(chosen, false)) {
    const auto supposed = suppose(request, changes);
    if (!supposed) continue;
    conditions.push_back(condition_of(changes, *supposed));
    any_bounded |= supposed->bounded_above;
  }
  if (!any_bounded) return {};
  return joined(std::move(conditions));
}

/// Which network it is, and the question that decides most beside it: what else is open shows only
/// once there is a network.
std::vector<Condition> supposing(const EstimateRequest& request, const OpenQuestion& network) {
  EstimateRequest usual = request;
  usual.run = request.run.with(network.answers[network.answers.size() / 2], Origin::project);
  usual.predict_time = false;
  const Estimate known = estimate(usual);
  if (!known.vram) return {};
  std::vector<OpenQuestion> questions{network};
  for (OpenQuestion& question : open_questions(usual, known))
    questions.push_back(std::move(question));
  return answered(request, most_deciding(request, known, questions));
}

}  // namespace

std::vector<Condition> conditions_of(const EstimateRequest& request, const Estimate& known) {
  if (const auto network = open_network(request, known)) return supposing(request, *network);
  const std::vector<OpenQuestion> questions = open_questions(request, known);
  if (!is_worth_supposing(known, questions)) return {};
  return answered(request, most_deciding(request, known, questions));
}

}  // namespace gpulint

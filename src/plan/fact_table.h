#pragma once

#include "base/result.h"
#include "expr/expression.h"
#include "plan/training_plan.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpulint {

using FactMember = std::variant<Maybe<std::int64_t> TrainingPlan::*, Maybe<double> TrainingPlan::*,
                                Maybe<bool> TrainingPlan::*, Maybe<std::string> TrainingPlan::*,
                                Maybe<Bytes> TrainingPlan::*, Maybe<TextList> TrainingPlan::*>;

/// Legal values of a number, both ends included.
struct FactRange {
  double low = 0;
  double high = 0;
};

/// One canonical fact. `unit` is the word printed after the value ("samples", "bytes", "GPUs"; ""
/// for none); `choices` are the only legal values of an enumerated string (empty = free text).
struct FactRow {
  std::string_view name;
  std::string_view group;
  std::string_view unit;
  std::string_view meaning;
  FactMember member;
  FactRange range = {};  // numbers only
  std::vector<std::string_view> choices = {};
};

/// All facts in the order of TrainingPlan.
std::span<const FactRow> fact_table();
const FactRow* find_fact(std::string_view name);
/// Type of a fact in the expression language.
expr::Type type_of(const FactRow& row);
/// Value of a fact; unknown when nobody stated it.
expr::Value value_of(const TrainingPlan& plan, const FactRow& row);
/// Where a fact came from; nullptr when it is unknown.
const Provenance* provenance_of(const TrainingPlan& plan, const FactRow& row);
/// Value as text for people ("256 samples", "230 MB"); "" when unknown.
std::string display(const TrainingPlan& plan, const FactRow& row);
/// Value as text that `set_fact` reads back to the same value; "" when unknown.
std::string canonical_text(const TrainingPlan& plan, const FactRow& row);

/// Sets a fact from canonical text ("bf16", "true", "230 MB", "1e-4", "2_000"); false when the text
/// does not fit the fact's type or range (then nothing is set and `why` says what is expected).
bool set_fact(TrainingPlan& plan, const FactRow& row, std::string_view text, Provenance from,
              std::string* why = nullptr);
/// What `set_fact` wants, in words ("a whole number of samples from 1").
std::string expectation_of(const FactRow& row);
/// Forgets a fact.
void clear_fact(TrainingPlan& plan, const FactRow& row);

const char* name_of(Origin origin);

}  // namespace gpulint

#pragma once

#include "base/result.h"
#include "catalog/data_kind.h"
#include "expr/expression.h"
#include "plan/training_plan.h"

#include <cstdint>
#include <optional>
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

/// The choice of an enumerated fact that says it is off.
inline constexpr std::string_view kOff = "none";

/// The words of a fact that names what data files describe: the ids of a kind of file.
struct FactWords {
  DataKind kind = DataKind::optimizer;
  bool others = false;  // configs also name what nobody described; then the word alone is known
};

/// One canonical fact.
struct FactRow {
  std::string_view name;   // of the member of TrainingPlan
  std::string_view group;  // heading it is listed under
  std::string_view unit;   // word printed after the value, in the plural ("samples"); "" = none
  std::string_view meaning;
  FactMember member;
  FactRange range = {};                        // numbers only
  std::vector<std::string_view> choices = {};  // the only legal words; empty = free text
  /// It shapes what is learned: configs of one folder that differ in it are different recipes.
  bool shapes_learning = false;
  /// Choice that leaves open which of the others but `none` is meant; a second key that names one
  /// (`amp: true` beside `amp_dtype: bfloat16`) then decides. "" = there is no such choice.
  std::string_view unspecific_choice = {};
  /// Observations (plan.h) that list each key stating it as anything but `none`; "" = none do.
  std::string_view observed_in = {};
  /// Where the word is described; then `choices` are empty.
  std::optional<FactWords> words = {};
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
/// What is wrong with a word that nothing describes: `no engine is called "fspd" (did you mean
/// "fsdp"?)`. "" for words that are described, for "none", and for facts that are not such words.
std::string undescribed_word(const FactRow& row, std::string_view text, const Catalog& catalog);
/// Likewise for what a user states beside a config: of facts whose configs also name what nobody
/// described, only words that are nearly a described one.
std::string misspelt_word(const FactRow& row, std::string_view text, const Catalog& catalog);
/// Forgets a fact.
void clear_fact(TrainingPlan& plan, const FactRow& row);

const char* name_of(Origin origin);

}  // namespace gpulint

#pragma once

#include "base/source_span.h"
#include "catalog/dialect.h"
#include "catalog/knowledge.h"
#include "plan/training_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// What a learning rate is compared with, best first: stated, the file's previous version, a twin
/// in the folder.
struct LearningRateReference {
  enum class Kind : std::uint8_t { stated, previous, twin };
  Kind kind = Kind::stated;
  double learning_rate = 0;
  std::int64_t global_batch_size = 0;
  std::string path;  // twin: the other file
  SourceSpan span;   // where the reference is written
};

/// That of the plan's optimizer; nullopt where there is no published rule, or it chooses its own
/// rate (Prodigy, D-Adaptation, Adafactor).
std::optional<LearningRateRule> learning_rate_rule(const TrainingPlan& plan);

/// The learning rate of a plan beside its reference. Unset members could not be known.
struct LearningRateJudgement {
  std::optional<LearningRateReference> reference;
  std::optional<std::int64_t> global_batch_size;
  bool batch_is_lower_bound = false;  // world size unknown: the real global batch may be larger
  std::optional<LearningRateRule> rule;
  std::optional<double> expected;  // reference learning rate scaled by the rule
  std::optional<bool> scaled_in_code;
};

/// `outside`: a reference found outside the plan (previous version, twin); what the plan or the
/// project states comes first.
LearningRateJudgement judge_learning_rate(const TrainingPlan& plan, const Dialect* dialect,
                                          const std::optional<LearningRateReference>& outside);

}  // namespace gpulint

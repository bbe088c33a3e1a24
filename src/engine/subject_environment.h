#pragma once

#include "engine/engine.h"
#include "estimate/estimate.h"
#include "expr/expression.h"
#include "search/largest_batch.h"

#include <optional>
#include <utility>

namespace gpulint {

/// The values of one subject's symbols. What costs something (the estimate, the search for a larger
/// batch) is computed when a rule first reads it and kept; so an object belongs to one thread.
class SubjectEnvironment final : public expr::Environment {
 public:
  /// `run`: the subject's, or the same one elsewhere.
  SubjectEnvironment(const Subject& subject, ResolvedRun run)
      : subject_(subject), run_(std::move(run)) {}

  expr::Value symbol(std::uint32_t index) const override;
  bool stated(std::uint32_t index) const override;
  bool taken(std::uint32_t index) const override;
  bool explained(std::uint32_t index) const override;
  expr::Value call(std::uint32_t function, std::span<const expr::Value> arguments) const override;

  const Subject& subject() const { return subject_; }
  const ResolvedRun& run() const { return run_; }
  const TrainingPlan& facts() const { return run_.facts(); }
  const Gpu* gpu() const { return run_.gpu(); }
  const Host* host() const { return run_.host(); }
  const Estimate& estimate() const;
  EstimateRequest request() const;
  const LearningRateJudgement& learning_rate() const;
  std::optional<std::int64_t> largest_batch() const;
  std::optional<BatchRange> batch_range() const;
  /// Host RAM of the same run with PyTorch's default prefetch depth of 2.
  std::optional<Bytes> ram_at_default_prefetch() const;

  /// The observation a `for_each` rule looks at; nullptr outside of one.
  const Observation* item() const { return item_; }
  void set_item(const Observation* item) { item_ = item; }

 private:
  const Subject& subject_;
  ResolvedRun run_;
  const Observation* item_ = nullptr;
  mutable std::optional<Estimate> estimate_;
  mutable std::optional<LearningRateJudgement> learning_rate_;
  mutable std::optional<std::optional<std::int64_t>> largest_batch_;
  mutable std::optional<std::optional<BatchRange>> batch_range_;
  mutable std::optional<std::optional<Bytes>> ram_at_default_prefetch_;
};

}  // namespace gpulint

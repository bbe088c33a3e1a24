#include "engine/subject_environment.h"

#include "engine/symbols.h"
#include "memory/loader.h"
#include "plan/fact_table.h"
#include "run/fact_access.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

/// In a config, in `.gpulint.yaml`, on the command line, or as an argument in the project's code.
bool written_by_user(const Provenance& from) {
  const bool is_in_code =
      from.origin == Origin::code && from.key_span.known() && from.pointer.empty();
  return is_written(from) || is_in_code || (from.origin == Origin::derived && from.span.known());
}

/// The config's keys are the project's own, and code of it is at hand. Who takes the variables of
/// an environment is not followed.
bool has_own_keys(const Subject& subject) {
  const Document* config = subject.document;
  const bool is_environment = config != nullptr && config->format() == Format::env;
  return subject.dialect != nullptr && !subject.dialect->leaf_sections.empty() &&
         subject.plan != nullptr && subject.plan->has_code && !is_environment;
}

/// Code of the project was seen to make the loader: keys of a framework go by it as well.
bool makes_loader(const TrainingPlan& plan) {
  const auto is_taken = [](const auto& fact) { return fact && is_taken_by_code(fact->from); };
  return is_taken(plan.num_workers) || is_taken(plan.per_device_batch_size) ||
         is_taken(plan.pin_memory);
}

}  // namespace

expr::Value SubjectEnvironment::symbol(std::uint32_t index) const {
  const std::span<const FactRow> facts_rows = fact_table();
  if (index < facts_rows.size()) {
    expr::Value value = value_of(facts(), facts_rows[index]);
    const bool is_unreadable = !value.known() && run_.is_unreadable(facts_rows[index]);
    return is_unreadable ? expr::Value::unreadable() : value;
  }
  return symbol_rows()[index - facts_rows.size()].read(*this);
}

bool SubjectEnvironment::stated(std::uint32_t index) const {
  const std::span<const FactRow> facts_rows = fact_table();
  if (index >= facts_rows.size()) return false;
  const Provenance* from = provenance_of(facts(), facts_rows[index]);
  return from != nullptr && written_by_user(*from);
}

bool SubjectEnvironment::taken(std::uint32_t index) const {
  const std::span<const FactRow> facts_rows = fact_table();
  if (index >= facts_rows.size()) return true;
  const FactRow& row = facts_rows[index];
  const bool is_of_loader = row.group == "data loading" && makes_loader(facts());
  if (!has_own_keys(subject_) && !is_of_loader) return true;
  // What is derived from several keys is of a format that the project did not make up.
  const Provenance* from = provenance_of(facts(), row);
  return from == nullptr || from->origin == Origin::derived || is_taken_by_code(*from);
}

bool SubjectEnvironment::explained(std::uint32_t index) const {
  const std::span<const FactRow> facts_rows = fact_table();
  const Plan* plan = subject_.plan;
  return index < facts_rows.size() && plan != nullptr &&
         std::find(plan->deliberate.begin(), plan->deliberate.end(), facts_rows[index].name) !=
             plan->deliberate.end();
}

expr::Value SubjectEnvironment::call(std::uint32_t, std::span<const expr::Value>) const {
  return {};  // the symbol table offers no functions
}

EstimateRequest SubjectEnvironment::request() const {
  return {.run = run_, .measurements = subject_.measurements, .headroom = subject_.headroom};
}

const Estimate& SubjectEnvironment::estimate() const {
  if (subject_.estimate != nullptr) return *subject_.estimate;
  if (!estimate_) estimate_ = gpulint::estimate(request());
  return *estimate_;
}

const LearningRateJudgement& SubjectEnvironment::learning_rate() const {
  if (!learning_rate_) {
    learning_rate_ = judge_learning_rate(facts(), subject_.dialect, subject_.reference);
  }
  return *learning_rate_;
}

std::optional<std::int64_t> SubjectEnvironment::largest_batch() const {
  if (!largest_batch_) largest_batch_ = largest_batch_that_fits(request());
  return *largest_batch_;
}

std::optional<BatchRange> SubjectEnvironment::batch_range() const {
  if (!batch_range_) batch_range_ = batch_range_that_fits(request());
  return *batch_range_;
}

std::optional<Bytes> SubjectEnvironment::ram_at_default_prefetch() const {
  if (!ram_at_default_prefetch_) {
    ram_at_default_prefetch_.emplace();
    if (facts().prefetch_factor) {
      EstimateRequest request_at_default = request();
      request_at_default.run =
          run_.with({{"prefetch_factor", std::to_string(kDefaultPrefetchFactor)}});
      const Estimate at_default = gpulint::estimate(request_at_default);
      if (at_default.ram) *ram_at_default_prefetch_ = at_default.ram->total.high;
    }
  }
  return *ram_at_default_prefetch_;
}

}  // namespace gpulint

#pragma once

// Reading facts with their physical limits: a batch of -3 or 0 says as little as no batch at all.

#include "plan/training_plan.h"
#include "run/quantity.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

std::optional<std::int64_t> at_least(const Maybe<std::int64_t>& fact, std::int64_t minimum);
std::optional<Bytes> positive(const Maybe<Bytes>& fact);
/// Empty when unknown.
std::string_view text_of(const Maybe<std::string>& fact);
inline bool is_true(const Maybe<bool>& fact) { return fact && fact->value; }
inline bool is_false(const Maybe<bool>& fact) { return fact && !fact->value; }

/// Somebody wrote the fact: in a config of the run, in .gpulint.yaml or on the command line.
bool is_written(const Provenance& from);

/// A call of the project's code takes the value, or states it.
bool is_taken_by_code(const Provenance& from);

/// Text whose samples nothing packs or pads, so that all of a batch may be short of
/// `sequence_length`. Where nobody says whether they are packed, a length that is stated as what a
/// sample has is taken for what a sample has.
bool may_be_short(const TrainingPlan& plan);

/// Sequences that so many samples put through the model at once; packed ones hold whole samples.
std::int64_t sequences_of(const TrainingPlan& plan, std::int64_t samples);

/// How many parameters there are is known from the model's name alone.
bool is_sized_by_name(const TrainingPlan& plan);
/// Parameters that the code makes, all or as far as it could be followed.
inline bool is_counted_in_code(const Fact<std::int64_t>& parameters) {
  return parameters.from.origin == Origin::code || parameters.from.span.known();
}
/// The list of `knowledge/words/` with the networks that one known by its size alone may be built
/// like; empty where its name states no size of the whole.
std::string_view usual_networks_like(const TrainingPlan& plan);

/// Of a library: its major and minor number.
struct Release {
  int major = 0;
  int minor = 0;
};
/// The run is stated to use a PyTorch older than `release`.
bool is_torch_before(const TrainingPlan& plan, Release release);

/// Samples per optimizer step over all devices.
std::optional<std::int64_t> global_batch(const TrainingPlan& plan);

/// Samples per device and evaluation step; unset where none are stated or the run never evaluates.
std::optional<std::int64_t> evaluation_batch(const TrainingPlan& plan);

/// One batch as the loader hands it out: stated batch_bytes win over stated sample_bytes, those
/// over what was derived from image size or sequence length (an interval, as nobody said in which
/// number format).
std::optional<Interval> batch_bytes(const TrainingPlan& plan);

}  // namespace gpulint

#include "device/wire_batch.h"

namespace gpulint::probe {
namespace {

constexpr std::size_t kMostTrialsSent = 64;

Json trial_json(const BatchTrial& trial) {
  return {{"batch", trial.batch},
          {"verdict", name_of(trial.verdict)},
          {"tried", trial.tried},
          {"needed", to_json(trial.needed)},
          {"left", to_json(trial.left)}};
}

/// A batch is a count, which the reader knows as an integer of this size.
void read_count(Reader& reader, const char* key, std::int64_t& count) {
  Bytes number;
  reader.read(key, number);
  if (number < Bytes{}) reader.refuse();
  count = number.count();
}

void read_trial(Reader& reader, BatchTrial& trial) {
  std::string verdict;
  read_count(reader, "batch", trial.batch);
  reader.read("verdict", verdict);
  reader.read("tried", trial.tried);
  reader.read("needed", trial.needed);
  reader.read("left", trial.left);
  const std::optional<FootprintVerdict> known = footprint_verdict_from(verdict);
  if (!known) reader.refuse();
  trial.verdict = known.value_or(FootprintVerdict::refused);
}

}  // namespace

Json to_json(const BatchReport& report) {
  Json trials = Json::array();
  for (const BatchTrial& trial : report.trials) trials.push_back(trial_json(trial));
  return {{"predicted", report.predicted},
          {"largest", report.largest ? Json(*report.largest) : Json()},
          {"trials", std::move(trials)},
          {"why", report.why}};
}

void read_batch(Reader& reader, BatchReport& report) {
  read_count(reader, "predicted", report.predicted);
  std::optional<Bytes> largest;
  reader.read("largest", largest);
  if (largest && *largest < Bytes{}) reader.refuse();
  if (largest) report.largest = largest->count();
  reader.parts("trials", report.trials, kMostTrialsSent, read_trial);
  reader.read("why", report.why);
}

}  // namespace gpulint::probe

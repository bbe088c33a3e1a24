#pragma once

// Learning-rate twins: two configs of one folder that agree in everything that shapes learning and
// in the learning rate, but not in the global batch. One of the two rates is then hardly tuned.
// The looser test "same model and optimizer" was measured on published recipes and fires on a third
// of them, which is why data and every other learning key must agree too.

#include "base/file_reader.h"
#include "engine/engine.h"
#include "plan/plan.h"
#include "source/document.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint {

/// What twins are told by: small enough to keep for every file of a run.
struct LearningRun {
  std::string folder;
  std::string path;
  std::uint64_t signature = 0;  // of all facts and keys that shape learning
  double learning_rate = 0;
  std::int64_t batch = 0;     // samples per optimizer step, over all devices when that is known
  bool over_devices = false;  // false: of one device, because the world size is unknown
  SourceSpan span;            // of the learning rate
};

/// nullopt when the config cannot have a twin: learning rate, batch or optimizer unknown, a
/// reference stated, or code that scales the rate itself.
std::optional<LearningRun> learning_run(const Plan& plan, const Document& document,
                                        const Dialect& dialect);

/// For each path of `runs` that is judged against a twin: the reference. The smallest batch of a
/// group is the reference of the others.
std::map<std::string, LearningRateReference> find_twins(std::vector<LearningRun> runs);

/// Paths of configs in `folder` that could be twins of those that are linted and are not linted
/// themselves.
std::vector<std::string> possible_twins(const FileReader& files, const std::string& folder,
                                        const std::set<std::string>& linted);

/// Cheap look at a text: does it write a number equal to `value`?
bool mentions_number(std::string_view text, double value);

}  // namespace gpulint

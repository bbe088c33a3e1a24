#pragma once

#include "base/result.h"
#include "model/program.h"

#include <cstdint>
#include <map>
#include <string>

namespace gpulint::model {

/// Iterations of a loop that record the same may be copied: the tape is the same as where all are
/// run. Folded, most of them are only counted (Fold), which takes a fraction of the time and
/// memory; `unfold` makes the same tape of it.
enum class Iterations : std::uint8_t { folded, copied, all_run };

/// Runs one forward pass of a program on a tape. `dimensions` overrides the file's defaults and
/// must hold what has none, `batch` included. Refusals name the statement's place in the model
/// file and the fact that does not fit; nothing a dimension holds can crash or hang it.
Result<Tape> run_program(const Program& program,
                         const std::map<std::string, expr::Value>& dimensions,
                         TapeOptions tape_options, const ExecutionOptions& execution,
                         Iterations iterations = Iterations::copied);

/// Every dimension of a program as `given` and the file's defaults decide it; what they leave open
/// is left out.
std::map<std::string, expr::Value> dimensions_of(const Program& program,
                                                 const std::map<std::string, expr::Value>& given);

}  // namespace gpulint::model

#include "memory/tape_memo.h"

#include "model/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

// Of all tapes kept together; an operator with its links and storages takes about 450 bytes, and a
// tape begins with room for 400. The last one is kept whatever it has.
constexpr std::size_t kMostOperators = 4'000;
constexpr std::size_t kMostTapes = 12;

}  // namespace

Result<SharedTape> TapeMemo::run(TapeQuestion question) {
  {
    const std::scoped_lock lock(mutex_);
    const auto at = std::find_if(recent_.begin(), recent_.end(),
                                 [&](const Entry& entry) { return entry.question == question; });
    if (at != recent_.end()) {
      recent_.splice(recent_.begin(), recent_, at);
      return at->tape;
    }
  }
  Result<model::Tape> ran =
      model::run_program(*question.program, question.dimensions, question.tape, question.execution,
                         model::Iterations::folded);
  if (!ran) return fail(ran.error());
  SharedTape tape = std::make_shared<const model::Tape>(std::move(*ran));
  const std::scoped_lock lock(mutex_);
  operators_ += tape->operators().size();
  recent_.push_front({std::move(question), tape});
  while (recent_.size() > 1 && (recent_.size() > kMostTapes || operators_ > kMostOperators)) {
    operators_ -= recent_.back().tape->operators().size();
    recent_.pop_back();
  }
  return tape;
}

}  // namespace gpulint

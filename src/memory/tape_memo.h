#pragma once

// Tapes that were recorded a moment ago: the memory and the time of a step, a picture of it and the
// next GPU of a matrix are read off the same one.

#include "expr/value.h"
#include "model/operator_table.h"
#include "model/program.h"
#include "model/tape.h"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace gpulint {

using ModelDimensions = std::map<std::string, expr::Value>;

/// All that decides what a program's tape holds.
struct TapeQuestion {
  const model::Program* program = nullptr;
  ModelDimensions dimensions;
  model::TapeOptions tape;
  model::ExecutionOptions execution;
  friend bool operator==(const TapeQuestion&, const TapeQuestion&) = default;
};

using SharedTape = std::shared_ptr<const model::Tape>;

class TapeMemo {
 public:
  /// As model::run_program, which is asked for what is not remembered, with repeated layers folded.
  /// Thread-safe; programs must outlive this object, tapes need not.
  Result<SharedTape> run(TapeQuestion question);

 private:
  struct Entry {
    TapeQuestion question;
    SharedTape tape;
  };
  std::mutex mutex_;         // guards all below; never held while operators run
  std::list<Entry> recent_;  // the one asked for last comes first
  std::size_t operators_ = 0;
};

}  // namespace gpulint

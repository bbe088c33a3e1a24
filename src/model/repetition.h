#pragma once

// The layers of a network repeat. What an iteration of a loop records follows from what the tape
// and the names hold when it begins; where that is, but for the numbers of storages, what it was
// one period earlier, the next period records what the last one did, with later numbers. Of a
// decoder of 80 layers two are run; two more are copied and the others counted (Fold), or all are
// copied: the same tape, number for number.

#include "model/operator_table.h"
#include "model/tape.h"
#include "model/varying.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulint::model {

/// Watches one loop.
class Repetition {
 public:
  Repetition(Tape& tape, Machine& machine, Period period)
      : tape_(tape), machine_(machine), period_(period) {}

  /// Whether loops can be watched here: not inside of a block, to whose sums every iteration adds,
  /// nor with adapters that count blocks.
  static bool possible(const Tape& tape);

  /// Where the interpreter is between two iterations.
  struct Place {
    Tensor current;                     // the next one begins with
    std::vector<expr::Value> counters;  // of all other loops
    std::int64_t statements = 0;        // run so far
  };
  /// Whether `settled` is to be asked before iteration `i`.
  bool watches(std::int64_t i) const { return marks_left_ > 0 && period_.begins_at(i); }
  /// True when the next period would record what the last one did.
  bool settled(Place place);

  // Once settled.
  std::int64_t iterations() const { return period_.length; }
  std::size_t operators() const { return now_.operators - before_.operators; }
  std::int64_t statements() const { return now_.place.statements - before_.place.statements; }
  /// Records so many further periods; returns the tensor the last one leaves.
  Tensor repeat(std::size_t times);

 private:
  struct Mark {
    std::size_t storages = 0;
    std::size_t operators = 0;
    std::size_t links = 0;
    std::size_t blocks = 0;
    std::size_t folds = 0;
    std::size_t names = 0;
    std::size_t weights = 0;
    std::int64_t candidates = 0;
    Place place;
    std::vector<Storage> seen;  // as they were
  };

  void mark(Place place);
  bool state_corresponds() const;
  bool periods_correspond() const;
  bool folds_correspond() const;
  bool is_of_last_but_one(StorageId id) const;
  bool corresponds(const Tensor& earlier, const Tensor& later) const;
  bool names_correspond() const;
  bool storages_correspond() const;
  bool reads_only_handed_on() const;
  std::vector<StorageId> handed_on() const;
  StorageId shifted(StorageId id, std::size_t copy) const;
  Tensor shifted(Tensor tensor, std::size_t copy) const;
  void copy_storages(const std::vector<Storage>& made, std::size_t copy);
  void copy_operators(std::size_t copy);
  void copy_folds(std::size_t copy);
  TapeExtent period() const;
  void hand_on(StorageId id, const Storage& done, std::size_t copy);
  void prolong(std::size_t times);

  /// Loops that take longer to repeat themselves are left alone.
  static constexpr int kMostMarks = 5;

  Tape& tape_;
  Machine& machine_;
  Period period_;
  int marks_left_ = kMostMarks;
  Mark earlier_;  // before the last period but one
  Mark before_;   // before the last one
  Mark now_;
};

}  // namespace gpulint::model

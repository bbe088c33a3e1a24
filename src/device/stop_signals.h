#pragma once

namespace gpulint::probe {

/// While one lives, SIGINT and SIGTERM end nothing: they are remembered, and system calls they
/// interrupt return. A forked child inherits that. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
};

/// The signal that came since the first StopSignals, 0 = none.
int stop_signal();

}  // namespace gpulint::probe

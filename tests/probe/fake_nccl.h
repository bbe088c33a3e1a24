#pragma once

// The state of the fake NCCL, found by its symbol `fake_nccl`.

namespace gpulint::probe {

struct FakeNccl {
  double bus_bandwidth = 350e9;  // bytes per second; FAKE_NCCL_BANDWIDTH for a program
  double latency = 20e-6;        // of one collective, seconds
  const char* failing_call = "";
  int failing_code = 0;
  bool wrong_sums = false;
  int live_communicators = 0;
  int collectives = 0;
};

}  // namespace gpulint::probe

extern "C" gpulint::probe::FakeNccl fake_nccl;

#pragma once

// The state of the fake cuBLASLt, found by its symbol `fake_cublaslt`.

namespace gpulint::probe {

struct FakeCublaslt {
  double fp32_rate = 52e12;  // operations/s
  double tf32_rate = 400e12;
  double half_rate = 790e12;
  double fp8_rate = 1400e12;
  double fast_fp8_rate = 1600e12;  // with fast accumulation
  bool has_fast_fp8 = true;
  bool wrong_products = false;
  bool has_algorithm = true;
  const char* failing_call = "";  // this function returns failing_status
  int failing_status = 0;
  // What it saw.
  int calls = 0;
  int live_objects = 0;
};

}  // namespace gpulint::probe

extern "C" gpulint::probe::FakeCublaslt fake_cublaslt;

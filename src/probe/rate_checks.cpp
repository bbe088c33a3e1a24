#include "probe/rate_checks.h"

namespace gpulint::probe {

Precision precision_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return Precision::fp32;
    case NumberFormat::tf32:
      return Precision::tf32;
    case NumberFormat::fp16:
      return Precision::fp16;
    case NumberFormat::bf16:
      return Precision::bf16;
    case NumberFormat::fp8:
      return Precision::fp8;
  }
  return Precision::fp32;
}

}  // namespace gpulint::probe

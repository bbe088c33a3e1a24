#include "device/step_report.h"

#include <algorithm>

namespace gpulint::probe {

TimedPart TimedStep::timed() const {
  TimedPart sum;
  sum.exact = true;
  const auto add = [&sum](const TimedPart& part) {
    sum.predicted.value += part.predicted.value;
    sum.measured.value += part.measured.value;
    sum.noise.value += part.noise.value;
    sum.exact = sum.exact && part.exact;
  };
  for (const TimedProduct& each : products) add(each.time);
  if (passes) add(*passes);
  return sum;
}

TimedPart TimedStep::exactly_timed() const {
  TimedStep exact = *this;
  std::erase_if(exact.products, [](const TimedProduct& each) { return !each.time.exact; });
  if (exact.passes && !exact.passes->exact) exact.passes.reset();
  return exact.timed();
}

double TimedStep::timed_share() const {
  return central.value > 0 ? timed().predicted.value / central.value : 0;
}

Seconds TimedStep::measured() const {
  const TimedPart part = timed();
  return Seconds{std::max(0.0, central.value - part.predicted.value) + part.measured.value};
}

}  // namespace gpulint::probe

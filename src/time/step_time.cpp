#include "time/step_time.h"

namespace gpulint {

std::string_view name_of(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::compute:
      return "compute";
    case Bottleneck::memory:
      return "memory bandwidth";
    case Bottleneck::launches:
      return "kernel launches";
    case Bottleneck::communication:
      return "communication";
    case Bottleneck::loading:
      return "data loading";
  }
  return "";
}

}  // namespace gpulint

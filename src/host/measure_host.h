#pragma once

#include "host/host_part.h"
#include "host/image_rates.h"
#include "host/python_cost.h"

#include <chrono>
#include <string>
#include <vector>

namespace gpulint::probe {

struct HostRequest {
  std::string root;                     // of /proc, /sys and /dev; "" = the machine's own
  std::vector<std::string> data_paths;  // the first that is there counts
  bool may_write = false;               // temporary files in the data path
  int image_side = 224;
  int loader_workers = 0;  // that the config asks for, all ranks of the host; 0 = unknown
  PythonChoice python;
  std::string unsafe_libraries;                // why no library may be loaded; "" = they may
  std::vector<HostPart> more = {};             // after the facts
  std::chrono::milliseconds deadline{19'000};  // for all parts together
};

/// Every part in a process of its own, one after the other. What is not over at the deadline, or at
/// its own limit, is named.
HostReport measure_host(const HostRequest& request);

}  // namespace gpulint::probe

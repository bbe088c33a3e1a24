#pragma once

#include "device/driver_api.h"
#include "device/reason.h"

#include <optional>
#include <string>
#include <variant>

namespace gpulint::probe {

/// Names of the driver's libraries, as their sonames or absolute paths.
struct DriverLibraries {
  std::string cuda = "libcuda.so.1";
  std::string nvml = "libnvidia-ml.so.1";
};

struct Driver {
  CudaApi cuda;
  std::optional<NvmlApi> nvml;  // unset: not installed, or too old
  std::string cuda_path;        // the file that was loaded
};

/// Opens the libraries and looks up every function; calls none of them. Library constructors run
/// here, so ask `unsafe_library_path` first.
std::variant<Driver, Unavailable> load_driver(const DriverLibraries& libraries,
                                              const MachineFacts& machine);

}  // namespace gpulint::probe

#pragma once

// A GPU as `confirm` measured it, and what the database knows of it: all figures agree.

#include "probe/confirmation.h"

namespace gpulint::test {

/// What a context takes of a GPU's memory.
inline constexpr BytesRange kContext{Bytes::mib(273), Bytes::mib(648)};

inline probe::DeviceReport measured_device() {
  probe::DeviceReport report;
  report.name = "NVIDIA Test";
  report.pci_bus_id = "0000:03:00.0";
  report.driver_version = "580.00";
  report.driver_library = "/usr/lib/libcuda.so.1";
  report.cuda_version = 12040;
  report.compute_capability = 86;
  report.sm_count = 82;
  report.visible_devices = 1;
  report.nvml_total = Bytes::mib(24576);
  report.nvml_reserved = Bytes::mib(400);
  report.cuda_total = Bytes::mib(24200);
  report.free_before_context = Bytes::mib(24100);
  report.free_after_context = Bytes::mib(23800);
  report.context = Bytes::mib(300);
  return report;
}

inline Gpu known_gpu() {
  Gpu known;
  known.id = "test";
  known.memory_total = Bytes::mib(24576);
  known.usable_memory = BytesRange{Bytes::mib(24124), Bytes::mib(24268)};
  return known;
}

}  // namespace gpulint::test

#pragma once

// What NCCL carried between the cards of one machine, kept beside what each card measured.

#include "base/result.h"
#include "catalog/hardware.h"
#include "device/node_report.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

struct MeasuredLinks {
  std::string name;                     // of the cards, as the driver prints it
  std::string pci_device_id;            // "2335"; "" = unknown
  std::string driver_version;           // "" = unknown
  std::string nccl;                     // "NCCL 2.27.5"
  Bytes memory_total;                   // of one card, by NVML
  std::vector<std::string> cards = {};  // eight digits of each (card_digits)
  int gpus = 0;                         // that took part
  double bus = 0;                       // bytes/s, of the slowest kind that a training step uses
  std::chrono::sys_days day;
  friend bool operator==(const MeasuredLinks&, const MeasuredLinks&) = default;
};

/// Of equal whole cards of one machine that nothing disturbed; nullopt where that is not so, or one
/// of all-reduce, all-gather and reduce-scatter is missing or scatters.
std::optional<MeasuredLinks> measured_links_from(const NodeReport& node, std::string pci_device_id,
                                                 std::chrono::sys_days day);
std::string file_name_of(const MeasuredLinks& links);
/// One object of schema gpulint.measured-links/1.
std::string write_measured_links(const MeasuredLinks& links, std::string_view version);
/// Trusts nothing.
Result<MeasuredLinks> read_measured_links(std::string_view text);
/// Whether a text says that it is of this schema.
bool is_measured_links(std::string_view text);
/// Refuses what is older than 90 days or from the future, and a bus bandwidth below 0.1 GB/s or
/// above 1.3 times what one direction of the card's NVLink, or of PCIe 6, carries.
Result<void> check_measured_links(const MeasuredLinks& links, const Gpu& gpu,
                                  std::chrono::sys_days today);

/// `gpu` with the links as measured.
Gpu with_links(Gpu gpu, const MeasuredLinks& links);

}  // namespace gpulint::probe

#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "device/device_report.h"
#include "disk/private_folder.h"
#include "probe/measured_links.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// What a card measured, kept beside what the database says of its kind. Name, PCI id, memory,
/// driver version, the card itself, its power limit and the library are its key: with another of
/// these it is another measurement.
struct MeasuredGpu {
  std::string name;                        // as the driver prints it
  std::string pci_device_id;               // "2335"; "" = unknown
  std::string driver_version;              // "" = unknown
  std::string card = {};                   // eight digits (card_digits); "" = unknown
  std::string library = {};                // "cuBLASLt 13.1.0"; "" = none
  std::optional<double> power_limit = {};  // W
  Bytes memory_total;                      // NVML
  Bytes cuda_total;
  std::optional<Bytes> context;
  std::vector<Rate> rates;
  std::chrono::sys_days day;
  friend bool operator==(const MeasuredGpu&, const MeasuredGpu&) = default;
};

/// $XDG_CONFIG_HOME/gpulint/measured, else ~/.config/gpulint/measured; "" when neither variable is
/// an absolute path.
std::string measured_folder(const char* xdg_config_home, const char* home);

/// Unknown for a part of a card (MIG, MPS) and without NVML, whose total is part of the key.
std::optional<MeasuredGpu> measured_from(const DeviceReport& device, std::string pci_device_id,
                                         std::chrono::sys_days day);
/// By its key.
std::string file_name_of(const MeasuredGpu& measured);

/// One object of schema gpulint.measured/1.
std::string write_measured(const MeasuredGpu& measured, std::string_view version);
/// Trusts nothing.
Result<MeasuredGpu> read_measured(std::string_view text);

/// Refuses what is older than 90 days or from the future, and figures outside of 0.2 to 1.3 of the
/// database's.
Result<void> check_measured(const MeasuredGpu& measured, const Gpu& gpu,
                            std::chrono::sys_days today);

struct MeasuredOf {
  const Gpu* gpu = nullptr;
  MeasuredGpu measured;
};
struct LinksOf {
  const Gpu* gpu = nullptr;
  MeasuredLinks links;
};
struct MeasuredSet {
  std::vector<MeasuredOf> kept;      // by GPU id, then day
  std::vector<LinksOf> links = {};   // likewise
  std::vector<std::string> refused;  // "file: why"
};
/// One is about 1 KiB; one machine has a few.
inline constexpr disk::PrivateLimits kMeasuredLimits{.bytes = std::size_t{64} << 10, .files = 1024};
/// Every file of the folder is kept or refused.
MeasuredSet load_measured(std::span<const disk::PrivateFile> files, const Catalog& catalog,
                          std::chrono::sys_days today);

/// "2026-11-20"
std::string day_text(std::chrono::sys_days day);
std::optional<std::chrono::sys_days> day_from(std::string_view text);
/// Four hexadecimal digits, or "" where nobody knew them.
bool is_pci_device_id(std::string_view text);
/// Refuses what is older than 90 days or from the future.
Result<void> check_age(std::chrono::sys_days day, std::chrono::sys_days today);

/// A line for each kept one, measured beside nominal; "" when there is none.
std::string measured_text(const MeasuredSet& set);

}  // namespace gpulint::probe

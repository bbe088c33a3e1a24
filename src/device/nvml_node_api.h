#pragma once

// What NVML says of a card's health and of how cards are joined; driver_api.h says how it is
// declared. Each may be null: what it answers is then unknown.

#include <array>

namespace gpulint::probe {

/// nvmlGpuTopologyLevel_t
inline constexpr int kTopologyInternal = 0;     // two on one board
inline constexpr int kTopologySingle = 10;      // one PCIe switch between
inline constexpr int kTopologyMultiple = 20;    // several, and no host bridge
inline constexpr int kTopologyHostBridge = 30;  // one host bridge
inline constexpr int kTopologyNode = 40;        // one NUMA node, several host bridges
inline constexpr int kTopologySystem = 50;      // between NUMA nodes
/// nvmlMemoryErrorType_t and nvmlEccCounterType_t
inline constexpr int kEccCorrected = 0;
inline constexpr int kEccUncorrected = 1;
inline constexpr int kEccVolatile = 0;   // since the driver was loaded
inline constexpr int kEccAggregate = 1;  // of the card's life
/// nvmlIntNvLinkDeviceType_t
inline constexpr int kNvlinkToGpu = 0;
inline constexpr int kNvlinkToSwitch = 2;
/// More than any generation has; NVML refuses the numbers a card lacks.
inline constexpr unsigned int kMostNvlinks = 36;
inline constexpr unsigned long long kEventXid = 0x8;  // nvmlEventTypeXidCriticalError
/// nvmlPageRetirementCause_t: several correctable errors, one that could not be corrected.
inline constexpr int kRetiredBySingleBit = 0;
inline constexpr int kRetiredByDoubleBit = 1;

/// nvmlPciInfo_t
struct NvmlPciInfo {
  std::array<char, 16> old_bus_id{};
  unsigned int domain = 0;
  unsigned int bus = 0;
  unsigned int device = 0;
  unsigned int device_id = 0;
  unsigned int subsystem_id = 0;
  std::array<char, 32> bus_id{};
};
static_assert(sizeof(NvmlPciInfo) == 68);

/// nvmlEventData_t
struct NvmlEvent {
  void* device = nullptr;
  unsigned long long type = 0;
  unsigned long long data = 0;  // the number of an XID
  unsigned int gpu_instance = 0;
  unsigned int compute_instance = 0;
};
static_assert(sizeof(NvmlEvent) == 32);

struct NvmlNodeApi {
  int (*common_ancestor)(void* a, void* b, int* level) = nullptr;
  int (*nvlink_state)(void* device, unsigned int link, int* active) = nullptr;
  int (*nvlink_remote)(void* device, unsigned int link, NvmlPciInfo* pci) = nullptr;
  int (*nvlink_remote_type)(void* device, unsigned int link, int* type) = nullptr;
  int (*ecc_mode)(void* device, int* current, int* pending) = nullptr;
  int (*ecc_errors)(void* device, int error, int counter, unsigned long long* count) = nullptr;
  int (*remapped_rows)(void* device, unsigned int* corrected, unsigned int* uncorrected,
                       unsigned int* pending, unsigned int* failed) = nullptr;
  int (*retired_pages)(void* device, int cause, unsigned int* count,
                       unsigned long long* addresses) = nullptr;
  int (*uuid)(void* device, char* text, unsigned int size) = nullptr;
  int (*event_set_create)(void** set) = nullptr;
  int (*event_set_free)(void* set) = nullptr;
  int (*register_events)(void* device, unsigned long long types, void* set) = nullptr;
  int (*event_wait)(void* set, NvmlEvent* event, unsigned int milliseconds) = nullptr;
};

}  // namespace gpulint::probe

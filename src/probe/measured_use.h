#pragma once

#include "base/file_reader.h"
#include "probe/measured.h"

#include <string>
#include <vector>

namespace gpulint::probe {

/// `gpu` with memory totals, context, and achieved rates as measured. Names, compute capability,
/// peaks and what the card supports stay the database's. A lower bound never lowers a rate.
Gpu with_figures(const Gpu& gpu, const MeasuredGpu& measured);

/// What of this machine belongs to a measurement's key and can be read without waking a driver.
struct MachineKey {
  std::string driver_version;            // "" = unknown
  std::vector<std::string> gpu_ids;      // of the catalog, of the GPUs in this machine
  std::vector<std::string> pci_devices;  // their PCI device ids, where known
  std::vector<std::string> cards = {};   // which cards they are (card_digits), where known
};
MachineKey machine_key(const FileReader& machine, const Catalog& catalog);

/// One GPU of each kind that was measured, by itself or with others of its kind, by id. For a GPU
/// of this machine only what its driver, PCI id and card measured counts; of several the newest,
/// then the one with less memory.
std::vector<Gpu> measured_gpus(const MeasuredSet& set, const MachineKey& machine);

}  // namespace gpulint::probe

#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "catalog/catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// One GPU of this machine as the kernel shows it; "" = not shown.
struct LocalGpu {
  std::string pci_address;    // "0000:03:00.0"
  std::string name;           // NVIDIA driver's /proc entry
  std::string pci_device_id;  // "2335"
  std::string card = {};      // eight digits of its UUID's hash (card_digits)
  friend bool operator==(const LocalGpu&, const LocalGpu&) = default;
};

/// GPUs by the NVIDIA driver's /proc entries, where it has any, else by the PCI bus (class display,
/// vendor NVIDIA or AMD); sorted by address. Never talks to a driver.
std::vector<LocalGpu> find_local_gpus(const FileReader& machine);

/// The catalog's GPU of one that is here; nullptr when it is unknown or cannot be told from others.
const Gpu* look_up(const LocalGpu& local, const Catalog& catalog);
/// "580.10" of the kernel module; "" when there is none.
std::string local_driver_version(const FileReader& machine);
/// "2335" of the card at "0000:03:00.0", in any case of letters; "" when the kernel does not say.
std::string pci_device_id(const FileReader& machine, std::string_view bus_id);

/// The catalog's GPU for `--gpu auto`. An Error says what was seen and to name the GPU instead: no
/// GPU, GPUs of several kinds, one the catalog does not know or cannot tell from its siblings.
Result<const Gpu*> identify_local_gpu(const FileReader& machine, const Catalog& catalog);

}  // namespace gpulint::probe

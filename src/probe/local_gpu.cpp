// Which GPU is in this machine, without waking it: cuInit takes a second, may hang, and creates
// state on the device; two small files per device say the same.

#include "probe/local_gpu.h"

#include "base/text.h"
#include "device/card_digits.h"

#include <fmt/format.h>

namespace gpulint::probe {
namespace {

constexpr std::string_view kProcFolder = "/proc/driver/nvidia/gpus";
constexpr std::string_view kPciFolder = "/sys/bus/pci/devices";
constexpr std::size_t kMostBytes = 4096 + 1;  // one page of the kernel
constexpr std::size_t kMostDevices = 1024;    // PCI functions of one machine

/// "0x10de\n" -> "10de"; "" when the file is not there.
std::string hexadecimal(const FileReader& machine, const std::string& path) {
  const Result<std::string> text = machine.read(path, kMostBytes);
  if (!text) return "";
  std::string_view word = trim(*text);
  if (starts_with_ignoring_case(word, "0x")) word.remove_prefix(2);
  return to_lower(word);
}

std::string pci_file(std::string_view address, std::string_view file) {
  return fmt::format("{}/{}/{}", kPciFolder, address, file);
}

/// The value of "Model: \t NVIDIA H200" in the driver's information file, by its key.
std::string_view value_of(std::string_view information, std::string_view key) {
  for (const std::string_view line : split(information, '\n')) {
    if (line.starts_with(key)) return trim(line.substr(key.size()));
  }
  return "";
}

/// A driver that does not know it yet writes question marks.
std::string card_in(std::string_view information) {
  const std::string_view uuid = value_of(information, "GPU UUID:");
  return uuid.find('?') == std::string_view::npos ? card_digits(uuid) : "";
}

std::vector<LocalGpu> from_driver(const FileReader& machine) {
  std::vector<LocalGpu> gpus;
  const auto entries = machine.list(std::string(kProcFolder));
  if (!entries) return gpus;
  for (const DirectoryEntry& entry : *entries) {
    if (gpus.size() == kMostDevices) break;
    const auto text =
        machine.read(fmt::format("{}/{}/information", kProcFolder, entry.name), kMostBytes);
    if (!text) continue;
    gpus.push_back({entry.name, std::string(value_of(*text, "Model:")),
                    hexadecimal(machine, pci_file(entry.name, "device")), card_in(*text)});
  }
  return gpus;
}

std::vector<LocalGpu> from_pci(const FileReader& machine) {
  std::vector<LocalGpu> gpus;
  const auto entries = machine.list(std::string(kPciFolder));
  if (!entries) return gpus;
  std::size_t seen = 0;
  for (const DirectoryEntry& entry : *entries) {
    if (++seen > kMostDevices) break;
    const std::string vendor = hexadecimal(machine, pci_file(entry.name, "vendor"));
    const bool ours = vendor == "10de" || vendor == "1002";  // PCI-SIG: NVIDIA, AMD
    // Class 03 is display (00 VGA, 02 3D controller), 12 processing accelerator.
    const std::string kind = hexadecimal(machine, pci_file(entry.name, "class"));
    if (!ours || !(kind.starts_with("03") || kind.starts_with("12"))) continue;
    gpus.push_back({entry.name, "", hexadecimal(machine, pci_file(entry.name, "device"))});
  }
  return gpus;
}

std::string words_for(const LocalGpu& gpu) {
  return gpu.name.empty() ? fmt::format("PCI device {}", gpu.pci_device_id)
                          : fmt::format("\"{}\"", gpu.name);
}

}  // namespace

const Gpu* look_up(const LocalGpu& local, const Catalog& catalog) {
  if (!local.pci_device_id.empty()) {
    if (const Gpu* gpu = catalog.gpu_by_pci(local.pci_device_id)) return gpu;
  }
  return local.name.empty() ? nullptr : catalog.find_gpu(local.name);
}

std::string local_driver_version(const FileReader& machine) {
  const auto text = machine.read("/sys/module/nvidia/version", kMostBytes);
  return text ? std::string(trim(*text)) : "";
}

std::string pci_device_id(const FileReader& machine, std::string_view bus_id) {
  const std::string address = to_lower(bus_id);
  // The address becomes part of a path and comes from a driver.
  if (address.find_first_not_of("0123456789abcdef:.") != std::string::npos) return "";
  return hexadecimal(machine, pci_file(address, "device"));
}

std::vector<LocalGpu> find_local_gpus(const FileReader& machine) {
  std::vector<LocalGpu> gpus = from_driver(machine);
  return gpus.empty() ? from_pci(machine) : gpus;
}

Result<const Gpu*> identify_local_gpu(const FileReader& machine, const Catalog& catalog) {
  const std::vector<LocalGpu> gpus = find_local_gpus(machine);
  if (gpus.empty()) {
    return fail("--gpu auto: no GPU was found on this machine; name one of gpulint list gpus");
  }
  const Gpu* found = nullptr;
  for (const LocalGpu& local : gpus) {
    const Gpu* gpu = look_up(local, catalog);
    if (gpu == nullptr) {
      const std::vector<const Gpu*> siblings = catalog.gpus_named(local.name);
      return fail(
          fmt::format("--gpu auto: {} is {}; name one of gpulint list gpus", words_for(local),
                      siblings.size() > 1 ? "the name of several GPUs" : "not in the database"));
    }
    if (found != nullptr && found != gpu) {
      return fail(
          fmt::format("--gpu auto: this machine has GPUs of several kinds ({} and {}); name one",
                      found->id, gpu->id));
    }
    found = gpu;
  }
  return found;
}

}  // namespace gpulint::probe

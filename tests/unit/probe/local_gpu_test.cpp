#include "probe/local_gpu.h"

#include "device/card_digits.h"
#include "unit/lint/memory_reader.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

const Catalog& catalog() {
  static const Result<Catalog> opened = Catalog::open(embedded_data());
  REQUIRE(opened.has_value());
  return *opened;
}

/// The driver's entry of one GPU, as driver 550 writes it.
std::string information(const std::string& model) {
  return "Model: \t\t " + model +
         "\nIRQ:   \t\t 42\nGPU UUID: \t GPU-00000000-0000-0000-0000-000000000000\n"
         "Bus Type: \t PCIe\nBus Location: \t 0000:03:00.0\n";
}

const std::string kProc = "/proc/driver/nvidia/gpus/";
const std::string kPci = "/sys/bus/pci/devices/";

MemoryReader::Files pci_device(const std::string& address, const std::string& vendor,
                               const std::string& device, const std::string& kind) {
  return {{kPci + address + "/vendor", vendor + "\n"},
          {kPci + address + "/device", device + "\n"},
          {kPci + address + "/class", kind + "\n"}};
}

std::string identified(const MemoryReader& machine) {
  const auto gpu = identify_local_gpu(machine, catalog());
  return gpu ? (*gpu)->id : gpu.error().message;
}

}  // namespace

TEST_CASE("a GPU is found by the driver's entry and its PCI id") {
  MemoryReader::Files files = pci_device("0000:03:00.0", "0x10de", "0x2335", "0x030200");
  files[kProc + "0000:03:00.0/information"] = information("NVIDIA H200");
  const MemoryReader machine(files);
  CHECK(find_local_gpus(machine) ==
        std::vector<LocalGpu>{{"0000:03:00.0", "NVIDIA H200", "2335",
                               card_digits("GPU-00000000-0000-0000-0000-000000000000")}});
  CHECK(identified(machine) == "h200-sxm");
}

TEST_CASE("a GPU without a PCI id is found by the driver's name") {
  const MemoryReader machine(MemoryReader::Files{
      {kProc + "0000:01:00.0/information", information("NVIDIA GeForce RTX 3090")}});
  CHECK(identified(machine) == "rtx-3090");
}

TEST_CASE("a GPU without a driver is found on the PCI bus") {
  const MemoryReader machine(pci_device("0000:01:00.0", "0x10de", "0x2204", "0x030000"));
  CHECK(identified(machine) == "rtx-3090");
}

TEST_CASE("the sound function of a GPU and other vendors' displays are not GPUs") {
  MemoryReader::Files files = pci_device("0000:01:00.1", "0x10de", "0x1aef", "0x040300");
  files.merge(pci_device("0000:02:00.0", "0x8086", "0x2204", "0x030000"));
  CHECK(identified(MemoryReader(files)) ==
        "--gpu auto: no GPU was found on this machine; name one of gpulint list gpus");
}

TEST_CASE("several GPUs of one kind are one target") {
  MemoryReader::Files files = pci_device("0000:01:00.0", "0x10de", "0x2204", "0x030000");
  files.merge(pci_device("0000:02:00.0", "0x10de", "0x2204", "0x030000"));
  CHECK(identified(MemoryReader(files)) == "rtx-3090");
}

TEST_CASE("GPUs of several kinds are not a target") {
  MemoryReader::Files files = pci_device("0000:01:00.0", "0x10de", "0x2204", "0x030000");
  files.merge(pci_device("0000:02:00.0", "0x10de", "0x2335", "0x030200"));
  CHECK(identified(MemoryReader(files)) ==
        "--gpu auto: this machine has GPUs of several kinds (rtx-3090 and h200-sxm); name one");
}

TEST_CASE("a GPU the database does not know is named as the machine names it") {
  const MemoryReader unknown_pci(pci_device("0000:01:00.0", "0x10de", "0xffff", "0x030000"));
  CHECK(identified(unknown_pci) ==
        "--gpu auto: PCI device ffff is not in the database; name one of gpulint list gpus");
  const MemoryReader unknown_name(
      MemoryReader::Files{{kProc + "0000:01:00.0/information", information("NVIDIA Imaginary 1")}});
  CHECK(identified(unknown_name) ==
        "--gpu auto: \"NVIDIA Imaginary 1\" is not in the database; name one of gpulint list gpus");
}

TEST_CASE("odd kernel files name no GPU") {
  MemoryReader::Files files{{kProc + "0000:01:00.0/information", ""},
                            {kProc + "0000:02:00.0/information", std::string(8192, 'x')}};
  CHECK_FALSE(identify_local_gpu(MemoryReader(files), catalog()).has_value());
}

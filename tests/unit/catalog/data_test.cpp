// The data this repository ships: everything loads, and what was embedded is what lies on disk.

#include "../tools/build_disk.h"
#include "catalog/catalog.h"
#include "catalog/stored_types.h"
#include "catalog/strict_reader.h"

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <span>

using namespace gpulint;

namespace {

std::vector<DataFile> files_on_disk() {
  Result<std::vector<DataFile>> files = read_data_folder(BuildDisk(), GPULINT_SOURCE_DIR);
  if (!files) FAIL(files.error().to_string());
  return std::move(files).value();
}

Catalog catalog_of(DataFiles data) {
  Result<Catalog> catalog = Catalog::open(std::move(data));
  if (!catalog) FAIL(catalog.error().to_string());
  return std::move(catalog).value();
}

}  // namespace

TEST_CASE("every data file of the repository passes the strict loaders") {
  const Catalog catalog = catalog_of(files_on_disk());
  CHECK(catalog.gpus().size() >= 66);
  CHECK(catalog.hosts().size() >= 79);
}

TEST_CASE("every embedded file reads back as the file on disk, node for node") {
  const DataArchive& archive = embedded_archive();
  std::size_t embedded = 0;
  for (std::size_t kind = 0; kind < kDataKinds; ++kind) {
    embedded += archive.files(static_cast<DataKind>(kind)).size();
  }
  const std::vector<DataFile> disk = files_on_disk();
  CHECK(embedded == disk.size());
  for (const DataFile& file : disk) {
    CAPTURE(file.path);
    const auto at = archive.find(*kind_of(file.path), stem_of(file.path));
    REQUIRE(at);
    CHECK(archive.path(*at) == file.path);
    const Document read = archive.document(*at);
    CHECK(read.text() == file.document.text());
    REQUIRE(read.size() == file.document.size());
    const std::span<const Node> nodes = read.view().nodes;
    CHECK(std::memcmp(nodes.data(), file.document.view().nodes.data(), nodes.size_bytes()) == 0);
  }
}

TEST_CASE("a shipped rule asks what its file asks") {
  const Catalog embedded = catalog_of(embedded_data());
  const Catalog disk = catalog_of(files_on_disk());
  REQUIRE(embedded.rules().size() == disk.rules().size());
  for (std::size_t i = 0; i < disk.rules().size(); ++i) {
    const Rule& shipped = embedded.rules()[i];
    const Rule& rule = disk.rules()[i];
    CAPTURE(rule.id);
    CHECK(shipped.id == rule.id);
    CHECK(shipped.family == rule.family);
    CHECK(shipped.preview == rule.preview);
    CHECK(shipped.when.text() == rule.when.text());
    CHECK(shipped.for_each == rule.for_each);
    CHECK(shipped.at == rule.at);
    REQUIRE(shipped.severity.size() == rule.severity.size());
    for (std::size_t level = 0; level < rule.severity.size(); ++level) {
      CHECK(shipped.severity[level].severity == rule.severity[level].severity);
      CHECK(shipped.severity[level].when.text() == rule.severity[level].when.text());
    }
    CHECK(shipped.texts().message.text() == rule.texts().message.text());
  }
}

TEST_CASE("a shipped dialect is what its file says") {
  const Catalog embedded = catalog_of(embedded_data());
  const Catalog disk = catalog_of(files_on_disk());
  REQUIRE(embedded.dialects().size() == disk.dialects().size());
  for (std::size_t i = 0; i < disk.dialects().size(); ++i) {
    CAPTURE(disk.dialects()[i].id);
    CHECK(store_dialect(embedded.dialects()[i]) == store_dialect(disk.dialects()[i]));
  }
  const Dialect* shipped = embedded.dialect("hf-trainer");
  const Dialect* written = disk.dialect("hf-trainer");
  REQUIRE(shipped != nullptr);
  CHECK(shipped->scalars == written->scalars);
  CHECK(shipped->sections == written->sections);
  REQUIRE(shipped->mapping->keys.all().size() > 50);
  CHECK(shipped->mapping->keys.all().size() == written->mapping->keys.all().size());
  CHECK(shipped->mapping->keys.all().back().path == written->mapping->keys.all().back().path);
  CHECK(*shipped->mapping->known_keys == *written->mapping->known_keys);
}

template <class T>
void check_is_what_its_file_says() {
  const Catalog embedded = catalog_of(embedded_data());
  const Catalog disk = catalog_of(files_on_disk());
  const std::vector<const T*> shipped = embedded.all_described<T>();
  const std::vector<const T*> written = disk.all_described<T>();
  REQUIRE(shipped.size() == written.size());
  REQUIRE_FALSE(written.empty());
  for (std::size_t i = 0; i < written.size(); ++i) {
    CAPTURE(written[i]->id);
    CHECK(store(*shipped[i]) == store(*written[i]));
    CHECK(shipped[i]->summary == written[i]->summary);
  }
}

TEST_CASE("shipped consumers and network forms are what their files say") {
  check_is_what_its_file_says<Consumers>();
  check_is_what_its_file_says<NetworkForm>();
}

TEST_CASE("every GPU names its sources and keeps usable memory within the total") {
  const Catalog catalog = catalog_of(embedded_data());
  std::size_t without_total = 0;
  for (const Gpu* gpu : catalog.gpus()) {
    CAPTURE(gpu->id);
    CHECK_FALSE(gpu->sources.empty());
    CHECK_FALSE(gpu->names.empty());
    CHECK(gpu->memory_total.has_value() == gpu->usable_memory.has_value());
    if (!gpu->memory_total) {
      ++without_total;
      continue;
    }
    CHECK(gpu->usable_memory->high <= *gpu->memory_total);
    CHECK(gpu->usable_memory->low.as_double() > 0.92 * gpu->memory_total->as_double());
  }
  CHECK(without_total == 4);  // the 96 GB H100, the 144 GB GH200, B300 and GB200
}

TEST_CASE("features of NVIDIA GPUs follow from their compute capability") {
  const Catalog catalog = catalog_of(embedded_data());
  for (const Gpu* gpu : catalog.gpus()) {
    CAPTURE(gpu->id);
    if (gpu->vendor != "nvidia") continue;
    REQUIRE(gpu->compute_capability.has_value());
    const int capability = *gpu->compute_capability;
    CHECK(gpu->tensor_cores == (capability >= 70));
    CHECK(gpu->bf16_native == (capability >= 80));
    CHECK(gpu->tf32 == (capability >= 80));
    CHECK(gpu->fp8 == (capability >= 89));
    CHECK(gpu->fp4 == (capability >= 100));
    CHECK(gpu->flash_attention_3 == (capability == 90));
    const auto fp8 = gpu->peak_flops[static_cast<std::size_t>(Precision::fp8)];
    CHECK(fp8.has_value() == gpu->fp8);
  }
}

TEST_CASE("the memory of the guides' GPUs is what their drivers report") {
  const Catalog catalog = catalog_of(embedded_data());
  CHECK(catalog.gpu("a10g")->memory_total == Bytes::mib(23028));
  CHECK(catalog.gpu("a10g")->usable_memory->low == Bytes::mib(22587));
  CHECK(catalog.gpu("rtx-3090")->usable_memory->low == Bytes::mib(24124));
  CHECK(catalog.gpu("rtx-4060")->usable_memory->low == Bytes::mib(7806));
  CHECK(catalog.gpu("h100-pcie")->usable_memory->low == Bytes::mib(81008));
  CHECK(catalog.gpu("a100-pcie-40gb")->usable_memory_evidence == Evidence::derived);
  CHECK(catalog.gpu("a100-sxm4-40gb")->usable_memory_evidence == Evidence::observed);
  for (const char* id : {"a100-pcie-80gb", "a100-sxm4-80gb", "h100-sxm5-80gb", "h100-nvl"}) {
    CHECK(catalog.gpu(id) != nullptr);
  }
}

TEST_CASE("the guides' machines are what the guides say") {
  const Catalog catalog = catalog_of(embedded_data());
  const Host* a10g = catalog.find_host("guide-a10g-resnet50");
  REQUIRE(a10g != nullptr);
  CHECK(a10g->ram == Bytes::of(62'000'000'000));
  CHECK(a10g->cpu_cores == 16);
  const Host* a100 = catalog.find_host("guide-a100-contourpose");
  REQUIRE(a100 != nullptr);
  CHECK(a100->cpu_cores == 30);
  REQUIRE(a100->price);
  CHECK(a100->price->per_hour == Money{1.29});
  const Host* h100 = catalog.find_host("guide-h100-pipeline");
  REQUIRE(h100 != nullptr);
  CHECK(h100->ram == Bytes::of(136'000'000'000));
  CHECK(h100->cpu_cores == 18);
  CHECK(catalog.find_host("guide-rtx3090-headpose") != nullptr);
  CHECK(catalog.find_host("guide-rtx4060-cnn-lstm") != nullptr);
}

TEST_CASE("names that two GPUs share are found only with a memory size") {
  const Catalog catalog = catalog_of(embedded_data());
  for (const char* name : {"NVIDIA GeForce RTX 3080", "NVIDIA GeForce RTX 4060 Ti"}) {
    CHECK(catalog.find_gpu(name) == nullptr);
    CHECK(catalog.gpus_named(name).size() == 2);
  }
  CHECK(catalog.find_gpu("NVIDIA GeForce RTX 3080", Bytes::mib(12117))->id == "rtx-3080-12gb");
  CHECK(catalog.find_gpu("NVIDIA GeForce RTX 4060 Ti", Bytes::mib(16380))->id ==
        "rtx-4060-ti-16gb");
  CHECK(catalog.find_gpu("NVIDIA A10")->id == "a10");
  CHECK(catalog.find_gpu("a10")->id == "a10");
  CHECK(catalog.find_gpu("NVIDIA GeForce RTX 3060", Bytes::gib(8)) == nullptr);
}

TEST_CASE("every host names a GPU of the catalog and every recalled price is dated") {
  const Catalog catalog = catalog_of(embedded_data());
  for (const Host* host : catalog.hosts()) {
    CAPTURE(host->id);
    CHECK_FALSE(host->sources.empty());
    CHECK(catalog.gpu(host->gpu) != nullptr);
    if (host->price) CHECK_FALSE(host->price->as_of.empty());
  }
}

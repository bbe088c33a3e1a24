#include "catalog/data_archive.h"

#include "catalog/archive_writer.h"
#include "catalog/rule_head.h"
#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace gpulint;

namespace {

/// Bytes at an address the arrays may start at.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::string& bytes)
      : words_(bytes.size() / sizeof(std::uint64_t) + 1), size_(bytes.size()) {
    bytes.copy(reinterpret_cast<char*>(words_.data()), size_);
  }
  std::string_view view() const { return {reinterpret_cast<const char*>(words_.data()), size_}; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

std::vector<DataFile> some_files() {
  std::vector<DataFile> files;
  files.push_back(data_file("model_db/models/tiny/tiny-b.yaml", "family: tiny\nnames: [b]\n"));
  files.push_back(data_file("hardware_db/gpus/rtx-3080.yaml", kRtx3080));
  files.push_back(data_file("hardware_db/hosts/a.yaml", "ram: \"6\\x32 GB\"\nsources: [x]\n"));
  files.push_back(data_file("model_db/models/tiny/tiny-a.yaml", "family: tiny\nnames: [a, b]\n"));
  return files;
}

Result<void> unbound(Rule&) { return {}; }

std::string archive_of(const std::vector<DataFile>& files) {
  const std::vector<ModelName> names = {{ModelNameKind::further, "b", "b", 0},
                                        {ModelNameKind::further, "b", "B", 3},
                                        {ModelNameKind::model, "tiny-a", "tiny-a", 3}};
  const Result<std::string> bytes = write_archive(files, names, unbound);
  REQUIRE(bytes);
  return *bytes;
}

}  // namespace

TEST_CASE("documents of an archive read like those of their texts") {
  const AlignedBytes bytes(archive_of(some_files()));
  const Result<DataArchive> archive = DataArchive::open(bytes.view());
  REQUIRE(archive);
  const auto at = archive->find(DataKind::gpu, "rtx-3080");
  REQUIRE(at);
  CHECK(archive->path(*at) == "hardware_db/gpus/rtx-3080.yaml");
  const Document document = archive->document(*at);
  CHECK(document.text() == kRtx3080);
  const Result<Gpu> gpu = parse_gpu(document);
  REQUIRE(gpu);
  CHECK(gpu->id == "rtx-3080");
  CHECK(gpu->memory_total == Bytes::mib(10240));
  const Result<Host> host = parse_host(archive->document(*archive->find(DataKind::host, "a")));
  REQUIRE(host);
  CHECK(host->ram == Bytes::of(62'000'000'000));
}

TEST_CASE("files are sorted by kind and id, names by key and file") {
  const AlignedBytes bytes(archive_of(some_files()));
  const Result<DataArchive> archive = DataArchive::open(bytes.view());
  REQUIRE(archive);
  const DataArchive::Range models = archive->files(DataKind::model);
  REQUIRE(models.size() == 2);
  CHECK(archive->id(models.begin) == "tiny-a");
  CHECK(archive->id(models.begin + 1) == "tiny-b");
  CHECK(archive->files(DataKind::rule).size() == 0);
  const std::vector<DataArchive::NamedFile> named = archive->named(ModelNameKind::further, "b");
  REQUIRE(named.size() == 2);
  CHECK(named[0].name == "B");
  CHECK(archive->id(named[0].file) == "tiny-a");
  CHECK(named[1].name == "b");
  CHECK(archive->id(named[1].file) == "tiny-b");
  CHECK(archive->named(ModelNameKind::further, "tiny-a").empty());
  CHECK(archive->named(ModelNameKind::model, "tiny-a").size() == 1);
  CHECK_FALSE(archive->find(DataKind::model, "a").has_value());
}

TEST_CASE("the same files give the same bytes") {
  CHECK(archive_of(some_files()) == archive_of(some_files()));
}

TEST_CASE("a file of a folder replaces the archive's of the same kind and id") {
  const AlignedBytes bytes(archive_of(some_files()));
  DataFiles data(*DataArchive::open(bytes.view()));
  data.files.push_back(data_file("model_db/models/mine/tiny-a.yaml", "family: mine\n"));
  data.files.push_back(
      data_file("hardware_db/hosts/a.yaml", "ram: 1 GB\ncpu_cores: 1\nsources: [x]\n"));
  data.files.push_back(
      data_file("hardware_db/hosts/b.yaml", "ram: 2 GB\ncpu_cores: 1\nsources: [x]\n"));
  const Result<Catalog> catalog = Catalog::open(std::move(data));
  REQUIRE_MESSAGE(catalog, (catalog ? "" : catalog.error().to_string()));
  CHECK(catalog->host_ids() == std::vector<std::string_view>{"a", "b"});
  CHECK(catalog->host("a")->ram == Bytes::of(1'000'000'000));
  REQUIRE(catalog->model_files().loose.size() == 1);
  CHECK(catalog->gpu("rtx-3080") != nullptr);
}

TEST_CASE("what no data file holds is not written") {
  std::vector<DataFile> files;
  files.push_back(data_file("model_db/families/tiny.yaml", "a: &x 1\nb: *x\n"));
  const Result<std::string> bytes = write_archive(files, {}, unbound);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().file == "model_db/families/tiny.yaml");
}

TEST_CASE("bytes that are not an archive are refused") {
  std::string archive = archive_of(some_files());
  CHECK_FALSE(DataArchive::open("").has_value());
  CHECK_FALSE(DataArchive::open("gpulint\n").has_value());
  archive[0] = 'G';
  const AlignedBytes bytes(archive);
  const Result<DataArchive> opened = DataArchive::open(bytes.view());
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message == "these bytes are not embedded data of gpulint");
}

TEST_CASE("an archive of another layout is refused") {
  std::string archive = archive_of(some_files());
  archive[12] = static_cast<char>(archive[12] + 1);  // the layout, behind the byte order
  const AlignedBytes bytes(archive);
  const Result<DataArchive> opened = DataArchive::open(bytes.view());
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message ==
        "the embedded data was written by another build; build again from scratch");
}

TEST_CASE("an archive cut anywhere is refused") {
  const std::string archive = archive_of(some_files());
  for (std::size_t size = 0; size < archive.size(); size += 7) {
    const AlignedBytes bytes(archive.substr(0, size));
    CHECK_FALSE(DataArchive::open(bytes.view()).has_value());
  }
}

TEST_CASE("an archive with changed bytes is never read beyond its end") {
  const std::string archive = archive_of(some_files());
  constexpr std::size_t kBehindSize = 20;  // changes before it are refused
  for (std::size_t at = kBehindSize; at < archive.size(); ++at) {
    std::string changed = archive;
    changed[at] = static_cast<char>(changed[at] ^ 0x7f);
    const AlignedBytes bytes(changed);
    const Result<DataArchive> opened = DataArchive::open(bytes.view());
    REQUIRE(opened);
    std::size_t nodes = 0;
    for (std::uint32_t file = 0; file < 4; ++file) nodes += opened->document(file).size();
    CHECK(nodes < archive.size());
    CHECK(opened->named(ModelNameKind::further, "b").size() <= 3);
  }
}

TEST_CASE("no archive is an empty one") {
  const DataArchive archive;
  CHECK(archive.files(DataKind::model).size() == 0);
  CHECK(archive.path(0).empty());
  CHECK(archive.document(0).size() == 0);
  CHECK_FALSE(archive.find(DataKind::gpu, "x").has_value());
}

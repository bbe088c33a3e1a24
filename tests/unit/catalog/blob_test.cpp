#include "catalog/blob.h"

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

std::string blob_of_two_files() {
  std::vector<DataFile> files;
  files.push_back(data_file("hardware_db/gpus/rtx-3080.yaml", kRtx3080));
  files.push_back(data_file("hardware_db/hosts/a.yaml", "ram: \"6\\x32 GB\"\nsources: [x]\n"));
  return write_blob(files);
}

}  // namespace

TEST_CASE("documents of a blob read like those of their texts") {
  const AlignedBytes bytes(blob_of_two_files());
  const Result<std::vector<DataFile>> files = open_blob(bytes.view());
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].trusted);
  CHECK((*files)[0].document.text() == kRtx3080);
  const Result<Gpu> gpu = parse_gpu((*files)[0].document);
  REQUIRE(gpu);
  CHECK(gpu->id == "rtx-3080");
  CHECK(gpu->memory_total == Bytes::mib(10240));
  const Result<Host> host = parse_host((*files)[1].document);
  REQUIRE(host);
  CHECK(host->ram == Bytes::of(62'000'000'000));
}

TEST_CASE("the same files give the same bytes") {
  CHECK(blob_of_two_files() == blob_of_two_files());
}

TEST_CASE("bytes that are no blob are refused") {
  std::string blob = blob_of_two_files();
  CHECK_FALSE(open_blob("").has_value());
  CHECK_FALSE(open_blob("gpulint\n").has_value());
  blob[0] = 'G';
  const AlignedBytes bytes(blob);
  const Result<std::vector<DataFile>> files = open_blob(bytes.view());
  REQUIRE_FALSE(files);
  CHECK(files.error().message == "these bytes are no embedded data of gpulint");
}

TEST_CASE("a blob of another layout is refused") {
  std::string blob = blob_of_two_files();
  blob[12] = static_cast<char>(blob[12] + 4);  // the size of a node, behind magic and byte order
  const AlignedBytes bytes(blob);
  const Result<std::vector<DataFile>> files = open_blob(bytes.view());
  REQUIRE_FALSE(files);
  CHECK(files.error().message ==
        "the embedded data was written by another build; build again from scratch");
}

TEST_CASE("a blob cut anywhere is refused or complete, never read beyond its end") {
  const std::string blob = blob_of_two_files();
  for (std::size_t size = 0; size < blob.size(); size += 7) {
    const AlignedBytes bytes(blob.substr(0, size));
    CHECK_FALSE(open_blob(bytes.view()).has_value());
  }
}

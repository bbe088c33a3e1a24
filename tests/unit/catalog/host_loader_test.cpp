#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

namespace host_loader_test {

using namespace gpulint;

namespace {

constexpr const char* kPath = "hardware_db/hosts/g5-xlarge.yaml";

std::string error_of(const std::string& text) {
  const Document host = document(kPath, text);
  const Result<Host> parsed = parse_host(host);
  return parsed ? "no error" : parsed.error().to_string();
}

}  // namespace

TEST_CASE("a host file gives its shape and a dated price") {
  const Document file = document(kPath, R"(names: [g5.xlarge]
cloud: aws
gpu: a10g
gpu_count: 1
cpu_cores: 4
ram: 16 GiB
shm: 8 GB
price: {per_hour: 1.006 USD, as_of: "2026-06-17", source: blog, recalled: true}
sources: [table]
)");
  const Result<Host> host = parse_host(file);
  REQUIRE(host);
  CHECK(host->id == "g5-xlarge");
  CHECK(host->gpu == "a10g");
  CHECK(host->cpu_cores == 4);
  CHECK(host->ram == Bytes::gib(16));
  CHECK(host->shm == Bytes::of(8'000'000'000));
  REQUIRE(host->price);
  CHECK(host->price->per_hour == Money{1.006});
  CHECK(host->price->as_of == "2026-06-17");
  CHECK(host->price->recalled);
}

TEST_CASE("GB and GiB are different amounts of RAM") {
  const Document file = document(kPath, "ram: 62 GB\nsources: [x]\n");
  const Result<Host> host = parse_host(file);
  REQUIRE(host);
  CHECK(host->ram == Bytes::of(62'000'000'000));
}

TEST_CASE("a price needs its currency, date and source") {
  CHECK(
      error_of("price: {per_hour: 1.29, as_of: undated, source: x}\nsources: [x]\n") ==
      "hardware_db/hosts/g5-xlarge.yaml:1:19: per_hour: \"1.29\" has no unit; write \"1.29 USD\"");
  CHECK(error_of("price: {per_hour: 1.29 USD}\nsources: [x]\n") ==
        "hardware_db/hosts/g5-xlarge.yaml:1:8: price: \"as_of\" is missing\n"
        "hardware_db/hosts/g5-xlarge.yaml:1:8: price: \"source\" is missing");
}

TEST_CASE("a host without cores is refused") {
  CHECK(
      error_of("cpu_cores: 0\nsources: [x]\n") ==
      "hardware_db/hosts/g5-xlarge.yaml:1:12: cpu_cores: expected a whole number from 1 to 32767, "
      "found \"0\"");
}

}  // namespace host_loader_test

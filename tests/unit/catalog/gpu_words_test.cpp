#include "catalog/gpu_words.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using gpulint::gpu_ids_meant;
using gpulint::similar_gpus;
using Ids = std::vector<std::string_view>;

namespace {
constexpr std::array<std::string_view, 9> kIds{
    "NVIDIA A100-SXM4-80GB", "a100-pcie-40gb", "a100-sxm4-80gb", "a10g",     "h100-pcie",
    "h100-sxm5-80gb",        "rtx-3090",       "rtx-3090-ti",    "rtx-a4000"};
const std::vector<std::string> kBrands{"nvidia", "geforce", "rtx"};
}  // namespace

TEST_CASE("a shared name gives the products that may be meant") {
  CHECK(gpu_ids_meant("A100", kIds, kBrands) == Ids{"a100-pcie-40gb", "a100-sxm4-80gb"});
  CHECK(gpu_ids_meant("a100-80gb", kIds, kBrands) == Ids{"a100-sxm4-80gb"});
  CHECK(gpu_ids_meant("NVIDIA H100 SXM", kIds, kBrands) == Ids{"h100-sxm5-80gb"});
  CHECK(gpu_ids_meant("rtx3090", kIds, kBrands) == Ids{"rtx-3090", "rtx-3090-ti"});
  CHECK(gpu_ids_meant("nvidia geforce", kIds, kBrands).empty());
  CHECK(gpu_ids_meant("--", kIds, kBrands).empty());
  CHECK(gpu_ids_meant("mi300", kIds, kBrands).empty());
}

TEST_CASE("a message about an unknown GPU names what may be meant, else what is spelled alike") {
  CHECK(similar_gpus("a100", kIds, kBrands) == " (write one of a100-pcie-40gb, a100-sxm4-80gb)");
  CHECK(similar_gpus("h100-sxm", kIds, kBrands) == " (write h100-sxm5-80gb)");
  CHECK(similar_gpus("a10gg", kIds, kBrands) == " (did you mean \"a10g\"?)");
  CHECK(similar_gpus("none-of-these", kIds, kBrands).empty());
}

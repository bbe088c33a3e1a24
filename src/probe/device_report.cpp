#include "probe/device_report.h"

#include <array>

namespace gpulint::probe {
namespace {

struct RateWords {
  std::string_view name;
  Quantity quantity;
};
/// In the order of RateKind.
constexpr std::array<RateWords, kRateKindCount> kRateWords{{{"copy", Quantity::bandwidth},
                                                            {"read", Quantity::bandwidth},
                                                            {"gemm_fp32", Quantity::gemm_rate},
                                                            {"gemm_fp16", Quantity::gemm_rate},
                                                            {"gemm_bf16", Quantity::gemm_rate}}};

}  // namespace

std::string_view name_of(RateKind kind) { return kRateWords[static_cast<std::size_t>(kind)].name; }

Quantity quantity_of(RateKind kind) { return kRateWords[static_cast<std::size_t>(kind)].quantity; }

std::optional<RateKind> rate_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kRateKindCount; ++i) {
    if (kRateWords[i].name == name) return static_cast<RateKind>(i);
  }
  return std::nullopt;
}

}  // namespace gpulint::probe

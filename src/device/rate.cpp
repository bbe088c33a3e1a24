#include "device/rate.h"

#include <fmt/format.h>

#include <array>

namespace gpulint::probe {
namespace {

constexpr std::string_view kBytesPerSecond = "B/s";
constexpr std::string_view kOperationsPerSecond = "FLOP/s";
constexpr std::string_view kPerSecond = "1/s";

/// In the order of RateKind.
constexpr std::array<std::string_view, kRateKindCount> kRateNames{
    "copy",
    "driver_copy",
    "read",
    "pinned_upload",
    "pinned_download",
    "pageable_upload",
    "cold_upload",
    "launch",
    "library_gemm_fp8_fast",
    "library_gemm_fp32",
    "library_gemm_tf32",
    "library_gemm_fp16",
    "library_gemm_bf16",
    "library_gemm_fp8",
    "gemm_fp32",
    "gemm_tf32",
    "gemm_fp16",
    "gemm_bf16",
    "gemm_fp8",
    "issue_fp32",
    "issue_tf32",
    "issue_fp16",
    "issue_bf16",
    "issue_fp8",
};
constexpr auto kFirstProduct = static_cast<std::size_t>(RateKind::library_gemm_fp32);
static_assert(kFirstProduct + 3 * kNumberFormatCount == kRateKindCount);

}  // namespace

std::string_view name_of(RateKind kind) { return kRateNames[static_cast<std::size_t>(kind)]; }

std::optional<RateKind> rate_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kRateKindCount; ++i) {
    if (kRateNames[i] == name) return static_cast<RateKind>(i);
  }
  return std::nullopt;
}

std::string_view unit_of(RateKind kind) {
  if (product_of(kind) || kind == RateKind::library_gemm_fp8_fast) return kOperationsPerSecond;
  return kind == RateKind::launch ? kPerSecond : kBytesPerSecond;
}

std::string words_of(RateKind kind, double value) {
  const std::string_view unit = unit_of(kind);
  if (unit == kOperationsPerSecond) return fmt::format("{:.1f} TFLOP/s", value / 1e12);
  if (unit == kPerSecond) return fmt::format("{:.0f} thousand launches/s", value / 1e3);
  return fmt::format("{:.{}f} GB/s", value / 1e9, value < 100e9 ? 1 : 0);
}

std::optional<ProductKind> product_of(RateKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (index < kFirstProduct) return std::nullopt;
  return ProductKind{static_cast<Tier>((index - kFirstProduct) / kNumberFormatCount),
                     static_cast<NumberFormat>((index - kFirstProduct) % kNumberFormatCount)};
}

RateKind kind_of(Tier tier, NumberFormat format) {
  return static_cast<RateKind>(kFirstProduct + static_cast<std::size_t>(tier) * kNumberFormatCount +
                               static_cast<std::size_t>(format));
}

}  // namespace gpulint::probe

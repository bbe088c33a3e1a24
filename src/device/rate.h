#pragma once

#include "device/gemm.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// What is timed on the device. Products of a tier, from library_gemm_fp32 on, are in the order of
/// NumberFormat.
enum class RateKind : std::uint8_t {
  copy,           // on the device, by our kernel
  driver_copy,    // on the device, by the driver
  read,           // on the device, by our kernel
  pinned_upload,  // host to device, page-locked
  pinned_download,
  pageable_upload,  // plain host memory
  cold_upload,      // plain host memory that nothing has touched before
  launch,           // of empty kernels
  library_gemm_fp8_fast,  // with fast accumulation
  library_gemm_fp32,
  library_gemm_tf32,
  library_gemm_fp16,
  library_gemm_bf16,
  library_gemm_fp8,
  gemm_fp32,
  gemm_tf32,
  gemm_fp16,
  gemm_bf16,
  gemm_fp8,
  issue_fp32,
  issue_tf32,
  issue_fp16,
  issue_bf16,
  issue_fp8,
};
inline constexpr std::size_t kRateKindCount = 24;

/// "copy", "gemm_bf16": the name in reports.
std::string_view name_of(RateKind kind);
std::optional<RateKind> rate_kind_from(std::string_view name);
/// "B/s" (of copies on the device: read and written counted), "FLOP/s" or "1/s".
std::string_view unit_of(RateKind kind);
/// For people: "4312 GB/s", "788.1 TFLOP/s", "412 thousand launches/s".
std::string words_of(RateKind kind, double value);

struct ProductKind {
  Tier tier;
  NumberFormat format;
};
/// Unset for what is not a matrix product.
std::optional<ProductKind> product_of(RateKind kind);
RateKind kind_of(Tier tier, NumberFormat format);

/// The median of repeated timings.
struct Rate {
  RateKind kind = RateKind::copy;
  double value = 0;
  double noise = 0;  // what repetition and drift scatter over, same unit
  int samples = 0;
  friend bool operator==(const Rate&, const Rate&) = default;
};

}  // namespace gpulint::probe

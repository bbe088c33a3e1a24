#include "device/kernels.h"

#include "device/reference.h"

#include <algorithm>
#include <cstring>

extern "C" {
extern const char gpulint_memory_ptx[];
extern const char gpulint_fp32_ptx[];
extern const char gpulint_tensor_ptx[];
extern const char gpulint_wide_ptx[];
extern const char gpulint_fp8_ptx[];
extern const char gpulint_hopper_ptx[];
extern const char gpulint_hopper_tma_ptx[];
extern const char gpulint_memory_fatbin[];
extern const char gpulint_fp32_fatbin[];
extern const char gpulint_tensor_fatbin[];
extern const char gpulint_wide_fatbin[];
extern const char gpulint_fp8_fatbin[];
extern const char gpulint_hopper_fatbin[];
extern const char gpulint_hopper_tma_fatbin[];
}

namespace gpulint::probe {
namespace {

struct FormatNames {
  const char* gemm;
  const char* issue;
  const char* wide_gemm;  // that reads shared memory less often
  const char* tma_gemm;
  const char* wgmma_gemm;
  const char* wgmma_issue;
};
/// In the order of NumberFormat.
constexpr std::array<FormatNames, kNumberFormatCount> kKernelFormatNames{{
    {"gpulint_gemm_fp32", "gpulint_issue_fp32", "gpulint_prefetch_gemm_fp32", "", "", ""},
    {"gpulint_gemm_tf32", "gpulint_issue_tf32", "gpulint_wide_gemm_tf32",
     "gpulint_tma_gemm_tf32", "gpulint_wgmma_gemm_tf32", "gpulint_wgmma_issue_tf32"},
    {"gpulint_gemm_fp16", "gpulint_issue_fp16", "gpulint_wide_gemm_fp16",
     "gpulint_tma_gemm_fp16", "gpulint_wgmma_gemm_fp16", "gpulint_wgmma_issue_fp16"},
    {"gpulint_gemm_bf16", "gpulint_issue_bf16", "gpulint_wide_gemm_bf16",
     "gpulint_tma_gemm_bf16", "gpulint_wgmma_gemm_bf16", "gpulint_wgmma_issue_bf16"},
    {"gpulint_gemm_fp8", "gpulint_issue_fp8", "", "gpulint_tma_gemm_fp8", "gpulint_wgmma_gemm_fp8",
     "gpulint_wgmma_issue_fp8"},
}};

// Compute capabilities, 10 * major + minor.
constexpr int kFirstWithMemory = 60;
constexpr int kFirstWithTensor = 80;
constexpr int kFirstWithFp8 = 89;
constexpr int kHopper = 90;            // wgmma exists on this one alone
constexpr int kDatacenter = 100;       // these reach their peak through tcgen05, …
constexpr int kAfterDatacenter = 120;  // … the cards from here on through mma.sync,
constexpr int kUnknown = 130;          // … and of later ones nothing is known

// As in kernels/*.cu. Depths in bytes.
constexpr std::int64_t kMmaDepth = 64;
constexpr std::int64_t kWideColumns = 256;
constexpr unsigned int kWideShared = 4 * (128 + 256) * 64;
constexpr std::int64_t kWgmmaDepth = 128;
constexpr std::int64_t kWgmmaColumns = 256;
constexpr unsigned int kWgmmaStages = 4;
constexpr unsigned int kWgmmaShared = kWgmmaStages * (128 + 256) * 128;
constexpr std::int64_t kTmaRows = 256;  // of a cluster
constexpr unsigned int kTmaThreads = 288;
constexpr unsigned int kTmaShared = kWgmmaShared + kWgmmaStages * 2 * 8;  // barriers
constexpr unsigned int kWgmmaIssueShared = (64 + 256) * 128;
constexpr unsigned int kWgmmaIssueThreads = 128;

/// A fat binary begins with this word; what is embedded without nvcc does not.
const char* fatbin_at(const char* bytes) {
  constexpr std::uint32_t kMagic = 0xba55ed50;
  std::uint32_t first = 0;
  std::memcpy(&first, bytes, sizeof first);
  return first == kMagic ? bytes : nullptr;
}

const FormatNames& names_of(NumberFormat format) {
  return kKernelFormatNames[static_cast<std::size_t>(format)];
}

int first_with_mma(NumberFormat format) {
  return format == NumberFormat::fp8 ? kFirstWithFp8 : kFirstWithTensor;
}

std::int64_t values_in(std::int64_t bytes, NumberFormat format) {
  return bytes / static_cast<std::int64_t>(bytes_of_value(format));
}

}  // namespace

KernelImage image_of(KernelFile file) {
  switch (file) {
    case KernelFile::memory:
      return {gpulint_memory_ptx, fatbin_at(gpulint_memory_fatbin)};
    case KernelFile::fp32:
      return {gpulint_fp32_ptx, fatbin_at(gpulint_fp32_fatbin)};
    case KernelFile::tensor:
      return {gpulint_tensor_ptx, fatbin_at(gpulint_tensor_fatbin)};
    case KernelFile::wide:
      return {gpulint_wide_ptx, fatbin_at(gpulint_wide_fatbin)};
    case KernelFile::fp8:
      return {gpulint_fp8_ptx, fatbin_at(gpulint_fp8_fatbin)};
    case KernelFile::hopper:
      return {gpulint_hopper_ptx, fatbin_at(gpulint_hopper_fatbin)};
    case KernelFile::hopper_tma:
      return {gpulint_hopper_tma_ptx, fatbin_at(gpulint_hopper_tma_fatbin)};
  }
  return {};
}

int kernel_generation(int compute_capability, bool newest) {
  return !newest && compute_capability == kHopper ? kFirstWithFp8 : compute_capability;
}

std::vector<GemmKernel> gemm_kernels(NumberFormat format, int compute_capability) {
  std::vector<GemmKernel> kernels;
  if (format == NumberFormat::fp32) {
    if (compute_capability < kFirstWithMemory) return kernels;
    kernels.push_back({.file = KernelFile::fp32, .name = names_of(format).wide_gemm});
    kernels.push_back({.name = names_of(format).gemm});
    return kernels;
  }
  if (compute_capability == kHopper) {
    kernels.push_back({.file = KernelFile::hopper_tma,
                       .name = names_of(format).tma_gemm,
                       .tile_m = kTmaRows,
                       .tile_n = kWgmmaColumns,
                       .depth = values_in(kWgmmaDepth, format),
                       .threads = kTmaThreads,
                       .shared_bytes = kTmaShared,
                       .walk = TileWalk::clusters});
    kernels.push_back({.file = KernelFile::hopper,
                       .name = names_of(format).wgmma_gemm,
                       .tile_n = kWgmmaColumns,
                       .depth = values_in(kWgmmaDepth, format),
                       .shared_bytes = kWgmmaShared});
  }
  if (compute_capability >= kFirstWithTensor && *names_of(format).wide_gemm != '\0') {
    kernels.push_back({.file = KernelFile::wide,
                       .name = names_of(format).wide_gemm,
                       .tile_n = kWideColumns,
                       .depth = values_in(kMmaDepth, format),
                       .shared_bytes = kWideShared});
  }
  if (compute_capability >= first_with_mma(format)) {
    kernels.push_back({.file = format == NumberFormat::fp8 ? KernelFile::fp8 : KernelFile::tensor,
                       .name = names_of(format).gemm,
                       .depth = values_in(kMmaDepth, format)});
  }
  return kernels;
}

std::optional<IssueKernel> issue_kernel(NumberFormat format, int compute_capability) {
  const auto values = [format](std::int64_t bytes) {
    return static_cast<double>(values_in(bytes, format));
  };
  if (format == NumberFormat::fp32) {
    if (compute_capability < kFirstWithMemory) return std::nullopt;
    // 256 threads of 16 sums, 8 times, two operations each
    return IssueKernel{.name = names_of(format).issue,
                       .blocks_per_sm = 4,
                       .operations_of_block = 2.0 * 256 * 16 * 8};
  }
  if (compute_capability == kHopper) {
    return IssueKernel{.file = KernelFile::hopper,
                       .name = names_of(format).wgmma_issue,
                       .threads = kWgmmaIssueThreads,
                       .shared_bytes = kWgmmaIssueShared,
                       .operations_of_block = 2.0 * 64 * 256 * values(kWgmmaDepth)};
  }
  const bool hidden_peak =
      compute_capability >= kDatacenter && compute_capability < kAfterDatacenter;
  if (compute_capability < first_with_mma(format) || hidden_peak ||
      compute_capability >= kUnknown) {
    return std::nullopt;
  }
  // 8 warps of 8 products of 16 x 8, each 32 bytes deep
  return IssueKernel{.file = format == NumberFormat::fp8 ? KernelFile::fp8 : KernelFile::tensor,
                     .name = names_of(format).issue,
                     .operations_of_block = 2.0 * 8 * 8 * 16 * 8 * values(32)};
}

CudaFunction Kernels::find(KernelFile file, const char* name, unsigned int shared_bytes) {
  if (std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end()) {
    calls_.fail(Reason::init_failed, std::string(kBrokeContext));
    return nullptr;
  }
  std::optional<Module>& module = modules_[static_cast<std::size_t>(file)];
  if (!module) module.emplace(cuda_, calls_, image_of(file));
  CudaFunction function = module->function(name, shared_bytes);
  if (function != nullptr) calls_.name(function, name);
  return function;
}

}  // namespace gpulint::probe

#pragma once

#include "device/device_objects.h"
#include "device/gemm.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::probe {

/// A file of src/device/kernels.
enum class KernelFile : std::uint8_t { memory, fp32, tensor, wide, fp8, hopper, hopper_tma };
inline constexpr std::size_t kKernelFileCount = 7;

/// PTX, which any driver that is new enough compiles, and machine code for known architectures,
/// which needs no compiling; nullptr where the build had no nvcc.
KernelImage image_of(KernelFile file);

/// How a kernel finds the tiles of a product.
enum class TileWalk : std::uint8_t {
  grid,      // a block for each
  clusters,  // clusters of blocks take one after the other, and read a and b by tensor maps
};
inline constexpr unsigned int kClusterBlocks = 2;
/// Of the tensor maps: bytes of a row and rows of one copy.
inline constexpr unsigned int kBoxBytes = 128;
inline constexpr unsigned int kBoxRows = 64;

/// What a tiled GEMM kernel wants of its shape and its launch.
struct GemmKernel {
  KernelFile file = KernelFile::memory;
  const char* name = "";
  std::int64_t tile_m = 128;
  std::int64_t tile_n = 128;
  std::int64_t depth = 8;  // values of k of one step
  unsigned int threads = 256;
  unsigned int shared_bytes = 0;  // asked for at launch
  TileWalk walk = TileWalk::grid;
};
/// The compute capability that kernels are chosen for: `newest` false takes the one before, where
/// instructions exist on this one alone.
int kernel_generation(int compute_capability, bool newest);
/// Best first; empty: none of ours runs the format on this compute capability.
std::vector<GemmKernel> gemm_kernels(NumberFormat format, int compute_capability);

/// A loop of the instructions alone.
struct IssueKernel {
  KernelFile file = KernelFile::memory;
  const char* name = "";
  unsigned int threads = 256;
  unsigned int shared_bytes = 0;
  int blocks_per_sm = 2;
  double operations_of_block = 0;  // of one round
};
/// Unset where our instructions are not those that reach the card's peak: no ceiling is known.
std::optional<IssueKernel> issue_kernel(NumberFormat format, int compute_capability);

/// The modules of one context, each loaded when first asked for.
class Kernels {
 public:
  Kernels(const CudaApi& cuda, Calls& calls) : cuda_(cuda), calls_(calls) {}
  /// Those that broke a context before are not found.
  void leave_out(std::vector<std::string> names) { left_out_ = std::move(names); }
  /// nullptr after a failure, which `calls` then holds. `shared_bytes`: of one block at launch.
  CudaFunction find(KernelFile file, const char* name, unsigned int shared_bytes = 0);

 private:
  const CudaApi& cuda_;
  Calls& calls_;
  std::vector<std::string> left_out_;
  std::array<std::optional<Module>, kKernelFileCount> modules_;
};

}  // namespace gpulint::probe

#pragma once

#include "device/bench.h"
#include "device/gemm.h"
#include "device/kernels.h"

#include <optional>

namespace gpulint::probe {

/// Starts one of our kernels for products of one shape, whose sizes are multiples of its tiles.
class KernelLaunch {
 public:
  /// `most_clusters`: fewer than the card has room for, so that each has several tiles.
  KernelLaunch(Bench& bench, CudaFunction function, const GemmKernel& kernel,
               const GemmShape& shape, NumberFormat format,
               std::optional<unsigned int> most_clusters = std::nullopt);
  /// False after a failure, which the bench's calls then hold.
  bool operator()(CudaAddress c, CudaAddress a, CudaAddress b) const;

 private:
  bool by_grid(CudaAddress c, CudaAddress a, CudaAddress b) const;
  bool by_clusters(CudaAddress c, CudaAddress a, CudaAddress b) const;
  bool encode(CudaTensorMap& map, CudaAddress matrix, std::int64_t rows) const;

  Bench& bench_;
  CudaFunction function_;
  GemmKernel kernel_;
  GemmShape shape_;
  NumberFormat format_;
  std::optional<unsigned int> most_clusters_;
};

}  // namespace gpulint::probe

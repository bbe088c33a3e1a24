#pragma once

// How fast a GPU runs one kernel: its achievable rates, and what the sizes of a kernel take off
// them.

#include "catalog/hardware.h"
#include "model/operator_cost.h"
#include "plan/training_plan.h"
#include "time/step_time.h"

#include <array>
#include <optional>

namespace gpulint {

struct KernelTime {
  double seconds = 0;
  Bottleneck bottleneck = Bottleneck::memory;
};

class DeviceRates {
 public:
  /// nullopt where the database knows no bandwidth or no peak of the GPU.
  static std::optional<DeviceRates> of(const Gpu& gpu, const TrainingPlan& plan);

  /// Zero for work the device does not do: transpositions around convolutions that do not run on
  /// tensor cores.
  KernelTime time(const model::Kernel& kernel) const;
  /// The format matrix work of this kind runs in.
  Precision format_of(model::KernelKind kind, model::DType dtype) const;
  /// How many times longer a convolution or an attention takes than the matrix product of the same
  /// sizes; 1 for products.
  double over_product(const model::Kernel& kernel) const;
  /// Bytes a large copy would move in the time this kernel takes for its own.
  double as_copy(const model::Kernel& kernel) const;
  /// A pass over memory without arithmetic.
  double copy_seconds(double bytes) const { return bytes / bandwidth_; }

  /// Dense peak of the format the step's matrix work runs in; what MFU is measured against.
  double peak() const { return peak_; }
  /// fp32 matrix products would run at another rate with TF32, and nobody said which is used.
  bool tf32_matters() const { return tf32_matters_; }

 private:
  struct MatrixRate {
    double operations = 0;  // per second, of a large product; 0 = unknown
    bool tensor_cores = false;
  };
  MatrixRate rate_of(model::KernelKind kind, model::DType dtype) const;
  double size_factor(const model::MatrixProduct& product, const MatrixRate& rate) const;
  double share_of_bandwidth(const model::Kernel& kernel) const;
  double indexing_seconds(const model::Kernel& kernel) const;
  double recurrence_seconds(const model::Kernel& kernel) const;
  // time_convolutions.cpp
  double convolution_seconds(const model::Kernel& kernel) const;
  double winograd_seconds(const model::Kernel& kernel, const MatrixRate& rate) const;
  double fourier_seconds(const model::Kernel& kernel, const MatrixRate& rate) const;

  std::array<MatrixRate, kPrecisionCount> rates_{};
  double bandwidth_ = 0;
  double vector_rate_ = 0;  // fp32 outside of matrix units
  double vector_peak_ = 0;  // of the data sheet
  double peak_ = 0;
  double multiprocessors_ = 0;
  double index_rate_ = 0;  // values per second of kernels that compute an index each; 0 = unknown
  Precision half_format_ = Precision::fp16;  // that 16-bit operands stand for
  bool tf32_products_ = false;
  bool tf32_convolutions_ = false;
  bool fp8_linear_ = false;
  bool tf32_matters_ = false;
};

}  // namespace gpulint

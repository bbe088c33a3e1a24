#pragma once

#include "catalog/hardware.h"
#include "memory/footprint.h"
#include "plan/training_plan.h"
#include "run/quantity.h"

#include <optional>

namespace gpulint {

/// What PyTorch's allocator reserves per byte that is allocated at the peak, where its rules were
/// not played: among eight T4 runs of 1.06 to 1.125 (docs/estimator.md).
inline constexpr double kUsualReserved = 1.10;

/// Memory of a training process that the framework's allocator does not see.
struct OutsideAllocator {
  Interval context;
  Interval communication;  // NCCL, when several ranks talk
  Interval total() const { return context + communication; }
};
OutsideAllocator outside_allocator(const TrainingPlan& plan, const Gpu* gpu);

/// cuBLAS workspaces of the forward and the autograd thread (inside the allocator).
Interval cublas_workspaces(const Gpu* gpu);

/// What is reserved for every byte allocated at the peak: as the allocator was replayed, else as
/// others measured it.
Range reserved_per_allocated(const TrainingPlan& plan, const ModelFootprint& footprint,
                             Bytes allocated);

/// The least that has to be reserved for every byte allocated when the device has no more to give.
Range needed_per_allocated(const TrainingPlan& plan, const ModelFootprint& footprint,
                           Bytes allocated);

/// Memory the run may use: stated capacity less the stated reserve, else the database's.
std::optional<BytesRange> usable_memory(const TrainingPlan& plan, const Gpu* gpu);

}  // namespace gpulint

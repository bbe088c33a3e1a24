// What a process occupies on a GPU besides its tensors. Every figure here was read from somebody's
// device, and the spread between them is kept as the interval:
//   CUDA context with torch's modules, lazily loaded: 135 MiB on a T4 (40 SMs, torch 2.11), 256 MiB
//   bare on an RTX 3090 (82 SMs), 300-400 MiB in forum reports, 0.47 GiB on an H100 (132 SMs). The
//   line 300 MiB + 1.5 MiB per SM passes through the middle; the T4 lies 225 MiB below it. CUDA
//   before 11.7, and CUDA_MODULE_LOADING=EAGER, put every kernel of every library there: 1035 MiB
//   on an RTX 2080 Ti (CUDA 10.1, 68 SMs) and 1644 MiB on an RTX 3090 (CUDA 11.0, 82 SMs;
//   pytorch#49877), 633 and 1221 MiB above the line. The libraries grew with CUDA 11, which GPUs
//   from compute capability 8.0 on need.
//   NCCL: 544 MB for two ranks, 688 MB for more (4 x A100, NVLink); 0.1 GB over PCIe; 0.55 -> 2.00
//   GiB around a first barrier in a torch process.
//   reserved / allocated: 1.06 to 1.125 over eight T4 runs with torch's default allocator.

#include "memory/device_memory.h"

#include "plan/layout.h"
#include "run/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::int64_t kContextBaseMib = 300;
constexpr double kContextMibPerSm = 1.5;
constexpr std::int64_t kContextBelowMib = 225;  // T4 against the line
constexpr std::int64_t kContextAboveMib = 150;
constexpr Bytes kEagerKernelsBeforeCuda11 = Bytes::mib(633);
constexpr Bytes kEagerKernels = Bytes::mib(1221);
constexpr int kCuda11 = 110;                         // its first release
constexpr Release kLazyModules{1, 13};               // the first that was built with CUDA 11.7
constexpr Bytes kSmallestContext = Bytes::mib(105);  // T4 before the first cuBLAS call
// No GPU named, or one without an SM count.
constexpr Interval kUnknownContext{kSmallestContext, Bytes::mib(450), Bytes::mib(650)};

constexpr Bytes kNcclLow = Bytes::of(100'000'000);
constexpr Bytes kNcclTwoRanks = Bytes::of(544'000'000);
constexpr Bytes kNcclManyRanks = Bytes::of(688'000'000);
constexpr Bytes kNcclHigh = Bytes::mib(1485);  // 2.00 - 0.55 GiB

// Default workspace before Hopper, and the largest any NVIDIA generation asks for.
constexpr Bytes kWorkspaceBeforeHopper = Bytes::of(8'519'680);
constexpr Bytes kWorkspaceHopper = Bytes::mib(32);

// The tensors themselves are the least: under pressure the allocator gives cached blocks back.
constexpr Range kReserved{1.0, kUsualReserved, 1.13};
// What stays unusable however hard memory is pressed: remainders too small to split off, and cached
// parts of segments that are in use. 1.06 is the least of the eight runs.
constexpr Range kNeeded{1.0, 1.06, 1.13};
// Segments that grow end at the next page of 20 MiB.
constexpr Range kReservedExpandable{1.0, 1.03, 1.05};
// Beside the replayed slack: as much again by half, and two in a hundred. Chosen to hold the eight
// T4 runs above and the rows of docs/accuracy.md whose reserved peak is published.
constexpr double kSlackSpread = 1.5;
constexpr double kUnplayedSlack = 0.02;
// Batches of changing shape, such as samples that are not packed, leave blocks
// nobody fits into again. An upper end that is chosen, not measured.
constexpr double kReservedVariableShapes = 1.3;

// Of sequences that are all padded to one length, or come longest first, every step asks for the
// same blocks: the replay of two of them is all there is.
bool replayed_alone(const TrainingPlan& plan) {
  return plan.sequence_length && !plan.image_size &&
         (is_true(plan.group_by_length) || is_true(plan.pad_to_max_length));
}

// Ranks that split tensors, layers, sequences or experts talk in groups of their own, and each
// group has its own communicator where it has spoken once.
std::int64_t communicators(const TrainingPlan& plan) {
  std::int64_t groups = 1;
  for (const auto* degree : {&plan.tensor_parallel_size, &plan.pipeline_parallel_size,
                             &plan.context_parallel_size, &plan.expert_parallel_size}) {
    if (at_least(*degree, 2)) ++groups;
  }
  return groups;
}

/// What a process that loads all kernels at its start holds beyond one that loads what it runs.
Interval eager_kernels(const TrainingPlan& plan, const Gpu* gpu) {
  const std::string_view loading = text_of(plan.cuda_module_loading);
  const bool before = loading.empty() && is_torch_before(plan, kLazyModules);
  if (loading != "eager" && !before) return {};
  const bool recent = gpu == nullptr || gpu->first_cuda.value_or(kCuda11) >= kCuda11;
  return {kEagerKernelsBeforeCuda11, recent ? kEagerKernels : kEagerKernelsBeforeCuda11,
          kEagerKernels};
}

}  // namespace

OutsideAllocator outside_allocator(const TrainingPlan& plan, const Gpu* gpu) {
  OutsideAllocator outside{kUnknownContext, {}};
  if (gpu != nullptr && gpu->sm_count && *gpu->sm_count > 0) {
    const Bytes line =
        Bytes::mib(kContextBaseMib) + Bytes::rounded(kContextMibPerSm * *gpu->sm_count * 1048576.0);
    outside.context = {std::max(kSmallestContext, line - Bytes::mib(kContextBelowMib)), line,
                       line + Bytes::mib(kContextAboveMib)};
  }
  if (gpu != nullptr && gpu->bare_context) {
    // Measured without a framework, whose modules come on top: no context takes less.
    const Bytes bare = *gpu->bare_context;
    const Bytes above = outside.context.high - outside.context.central;
    outside.context = {std::max(outside.context.low, bare), std::max(outside.context.central, bare),
                       std::max(outside.context.high, bare + above)};
  }
  outside.context = outside.context + eager_kernels(plan, gpu);
  if (const auto measured = positive(plan.cuda_context)) outside.context = exactly(*measured);
  const std::optional<std::int64_t> ranks = layout_of(plan).world;
  if (ranks == 1) return outside;
  const Bytes one = ranks == 2 ? kNcclTwoRanks : kNcclManyRanks;
  outside.communication = {kNcclLow, one, kNcclHigh + one * (communicators(plan) - 1)};
  // Nobody says whether there is more than one rank.
  if (!ranks) outside.communication.low = outside.communication.central = Bytes{};
  return outside;
}

Interval cublas_workspaces(const Gpu* gpu) {
  // Forward runs in the main thread, backward in the autograd engine's: one workspace each.
  if (gpu != nullptr && gpu->cublas_workspace) return exactly(*gpu->cublas_workspace * 2);
  return {Bytes{}, kWorkspaceBeforeHopper * 2, kWorkspaceHopper * 2};
}

Range reserved_per_allocated(const TrainingPlan& plan, const ModelFootprint& footprint,
                             Bytes allocated) {
  Range range = is_true(plan.expandable_segments) ? kReservedExpandable : kReserved;
  if (footprint.reserved_slack && allocated.count() > 0) {
    // Kernels' workspaces and the order of other frameworks' releases are not in the replay.
    const double slack = footprint.reserved_slack->ample.as_double() / allocated.as_double();
    range.central = std::max(replayed_alone(plan) ? 1.0 : range.central, 1 + slack);
    range.high = std::max(range.high, 1 + slack * kSlackSpread + kUnplayedSlack);
  }
  if (is_true(plan.variable_input_sizes) || may_be_short(plan)) {
    range.high = std::max(range.high, kReservedVariableShapes);
  }
  return range;
}

Range needed_per_allocated(const TrainingPlan& plan, const ModelFootprint& footprint,
                           Bytes allocated) {
  Range range = is_true(plan.expandable_segments) ? kReservedExpandable : kNeeded;
  if (footprint.reserved_slack && allocated.count() > 0) {
    const double slack = footprint.reserved_slack->pressed.as_double() / allocated.as_double();
    range.central = 1 + slack;
    range.high = std::max(range.high, 1 + slack * kSlackSpread + kUnplayedSlack);
  }
  return range;
}

std::optional<BytesRange> usable_memory(const TrainingPlan& plan, const Gpu* gpu) {
  const Bytes reserve = positive(plan.gpu_memory_reserve).value_or(Bytes{});
  if (const auto capacity = positive(plan.gpu_memory)) {
    const Bytes usable = std::max(Bytes{}, *capacity - reserve);
    return BytesRange{usable, usable};
  }
  if (gpu == nullptr || !gpu->usable_memory) return std::nullopt;
  return BytesRange{std::max(Bytes{}, gpu->usable_memory->low - reserve),
                    std::max(Bytes{}, gpu->usable_memory->high - reserve)};
}

}  // namespace gpulint

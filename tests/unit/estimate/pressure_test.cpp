// What a run cannot do without when the device has no more to give.

#include "memory/allocator.h"
#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan image_plan(std::string model, std::int64_t batch, std::string mixed_precision) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, std::move(model));
  state(plan.per_device_batch_size, batch);
  state(plan.image_size, 224);
  state(plan.optimizer, "sgd");
  state(plan.momentum, 0.9);
  state(plan.mixed_precision, std::move(mixed_precision));
  state(plan.weights_dtype, "fp32");
  return plan;
}

VramEstimate vram_of(const TrainingPlan& plan, const Gpu& gpu) {
  const Estimate result = estimate(PlanOn{.plan = &plan, .gpu = &gpu, .models = &known_models()});
  REQUIRE(result.vram);
  return *result.vram;
}

}  // namespace

TEST_CASE("a run needs no more than it takes where memory is ample, and no less than its tensors") {
  const VramEstimate vram = vram_of(image_plan("resnet50", 128, "fp16"), t4());
  CHECK(vram.needed.central < vram.total.central);
  CHECK(vram.needed.high <= vram.total.high);
  const Term* workspace = find_term(vram.terms, "convolution workspace");
  REQUIRE(workspace != nullptr);
  CHECK(vram.needed.central >= vram.allocated_peak - workspace->bytes + vram.outside_allocator);
}

TEST_CASE("fp32 convolutions do without the buffers of faster kernels when memory is short") {
  Gpu gpu = t4();
  gpu.compute_capability = 75;  // no TF32: kernels that transform their maps
  const VramEstimate vram = vram_of(image_plan("vgg16", 32, "none"), gpu);
  CHECK(vram.total.central - vram.needed.central > Bytes::mib(500));
}

TEST_CASE("gradients that stay between steps are needed too") {
  TrainingPlan plan = image_plan("resnet50", 32, "fp16");
  state(plan.zero_grad_set_to_none, true);
  const Bytes freed = vram_of(plan, t4()).needed.central;
  state(plan.zero_grad_set_to_none, false);
  const Bytes kept = vram_of(plan, t4()).needed.central;
  CHECK(kept > freed);
}

TEST_CASE("loading all kernels at the start takes 1221 MiB more where CUDA 11 is the oldest") {
  TrainingPlan plan = image_plan("resnet50", 32, "fp16");
  Gpu recent = t4();
  recent.first_cuda = 111;
  const Bytes lazy = vram_of(plan, recent).outside_allocator;
  state(plan.cuda_module_loading, "eager");
  CHECK(vram_of(plan, recent).outside_allocator - lazy == Bytes::mib(1221));
  recent.first_cuda = 100;
  CHECK(vram_of(plan, recent).outside_allocator - lazy == Bytes::mib(633));
}

TEST_CASE("a torch_version before 1.13 loads all kernels too, unless it is said not to") {
  TrainingPlan plan = image_plan("resnet50", 32, "fp16");
  const Bytes lazy = vram_of(plan, t4()).outside_allocator;
  state(plan.torch_version, "1.12");
  CHECK(vram_of(plan, t4()).outside_allocator > lazy);
  state(plan.cuda_module_loading, "lazy");
  CHECK(vram_of(plan, t4()).outside_allocator == lazy);
  plan.cuda_module_loading.reset();
  state(plan.torch_version, "1.13.1");
  CHECK(vram_of(plan, t4()).outside_allocator == lazy);
  state(plan.torch_version, "nightly");
  CHECK(vram_of(plan, t4()).outside_allocator == lazy);
}

TEST_CASE("before PyTorch 1.11 a softmax keeps its input beside its result") {
  TrainingPlan plan = image_plan("segformer_mit-b0", 1, "none");
  state(plan.image_size, 1024);
  state(plan.num_classes, 19);
  const double now = in_mib(vram_of(plan, a100()).allocated_peak);
  state(plan.torch_version, "1.8");
  const double before = in_mib(vram_of(plan, a100()).allocated_peak);
  // Scores of two layers per stage: 256, 128, 80 and 32 MiB each; and the resized logits.
  CHECK(before - now == doctest::Approx(2 * (256 + 128 + 80 + 32) + 76).epsilon(0.05));
}

TEST_CASE("the largest batch is the last whose need is sure to be met") {
  TrainingPlan plan = image_plan("resnet50", 1, "fp16");
  const Gpu gpu = t4();
  const auto batch =
      largest_batch_that_fits(PlanOn{.plan = &plan, .gpu = &gpu, .models = &known_models()});
  REQUIRE(batch);
  state(plan.per_device_batch_size, *batch);
  CHECK(vram_of(plan, gpu).needed.high <= gpu.usable_memory->low);
  state(plan.per_device_batch_size, *batch + 1);
  CHECK(vram_of(plan, gpu).needed.high > gpu.usable_memory->low);
}

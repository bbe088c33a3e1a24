// Kernels, rates and what a step adds around them. The device is made up, so that expectations are
// plain arithmetic.
#include "plans.h"
#include "time/time_parts.h"
#include "time/time_rates.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

ResolvedRun resolved(const TrainingPlan& plan) { return ResolvedRun::of(plan, nullptr, {}); }

Gpu device() {
  Gpu gpu;
  gpu.id = "device";
  gpu.sm_count = 100;
  gpu.memory_bandwidth = PerSecond{1e12};
  gpu.achieved_bandwidth = 1.0;
  gpu.peak_flops[static_cast<std::size_t>(Precision::fp32)] = PerSecond{10e12};
  gpu.peak_flops[static_cast<std::size_t>(Precision::tf32)] = PerSecond{50e12};
  gpu.peak_flops[static_cast<std::size_t>(Precision::fp16)] = PerSecond{100e12};
  gpu.achieved_fraction[static_cast<std::size_t>(Precision::fp32)] = 1.0;
  gpu.achieved_fraction[static_cast<std::size_t>(Precision::tf32)] = 1.0;
  gpu.achieved_fraction[static_cast<std::size_t>(Precision::fp16)] = 1.0;
  gpu.tensor_cores = gpu.tf32 = true;
  gpu.pcie_generation = 4;
  gpu.pcie_lanes = 16;
  return gpu;
}

model::Kernel product(model::DType dtype) {
  return {model::KernelKind::matrix_product,
          dtype,
          2.0 * 8192 * 8192 * 8192,
          4e8,
          1,
          {8192, 8192, 8192, 1}};
}

double seconds(const TrainingPlan& plan, const model::Kernel& kernel) {
  return DeviceRates::of(device(), plan)->time(kernel).seconds;
}

}  // namespace

TEST_CASE("a pass over memory takes its bytes at the achieved bandwidth") {
  const model::Kernel kernel{model::KernelKind::pointwise, model::DType::fp32, 0, 9.5e9, 0};
  CHECK(seconds({}, kernel) == doctest::Approx(0.010));
}

TEST_CASE("transposing 16-bit values leaves a fast memory waiting, 32-bit values do not") {
  Gpu fast = device();
  fast.memory_bandwidth = PerSecond{1.5e12};
  const auto share = [&](const Gpu& gpu, model::DType dtype) {
    const model::Kernel kernel{model::KernelKind::transposition, dtype, 0, 1e9, 0};
    const auto rates = DeviceRates::of(gpu, {});
    return rates->copy_seconds(kernel.bytes) / rates->time(kernel).seconds;
  };
  CHECK(share(fast, model::DType::fp32) == doctest::Approx(0.75));
  // 100 multiprocessors x 2,048 threads x 2 bytes in half a microsecond.
  CHECK(share(fast, model::DType::fp16) == doctest::Approx(409'600 / 0.5e-6 / 1.5e12));
  CHECK(share(device(), model::DType::fp16) == doctest::Approx(0.75));
}

TEST_CASE("a kernel that computes an index per value is bound by instructions, not by bytes") {
  Gpu gpu = device();
  gpu.fp32_units = 64;
  const auto time = [&](model::DType dtype, double values) {
    const double bytes = 1e9 * 2 * static_cast<double>(model::size_of(dtype));
    model::Kernel kernel{model::KernelKind::pointwise, dtype, 0, bytes, 0};
    kernel.indexed = values;
    return DeviceRates::of(gpu, {})->time(kernel);
  };
  // 10 TFLOP/s of 64 fp32 units are 78e9 cycles of all multiprocessors per second, 1.3 values each.
  const double indexed = 1e9 / (1.3 * 10e12 / 128);
  CHECK(time(model::DType::fp16, 1e9).seconds == doctest::Approx(indexed));
  CHECK(time(model::DType::fp16, 1e9).bottleneck == Bottleneck::compute);
  CHECK(time(model::DType::fp16, 0).seconds == doctest::Approx(4e9 / 0.95e12));
  CHECK(time(model::DType::fp32, 1e9).seconds == doctest::Approx(indexed));
  // Replayed on a device as a copy of so many bytes, it takes as long.
  model::Kernel kernel{model::KernelKind::pointwise, model::DType::fp16, 0, 4e9, 0};
  kernel.indexed = 1e9;
  const auto rates = DeviceRates::of(gpu, {});
  CHECK(rates->copy_seconds(rates->as_copy(kernel)) == doctest::Approx(indexed));
  gpu.fp32_units = 128;  // twice the units, so half of the cycles behind the same peak
  CHECK(time(model::DType::fp32, 1e9).seconds == doctest::Approx(2 * indexed));
  gpu.fp32_units.reset();
  CHECK(time(model::DType::fp16, 1e9).seconds == doctest::Approx(4e9 / 0.95e12));
}

TEST_CASE("a large matrix product comes close to the achieved rate and never passes it") {
  const double ideal = 2.0 * 8192 * 8192 * 8192 / 100e12;
  const double predicted = seconds({}, product(model::DType::fp16));
  CHECK(predicted > ideal);
  CHECK(predicted < 1.1 * ideal);
}

TEST_CASE("fp32 products use TF32 only where the plan says so, convolutions unless it says not") {
  TrainingPlan plan = test::shipped_plan();
  const double unsaid = seconds(plan, product(model::DType::fp32));
  model::Kernel convolution = product(model::DType::fp32);
  convolution.kind = model::KernelKind::convolution;
  const double convolution_unsaid = seconds(plan, convolution);
  state(plan.tf32, true);
  CHECK(unsaid / seconds(plan, product(model::DType::fp32)) > 4);
  CHECK(convolution_unsaid == seconds(plan, convolution));
  state(plan.tf32, false);
  CHECK(unsaid == seconds(plan, product(model::DType::fp32)));
  CHECK(seconds(plan, convolution) > 3 * convolution_unsaid);
}

TEST_CASE("narrow products reach less of the rate than square ones") {
  model::Kernel narrow = product(model::DType::fp16);
  narrow.product = {8192 * 64, 128, 8192, 1};
  CHECK(seconds({}, narrow) > seconds({}, product(model::DType::fp16)));
}

TEST_CASE("groups narrower than a tile leave most of it idle outside of tensor cores") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.tf32, false);
  model::Kernel dense{model::KernelKind::convolution, model::DType::fp32, 1e12, 0, 0,
                      {1 << 16, 512, 4608, 1}};
  model::Kernel grouped = dense;
  grouped.product = {1 << 16, 16, 144, 32};
  CHECK(seconds(plan, grouped) > 4 * seconds(plan, dense));
}

TEST_CASE("outside of tensor cores 3 x 3 windows over many channels run as Winograd's tiles") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.tf32, false);
  model::Operator op;
  op.product = {64 * 56 * 56, 256, 256 * 9, 1};
  model::Kernel kernel{model::KernelKind::convolution,
                       model::DType::fp32,
                       2.0 * 64 * 56 * 56 * 256 * 256 * 9,
                       0,
                       0,
                       op.product};
  const double gathered = seconds(plan, kernel);
  op.window = {9, 64 * 14 * 14, 0};
  kernel.convolution = &op;
  CHECK(seconds(plan, kernel) < gathered / 1.5);
  CHECK(seconds(plan, kernel) > gathered / 4);  // 36 multiplications for 144
  state(plan.tf32, true);
  const double cores = seconds(plan, kernel);
  kernel.convolution = nullptr;
  CHECK(seconds(plan, kernel) == cores);
}

TEST_CASE("long windows over one axis run as Fourier tiles, their weight's gradient does not") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.tf32, false);
  model::Operator op;
  op.product = {64 * 840, 768, 768 * 25, 1};
  model::Kernel kernel{model::KernelKind::convolution,
                       model::DType::fp32,
                       2.0 * 64 * 840 * 768 * 768 * 25,
                       0,
                       0,
                       op.product};
  const double gathered = seconds(plan, kernel);
  op.window = {25, 0, 840};
  kernel.convolution = &op;
  CHECK(seconds(plan, kernel) < gathered / 2);
  kernel.of_weight = true;
  CHECK(seconds(plan, kernel) == gathered);
  op.window.length = 200;  // one tile holds all results
  CHECK(seconds(plan, kernel) != gathered);
}

TEST_CASE("PyTorch's own depthwise kernels gain from long windows") {
  model::Kernel kernel{
      model::KernelKind::own_depthwise, model::DType::fp32, 1e12, 0, 0, {4096, 1, 9, 512}};
  const double small = seconds({}, kernel);
  kernel.product.depth = 63;
  CHECK(seconds({}, kernel) < small / 2);
  kernel.kind = model::KernelKind::depthwise;
  CHECK(seconds({}, kernel) < small / 2);
}

TEST_CASE("only a recurrent cell's product with the state before waits for its step") {
  model::Kernel kernel{model::KernelKind::recurrence, model::DType::fp16, 0, 0, 0,
                       {64, 4096, 1024, 50}};
  const double state_product = 2.0 * 64 * 4096 * 1024 * 50;
  kernel.flops = state_product;
  const double waiting = seconds({}, kernel);
  kernel.flops = 2 * state_product;
  const double together = seconds({}, kernel) - waiting;
  CHECK(waiting > 1.2 * together);
  CHECK(together > 0);
}

TEST_CASE("a cell whose weights stay in registers waits once per step, any other twice") {
  const model::Kernel half{model::KernelKind::recurrence, model::DType::fp16, 0, 0, 50,
                           {64, 4096, 1024, 50}};
  model::Kernel wide = half;
  wide.product.depth = 2048;
  CHECK(seconds({}, wide) - seconds({}, half) == doctest::Approx(50 * 8e-6));
}

TEST_CASE("a bound by launches shows as such") {
  const model::Kernel tiny{model::KernelKind::pointwise, model::DType::fp32, 0, 1000, 1};
  CHECK(DeviceRates::of(device(), {})->time(tiny).bottleneck == Bottleneck::launches);
}

TEST_CASE("a GPU without bandwidth or peak has no rates") {
  Gpu gpu = device();
  gpu.memory_bandwidth.reset();
  CHECK_FALSE(DeviceRates::of(gpu, {}));
}

TEST_CASE("fused AdamW passes once over 28 bytes per parameter, foreach over 72") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.optimizer, "adamw");
  CHECK(optimizer_work(resolved(plan), {1e9, 100}, false).bytes == doctest::Approx(72e9));
  state(plan.fused_optimizer, true);
  CHECK(optimizer_work(resolved(plan), {1e9, 100}, false).bytes == doctest::Approx(28e9));
  CHECK(optimizer_work(resolved(plan), {1e9, 100}, true).bytes == doctest::Approx(36e9));
}

TEST_CASE("a loop over tensors starts its kernels for each, and may wait for each") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.optimizer, "adamw");
  CHECK(optimizer_work(resolved(plan), {1e9, 300}, false).launches == 9 * 10);
  state(plan.foreach_optimizer, false);
  CHECK(optimizer_work(resolved(plan), {1e9, 300}, false).launches == 9 * 300);
  CHECK_FALSE(optimizer_work(resolved(plan), {1e9, 300}, false).waits);
  state(plan.optimizer, "novograd");
  CHECK(optimizer_work(resolved(plan), {1e9, 300}, false).waits);
  state(plan.fused_optimizer, true);
  CHECK_FALSE(optimizer_work(resolved(plan), {1e9, 300}, false).waits);
}

TEST_CASE("scaled gradients are read back before the optimizer starts, so its launches show") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.optimizer, "sgd");
  state(plan.foreach_optimizer, false);
  const OptimizerWork plain = optimizer_work(resolved(plan), {1e8, 300}, false);
  const OptimizerWork scaled = optimizer_work(resolved(plan), {1e8, 300}, true);
  CHECK(plain.launches == 4 * 300);
  CHECK_FALSE(plain.waits);
  CHECK(scaled.launches == 4 * 300 + 10);  // gradients are unscaled thirty tensors at a time
  CHECK(scaled.waits);
}

TEST_CASE("a moving average of the weights loops over weights and buffers") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.optimizer, "adamw");
  const double without = optimizer_work(resolved(plan), {1e8, 300, 159}, false).launches;
  state(plan.ema, true);
  CHECK(optimizer_work(resolved(plan), {1e8, 300, 159}, false).launches ==
        without + 4 * (300 + 159));
}

TEST_CASE("one rank exchanges nothing; eight hide gradients behind a long backward pass") {
  TrainingPlan plan = test::shipped_plan();
  Gpu gpu = device();
  gpu.nvlink_bandwidth = PerSecond{600e9};
  StepTraffic traffic;
  traffic.gradients = gb(1);
  traffic.forward = Seconds{1};
  traffic.backward = Seconds{2};
  UnknownFacts unknown;
  CHECK(communication(plan, gpu, layout_of(plan), traffic, unknown).exposed.high == Seconds{});
  state(plan.world_size, 8);
  state(plan.gpus_per_node, 8);
  const Communication eight = communication(plan, gpu, layout_of(plan), traffic, unknown);
  // 2 x 7/8 GB at 300 GB/s x 0.78 = 7.5 ms, of which 3 % disturb the kernels beside them.
  CHECK(eight.exposed.central.value == doctest::Approx(0.03 * 1.75e9 / 234e9));
  CHECK(unknown.empty());
}

TEST_CASE("hosts without a stated network name it") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.world_size, 16);
  state(plan.gpus_per_node, 8);
  state(plan.nodes, 2);
  StepTraffic traffic;
  traffic.gradients = gb(1);
  UnknownFacts unknown;
  const Communication all = communication(plan, device(), layout_of(plan), traffic, unknown);
  CHECK(unknown == UnknownFacts{"network_bandwidth"});
  CHECK(all.exposed.high.value > 5 * all.exposed.low.value);
}

TEST_CASE("a loader is as fast as its workers and its storage allow") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.num_workers, 8);
  UnknownFacts unknown;
  CHECK_FALSE(loader_rate(plan, {}, unknown));
  CHECK(unknown == UnknownFacts{"samples_per_second_per_worker"});
  state(plan.samples_per_second_per_worker, 100.0);
  CHECK(loader_rate(plan, {}, unknown)->central.value == doctest::Approx(800));
  state(plan.storage_bandwidth, Bytes::of(50'000'000));
  state(plan.dataset_bytes, Bytes::of(100'000'000'000));
  state(plan.dataset_samples, 1'000'000);
  CHECK(loader_rate(plan, {}, unknown)->central.value == doctest::Approx(500));
}

TEST_CASE("a pinned batch crosses 16 lanes of PCIe 4 at 25.6 GB/s") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.pin_memory, true);
  CHECK(batch_transfer(plan, device(), Bytes::of(25'600'000'000)).central.value ==
        doctest::Approx(1.0).epsilon(0.001));
  state(plan.pin_memory, false);
  CHECK(batch_transfer(plan, device(), Bytes::of(25'600'000'000)).central.value > 2.0);
}

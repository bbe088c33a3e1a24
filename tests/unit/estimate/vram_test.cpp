// VRAM built up from stated facts. BERT and ResNet rows: torch-preflight's published T4
// measurements of max_memory_allocated (AMP, AdamW).
#include "plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan amp_adamw(std::int64_t parameters, std::int64_t batch, std::int64_t per_sample) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.parameters, parameters);
  state(plan.per_device_batch_size, batch);
  state(plan.activation_bytes_per_sample, Bytes::of(per_sample));
  state(plan.mixed_precision, "fp16");
  state(plan.weights_dtype, "fp32");
  state(plan.optimizer, "adamw");
  state(plan.gradient_accumulation_steps, 1);
  state(plan.zero_grad_set_to_none, true);
  return plan;
}

}  // namespace

TEST_CASE("BERT-base at a small batch peaks in the optimizer step at 2104 MiB") {
  // 109,483,778 parameters x (4 weights + 8 state + 4 gradients + 4 foreach) + 16.25 MiB of
  // workspaces; measured 2107 MiB. Saved tensors of 4 x 128 tokens stay below it.
  const Gpu gpu = t4();
  const Estimate result = estimate_of(amp_adamw(109'483'778, 4, 60'000'000), &gpu);
  REQUIRE(result.vram);
  CHECK(result.vram->phase == "optimizer step");
  CHECK(in_mib(result.vram->allocated_peak) == doctest::Approx(2104.5).epsilon(0.0005));
  CHECK(in_mib(result.vram->allocated_peak) == doctest::Approx(2107).epsilon(0.02));
  CHECK(sum_of(result.vram->terms) == result.vram->total.central);
  CHECK(find_term(result.vram->terms, "activations") == nullptr);
  CHECK(find_term(result.vram->terms, "optimizer step temporaries")->arithmetic ==
        "109483778 parameters x 4 B");
}

TEST_CASE("ResNet-50 peaks in backward within 3 % of the measured 1067 and 1755 MiB") {
  const Gpu gpu = t4();
  const std::int64_t batches[2] = {16, 32};
  const double measured[2] = {1067, 1755};
  for (int i = 0; i < 2; ++i) {
    TrainingPlan plan = amp_adamw(25'557'032, batches[i], 43'060'000);
    state(plan.image_size, 224);
    state(plan.sample_bytes, Bytes::of(3 * 224 * 224 * 4));
    const Estimate result = estimate_of(plan, &gpu);
    CHECK(result.vram->phase == "backward");
    CHECK(in_mib(result.vram->allocated_peak) == doctest::Approx(measured[i]).epsilon(0.03));
    CHECK(sum_of(result.vram->terms) == result.vram->total.central);
    CHECK(result.vram->basis == VramBasis::activations_stated);
    CHECK_FALSE(result.vram->lower_bound_only);
  }
}

TEST_CASE("GPT-2 under autocast peaks at its loss within 0.5 % of the measured step") {
  // 124,439,808 parameters, batch 4 x 1024 tokens, 2,283,069,444 bytes saved by autograd (flash
  // attention, torch 1.13): live at the peak 510,407,680 (parameters, buffers, batch) + 995,518,464
  // (AdamW) + 4,588,660,232, of which 10 bytes per logit are the loss.
  const Gpu gpu = t4();
  TrainingPlan plan = amp_adamw(124'439'808, 4, 570'767'361);
  state(plan.sequence_length, 1024);
  state(plan.vocab_size, 50257);
  const VramEstimate vram = *estimate_of(plan, &gpu).vram;
  CHECK(vram.phase == "forward");
  CHECK(find_term(vram.terms, "logits and loss")->bytes == Bytes::of(2'058'526'720));
  CHECK(vram.allocated_peak.as_double() ==
        doctest::Approx(510'407'680.0 + 995'518'464.0 + 4'588'660'232.0 + 2 * 8'519'680.0)
            .epsilon(0.005));
}

TEST_CASE("under activation checkpointing saved bytes are a lower bound") {
  TrainingPlan plan = amp_adamw(124'439'808, 4, 10'000'000);
  state(plan.activation_checkpointing, "full");
  const VramEstimate vram = *estimate_of(plan).vram;
  CHECK(vram.lower_bound_only);
  CHECK(vram.explanation.find("recomputed block") != std::string::npos);
  state(plan.activation_checkpointing, "none");
  CHECK_FALSE(estimate_of(plan).vram->lower_bound_only);
}

TEST_CASE("a preference loss may hold a frozen reference model, policy gradients two more") {
  const Gpu gpu = t4();
  TrainingPlan plan = amp_adamw(109'483'778, 4, 60'000'000);
  const VramEstimate alone = *estimate_of(plan, &gpu).vram;
  const auto more_than_alone = [&](std::string_view objective) {
    state(plan.objective, std::string(objective));
    const VramEstimate vram = *estimate_of(plan, &gpu).vram;
    CHECK(vram.allocated.low == alone.allocated.low);
    CHECK(vram.allocated.central == alone.allocated.central);
    return vram.allocated.high.count() - alone.allocated.high.count();
  };
  const std::int64_t weights = 109'483'778LL * 4;
  CHECK(more_than_alone("sft") == 0);
  CHECK(more_than_alone("preference") == weights);
  CHECK(more_than_alone("reinforcement") == 3 * weights);
  // The base below an adapter is the reference.
  state(plan.adapter, std::string("lora"));
  state(plan.objective, std::string("sft"));
  const Bytes high = estimate_of(plan, &gpu).vram->allocated.high;
  state(plan.objective, std::string("preference"));
  CHECK(estimate_of(plan, &gpu).vram->allocated.high == high);
}

TEST_CASE("what a script keeps on the GPU is a term of its own in every phase") {
  const Gpu gpu = t4();
  TrainingPlan plan = amp_adamw(109'483'778, 4, 60'000'000);
  state(plan.objective, std::string("preference"));
  const VramEstimate alone = *estimate_of(plan, &gpu).vram;
  const Bytes encoder = Bytes::of(86'580'480LL * 4);
  state(plan.vram_other, encoder);
  const VramEstimate beside = *estimate_of(plan, &gpu).vram;
  CHECK(beside.allocated_peak - alone.allocated_peak == encoder);
  CHECK(beside.allocated.low - alone.allocated.low == encoder);
  const Term* term = find_term(beside.terms, "kept by the script");
  REQUIRE(term);
  CHECK(term->bytes == encoder);
  CHECK(term->arithmetic == "vram_other");
  CHECK(sum_of(beside.terms) == beside.total.central);
  for (std::size_t i = 0; i < beside.phases.size(); ++i) {
    CHECK(beside.phases[i].total - alone.phases[i].total >= encoder);
  }
  // It says what there is: no reference model is allowed for on top.
  CHECK(beside.allocated.high < alone.allocated.high);
}

TEST_CASE("the peak is a maximum over phases and never their sum") {
  const Gpu gpu = t4();
  const VramEstimate vram = *estimate_of(amp_adamw(25'557'032, 16, 43'060'000), &gpu).vram;
  REQUIRE(vram.phases.size() == 5);
  Bytes largest;
  for (const PhasePeak& phase : vram.phases) largest = std::max(largest, phase.total);
  CHECK(vram.total.central == largest);
  CHECK(vram.phases[2].name == "optimizer step");
  CHECK(vram.phases[2].total < vram.total.central);
  CHECK(vram.total.central == vram.reserved_peak + vram.outside_allocator);
}

TEST_CASE("gradients kept by accumulation raise the backward peak by their share") {
  const Gpu gpu = t4();
  TrainingPlan plan = amp_adamw(25'557'032, 16, 43'060'000);
  const VramEstimate single = *estimate_of(plan, &gpu).vram;
  state(plan.gradient_accumulation_steps, 4);
  const VramEstimate accumulated = *estimate_of(plan, &gpu).vram;
  // half of the gradients overlap without accumulation, all of them with it
  CHECK(accumulated.allocated_peak - single.allocated_peak == Bytes::of(25'557'032 * 2));
}

TEST_CASE("momentum of SGD is one value per parameter, 102 MB for ResNet-50") {
  // The A10G guide's table has 0.2 GB.
  TrainingPlan plan = amp_adamw(25'557'032, 16, 43'060'000);
  state(plan.optimizer, "sgd");
  state(plan.momentum, 0.9);
  const Estimate result = estimate_of(plan);
  CHECK(find_term(result.vram->terms, "optimizer state")->bytes == Bytes::of(102'228'128));
  state(plan.momentum, 0.0);
  CHECK(find_term(estimate_of(plan).vram->terms, "optimizer state") == nullptr);
}

TEST_CASE("a fused optimizer step borrows nothing, the foreach one a copy of the parameters") {
  TrainingPlan plan = amp_adamw(109'483'778, 1, 1'000'000);
  const VramEstimate foreach = *estimate_of(plan).vram;
  state(plan.fused_optimizer, true);
  const VramEstimate fused = *estimate_of(plan).vram;
  REQUIRE(fused.phases[2].name == "optimizer step");
  // 4 B per parameter and the allocator's 10 % on top
  CHECK((foreach.phases[2].total - fused.phases[2].total).as_double() ==
        doctest::Approx(109'483'778 * 4 * 1.10));
}

TEST_CASE("8-bit AdamW keeps two bytes and two scales per 256 values") {
  TrainingPlan plan = amp_adamw(1'000'000, 1, 100'000'000);
  state(plan.optimizer, "adamw_8bit");
  CHECK(find_term(estimate_of(plan).vram->terms, "optimizer state")->bytes == Bytes::of(2'031'250));
}

TEST_CASE("without activations the estimate is a lower bound and says what is missing") {
  TrainingPlan plan = amp_adamw(7'000'000'000, 1, 1);
  plan.activation_bytes_per_sample.reset();
  const Gpu gpu = a100();
  const Estimate result = estimate_of(plan, &gpu);
  CHECK(result.vram->lower_bound_only);
  CHECK(result.vram->basis == VramBasis::states_only);
  // 4 weights + 8 AdamW + 4 gradients: 112 GB can never fit 40 GB
  CHECK(result.vram->total.low > gb(112));
  CHECK(result.vram->total.low > result.usable_vram->high);
  CHECK(is_unknown(result, "activation_bytes_per_sample"));
  CHECK_FALSE(largest_batch_that_fits({&plan, &gpu}));
}

TEST_CASE("an unknown network takes at least what its process does on the target") {
  TrainingPlan plan;
  state(plan.world_size, 1);
  const Gpu gpu = a100();
  const Estimate result = estimate_of(plan, &gpu);
  REQUIRE(result.vram);
  CHECK(result.vram->basis == VramBasis::process_only);
  CHECK(result.vram->lower_bound_only);
  CHECK_FALSE(result.vram->bounded_above);
  CHECK(result.vram->needed.low == outside_allocator(plan, &gpu).context.low);
  CHECK(result.vram_verdict.fit == Fit::unknown);
  CHECK_FALSE(counts_network(result));
  state(plan.vram_other, Bytes::of(50'000'000'000));
  CHECK(estimate_of(plan, &gpu).vram_verdict.fit == Fit::does_not_fit);
}

TEST_CASE("nothing about the model gives no VRAM estimate and names the facts that would") {
  const Estimate result = estimate_of(TrainingPlan{});
  CHECK_FALSE(result.vram);
  CHECK(is_unknown(result, "parameters"));
  CHECK(is_unknown(result, "per_device_batch_size"));
  CHECK(std::is_sorted(result.unknown.begin(), result.unknown.end()));
}

TEST_CASE("an unknown precision widens the interval down to 16-bit and up to autocast") {
  TrainingPlan plan = amp_adamw(100'000'000, 1, 1'000'000);
  state(plan.fused_optimizer, true);
  state(plan.mixed_precision, "none");
  const VramEstimate exact = *estimate_of(plan).vram;
  plan.mixed_precision.reset();
  plan.weights_dtype.reset();
  const Estimate unknown = estimate_of(plan);
  CHECK(unknown.vram->total.central == exact.total.central);
  CHECK(exact.total.low - unknown.vram->total.low == mb(800));
  CHECK(is_unknown(unknown, "mixed_precision"));
}

TEST_CASE("a 16-bit format that the GPU decides leaves the weights as open as bf16 does") {
  TrainingPlan bf16;
  state(bf16.parameters, 1'000'000'000);
  state(bf16.optimizer, "adamw");
  state(bf16.mixed_precision, "bf16");
  TrainingPlan decided_later = bf16;
  state(decided_later.mixed_precision, "enabled");
  const Estimate known = estimate_of(bf16);
  const Estimate open = estimate_of(decided_later);
  REQUIRE(known.vram.has_value());
  REQUIRE(open.vram.has_value());
  CHECK(open.vram->total.low == known.vram->total.low);
}

TEST_CASE("a run that never evaluates needs nothing for its evaluation batch") {
  TrainingPlan plan = amp_adamw(100'000'000, 1, 1'000'000);
  state(plan.eval_batch_size, 100'000);
  const VramEstimate evaluating = *estimate_of(plan).vram;
  state(plan.eval_strategy, "no");
  const VramEstimate silent = *estimate_of(plan).vram;
  CHECK(evaluating.total.high > gb(100));
  CHECK(silent.total.high < gb(10));
}

TEST_CASE("ZeRO spans the paper's and DeepSpeed's bytes per parameter") {
  // 1e9 parameters over 8 ranks, mixed-precision Adam; stage 2: paper 2P + 14P/N = 3.75 GB, code
  // 2P + 18P/N = 4.25 GB; stage 3: 16P/N = 2 GB and 18P/N = 2.25 GB.
  TrainingPlan plan = amp_adamw(1'000'000'000, 1, 1'000'000);
  state(plan.mixed_precision, "bf16");
  state(plan.world_size, 8);
  state(plan.sharding_stage, 2);
  const auto states_of = [](const Estimate& result) {
    Bytes sum;
    for (const char* name : {"weights", "gradients", "optimizer state"}) {
      if (const Term* term = find_term(result.vram->terms, name)) sum += term->bytes;
    }
    return sum;
  };
  const Estimate stage2 = estimate_of(plan);
  CHECK(stage2.vram->phase == "optimizer step");
  CHECK(states_of(stage2) == mb(4'250));
  state(plan.sharding_stage, 3);
  state(plan.num_hidden_layers, 100);
  CHECK(states_of(estimate_of(plan)) == mb(2'250));
  plan.world_size.reset();
  CHECK(is_unknown(estimate_of(plan), "world_size"));
}

TEST_CASE("data-parallel ranks pay a second gradient copy and NCCL") {
  TrainingPlan plan = amp_adamw(100'000'000, 1, 1'000'000);
  const VramEstimate one = *estimate_of(plan).vram;
  state(plan.world_size, 2);
  const VramEstimate two = *estimate_of(plan).vram;
  CHECK(two.allocated_peak - one.allocated_peak == mb(400));
  CHECK(find_term(two.terms, "NCCL buffers")->bytes == mb(544));
}

TEST_CASE("LoRA trains its adapters only and a 4-bit base is half a byte and its scales") {
  TrainingPlan plan = amp_adamw(7'000'000'000, 1, 100'000'000);
  state(plan.adapter, "qlora");
  state(plan.quantization, "4bit");
  state(plan.trainable_parameters, 40'000'000);
  const VramEstimate vram = *estimate_of(plan).vram;
  // 4.5 bits: 4 of the weight, 0.5 of an fp32 scale per 64
  CHECK(find_term(vram.terms, "weights")->bytes == Bytes::of(3'937'500'000));
  CHECK(find_term(vram.terms, "optimizer state")->bytes == mb(320));
}

TEST_CASE("a frozen base may be in 16 bits under fp16, and is where the engine casts it") {
  TrainingPlan plan = amp_adamw(7'000'000'000, 1, 100'000'000);
  state(plan.mixed_precision, "fp16");
  state(plan.adapter, "lora");
  state(plan.trainable_parameters, 40'000'000);
  plan.weights_dtype.reset();
  CHECK(estimate_of(plan).vram->needed.low < gb(16));
  CHECK(estimate_of(plan).vram->needed.high > gb(28));
  state(plan.world_size, 2);
  state(plan.sharding_stage, 2);
  state(plan.sharding_engine, "deepspeed");
  CHECK(find_term(estimate_of(plan).vram->terms, "weights")->bytes < gb(15));
  CHECK(estimate_of(plan).vram->needed.high > gb(28));
}

TEST_CASE("the CUDA context grows with the number of multiprocessors and keeps what was measured") {
  const TrainingPlan plan = amp_adamw(1'000'000, 1, 1'000'000);
  const Gpu small = t4();
  CHECK(estimate_of(plan, &small).vram->outside_allocator == Bytes::mib(360));
  const Gpu large = a100();
  CHECK(estimate_of(plan, &large).vram->outside_allocator == Bytes::mib(462));
  CHECK(estimate_of(plan).vram->outside_allocator == Bytes::mib(450));
}

TEST_CASE("stated capacity and reserve replace the database's") {
  TrainingPlan plan = test::shipped_plan();
  const Gpu gpu = a100();
  CHECK(estimate_of(plan, &gpu).usable_vram == BytesRange{Bytes::mib(40441), Bytes::mib(40654)});
  state(plan.gpu_memory, gb(40));
  state(plan.gpu_memory_reserve, mb(2'300));
  CHECK(estimate_of(plan, &gpu).usable_vram == BytesRange{mb(37'700), mb(37'700)});
}

TEST_CASE("the largest batch is the last one whose upper end fits") {
  const Gpu gpu = t4();
  TrainingPlan plan = amp_adamw(25'557'032, 16, 43'060'000);
  const auto largest = largest_batch_that_fits({&plan, &gpu});
  REQUIRE(largest);
  state(plan.per_device_batch_size, *largest);
  CHECK(estimate_of(plan, &gpu).vram->total.high <= gpu.usable_memory->low);
  state(plan.per_device_batch_size, *largest + 1);
  CHECK(estimate_of(plan, &gpu).vram->total.high > gpu.usable_memory->low);
}

TEST_CASE("no batch fits when the states alone do not") {
  const Gpu gpu = t4();
  const TrainingPlan plan = amp_adamw(7'000'000'000, 1, 1'000'000);
  CHECK(largest_batch_that_fits({&plan, &gpu}) == 0);
}

TEST_CASE("absurd sizes saturate instead of overflowing") {
  TrainingPlan plan =
      amp_adamw(9'000'000'000'000'000'000, 1'000'000'000'000'000'000, 9'000'000'000'000'000'000);
  state(plan.eval_batch_size, 1'000'000'000'000'000'000);
  state(plan.world_size, 1'000'000'000'000'000'000);
  state(plan.tensor_parallel_size, 1'000'000'000'000'000'000);
  state(plan.pipeline_parallel_size, 1'000'000'000'000'000'000);
  const Gpu gpu = t4();
  const Estimate result = estimate_of(plan, &gpu);
  CHECK(result.vram->total.high == Bytes::of(9'223'372'036'854'775'807));
  CHECK(result.vram->total.low <= result.vram->total.central);
  CHECK(largest_batch_that_fits({&plan, &gpu}) == 0);
  state(plan.per_device_batch_size, -5);
  CHECK(estimate_of(plan, &gpu).vram->lower_bound_only);
}

#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

using namespace gpulint;

TEST_CASE("a Composer time says batches, epochs or a share of the run") {
  const Facts batches = facts_of(
      "global_train_batch_size: 256\ndevice_train_microbatch_size: 4\n"
      "scheduler: {t_warmup: 100ba}\nmax_duration: 4800ba\n");
  CHECK(batches["warmup_steps"] == "100");
  CHECK(batches["warmup_ratio"].empty());
  CHECK(batches["max_steps"] == "4800");
  CHECK(batches["epochs"].empty());
  const Facts share = facts_of(
      "global_train_batch_size: 256\ndevice_train_microbatch_size: auto\n"
      "scheduler: {t_warmup: 0.06dur}\nmax_duration: 2ep\n");
  CHECK(share["warmup_ratio"] == "0.06");
  CHECK(share["warmup_steps"].empty());
  CHECK(share["epochs"] == "2");
  CHECK(share["per_device_batch_size"].empty());
}

TEST_CASE("a MosaicML job states its GPUs beside the parameters of the run") {
  const Facts facts = facts_of(
      "image: x\ncommand: train\ncompute: {gpus: 16}\nparameters:\n"
      "  global_train_batch_size: 64\n  device_train_microbatch_size: 2\n");
  CHECK(facts.plan.dialect == "composer");
  CHECK(facts["world_size"] == "16");
  CHECK(facts["gradient_accumulation_steps"] == "2");
}

TEST_CASE("the factor of a Noam schedule is not a learning rate") {
  const Facts facts = facts_of(
      "trainer: {devices: -1, precision: bf16}\nexp_manager: {}\n"
      "model: {optim: {lr: 2.0, sched: {name: NoamAnnealing}}}\n");
  CHECK(facts["learning_rate"].empty());
  CHECK(facts["gpus_per_node"].empty());
  CHECK(facts["mixed_precision"] == "bf16");
}

TEST_CASE("an OLMo loader without workers gets no prefetching") {
  const Facts facts = facts_of(
      "softmax_auxiliary_loss: true\nmodel: {n_layers: 16}\n"
      "data: {num_workers: 0, prefetch_factor: 16, persistent_workers: true}\n");
  CHECK(facts["num_workers"] == "0");
  CHECK(facts["prefetch_factor"].empty());
  CHECK(facts["persistent_workers"] == "false");
}

TEST_CASE("a null that a dialect translates states a fact, others state none") {
  const Facts facts = facts_of(
      "trainer: {devices: 8, precision: bf16}\nexp_manager: {}\n"
      "model: {micro_batch_size: null, activations_checkpoint_granularity: null}\n");
  CHECK(facts["activation_checkpointing"] == "none");
  CHECK(facts.plan.facts.activation_checkpointing->from.origin == Origin::stated);
  CHECK(facts["per_device_batch_size"].empty());
}

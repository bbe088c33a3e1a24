// estimate_speed [ROUNDS]: what one estimate costs inside a process, start-up left out.
// Prints medians of CPU milliseconds as a Markdown table. Every round starts from models nobody has
// asked yet: `look-up` reads and compiles the model's file, and what follows remembers nothing of
// an earlier round. A second table is of runs with open facts. No test: times depend on the
// machine.

#include "catalog/catalog.h"
#include "plan/training_plan.h"
#include "run/known_models.h"
#include "search/conditions.h"
#include "search/fit.h"
#include "search/largest_batch.h"
#include "search/least_devices.h"
#include "stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

using namespace gpulint;
using bench::Stopwatch;

template <class T>
Maybe<T> stated(T value) {
  return Fact<T>{std::move(value), Provenance{.origin = Origin::stated}};
}

TrainingPlan image_classifier(std::string model) {
  TrainingPlan plan;
  plan.model = stated(std::move(model));
  plan.image_size = stated<std::int64_t>(224);
  plan.per_device_batch_size = stated<std::int64_t>(64);
  plan.mixed_precision = stated<std::string>("fp16");
  plan.optimizer = stated<std::string>("sgd");
  return plan;
}

/// Fully sharded over 8 hosts of 8 GPUs.
TrainingPlan decoder(std::string model) {
  TrainingPlan plan;
  plan.model = stated(std::move(model));
  plan.sequence_length = stated<std::int64_t>(8192);
  plan.per_device_batch_size = stated<std::int64_t>(1);
  plan.mixed_precision = stated<std::string>("bf16");
  plan.weights_dtype = stated<std::string>("bf16");
  plan.optimizer = stated<std::string>("adamw");
  plan.activation_checkpointing = stated<std::string>("full");
  plan.attention_backend = stated<std::string>("flash");
  plan.sharding_stage = stated<std::int64_t>(3);
  plan.data_parallel_size = stated<std::int64_t>(64);
  plan.world_size = stated<std::int64_t>(64);
  plan.nodes = stated<std::int64_t>(8);
  return plan;
}

void measure(const Catalog& catalog, const std::string& name, TrainingPlan plan, int rounds) {
  plan.knowledge = &catalog;
  Stopwatch find, once, again, batch, whole, matrix;
  for (int round = 0; round < rounds; ++round) {
    const auto request = [&](const KnownModels& models) {
      return EstimateRequest{
          .run = ResolvedRun::of(plan, &models, {catalog.gpu("h100-sxm5-80gb"), nullptr})};
    };
    KnownModels models(catalog.model_files());
    find.time([&] { models.find(plan.model->value); });
    once.time([&] { estimate(request(models)); });
    again.time([&] { estimate(request(models)); });
    batch.time([&] { largest_batch_that_fits(request(models)); });
    const KnownModels of_fit(catalog.model_files());
    of_fit.find(plan.model->value);
    whole.time([&] { fit(request(of_fit), FitDetail::whole); });
    const KnownModels of_matrix(catalog.model_files());
    of_matrix.find(plan.model->value);
    matrix.time([&] {
      EstimateRequest each = request(of_matrix);
      for (const Gpu* gpu : catalog.gpus()) {
        each.run = each.run.on({gpu, nullptr});
        if (gpu->usable_memory) fit(each, FitDetail::matrix);
      }
    });
  }
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} |\n", name, find.median(),
             once.median(), again.median(), batch.median(), whole.median(), matrix.median());
}

/// What a launcher, a script and a loader decide is left open.
TrainingPlan left_open(TrainingPlan plan) {
  plan.sharding_stage.reset();
  plan.data_parallel_size.reset();
  plan.world_size.reset();
  plan.nodes.reset();
  plan.activation_checkpointing.reset();
  plan.mixed_precision.reset();
  plan.weights_dtype.reset();
  return plan;
}

void measure_open(const Catalog& catalog, const std::string& name, TrainingPlan plan, int rounds) {
  plan.knowledge = &catalog;
  Stopwatch once, devices, conditions;
  for (int round = 0; round < rounds; ++round) {
    const KnownModels models(catalog.model_files());
    models.find(plan.model->value);
    const EstimateRequest request{
        .run = ResolvedRun::of(plan, &models, {catalog.gpu("h100-sxm5-80gb"), nullptr})};
    Estimate known;
    once.time([&] { known = estimate(request); });
    devices.time([&] { least_devices(request, known); });
    conditions.time([&] { conditions_of(request, known); });
  }
  fmt::print("| {} | {:.2f} | {:.2f} | {:.1f} |\n", name, once.median(), devices.median(),
             conditions.median());
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(std::atoi(arguments[1]), 1) : 5;
  const Result<Catalog> catalog = Catalog::open(embedded_data());
  if (!catalog) {
    fmt::print(stderr, "{}\n", catalog.error().to_string());
    return 2;
  }
  fmt::print("medians of {} rounds, CPU ms; on an h100-sxm5-80gb where a GPU is named\n\n", rounds);
  fmt::print("| run | look-up | estimate | again | largest batch | fit | fit, all GPUs |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  measure(*catalog, "resnet50", image_classifier("resnet50"), rounds);
  measure(*catalog, "vit-base-patch16-224", image_classifier("vit-base-patch16-224"), rounds);
  measure(*catalog, "llama-3.1-8b", decoder("llama-3.1-8b"), rounds);
  measure(*catalog, "llama-3.1-70b, 64 ranks", decoder("llama-3.1-70b"), rounds);
  fmt::print(
      "\nruns that leave open how they are launched, what is recomputed and in which format\n\n");
  fmt::print("| run | estimate | number of GPUs | conditions |\n|---|---|---|---|\n");
  measure_open(*catalog, "llama-3.1-8b", left_open(decoder("llama-3.1-8b")), rounds);
  measure_open(*catalog, "llama-3.1-70b", left_open(decoder("llama-3.1-70b")), rounds);
  return 0;
}

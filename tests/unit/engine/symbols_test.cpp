#include "engine/symbols.h"

#include "engine/learning_rate.h"
#include "engine/subject_environment.h"
#include "unit/engine/fixture.h"

#include <doctest/doctest.h>

#include <set>

namespace gpulint {
namespace {

expr::Value value_of_symbol(const Subject& subject, std::string_view name) {
  const SubjectEnvironment environment(subject, subject.run);
  const auto index = Engine::symbols().find_symbol(name);
  REQUIRE_MESSAGE(index.has_value(), std::string(name));
  return environment.symbol(*index);
}

Gpu make_gpu() {
  Gpu gpu;
  gpu.id = "test-gpu";
  gpu.names = {"Test GPU 24"};
  gpu.memory_total = Bytes::gib(24);
  gpu.usable_memory = BytesRange{Bytes::gib(23), Bytes::mib(23 * 1024 + 512)};
  gpu.tensor_cores = true;
  gpu.bf16_native = true;
  gpu.peak_flops[static_cast<std::size_t>(Precision::fp32)] = PerSecond{20e12};
  gpu.peak_flops[static_cast<std::size_t>(Precision::bf16)] = PerSecond{160e12};
  return gpu;
}

}  // namespace

TEST_CASE("every symbol has a meaning, and no name stands for two things") {
  std::set<std::string> names;
  for (const expr::Symbol& symbol : Engine::symbols().symbols()) {
    CHECK_MESSAGE(!symbol.meaning.empty(), symbol.name);
    CHECK_MESSAGE(names.insert(symbol.name).second, symbol.name);
  }
}

TEST_CASE("the facts a symbol says it is made of exist") {
  for (const SymbolRow& row : symbol_rows()) {
    for (const std::string_view fact : row.facts) {
      CHECK_MESSAGE(find_fact(fact) != nullptr, std::string(row.name) << " " << std::string(fact));
    }
  }
}

TEST_CASE("without a target every symbol of the hardware is unknown") {
  const Plan plan = make_plan({{"per_device_batch_size", "8"}});
  const Subject subject{.plan = &plan, .run = run_of(plan)};
  for (const std::string_view name : {"gpu.name", "gpu.memory", "gpu.tensor_cores", "vram.verdict",
                                      "host.ram", "ram.verdict", "shm.available"}) {
    CHECK_MESSAGE(!value_of_symbol(subject, name).known(), std::string(name));
  }
}

TEST_CASE("cores and memory the user states win over the host's") {
  Host host;
  host.id = "h";
  host.cpu_cores = 16;
  host.ram = Bytes::of(64'000'000'000);
  const Plan plain = make_plan({});
  const Plan stated = make_plan({{"cpu_cores", "8"}, {"ram", "62 GB"}});
  CHECK(value_of_symbol({.plan = &plain, .run = run_of(plain, nullptr, &host)}, "host.cpu_cores") ==
        expr::Value(std::int64_t{16}));
  CHECK(value_of_symbol({.plan = &stated, .run = run_of(stated, nullptr, &host)},
                        "host.cpu_cores") == expr::Value(std::int64_t{8}));
  CHECK(value_of_symbol({.plan = &stated, .run = run_of(stated, nullptr, &host)}, "host.ram") ==
        expr::Value(std::int64_t{62'000'000'000}));
}

TEST_CASE("workers of a host are those of all its ranks, and of both loaders where they persist") {
  const Plan plan =
      make_plan({{"num_workers", "12"}, {"eval_num_workers", "4"}, {"gpus_per_node", "8"}});
  CHECK(value_of_symbol({.plan = &plan, .run = run_of(plan)}, "loaders.workers_on_host") ==
        expr::Value(std::int64_t{96}));
  const Plan persistent = make_plan({{"num_workers", "12"},
                                     {"eval_num_workers", "4"},
                                     {"gpus_per_node", "8"},
                                     {"persistent_workers", "true"}});
  CHECK(value_of_symbol({.plan = &persistent, .run = run_of(persistent)},
                        "loaders.workers_on_host") == expr::Value(std::int64_t{128}));
  const Plan unknown_ranks = make_plan({{"num_workers", "12"}});
  CHECK(value_of_symbol({.plan = &unknown_ranks, .run = run_of(unknown_ranks)},
                        "loaders.workers_on_host") == expr::Value(std::int64_t{12}));
}

TEST_CASE("an estimate handed in is used instead of computing another") {
  const Gpu gpu = make_gpu();
  const Plan plan = make_plan({{"per_device_batch_size", "8"}});
  Estimate estimate;
  estimate.usable_vram = BytesRange{Bytes::gib(10), Bytes::gib(11)};
  VramEstimate vram;
  vram.total = {Bytes::gib(12), Bytes::gib(13), Bytes::gib(14)};
  vram.needed = vram.total;
  estimate.vram = vram;
  judge_budgets(estimate);
  const Subject subject{.plan = &plan, .run = run_of(plan, &gpu), .estimate = &estimate};
  CHECK(value_of_symbol(subject, "vram.verdict") == expr::Value("does not fit"));
  CHECK(value_of_symbol(subject, "vram.certain") == expr::Value(true));
  CHECK(value_of_symbol(subject, "vram.deciding") == expr::Value(Bytes::gib(12).count()));
  CHECK(value_of_symbol(subject, "vram.deciding_words") == expr::Value("at least"));
}

TEST_CASE("rules read the verdict of the estimate, in its words") {
  const Gpu gpu = make_gpu();
  const Plan plan = make_plan({{"per_device_batch_size", "8"}});
  const auto read = [&](int low, int central, int high, bool lower_bound, const char* symbol) {
    Estimate estimate;
    estimate.usable_vram = BytesRange{Bytes::gib(100), Bytes::gib(102)};
    VramEstimate vram;
    vram.needed = {Bytes::gib(low), Bytes::gib(central), Bytes::gib(high)};
    vram.total = vram.needed;
    vram.lower_bound_only = lower_bound;
    vram.bounded_above = !lower_bound;
    estimate.vram = vram;
    judge_budgets(estimate);
    return value_of_symbol({.plan = &plan, .run = run_of(plan, &gpu), .estimate = &estimate},
                           symbol);
  };
  CHECK(read(103, 110, 120, false, "vram.verdict") == expr::Value("does not fit"));
  CHECK(read(102, 110, 120, false, "vram.verdict") == expr::Value("does not fit"));
  CHECK(read(102, 110, 120, false, "vram.certain") == expr::Value(false));
  CHECK(read(90, 95, 105, false, "vram.verdict") == expr::Value("thin"));
  CHECK(read(90, 95, 105, false, "vram.deciding_words") == expr::Value("up to"));
  CHECK(read(90, 95, 100, false, "vram.verdict") == expr::Value("thin"));
  CHECK(read(90, 95, 100, false, "vram.certain") == expr::Value(true));
  CHECK(read(50, 60, 100, false, "vram.verdict") == expr::Value("fits"));
  CHECK(read(103, 110, 120, true, "vram.verdict") == expr::Value("does not fit"));
  CHECK_FALSE(read(50, 60, 70, true, "vram.verdict").known());
  CHECK_FALSE(read(50, 60, 70, true, "vram.certain").known());
}

TEST_CASE("a ratio of rates names both sides and is unknown where one is missing") {
  const Gpu gpu = make_gpu();
  const Plan plan = make_plan({});
  CHECK(value_of_symbol({.plan = &plan, .run = run_of(plan, &gpu)}, "speedup.bf16_over_fp32") ==
        expr::Value(8.0));
  CHECK_FALSE(value_of_symbol({.plan = &plan, .run = run_of(plan, &gpu)}, "speedup.tf32_over_fp32")
                  .known());
}

TEST_CASE("batch sizes agree when an unknown factor can be a whole number") {
  const auto consistent = [](const Plan& plan) {
    return value_of_symbol({.plan = &plan, .run = run_of(plan)}, "batch.consistent");
  };
  CHECK(consistent(make_plan({{"global_batch_size", "128"},
                              {"per_device_batch_size", "8"},
                              {"gradient_accumulation_steps", "2"},
                              {"world_size", "8"}})) == expr::Value(true));
  CHECK(consistent(make_plan({{"global_batch_size", "128"},
                              {"per_device_batch_size", "8"},
                              {"gradient_accumulation_steps", "2"},
                              {"world_size", "4"}})) == expr::Value(false));
  CHECK(consistent(make_plan({{"global_batch_size", "128"}, {"per_device_batch_size", "8"}})) ==
        expr::Value(true));
  CHECK(consistent(make_plan({{"global_batch_size", "100"}, {"per_device_batch_size", "8"}})) ==
        expr::Value(false));
  CHECK_FALSE(consistent(make_plan({{"global_batch_size", "100"}})).known());
}

TEST_CASE("a global batch counted in tokens agrees with one counted in samples") {
  const Plan plan = make_plan({{"global_batch_size", "65536"},
                               {"per_device_batch_size", "8"},
                               {"gradient_accumulation_steps", "2"},
                               {"world_size", "4"},
                               {"sequence_length", "1024"}});
  CHECK(value_of_symbol({.plan = &plan, .run = run_of(plan)}, "batch.consistent") ==
        expr::Value(true));
}

TEST_CASE("the operand of a tensor-core instruction holds 16 bytes of samples") {
  const Gpu gpu = make_gpu();
  const auto multiple = [&](const char* precision) {
    const Plan plan = make_plan({{"mixed_precision", precision}});
    return value_of_symbol({.plan = &plan, .run = run_of(plan, &gpu)},
                           "batch.tensor_core_multiple");
  };
  CHECK(multiple("none") == expr::Value(std::int64_t{4}));
  CHECK(multiple("fp16") == expr::Value(std::int64_t{8}));
  CHECK(multiple("fp8") == expr::Value(std::int64_t{16}));
}

TEST_CASE("the share of warm-up follows from steps, epochs or the stated ratio") {
  const auto share = [](const std::vector<std::pair<std::string, std::string>>& facts) {
    const Plan plan = make_plan(facts);
    return value_of_symbol({.plan = &plan, .run = run_of(plan)}, "run.warmup_share");
  };
  CHECK(share({{"warmup_steps", "100"}, {"max_steps", "400"}}) == expr::Value(0.25));
  CHECK(share({{"warmup_epochs", "5"}, {"epochs", "20"}}) == expr::Value(0.25));
  CHECK(share({{"warmup_ratio", "0.1"}}) == expr::Value(0.1));
  CHECK_FALSE(share({{"warmup_steps", "100"}, {"epochs", "3"}}).known());
}

TEST_CASE("the idle share of a pipeline counts micro-batches and interleaved chunks") {
  const Plan plain =
      make_plan({{"pipeline_parallel_size", "4"}, {"gradient_accumulation_steps", "3"}});
  CHECK(value_of_symbol({.plan = &plain, .run = run_of(plain)}, "parallel.pipeline_idle") ==
        expr::Value(0.5));
  const Plan interleaved = make_plan({{"pipeline_parallel_size", "4"},
                                      {"gradient_accumulation_steps", "3"},
                                      {"virtual_pipeline_parallel_size", "3"}});
  CHECK(value_of_symbol({.plan = &interleaved, .run = run_of(interleaved)},
                        "parallel.pipeline_idle") == expr::Value(0.25));
}

TEST_CASE("a metric with a usual name tells which end of it is better") {
  const auto direction = [](const std::string& metric) {
    const Plan plan = make_plan({{"best_metric", metric}});
    return value_of_symbol({.plan = &plan, .run = run_of(plan)}, "run.best_metric_direction");
  };
  CHECK(direction("val/loss_simple_ema") == expr::Value("min"));
  CHECK(direction("eval_accuracy") == expr::Value("max"));
  CHECK_FALSE(direction("reward").known());
  CHECK_FALSE(direction("neg_loss").known());
  CHECK_FALSE(direction("acc_over_loss").known());
}

TEST_CASE("allocator options are read with lists in brackets as one value") {
  const Plan plan = make_plan(
      {{"allocator_config", "roundup_power2_divisions:[256:1,512:2,>:1],max_split_size_mb:16"}});
  CHECK(value_of_symbol({.plan = &plan, .run = run_of(plan)}, "allocator.divisions_of_large_blocks")
            .number() == 1);
  CHECK(value_of_symbol({.plan = &plan, .run = run_of(plan)}, "allocator.max_split_size_mb")
            .number() == 16);
  CHECK_FALSE(value_of_symbol({.plan = &plan, .run = run_of(plan)},
                              "allocator.garbage_collection_threshold")
                  .known());
}

}  // namespace gpulint

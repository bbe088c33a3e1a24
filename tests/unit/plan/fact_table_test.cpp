#include "plan/fact_table.h"

#include "catalog/catalog.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace gpulint;

namespace {

std::size_t size_of(const FactRow& row) {
  return std::visit([]<class T>(T TrainingPlan::*) { return sizeof(T); }, row.member);
}

const char* address_in(const TrainingPlan& plan, const FactRow& row) {
  return std::visit([&](auto member) { return reinterpret_cast<const char*>(&(plan.*member)); },
                    row.member);
}

bool accepts(std::string_view fact, std::string_view text) {
  TrainingPlan plan;
  return set_fact(plan, *find_fact(fact), text, {});
}

std::string stored(std::string_view fact, std::string_view text) {
  TrainingPlan plan;
  const FactRow& row = *find_fact(fact);
  set_fact(plan, row, text, {});
  return canonical_text(plan, row);
}

}  // namespace

TEST_CASE("every fact of TrainingPlan has its row, in the same order") {
  const TrainingPlan plan;
  const char* next = reinterpret_cast<const char*>(&plan);
  for (const FactRow& row : fact_table()) {
    CHECK_MESSAGE(address_in(plan, row) == next, row.name);
    next = address_in(plan, row) + size_of(row);
  }
  CHECK(next == reinterpret_cast<const char*>(&plan.knowledge));
}

TEST_CASE("a count of one is followed by the singular of its unit") {
  const auto shown = [](std::string_view name, std::string_view value) {
    TrainingPlan plan;
    const FactRow* row = find_fact(name);
    REQUIRE(row != nullptr);
    REQUIRE(set_fact(plan, *row, value, {}));
    return display(plan, *row);
  };
  CHECK(shown("num_workers", "1") == "1 worker");
  CHECK(shown("num_workers", "2") == "2 workers");
  CHECK(shown("gpus_per_node", "1") == "1 GPU");
  CHECK(shown("prefetch_factor", "1") == "1 batch");
  CHECK(shown("preprocessing_workers", "1") == "1 process");
  CHECK(shown("num_classes", "1") == "1 class");
  CHECK(shown("samples_per_second_per_worker", "1") == "1 sample per second");
}

TEST_CASE("batch, devices and precision do not shape what is learned") {
  const auto shapes = [](std::string_view name) { return find_fact(name)->shapes_learning; };
  const std::span<const FactRow> rows = fact_table();
  CHECK(std::count_if(rows.begin(), rows.end(),
                      [](const FactRow& row) { return row.shapes_learning; }) == 37);
  CHECK(shapes("learning_rate"));
  CHECK(shapes("model"));
  CHECK_FALSE(shapes("per_device_batch_size"));
  CHECK_FALSE(shapes("world_size"));
  CHECK_FALSE(shapes("mixed_precision"));
  CHECK_FALSE(shapes("num_workers"));
}

TEST_CASE("a word that no file describes is told what was probably meant") {
  const Result<Catalog> catalog = Catalog::open(embedded_data());
  REQUIRE(catalog);
  const auto wrong = [&](std::string_view fact, std::string_view word) {
    return undescribed_word(*find_fact(fact), word, *catalog);
  };
  CHECK(wrong("sharding_engine", "fspd") ==
        "no sharding engine is called \"fspd\" (did you mean \"fsdp\"?)");
  CHECK(wrong("optimizer", "adamww") ==
        "no optimizer is called \"adamww\" (did you mean \"adamw\"?)");
  CHECK(wrong("model_implementation", "pixels") ==
        "no implementation is called \"pixels\"; known are litgpt, torchtitan, torchtune, "
        "torchtune-0.2, transformers");
  CHECK(wrong("adapter", "none").empty());
  CHECK(wrong("optimizer", "adamw").empty());
  CHECK(wrong("lr_schedule", "anything").empty());
}

TEST_CASE(
    "a user may name an optimizer or an adapter that no file describes, but not misspell one") {
  const Result<Catalog> catalog = Catalog::open(embedded_data());
  REQUIRE(catalog);
  const auto wrong = [&](std::string_view fact, std::string_view word) {
    return misspelt_word(*find_fact(fact), word, *catalog);
  };
  CHECK(wrong("optimizer", "our_own_method").empty());
  CHECK(wrong("optimizer", "adamww") ==
        "no optimizer is called \"adamww\" (did you mean \"adamw\"?)");
  CHECK_FALSE(wrong("sharding_engine", "our_own_engine").empty());
}

TEST_CASE("fact names are unique and found by name") {
  std::set<std::string_view> names;
  for (const FactRow& row : fact_table()) {
    CHECK(names.insert(row.name).second);
    CHECK(find_fact(row.name) == &row);
    CHECK_FALSE(row.meaning.empty());
    CHECK_FALSE(row.group.empty());
  }
  CHECK(find_fact("bs") == nullptr);
}

TEST_CASE("numbers are read in the spellings configs use") {
  CHECK(stored("per_device_batch_size", "2_000") == "2000");
  CHECK(stored("per_device_batch_size", "8.0") == "8");
  CHECK(stored("learning_rate", "1e-4") == "0.0001");
  CHECK(stored("learning_rate", ".5") == "0.5");
  CHECK(stored("pin_memory", "True") == "true");
  CHECK(stored("batch_bytes", "230 MB") == "230000000 B");
  CHECK(stored("storage_bandwidth", "500 MB/s") == "500000000 B");
  CHECK(stored("mixed_precision", "BF16") == "bf16");
  CHECK(stored("adapter_targets", "q_proj, v_proj") == "q_proj,v_proj");
}

TEST_CASE("numbers that no run can have are refused") {
  for (const char* text : {"0", "-4", "nan", ".nan", ".inf", "1e300", "2.5", "", "auto"}) {
    CHECK_FALSE_MESSAGE(accepts("per_device_batch_size", text), text);
  }
  CHECK_FALSE(accepts("learning_rate", "-0.1"));
  CHECK_FALSE(accepts("learning_rate", "1e300"));
  CHECK_FALSE(accepts("sharding_stage", "4"));
  CHECK_FALSE(accepts("warmup_ratio", "1.5"));
  CHECK(accepts("num_workers", "0"));
  CHECK_FALSE(accepts("mixed_precision", "fp17"));
}

TEST_CASE("a size needs its unit unless the fact's name says bytes") {
  CHECK_FALSE(accepts("ram", "62"));
  CHECK(accepts("ram", "62 GB"));
  CHECK(accepts("sample_bytes", "602112"));
}

TEST_CASE("a refusal says what is expected and leaves the fact alone") {
  TrainingPlan plan;
  const FactRow& row = *find_fact("per_device_batch_size");
  REQUIRE(set_fact(plan, row, "32", {}));
  std::string why;
  CHECK_FALSE(set_fact(plan, row, "-1", {}, &why));
  CHECK(why == "expected a whole number of samples from 1");
  CHECK_FALSE(set_fact(plan, row, "1000000000000000000", {}, &why));
  CHECK(why == "expected a whole number of samples from 1 to 1000000000000000");
  CHECK(canonical_text(plan, row) == "32");
}

TEST_CASE("facts are displayed with their unit") {
  TrainingPlan plan;
  set_fact(plan, *find_fact("per_device_batch_size"), "256", {});
  set_fact(plan, *find_fact("nodes"), "1", {});
  set_fact(plan, *find_fact("batch_bytes"), "230 MB", {});
  CHECK(display(plan, *find_fact("per_device_batch_size")) == "256 samples");
  CHECK(display(plan, *find_fact("nodes")) == "1 node");
  CHECK(display(plan, *find_fact("batch_bytes")) == "230 MB");
  CHECK(display(plan, *find_fact("learning_rate")).empty());
}

TEST_CASE("an unknown fact has no value, no provenance and no text") {
  const TrainingPlan plan;
  for (const FactRow& row : fact_table()) {
    CHECK_FALSE(value_of(plan, row).known());
    CHECK(provenance_of(plan, row) == nullptr);
  }
}

TEST_CASE("sizes carry their unit into expressions") {
  CHECK(type_of(*find_fact("ram")).unit == expr::kBytes);
  CHECK(type_of(*find_fact("storage_bandwidth")).unit == expr::kBytesPerSecond);
  CHECK(type_of(*find_fact("price_per_hour")).unit == expr::kDollars);
  CHECK(type_of(*find_fact("per_device_batch_size")).unit == expr::kNoUnit);
  CHECK(type_of(*find_fact("adapter_targets")).kind == expr::Kind::list);
}

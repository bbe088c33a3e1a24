#include "plan/fact_table.h"

#include <doctest/doctest.h>

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

TEST_CASE("every member of TrainingPlan has its row, in the same order") {
  const TrainingPlan plan;
  const char* next = reinterpret_cast<const char*>(&plan);
  for (const FactRow& row : fact_table()) {
    CHECK_MESSAGE(address_in(plan, row) == next, row.name);
    next = address_in(plan, row) + size_of(row);
  }
  CHECK(next == reinterpret_cast<const char*>(&plan) + sizeof(TrainingPlan));
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

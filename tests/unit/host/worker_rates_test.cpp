#include "host/worker_rates.h"

#include "host/memory_bandwidth.h"

#include <doctest/doctest.h>

#include <thread>

using namespace gpulint;
using namespace gpulint::probe;
using namespace std::chrono_literals;

namespace {

WorkerPlan short_plan(int workers) {
  return {.workers = workers, .warm_up = 0ms, .interval = 20ms, .intervals = 3};
}

}  // namespace

TEST_CASE("workers are counted together, one rate an interval") {
  const auto rates = worker_rates(short_plan(3), [](int) -> Round {
    return [] {
      std::this_thread::sleep_for(1ms);
      return true;
    };
  });
  REQUIRE(rates.has_value());
  CHECK(rates->size() == 3);
}

TEST_CASE("a worker that fails, throws or never begins leaves no rate") {
  CHECK_FALSE(worker_rates(short_plan(2), [](int worker) -> Round {
                return [worker] { return worker == 0; };
              }).has_value());
  CHECK_FALSE(worker_rates(short_plan(1), [](int) -> Round {
                return []() -> bool { throw 1; };
              }).has_value());
  CHECK_FALSE(worker_rates(short_plan(1), [](int) { return Round{}; }).has_value());
}

TEST_CASE("buffers leave the caches and take at most a quarter of the free memory") {
  HostFacts facts;
  facts.memory_available = Bytes::gib(16);
  facts.last_cache = Bytes::mib(32);
  CHECK(memory_buffer(facts, 1) == Bytes::mib(128));
  facts.last_cache = Bytes::mib(256);
  CHECK(memory_buffer(facts, 1) == Bytes::gib(1));
  CHECK(memory_buffer(facts, 8) == Bytes::mib(128));
  facts.memory_left = Bytes::mib(512);
  CHECK(memory_buffer(facts, 2) == Bytes::mib(64));
  facts.memory_left = Bytes::mib(64);
  CHECK(memory_buffer(facts, 2) == Bytes{});
}

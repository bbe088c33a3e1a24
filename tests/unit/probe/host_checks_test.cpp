#include "probe/host_checks.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

/// 8 CPUs, 64 GiB, all of it free, 32 GiB of /dev/shm.
HostReport plain_host() {
  HostFacts facts;
  facts.online_cpus = 8;
  facts.allowed_cpus = 8;
  facts.memory_total = Bytes::gib(64);
  facts.memory_available = Bytes::gib(64);
  facts.shm_size = Bytes::gib(32);
  facts.shm_free = Bytes::gib(32);
  HostReport report;
  report.facts = facts;
  return report;
}

Figure pipeline(double rate, int workers, bool own_data = true) {
  return {.kind = FigureKind::image_pipeline,
          .value = rate,
          .noise = 0,
          .samples = 5,
          .workers = workers,
          .source = {},
          .own_data = own_data};
}

const HostCheck* find(const std::vector<HostCheck>& checks, std::string_view name) {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const HostCheck& check) { return check.name == name; });
  return found == checks.end() ? nullptr : &*found;
}

Verdict verdict_of(const HostReport& report, const HostPrediction& prediction,
                   std::string_view name) {
  std::vector<std::string> not_judged;
  const auto checks = check_host(report, prediction, not_judged);
  const HostCheck* check = find(checks, name);
  REQUIRE(check != nullptr);
  return check->verdict;
}

RateInterval rates(double low, double high) {
  return {PerSecond{low}, PerSecond{(low + high) / 2}, PerSecond{high}};
}

}  // namespace

TEST_CASE("fewer CPUs than the prediction counts on contradict it, a quota included") {
  HostReport report = plain_host();
  HostPrediction prediction;
  prediction.cpu_cores = 8;
  CHECK(verdict_of(report, prediction, "cpu_cores") == Verdict::confirmed);
  report.facts->cpu_quota = 7.5;
  CHECK(verdict_of(report, prediction, "cpu_cores") == Verdict::contradicted);
  prediction.cpu_cores = 4;
  CHECK(verdict_of(report, prediction, "cpu_cores") == Verdict::confirmed);
}

TEST_CASE("memory 5 % below the stated size is still that size") {
  HostReport report = plain_host();
  HostPrediction prediction;
  prediction.ram = Bytes::gib(64);
  report.facts->memory_total = Bytes::mib(62260);  // 95 % are 62259.2
  CHECK(verdict_of(report, prediction, "ram_size") == Verdict::confirmed);
  report.facts->memory_total = Bytes::mib(62259);
  CHECK(verdict_of(report, prediction, "ram_size") == Verdict::contradicted);
  report.facts->memory_total = Bytes::gib(64);
  report.facts->memory_limit = Bytes::gib(16);
  CHECK(verdict_of(report, prediction, "ram_size") == Verdict::contradicted);
}

TEST_CASE("/dev/shm smaller than the prediction counts on contradicts it") {
  HostReport report = plain_host();
  HostPrediction prediction;
  prediction.shm = Bytes::gib(32);
  CHECK(verdict_of(report, prediction, "shm_size") == Verdict::confirmed);
  report.facts->shm_size = Bytes::mib(31130);  // 95 % are 31129.6
  CHECK(verdict_of(report, prediction, "shm_size") == Verdict::confirmed);
  report.facts->shm_size = Bytes::mib(31129);
  CHECK(verdict_of(report, prediction, "shm_size") == Verdict::contradicted);
  report.facts->shm_size = Bytes::mib(64);
  CHECK(verdict_of(report, prediction, "shm_size") == Verdict::contradicted);
}

TEST_CASE("the memory a run needs holds, does not hold, or lies too near the limit") {
  const HostReport report = plain_host();  // 64 GiB, tolerance 1.28 GiB
  HostPrediction prediction;
  prediction.ram_needed = {Bytes::gib(40), Bytes::mib(64225)};
  CHECK(verdict_of(report, prediction, "ram") == Verdict::confirmed);
  prediction.ram_needed = {Bytes::gib(40), Bytes::mib(64226)};
  CHECK(verdict_of(report, prediction, "ram") == Verdict::inconclusive);
  prediction.ram_needed = {Bytes::mib(66846), Bytes::gib(80)};
  CHECK(verdict_of(report, prediction, "ram") == Verdict::inconclusive);
  prediction.ram_needed = {Bytes::mib(66847), Bytes::gib(80)};
  CHECK(verdict_of(report, prediction, "ram") == Verdict::contradicted);
}

TEST_CASE("an interval around the limit is never confirmed, however wide it is") {
  HostPrediction prediction;
  prediction.ram_needed = {Bytes::gib(1), Bytes::gib(1000)};
  CHECK(verdict_of(plain_host(), prediction, "ram") == Verdict::inconclusive);
}

TEST_CASE("what fits the limit but not what is free now is undecided") {
  HostReport report = plain_host();
  report.facts->memory_available = Bytes::gib(8);
  HostPrediction prediction;
  prediction.ram_needed = {Bytes::gib(10), Bytes::gib(12)};
  std::vector<std::string> not_judged;
  const auto checks = check_host(report, prediction, not_judged);
  REQUIRE(find(checks, "ram") != nullptr);
  CHECK(find(checks, "ram")->verdict == Verdict::inconclusive);
  CHECK(find(checks, "ram")->why == "only 8.00 GiB of it is free now");
}

TEST_CASE("batches in flight are held against what is free of /dev/shm") {
  HostReport report = plain_host();
  report.facts->shm_free = Bytes::mib(100);
  HostPrediction prediction;
  prediction.shm_needed = Bytes::mib(98);
  CHECK(verdict_of(report, prediction, "shm") == Verdict::confirmed);
  prediction.shm_needed = Bytes::mib(99);
  CHECK(verdict_of(report, prediction, "shm") == Verdict::inconclusive);
  prediction.shm_needed = Bytes::mib(103);
  CHECK(verdict_of(report, prediction, "shm") == Verdict::contradicted);
}

TEST_CASE("workers are held against the CPUs this process gets") {
  HostReport report = plain_host();
  HostPrediction prediction;
  prediction.ranks = 2;
  prediction.ranks_known = true;
  prediction.loader_processes = 6;
  CHECK(verdict_of(report, prediction, "workers") == Verdict::confirmed);
  prediction.loader_processes = 8;
  CHECK(verdict_of(report, prediction, "workers") == Verdict::inconclusive);
  prediction.loader_processes = 9;
  CHECK(verdict_of(report, prediction, "workers") == Verdict::contradicted);
  prediction.loader_processes = 6;
  report.facts->cpu_quota = 1.5;
  CHECK(verdict_of(report, prediction, "workers") == Verdict::contradicted);
}

TEST_CASE("workers of an unknown number of ranks are never confirmed") {
  HostPrediction prediction;
  prediction.loader_processes = 2;
  CHECK(verdict_of(plain_host(), prediction, "workers") == Verdict::inconclusive);
  prediction.loader_processes = 9;
  CHECK(verdict_of(plain_host(), prediction, "workers") == Verdict::contradicted);
}

TEST_CASE("the loader keeps up, or the GPU waits, with a quarter to spare either way") {
  HostReport report = plain_host();
  report.figures = {pipeline(200, 1), pipeline(1000, 6)};
  HostPrediction prediction;
  prediction.images = true;
  prediction.loader_processes = 6;
  prediction.consumed = rates(500, 750);
  CHECK(verdict_of(report, prediction, "loader") == Verdict::confirmed);
  prediction.consumed = rates(500, 751);
  CHECK(verdict_of(report, prediction, "loader") == Verdict::inconclusive);
  prediction.consumed = rates(1250, 2000);
  CHECK(verdict_of(report, prediction, "loader") == Verdict::inconclusive);
  prediction.consumed = rates(1251, 2000);
  CHECK(verdict_of(report, prediction, "loader") == Verdict::contradicted);
}

TEST_CASE("the loader is judged by the workers it has, not by more") {
  HostReport report = plain_host();
  report.figures = {pipeline(200, 1), pipeline(390, 2), pipeline(1000, 8)};
  HostPrediction prediction;
  prediction.images = true;
  prediction.loader_processes = 3;
  prediction.consumed = rates(600, 700);
  CHECK(verdict_of(report, prediction, "loader") == Verdict::contradicted);
}

TEST_CASE("a stated rate counts for as many workers as there are CPUs") {
  HostReport report = plain_host();
  HostPrediction prediction;
  prediction.rate_per_worker = 100;
  prediction.loader_processes = 16;
  prediction.consumed = rates(500, 600);
  CHECK(verdict_of(report, prediction, "loader") == Verdict::confirmed);
  report.facts->cpu_quota = 1.5;
  CHECK(verdict_of(report, prediction, "loader") == Verdict::contradicted);
}

TEST_CASE("a loader about which too little is known is not judged, and the reason is named") {
  const auto reason = [](const HostReport& report, const HostPrediction& prediction) {
    std::vector<std::string> not_judged;
    CHECK(find(check_host(report, prediction, not_judged), "loader") == nullptr);
    return not_judged.empty() ? std::string() : not_judged.front();
  };
  HostReport report = plain_host();
  HostPrediction prediction;
  CHECK(reason(report, prediction).empty());
  prediction.why_no_rate = "no GPU is named";
  CHECK(reason(report, prediction) == "loader: no GPU is named");
  prediction.consumed = rates(100, 100);
  CHECK(reason(report, prediction) == "loader: num_workers is not known");
  prediction.loader_processes = 4;
  CHECK(reason(report, prediction) ==
        "loader: samples_per_second_per_worker is not stated, and the samples are not known to be "
        "images");
  prediction.images = true;
  CHECK(reason(report, prediction) == "loader: no image pipeline was measured");
  report.figures = {pipeline(500, 4, false)};
  CHECK(reason(report, prediction) ==
        "loader: only generated images were decoded (500 images/s); name the run's own with "
        "--data-path");
}

TEST_CASE("a stated rate per worker and a stated disk are held against the measured ones") {
  HostReport report = plain_host();
  report.figures = {pipeline(126, 1), {.kind = FigureKind::disk_cold, .value = 860e6}};
  HostPrediction prediction;
  prediction.images = true;
  prediction.rate_per_worker = 100;
  prediction.storage_bandwidth = 1e9;
  CHECK(verdict_of(report, prediction, "worker_rate") == Verdict::contradicted);
  CHECK(verdict_of(report, prediction, "storage_bandwidth") == Verdict::confirmed);
  report.figures = {pipeline(125, 1), {.kind = FigureKind::disk_cold, .value = 840e6}};
  CHECK(verdict_of(report, prediction, "worker_rate") == Verdict::confirmed);
  CHECK(verdict_of(report, prediction, "storage_bandwidth") == Verdict::contradicted);
}

TEST_CASE("noise of more than half of the tolerance decides nothing") {
  HostReport report = plain_host();
  report.figures = {{.kind = FigureKind::disk_cold, .value = 2e9, .noise = 76e6}};
  HostPrediction prediction;
  prediction.storage_bandwidth = 1e9;
  CHECK(verdict_of(report, prediction, "storage_bandwidth") == Verdict::inconclusive);
  report.figures.front().noise = 74e6;
  CHECK(verdict_of(report, prediction, "storage_bandwidth") == Verdict::confirmed);
}

TEST_CASE("nothing measured is an exit code of its own") {
  HostConfirmation confirmation;
  CHECK(exit_code_of(confirmation) == 3);
  confirmation.report = plain_host();
  CHECK(exit_code_of(confirmation) == 0);
  confirmation.checks = {{.name = "ram", .verdict = Verdict::contradicted}};
  CHECK(exit_code_of(confirmation) == 1);
}

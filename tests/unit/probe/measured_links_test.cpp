#include "probe/measured_links.h"

#include "probe/measured_use.h"
#include "time/exchanges.h"

#include <doctest/doctest.h>

#include <functional>

namespace measured_links_test {

using namespace gpulint;
using namespace gpulint::probe;

namespace {

constexpr std::chrono::sys_days kToday = std::chrono::year(2026) / 11 / 24;

const Catalog& catalog() {
  static const Result<Catalog> opened = Catalog::open(embedded_data());
  return *opened;
}

const Gpu& database() { return *catalog().gpu("h200-sxm"); }

/// Four cards whose slowest collective carries 300 GB/s.
NodeReport node() {
  NodeReport report;
  report.driver_version = "580.10";
  report.nccl = "NCCL 2.27.5, /somewhere/libnccl.so.2";
  report.machines = 1;
  report.ranks = 4;
  for (int i = 0; i < 4; ++i) {
    NodeCard card{.device = {}, .numa_node = 0, .nvlinks = 18, .idle = {}, .health = {}};
    card.device.name = "NVIDIA H200";
    card.device.nvml_total = Bytes::mib(143771);
    card.device.card = "0000000" + std::to_string(i);
    report.cards.push_back(card);
  }
  report.collectives = {{Collective::all_reduce, Bytes::mib(1), Speed{50e9, 1e8, 5}},
                        {Collective::all_reduce, Bytes::mib(128), Speed{320e9, 1e9, 5}},
                        {Collective::all_gather, Bytes::mib(128), Speed{300e9, 1e9, 5}},
                        {Collective::reduce_scatter, Bytes::mib(128), Speed{310e9, 1e9, 5}}};
  return report;
}

MeasuredLinks links() { return *measured_links_from(node(), "2335", kToday); }

MeasuredSet only_links() {
  MeasuredSet set;
  set.links = {{&database(), links()}};
  return set;
}

MeasuredSet loaded(const std::string& text) {
  const std::vector<disk::PrivateFile> files{{"links.json", text}};
  return load_measured(files, catalog(), kToday);
}

}  // namespace

TEST_CASE("of the collectives of a step the slowest, with large messages, is what links carry") {
  CHECK(links().bus == 300e9);
  CHECK(links().gpus == 4);
  CHECK(links().nccl == "NCCL 2.27.5");
}

TEST_CASE("links are read back as they were written") {
  const std::string text = write_measured_links(links(), "0.1.0");
  const auto back = read_measured_links(text);
  REQUIRE(back.has_value());
  CHECK(*back == links());
  const MeasuredSet set = loaded(text);
  CHECK(set.refused.empty());
  REQUIRE(set.links.size() == 1);
  CHECK(set.links.front().gpu->id == "h200-sxm");
  CHECK(measured_text(set) ==
        "h200-sxm  measured 2026-11-24, driver 580.10: 4 GPUs exchange 300 GB/s, NCCL 2.27.5\n");
}

TEST_CASE("what was disturbed, scatters, is incomplete or crosses machines is not kept") {
  const std::vector<std::function<void(NodeReport&)>> changes{
      [](NodeReport& report) { report.machines = 2; },
      [](NodeReport& report) { report.disturbed_by = "another process uses card 0"; },
      [](NodeReport& report) { report.cut_off = "the driver did not answer"; },
      [](NodeReport& report) { report.cards.front().slowed_down = {"heat"}; },
      [](NodeReport& report) { report.cards.front().xids = {79}; },
      [](NodeReport& report) { report.cards.back().device.name = "NVIDIA H100"; },
      [](NodeReport& report) { report.cards.front().device.mig = true; },
      [](NodeReport& report) { report.cards.pop_back(); },
      [](NodeReport& report) { report.collectives.pop_back(); },
      [](NodeReport& report) { report.collectives.back().bus.noise = 20e9; },
  };
  for (const auto& change : changes) {
    NodeReport report = node();
    change(report);
    CHECK_FALSE(measured_links_from(report, "2335", kToday).has_value());
  }
}

TEST_CASE("a file of links that is broken, old or impossible is refused, and says why") {
  MeasuredLinks old = links();
  old.day -= std::chrono::days(91);
  CHECK(loaded(write_measured_links(old, "0.1.0")).refused.front().find("older than 90 days") !=
        std::string::npos);
  MeasuredLinks impossible = links();
  impossible.bus = 900e9;
  CHECK(loaded(write_measured_links(impossible, "0.1.0")).refused.front().find("bus_bandwidth") !=
        std::string::npos);
  const std::string text = write_measured_links(links(), "0.1.0");
  CHECK(loaded(text.substr(0, text.size() / 2)).links.empty());
  MeasuredLinks alone = links();
  alone.gpus = 1;
  CHECK(loaded(write_measured_links(alone, "0.1.0")).refused.size() == 1);
}

TEST_CASE("time predictions use what was measured between as many ranks, and only there") {
  const Gpu gpu = measured_gpus(only_links(), {}).front();
  CHECK(figures_from(gpu) == "measured 2026-11-24");
  const HostLinkRate measured = link_inside_host(gpu, 4, ExchangeKind::all_gather);
  CHECK(measured.bandwidth.central.value == 300e9);
  CHECK(measured.name == "the links as measured");
  CHECK(link_inside_host(gpu, 8, ExchangeKind::all_gather).name == "NVLink");
}

TEST_CASE("links join what a card measured by itself") {
  MeasuredGpu card;
  card.name = "NVIDIA H200";
  card.memory_total = Bytes::mib(143771);
  card.cuda_total = Bytes::mib(143000);
  card.rates = {{RateKind::pinned_upload, 50e9, 1e8, 7}};
  card.day = kToday;
  MeasuredSet set = only_links();
  set.kept = {{&database(), card}};
  const auto gpus = measured_gpus(set, {});
  REQUIRE(gpus.size() == 1);
  REQUIRE(gpus.front().collectives.has_value());
  CHECK(gpus.front().collectives->bus.value == 300e9);
  REQUIRE(gpus.front().pinned_copy.has_value());
  CHECK(gpus.front().pinned_copy->value == 50e9);
}

TEST_CASE("links of other cards than this machine's do not count for it") {
  const MachineKey other{.driver_version = "580.10",
                         .gpu_ids = {"h200-sxm"},
                         .pci_devices = {},
                         .cards = {"00000000", "00000001"}};
  CHECK(measured_gpus(only_links(), other).empty());
}

TEST_CASE("switches that add up lift all-reduces above what a link carries, and nothing else") {
  const double sums =
      link_inside_host(database(), 8, ExchangeKind::all_reduce).bandwidth.high.value;
  const double gathers =
      link_inside_host(database(), 8, ExchangeKind::all_gather).bandwidth.high.value;
  CHECK(sums > 475e9);
  CHECK(gathers == doctest::Approx(0.88 * 450e9));
}

}  // namespace measured_links_test

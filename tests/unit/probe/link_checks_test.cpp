#include "probe/link_checks.h"

#include "probe/node_confirmation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

Gpu h200() {
  Gpu gpu;
  gpu.id = "h200-sxm";
  gpu.nvlink_bandwidth = PerSecond{900e9};
  gpu.pcie_generation = 5;
  gpu.pcie_lanes = 16;
  return gpu;
}

NodeCard sound_card(int number) {
  NodeCard card{.device = {}, .numa_node = 0, .nvlinks = 18, .idle = {}, .health = {}};
  card.device.name = "NVIDIA H200";
  card.device.pci_bus_id = "0000:0" + std::to_string(number) + ":00.0";
  card.device.cuda_total = Bytes::gib(139);
  card.device.pcie = PcieLink{16, 16, 5, 5};
  card.device.rates = {{RateKind::copy, 4.0e12, 1e9, 15}};
  return card;
}

/// Four cards on a switch, as healthy ones are.
NodeReport sound_node() {
  NodeReport node;
  node.machines = 1;
  node.ranks = 4;
  for (int i = 0; i < 4; ++i) {
    node.cards.push_back(sound_card(i));
    node.numa_copies.push_back({.card = i,
                                .node = 0,
                                .upload = Speed{54e9, 1e8, 5},
                                .download = Speed{54e9, 1e8, 5},
                                .both_ways = {}});
    for (int j = 0; j < 4; ++j) {
      if (i == j) continue;
      CardPair pair{.from = i,
                    .to = j,
                    .ancestor = Ancestor::system,
                    .nvlinks = 18,
                    .peers = true,
                    .one_way = Speed{380e9, 1e9, 5},
                    .both_ways = {}};
      if (i < j) pair.both_ways = Speed{760e9, 2e9, 5};
      node.pairs.push_back(pair);
    }
  }
  for (const Collective kind :
       {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
    node.collectives.push_back({kind, Bytes::mib(1), Speed{30e9, 1e9, 5}});
    node.collectives.push_back({kind, Bytes::mib(128), Speed{350e9, 2e9, 5}});
  }
  return node;
}

std::map<std::string, Verdict> verdicts(const std::vector<Check>& checks) {
  std::map<std::string, Verdict> found;
  for (const Check& check : checks) found[check.name] = check.judgement.verdict;
  return found;
}

/// Each named speed of a node, to be moved.
std::map<std::string, std::vector<Speed*>> figures_of(NodeReport& node) {
  std::map<std::string, std::vector<Speed*>> figures;
  for (CardPair& pair : node.pairs) {
    figures["nvlink_copy"].push_back(&*pair.one_way);
    if (pair.both_ways) figures["nvlink_both_ways"].push_back(&*pair.both_ways);
  }
  for (NumaCopy& copy : node.numa_copies) figures["pinned_upload"].push_back(&*copy.upload);
  for (CollectiveRate& rate : node.collectives) {
    if (rate.size > Bytes::mib(1)) figures[std::string(name_of(rate.kind))].push_back(&rate.bus);
  }
  return figures;
}

bool names(const std::vector<std::string>& found, std::string_view what) {
  return std::any_of(found.begin(), found.end(), [what](const std::string& text) {
    return text.find(what) != std::string::npos;
  });
}

Exchange gradients(bool inside = true) {
  // 7 GB a link at 292 to 396 GB/s.
  return {ExchangeKind::all_reduce,
          "gradients",
          "gradients",
          8,
          inside,
          Bytes::of(7'000'000'000),
          {Seconds{7e9 / 396e9}, Seconds{7e9 / 351e9}, Seconds{7e9 / 292.5e9}}};
}

}  // namespace

TEST_CASE("a healthy machine confirms every figure, and nothing stands out") {
  const NodeReport node = sound_node();
  const auto found = verdicts(check_links(node, std::make_unique<Gpu>(h200()).get()));
  CHECK(found.size() == 6);
  for (const auto& [name, verdict] : found) {
    CAPTURE(name);
    CHECK(verdict == Verdict::confirmed);
  }
  CHECK(node_outliers(node).empty());
}

TEST_CASE("every verdict flips when its figure is moved past its tolerance, either way") {
  const Gpu gpu = h200();
  NodeReport node = sound_node();
  for (const auto& [name, check] : [&] {
         std::map<std::string, Check> checks;
         for (Check& each : check_links(node, &gpu)) checks.emplace(each.name, each);
         return checks;
       }()) {
    CAPTURE(name);
    const double low = check.prediction.low - check.judgement.tolerance;
    const double high = check.prediction.high + check.judgement.tolerance;
    const auto with = [&, figure = name](double value) {
      NodeReport moved = sound_node();
      std::map<std::string, std::vector<Speed*>> figures = figures_of(moved);
      for (Speed* speed : figures[figure]) speed->value = value;
      return verdicts(check_links(moved, &gpu))[figure];
    };
    CHECK(with(1.001 * low) == Verdict::confirmed);
    CHECK(with(0.999 * low) == Verdict::contradicted);
    CHECK(with(0.999 * high) == Verdict::confirmed);
    CHECK(with(1.001 * high) == Verdict::contradicted);
  }
}

TEST_CASE("figures that scatter, and a card slowed down by heat, decide nothing") {
  const Gpu gpu = h200();
  NodeReport noisy = sound_node();
  for (const auto& [name, speeds] : figures_of(noisy)) {
    for (Speed* speed : speeds) speed->noise = speed->value / 3;
  }
  for (const auto& [name, verdict] : verdicts(check_links(noisy, &gpu))) {
    CAPTURE(name);
    CHECK(verdict == Verdict::inconclusive);
  }
  NodeReport hot = sound_node();
  hot.cards[2].slowed_down = {"the card is slowed down by heat"};
  for (const Check& check : check_links(hot, &gpu)) {
    CHECK(check.judgement.why == "0000:02:00.0: the card is slowed down by heat");
  }
}

TEST_CASE(
    "over PCIe the estimate's interval is too wide to be confirmed, and can be contradicted") {
  Gpu gpu = h200();
  gpu.nvlink_bandwidth.reset();
  NodeReport node = sound_node();
  for (CardPair& pair : node.pairs) pair.nvlinks = 0;
  for (CollectiveRate& rate : node.collectives) rate.bus = {30e9, 1e8, 5};
  auto found = verdicts(check_links(node, &gpu));
  CHECK(found.count("nvlink_copy") == 0);
  CHECK(found["all_reduce"] == Verdict::inconclusive);
  for (CollectiveRate& rate : node.collectives) rate.bus = {5e9, 1e8, 5};
  CHECK(verdicts(check_links(node, &gpu))["all_reduce"] == Verdict::contradicted);
}

TEST_CASE("links straight to another card are held against their part of all links") {
  const Gpu gpu = h200();
  NodeReport node = sound_node();
  for (CardPair& pair : node.pairs) {
    pair.nvlinks = 6;
    pair.one_way->value /= 3;
    if (pair.both_ways) pair.both_ways->value /= 3;
  }
  CHECK(verdicts(check_links(node, &gpu))["nvlink_copy"] == Verdict::confirmed);
}

TEST_CASE("between machines the database says nothing of collectives") {
  const Gpu gpu = h200();
  NodeReport node = sound_node();
  node.machines = 2;
  CHECK(verdicts(check_links(node, &gpu)).count("all_reduce") == 0);
}

TEST_CASE("what a config exchanges is held against the measured bandwidth, with its width") {
  std::vector<std::string> not_judged;
  const auto verdict_at = [&](double bandwidth) {
    NodeReport node = sound_node();
    for (CollectiveRate& rate : node.collectives) rate.bus = {bandwidth, bandwidth / 100, 5};
    const Exchange exchange = gradients();
    const auto checks = check_exchanges(node, {&exchange, 1}, not_judged);
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].name == "exchange_gradients");
    return checks[0].judgement.verdict;
  };
  CHECK(verdict_at(350e9) == Verdict::confirmed);
  CHECK(verdict_at(500e9) == Verdict::contradicted);  // shorter than predicted
  CHECK(verdict_at(200e9) == Verdict::contradicted);  // longer
  CHECK(not_judged.empty());
}

TEST_CASE("a wide prediction of an exchange is never confirmed") {
  std::vector<std::string> not_judged;
  NodeReport node = sound_node();
  Exchange wide = gradients();
  wide.predicted.high.value *= 2;
  const auto checks = check_exchanges(node, {&wide, 1}, not_judged);
  CHECK(checks.at(0).judgement.why == "the prediction is too wide to be confirmed");
}

TEST_CASE("an exchange is judged only by links like those it takes") {
  std::vector<std::string> not_judged;
  NodeReport node = sound_node();
  const Exchange across = gradients(false);
  CHECK(check_exchanges(node, {&across, 1}, not_judged).empty());
  CHECK(names(not_judged, "it crosses machines, and one was measured"));
  node.machines = 2;
  not_judged.clear();
  const Exchange inside = gradients(true);
  CHECK(check_exchanges(node, {&inside, 1}, not_judged).empty());
  CHECK(names(not_judged, "it stays inside a machine"));
  node.collectives.clear();
  not_judged.clear();
  CHECK(check_exchanges(node, {&across, 1}, not_judged).empty());
  CHECK(names(not_judged, "exchange_gradients: no all_reduce was timed"));
}

TEST_CASE("a slow link is named by both ends, a card whose links are all slow by itself") {
  NodeReport node = sound_node();
  for (CardPair& pair : node.pairs) {
    if (pair.from == 1 && pair.to == 2) pair.one_way->value = 250e9;
  }
  CHECK(node_outliers(node) ==
        std::vector<std::string>{"0000:01:00.0 to 0000:02:00.0: 250 GB/s over 18 NVLinks, 34 % "
                                 "below its siblings' 380"});
  for (CardPair& pair : node.pairs) {
    if (pair.from == 3 || pair.to == 3) pair.one_way->value = 100e9;
  }
  CHECK(names(node_outliers(node), "0000:03:00.0: every link is slow"));
  NodeReport just = sound_node();
  just.pairs[0].one_way->value = 0.86 * 380e9;
  CHECK(node_outliers(just).empty());
}

TEST_CASE("a card that is slower, narrower or less well joined than its siblings stands out") {
  NodeReport node = sound_node();
  node.cards[1].device.rates[0].value = 3e12;
  node.cards[2].device.pcie->width = 8;
  node.cards[3].nvlinks = 16;
  node.numa_copies[0].upload->value = 20e9;
  const auto found = node_outliers(node);
  CHECK(names(found, "0000:01:00.0: copy 3000 GB/s, 25 % below its siblings' 4000 GB/s"));
  CHECK(names(found, "0000:02:00.0: PCIe link x8, its siblings have x16"));
  CHECK(names(found, "0000:03:00.0: 16 NVLinks, its siblings have 18"));
  CHECK(names(found, "0000:00:00.0: copies from the host at 20 GB/s, its siblings' at 54"));
  CHECK(found.size() == 4);
}

TEST_CASE("a card that reports errors stands out, whatever its rates") {
  NodeReport node = sound_node();
  node.cards[0].health.uncorrected = 3;
  node.cards[1].health.remap_pending = true;
  node.cards[2].xids = {79};
  node.cards[3].health.corrected = 12;  // what ECC is for
  const auto found = node_outliers(node);
  CHECK(names(found, "0000:00:00.0: 3 memory errors that could not be corrected"));
  CHECK(names(found, "0000:01:00.0: a row of its memory is remapped at the next reset"));
  CHECK(names(found, "0000:02:00.0: the driver reported XID 79"));
  CHECK(found.size() == 3);
}

TEST_CASE("exit codes: a contradiction or an outlier is 1, a cut report 3, no card 4") {
  NodeConfirmation confirmation{
      .outcome = sound_node(), .gpu_id = {}, .checks = {}, .stands_out = {}};
  CHECK(exit_code_of(confirmation) == 0);
  confirmation.stands_out = {"a card"};
  CHECK(exit_code_of(confirmation) == 1);
  confirmation.stands_out.clear();
  std::get<NodeReport>(confirmation.outcome).cut_off = "it hung";
  CHECK(exit_code_of(confirmation) == 3);
  confirmation.outcome = Unavailable{Reason::no_device, ""};
  CHECK(exit_code_of(confirmation) == 4);
}

TEST_CASE("a launcher's variables give a process its place in the job") {
  std::map<std::string, const char*> variables{{"SLURM_NTASKS", "16"},
                                               {"SLURM_STEP_TASKS_PER_NODE", "8(x2)"},
                                               {"SLURM_JOB_ID", "77"},
                                               {"SLURM_STEP_ID", "0"}};
  const auto variable = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  };
  const JobPlace slurm = job_place(variable, {11, 3, "node1"}, "/shared");
  CHECK(slurm.rank == 11);
  CHECK(slurm.processes == 16);
  CHECK(slurm.local_rank == 3);
  CHECK(slurm.local_processes == 8);
  CHECK(slurm.job == "77-0");
  variables = {{"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "2"}};
  const JobPlace torchrun = job_place(variable, {3, 1, "b"}, "a:1");
  CHECK(torchrun.processes == 4);
  CHECK(torchrun.local_processes == 2);
  variables = {{"SLURM_NTASKS", "1"}};
  const JobPlace alone = job_place(variable, {0, 0, "c"}, "");
  CHECK(alone.processes == 1);
  CHECK(alone.local_processes == 1);
  CHECK(job_place(variable, {std::nullopt, std::nullopt, "c"}, "").processes == 1);
}

#include "device/measure_node.h"

#include "device/child.h"
#include "device/wire_node.h"
#include "probe/fake_nccl.h"
#include "unit/device/fake.h"
#include "unit/host/kernel_tree.h"

#include <algorithm>
#include <string>
#include <thread>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

FakeNccl& fresh_nccl() {
  static const Result<Library> library = Library::open(GPULINT_FAKE_NCCL);
  REQUIRE(library.has_value());
  auto* fake = static_cast<FakeNccl*>(library->symbol("fake_nccl"));
  REQUIRE(fake != nullptr);
  return *fake = FakeNccl{};
}

/// Eight cards of one machine with two sockets.
class EightCards {
 public:
  EightCards() : fake(fresh_fake()), nccl(fresh_nccl()) {
    fake.devices = 8;
    tree.file("sys/devices/system/node/online", "0-1\n");
    tree.file("sys/devices/system/node/node0/cpulist", "0\n");
    tree.file("sys/devices/system/node/node1/cpulist", "1\n");
    tree.file("proc/self/status", "Name:\ttest\nCpus_allowed_list:\t0-1\n");
    for (int card = 0; card < 8; ++card) {
      const std::string id = card == 0   ? "0000:03:00.0"
                             : card == 1 ? "0000:81:00.0"
                                         : fmt::format("0000:{:02x}:00.0", 0x90 + card);
      tree.file("sys/bus/pci/devices/" + id + "/numa_node", card < 4 ? "0\n" : "1\n");
    }
    assignment.nccl = {GPULINT_FAKE_NCCL};
    assignment.root = tree.root();
    assignment.each.end = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  }
  NodeReport measure() {
    const NodeOutcome outcome = measure_node(load_fake(), {}, assignment);
    REQUIRE(std::holds_alternative<NodeReport>(outcome));
    return std::get<NodeReport>(outcome);
  }

  FakeDriver& fake;
  FakeNccl& nccl;
  KernelTree tree;
  NodeAssignment assignment;
};

const CardPair& pair_in(const NodeReport& node, int from, int to) {
  const auto found = std::find_if(node.pairs.begin(), node.pairs.end(), [&](const CardPair& pair) {
    return pair.from == from && pair.to == to;
  });
  REQUIRE(found != node.pairs.end());
  return *found;
}

bool mentions(const std::vector<std::string>& texts, std::string_view what) {
  return std::any_of(texts.begin(), texts.end(), [what](const std::string& text) {
    return text.find(what) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("eight cards on a switch: every pair is timed one way, and each two both ways at once") {
  EightCards node;
  const NodeReport report = node.measure();
  REQUIRE(report.cards.size() == 8);
  CHECK(report.pairs.size() == 56);
  CHECK(report.not_measured.empty());
  for (const CardPair& pair : report.pairs) {
    CHECK(pair.peers);
    CHECK(pair.nvlinks == 18);
    REQUIRE(pair.one_way);
    CHECK(pair.one_way->value == doctest::Approx(399.6e9).epsilon(0.01));
    CHECK(pair.both_ways.has_value() == (pair.from < pair.to));
    if (pair.both_ways) CHECK(pair.both_ways->value == doctest::Approx(799.2e9).epsilon(0.01));
  }
  CHECK(pair_in(report, 0, 1).ancestor == Ancestor::one_switch);
  CHECK(pair_in(report, 0, 3).ancestor == Ancestor::numa_node);
  CHECK(pair_in(report, 0, 4).ancestor == Ancestor::system);
}

TEST_CASE("everything that was taken of several cards is given back") {
  EightCards node;
  static_cast<void>(node.measure());
  CHECK(node.fake.live_contexts == 0);
  CHECK(node.fake.live_objects == 0);
  CHECK(node.fake.live_bytes == 0);
  CHECK(node.fake.live_peers == 0);
  CHECK(node.fake.nvml_sessions == 0);
  CHECK(node.nccl.live_communicators == 0);
}

TEST_CASE("collectives are timed over all cards, as bus bandwidth of two sizes") {
  EightCards node;
  const NodeReport report = node.measure();
  CHECK(report.nccl.starts_with("NCCL 2.27.5, "));
  CHECK(report.ranks == 8);
  CHECK(report.machines == 1);
  REQUIRE(report.collectives.size() == 8);
  for (const CollectiveRate& rate : report.collectives) {
    if (rate.size < Bytes::mib(100)) continue;
    CHECK(rate.bus.value == doctest::Approx(350e9).epsilon(0.06));  // less its latency
  }
}

TEST_CASE("a collective that computes wrongly is named and not kept") {
  EightCards node;
  node.nccl.wrong_sums = true;
  const NodeReport report = node.measure();
  CHECK(mentions(report.not_measured, "all_reduce: rank 0 got 37 where 36 belongs"));
  CHECK(mentions(report.not_measured, "reduce_scatter: "));
  CHECK(report.collectives.size() == 4);
}

TEST_CASE("a failing library costs the collectives alone") {
  EightCards node;
  node.nccl.failing_call = "ncclCommInitRank";
  node.nccl.failing_code = 2;
  const NodeReport report = node.measure();
  CHECK(report.collectives.empty());
  CHECK(mentions(report.not_measured, "collectives: ncclCommInitRank returned 2: fake error"));
  CHECK(pair_in(report, 0, 1).one_way.has_value());
}

TEST_CASE("without NCCL everything else is measured") {
  EightCards node;
  node.assignment.nccl.clear();
  node.assignment.no_nccl = "/x/libnccl.so.2: it belongs to another user";
  const NodeReport report = node.measure();
  CHECK(report.nccl.empty());
  CHECK(mentions(report.not_measured, "it belongs to another user"));
  CHECK(pair_in(report, 2, 5).one_way.has_value());
}

TEST_CASE("a copy between cards that does not arrive is named, not timed") {
  EightCards node;
  node.fake.lost_peer_copies = true;
  node.fake.devices = 2;
  const NodeReport report = node.measure();
  CHECK_FALSE(pair_in(report, 0, 1).one_way.has_value());
  CHECK(mentions(report.not_measured, "the copy differs from its source"));
}

TEST_CASE("cards that cannot read each other copy through the host") {
  EightCards node;
  node.fake.no_peer = 3;
  const NodeReport report = node.measure();
  CHECK_FALSE(pair_in(report, 3, 4).peers);
  CHECK(pair_in(report, 3, 4).one_way->value == doctest::Approx(14e9).epsilon(0.01));
  CHECK(pair_in(report, 2, 4).peers);
}

TEST_CASE("links straight to another card are counted between those two alone") {
  EightCards node;
  node.fake.devices = 4;
  node.fake.nvlink_switch = false;
  const NodeReport report = node.measure();
  CHECK(pair_in(report, 0, 1).nvlinks == 18);
  CHECK(pair_in(report, 2, 3).nvlinks == 18);
  CHECK(pair_in(report, 0, 3).nvlinks == 0);
}

TEST_CASE("host copies are made from the memory of each NUMA node, bound to its CPUs") {
  EightCards node;
  node.fake.devices = 2;
  const NodeReport report = node.measure();
  // A machine of tests with one CPU cannot bind to the other.
  if (std::thread::hardware_concurrency() < 2) return;
  REQUIRE(report.numa_copies.size() == 4);
  CHECK(node.fake.pinned_cpus == 1);
  for (const NumaCopy& copy : report.numa_copies) {
    CHECK(copy.upload->value == doctest::Approx(50e9).epsilon(0.01));
    CHECK(copy.both_ways->value == doctest::Approx(100e9).epsilon(0.01));
  }
  CHECK(report.cards[0].numa_node == 0);
}

TEST_CASE("errors of the driver and of memory are found, at the card that has them") {
  EightCards node;
  node.fake.xid_device = 4;
  node.fake.ecc_device = 6;
  node.fake.remap_device = 7;
  const NodeReport report = node.measure();
  CHECK(report.cards[4].xids == std::vector<int>{79});
  CHECK(report.cards[3].xids.empty());
  CHECK(report.cards[6].health.uncorrected == 3);
  CHECK(report.cards[5].health.uncorrected == 0);
  CHECK(report.cards[7].health.remap_pending == true);
  CHECK(report.cards[0].health.ecc == true);
}

TEST_CASE("what slows a card down only while it works is seen") {
  EightCards node;
  node.fake.devices = 2;
  node.fake.throttle_bits_under_load = 0x40;
  const NodeReport report = node.measure();
  CHECK(report.cards[0].slowed_down == std::vector<std::string>{"the card is slowed down by heat"});
  CHECK(report.cards[0].device.under_load.power == 690);
}

TEST_CASE("beside another process nothing is timed unless it is shared") {
  EightCards node;
  node.fake.processes = 1;
  const NodeReport alone = node.measure();
  CHECK(alone.collectives.empty());
  CHECK(mentions(alone.not_measured, "another process uses card 0000:03:00.0; --share"));
  node.assignment.each.share = true;
  const NodeReport shared = node.measure();
  CHECK(shared.collectives.size() == 8);
  CHECK_FALSE(shared.disturbed_by.empty());
}

TEST_CASE("where each process of a machine has a card, only that one is measured") {
  EightCards node;
  node.assignment.place = {
      .rank = 3, .processes = 1, .local_rank = 3, .local_processes = 8, .machine = "a"};
  const NodeReport report = node.measure();
  REQUIRE(report.cards.size() == 1);
  CHECK(report.cards[0].device.pci_bus_id == "0000:93:00.0");
  CHECK(report.pairs.empty());
}

TEST_CASE("no card, no driver function: a reason, and nothing is left behind") {
  EightCards node;
  node.fake.devices = 0;
  CHECK(std::holds_alternative<Unavailable>(measure_node(load_fake(), {}, node.assignment)));
  node.fake.devices = 2;
  Driver old = load_fake();
  old.cuda.peer.copy = nullptr;
  const NodeOutcome outcome = measure_node(old, {}, node.assignment);
  CHECK(mentions(std::get<NodeReport>(outcome).not_measured, "the driver lacks a function"));
  CHECK(node.fake.live_objects == 0);
}

TEST_CASE("a report of several cards survives its way between processes, and nonsense is refused") {
  EightCards node;
  const NodeReport report = node.measure();
  const std::string text = write_node_wire(report);
  const NodeOutcome again = read_node_wire(text);
  REQUIRE(std::holds_alternative<NodeReport>(again));
  CHECK(std::get<NodeReport>(again) == report);
  CHECK(std::holds_alternative<Failed>(read_node_wire("{\"node\": {}}")));
  CHECK(std::holds_alternative<Failed>(read_node_wire("nonsense")));
  std::string foreign = text;
  foreign.replace(foreign.find("\"to\":1"), 6, "\"to\":9");
  CHECK(std::holds_alternative<Failed>(read_node_wire(foreign)));
}

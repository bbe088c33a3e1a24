#include "device/numa_copies.h"

#include "device/peer_copies.h"

#include <cstring>

namespace gpulint::probe {
namespace {

constexpr SamplePlan kNumaCopies{
    .warm_up = Seconds{1e-3}, .least_sample = Seconds{2e-3}, .samples = 5};

/// Page-locked memory of one node, a stream for the other direction, and what is copied.
struct Transfer {
  Transfer(OpenCard& of, std::size_t bytes)
      : card(of),
        calls(of.session().calls()),
        up(of.cuda(), calls, bytes),
        down(of.cuda(), calls, bytes),
        other(of.cuda(), calls),
        size(bytes) {}
  bool ready() const { return up.data() != nullptr && down.data() != nullptr && other.ready(); }
  bool upload(CudaStream stream) {
    return calls.ok(card.cuda().upload(card.in().address(), up.data(), size, stream),
                    "cuMemcpyHtoDAsync_v2");
  }
  bool download(CudaStream stream) {
    return calls.ok(card.cuda().download(down.data(), card.out().address(), size, stream),
                    "cuMemcpyDtoHAsync_v2");
  }
  /// The second stream begins with the first, and the first ends with the second.
  bool both() {
    return other.begin_after(card.stream()) && upload(card.stream()) && download(other.stream()) &&
           other.end_before(card.stream());
  }

  OpenCard& card;
  Calls& calls;
  PinnedBuffer up;
  PinnedBuffer down;
  SideStream other;
  std::size_t size;
};

}  // namespace

std::string time_numa_copies(OpenCard& card, const NumaNode& node, Bytes size, NumaCopy& found) {
  if (!card.make_current()) return "the card's context is gone";
  const NumaBinding binding(node);
  if (!binding.on_cpus()) return "the system does not let this process choose its CPUs";
  found.memory_chosen = binding.on_memory();
  Transfer transfer(card, static_cast<std::size_t>(size.count()));
  if (!transfer.ready()) return card.session().why();
  std::memset(transfer.up.data(), 1, transfer.size);
  const double bytes = size.as_double();
  Bench& bench = card.bench();
  const auto up = bench.sample([&] { return transfer.upload(card.stream()); }, kNumaCopies);
  if (!up) return card.session().why();
  found.upload = speed_of(bytes, *up);
  const auto down = bench.sample([&] { return transfer.download(card.stream()); }, kNumaCopies);
  if (!down) return card.session().why();
  found.download = speed_of(bytes, *down);
  const auto both = bench.sample([&] { return transfer.both(); }, kNumaCopies);
  if (!both) return card.session().why();
  found.both_ways = speed_of(2 * bytes, *both);
  return "";
}

}  // namespace gpulint::probe

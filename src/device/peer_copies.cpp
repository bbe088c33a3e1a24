// Copies between cards, by the driver, which takes NVLink, PCIe or the host's memory as it finds
// them. Both ways at once: two streams, each copying into the other card, that begin together and
// whose later end counts.

#include "device/peer_copies.h"

#include "host/statistics.h"

#include <array>
#include <cstdint>

namespace gpulint::probe {
namespace {

constexpr SamplePlan kPeerCopies{
    .warm_up = Seconds{1e-3}, .least_sample = Seconds{2e-3}, .samples = 5};
constexpr std::size_t kPeerEnd = 4096;  // bytes that are looked at

bool copy_between(OpenCard& from, OpenCard& to, Calls& calls) {
  return calls.ok(from.cuda().peer.copy(to.in().address(), to.context(), from.out().address(),
                                        from.context(), to.in().size(), from.stream()),
                  "cuMemcpyPeerAsync");
}

bool arrives(OpenCard& from, OpenCard& to) {
  std::array<std::uint32_t, kPeerEnd / 4> sent{};
  std::array<std::uint32_t, kPeerEnd / 4> arrived{};
  Bench& bench = from.bench();
  if (!bench.fill(from.out(), NumberFormat::fp32) || !copy_between(from, to, bench.calls()) ||
      !bench.wait() || !from.out().read(sent.data(), kPeerEnd, from.out().size() - kPeerEnd) ||
      !to.make_current() || !to.in().read(arrived.data(), kPeerEnd, to.in().size() - kPeerEnd) ||
      !from.make_current()) {
    return false;
  }
  if (sent == arrived && sent.front() != 0) return true;
  bench.calls().fail(Reason::init_failed, "the copy differs from its source");
  return false;
}

}  // namespace

PeerAccess::PeerAccess(const std::vector<std::unique_ptr<OpenCard>>& cards)
    : cards_(cards), given_(cards.size(), std::vector<bool>(cards.size(), false)) {
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const PeerApi& peer = cards[i]->cuda().peer;
    for (std::size_t j = 0; j < cards.size(); ++j) {
      int can = 0;
      if (i == j || peer.can_access(&can, cards[i]->device(), cards[j]->device()) != 0 ||
          can == 0 || !cards[i]->make_current()) {
        continue;
      }
      const CudaResult code = peer.enable(cards[j]->context(), 0);
      given_[i][j] = code == kCudaSuccess || code == kCudaPeerAlreadyEnabled;
    }
  }
}

PeerAccess::~PeerAccess() {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    for (std::size_t j = 0; j < given_.size(); ++j) {
      if (given_[i][j] && cards_[i]->make_current()) {
        cards_[i]->cuda().peer.disable(cards_[j]->context());
      }
    }
  }
}

bool PeerAccess::between(int from, int to) const {
  const auto i = static_cast<std::size_t>(from);
  const auto j = static_cast<std::size_t>(to);
  return given_[i][j] && given_[j][i];
}

Speed speed_of(double bytes, const std::vector<double>& seconds) {
  std::vector<double> speeds;
  for (const double each : seconds) speeds.push_back(bytes / each);
  const Summary summary = summarize(speeds);
  return {summary.median, summary.noise, static_cast<int>(speeds.size())};
}

std::string time_pair(OpenCard& from, OpenCard& to, bool both, CardPair& pair) {
  if (!from.make_current()) return "the card's context is gone";
  Calls& calls = from.session().calls();
  if (!arrives(from, to)) return from.session().why();
  const auto bytes = static_cast<double>(to.in().size());
  const auto one = from.bench().sample([&] { return copy_between(from, to, calls); }, kPeerCopies);
  if (!one) return from.session().why();
  pair.one_way = speed_of(bytes, *one);
  if (!both) return "";
  Signal begun(from.cuda(), calls);
  to.make_current();
  Signal ended(from.cuda(), calls);  // recorded in the other card's stream
  from.make_current();
  if (!begun.ready() || !ended.ready()) return from.session().why();
  const auto two = from.bench().sample(
      [&] {
        return begun.pass(from.stream(), to.stream()) && copy_between(from, to, calls) &&
               copy_between(to, from, calls) && ended.pass(to.stream(), from.stream());
      },
      kPeerCopies);
  if (!two) return from.session().why();
  pair.both_ways = speed_of(2 * bytes, *two);
  return "";
}

}  // namespace gpulint::probe

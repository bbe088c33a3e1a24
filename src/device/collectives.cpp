// All-reduce, all-gather, reduce-scatter and all-to-all between all cards. Every process has to
// make the same calls, or the others wait for ever: how often something is repeated is fixed, and
// neither the clock nor what a process measured decides.

#include "device/collectives.h"

#include "device/peer_copies.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gpulint::probe {
namespace {

/// A size, and how often: a small message shows the cost of one, a large one what the links carry.
struct Message {
  Bytes size;
  int warm_ups;
  int runs;  // of one sample
};
constexpr std::array<Message, 2> kMessages{{{Bytes::mib(1), 5, 20}, {Bytes::mib(128), 2, 3}}};
constexpr int kSamples = 5;
constexpr std::array<Collective, kCollectiveCount> kAll{
    Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
    Collective::all_to_all};

/// The largest that all ranks share evenly.
Bytes shared_size(Bytes size, int ranks) {
  const std::int64_t step = std::int64_t{4} * ranks;
  return Bytes::of(size.count() / step * step);
}

/// Looks after the other processes of the job while this one may wait for them.
class Watch {
 public:
  Watch(std::unique_ptr<Companions> others, const PublishNode& publish, const NodeReport& known)
      : others_(std::move(others)), publish_(publish), known_(known) {
    if (others_) thread_ = std::thread([this] { look(); });
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (!others_) return;
    over_ = true;
    thread_.join();
    if (finished_) others_->done();
  }
  /// Nobody waits for this process any more.
  void finish() { finished_ = true; }
  void remember(const NodeReport& known) {
    const std::lock_guard<std::mutex> hold(mutex_);
    known_ = known;
  }

 private:
  void look() {
    constexpr std::chrono::milliseconds kPause{100};
    while (!over_) {
      if (const std::string lost = others_->lost(); !lost.empty()) {
        const std::lock_guard<std::mutex> hold(mutex_);
        known_.cut_off = lost;
        if (publish_) publish_(known_);
        _exit(0);  // threads of the driver may wait for what never comes: the kernel clears up
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  std::unique_ptr<Companions> others_;
  const PublishNode& publish_;
  std::mutex mutex_;
  NodeReport known_;
  std::atomic<bool> over_ = false;
  bool finished_ = false;
  std::thread thread_;
};

class Collectives {
 public:
  Collectives(const std::vector<std::unique_ptr<OpenCard>>& cards, Communicators& joined, int first,
              Watch& watch, NodeReport& report)
      : cards_(cards), joined_(joined), first_(first), others_(watch), report_(report) {}

  void run() {
    for (const Collective kind : kAll) {
      // What is wrong here may be right elsewhere, where it goes on: it is timed all the same.
      const bool right = is_right(kind);
      for (const Message& message : kMessages) time(kind, message, right);
      others_.remember(report_);
    }
  }

 private:
  OpenCard& timed() { return *cards_.front(); }
  void skip(Collective kind, std::string_view why) {
    report_.not_measured.push_back(fmt::format("{}: {}", name_of(kind), why));
  }
  bool enqueue(Collective kind, Bytes size) {
    const auto done = joined_.run(kind, size);
    timed().make_current();
    if (done) return true;
    timed().session().calls().fail(Reason::init_failed, done.error().message);
    return false;
  }
  bool wait_for_all();
  bool fill(Bytes size);
  bool holds(OpenCard& card, int rank, Collective kind, Bytes size);
  bool is_right(Collective kind);
  void time(Collective kind, const Message& message, bool keep);

  const std::vector<std::unique_ptr<OpenCard>>& cards_;
  Communicators& joined_;
  int first_;
  Watch& others_;
  NodeReport& report_;
};

bool Collectives::wait_for_all() {
  for (const auto& card : cards_) {
    if (!card->make_current() || !card->bench().wait()) return false;
  }
  return timed().make_current();
}

/// Each rank's message is its number, counted from one, in every value.
bool Collectives::fill(Bytes size) {
  int rank = first_;
  for (const auto& card : cards_) {
    const auto value = std::bit_cast<std::uint32_t>(static_cast<float>(++rank));
    if (!card->make_current() ||
        !card->session().calls().ok(
            card->cuda().fill_words(card->out().address(), value,
                                    static_cast<std::size_t>(size.count()) / 4, card->stream()),
            "cuMemsetD32Async")) {
      return false;
    }
  }
  return wait_for_all();
}

/// Looks at the last value of each rank's part.
bool Collectives::holds(OpenCard& card, int rank, Collective kind, Bytes size) {
  const int ranks = joined_.ranks();
  const float sum = static_cast<float>(ranks) * static_cast<float>(ranks + 1) / 2;
  const auto part = static_cast<std::size_t>(size.count()) / static_cast<std::size_t>(ranks);
  for (int peer = 0; peer < ranks; ++peer) {
    // A reduce-scatter leaves one part.
    if (kind == Collective::reduce_scatter && peer > 0) break;
    const bool sums = kind == Collective::all_reduce || kind == Collective::reduce_scatter;
    const float wanted = sums ? sum : static_cast<float>(peer + 1);
    float found = 0;
    const std::size_t end = (static_cast<std::size_t>(peer) + 1) * part - sizeof found;
    if (!card.make_current() || !card.in().read(&found, sizeof found, end)) return false;
    if (found == wanted) continue;
    timed().session().calls().fail(
        Reason::init_failed, fmt::format("rank {} got {} where {} belongs", rank, found, wanted));
    return false;
  }
  return true;
}

bool Collectives::is_right(Collective kind) {
  const Bytes size = shared_size(kMessages.front().size, joined_.ranks());
  bool right = fill(size) && enqueue(kind, size) && wait_for_all();
  int rank = first_;
  for (const auto& card : cards_) right = right && holds(*card, rank++, kind, size);
  timed().make_current();
  if (!right) skip(kind, timed().session().why());
  return right;
}

void Collectives::time(Collective kind, const Message& message, bool keep) {
  const Bytes size = shared_size(message.size, joined_.ranks());
  Stopwatch& watch = timed().bench().watch();
  std::vector<double> seconds;
  bool good = true;
  for (int i = 0; good && i < message.warm_ups; ++i) good = enqueue(kind, size);
  good = good && wait_for_all();
  for (int sample = 0; good && sample < kSamples; ++sample) {
    good = watch.start();
    for (int run = 0; good && run < message.runs; ++run) good = enqueue(kind, size);
    const auto took = good ? watch.stop() : std::nullopt;
    good = took && took->value > 0;
    if (good) seconds.push_back(took->value / message.runs);
  }
  if (!good) return skip(kind, timed().session().why());
  if (!keep) return;
  const double carried = bus_share(kind, joined_.ranks()) * size.as_double();
  report_.collectives.push_back({kind, size, speed_of(carried, seconds)});
}

}  // namespace

void time_collectives(const NcclApi& nccl, const JobPlace& place,
                      const std::vector<std::unique_ptr<OpenCard>>& cards, Deadline deadline,
                      const PublishNode& publish, NodeReport& report) {
  const auto skip = [&report](const std::string& why) {
    report.not_measured.push_back("collectives: " + why);
  };
  const auto make_id = [&nccl]() -> Result<NcclUniqueId> {
    NcclUniqueId id;
    const NcclResult code = nccl.unique_id(&id);
    if (code != kNcclSuccess) return fail(fmt::format("ncclGetUniqueId returned {}", code));
    return id;
  };
  std::unique_ptr<Companions> others;
  const auto roll = meet(place, static_cast<int>(cards.size()), make_id, deadline, &others);
  if (!roll) return skip(roll.error().message);
  report.ranks = roll->ranks;
  report.machines = roll->machines;
  if (roll->ranks < 2) return skip("there is one card");
  std::vector<Participant> own;
  for (const auto& card : cards) {
    own.push_back({card->context(), card->stream(), card->out().address(), card->in().address()});
  }
  Watch watch(std::move(others), publish, report);
  const int first = roll->first[static_cast<std::size_t>(place.rank)];
  auto joined = Communicators::join(cards.front()->cuda(), nccl, std::move(own), roll->id,
                                    roll->ranks, first);
  leave(place);
  if (!joined) return skip(joined.error().message);
  Collectives(cards, **joined, first, watch, report).run();
  watch.finish();
}

}  // namespace gpulint::probe

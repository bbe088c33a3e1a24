#include "device/batch_search.h"

#include "device/stop_signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace gpulint::probe {
namespace {

constexpr std::int64_t kMostBatch = std::int64_t{1} << 24;
constexpr std::size_t kMostTrials = 48;

class Search {
 public:
  Search(const PlayBatch& play, std::chrono::steady_clock::time_point end, BatchReport& report)
      : play_(play), end_(end), report_(report) {}

  void run() {
    std::int64_t batch = std::clamp<std::int64_t>(report_.predicted, 1, kMostBatch);
    std::int64_t step = std::max<std::int64_t>(batch / 16, 1);
    while (ask(batch)) {
      if (fits_ == kMostBatch || too_large_ == fits_ + 1) {
        report_.largest = fits_;
        return;
      }
      batch = next(step);
      step *= 2;
    }
  }

 private:
  /// Outwards until there is a batch on both sides, then halfway between.
  std::int64_t next(std::int64_t step) const {
    if (too_large_ == 0) return std::min(fits_ + step, kMostBatch);
    if (fits_ == 0) return std::max<std::int64_t>(too_large_ - step, 1);
    return fits_ + (too_large_ - fits_) / 2;
  }

  /// False: nothing more can be learnt, as `why` says.
  bool ask(std::int64_t batch) {
    if (stop_signal() != 0) return stop("interrupted by a signal");
    if (std::chrono::steady_clock::now() >= end_ || report_.trials.size() >= kMostTrials) {
      return stop(fits_ > 0 ? fmt::format("out of time; {} fits", fits_) : "out of time");
    }
    const FootprintReport played = play_(batch);
    const Bytes left = played.free_at_peak - played.outside;
    report_.trials.push_back({batch, played.verdict, played.tried, played.needed, left});
    switch (played.verdict) {
      case FootprintVerdict::fits:
      case FootprintVerdict::fits_tight:
        (left < Bytes{} ? too_large_ : fits_) = batch;
        break;
      case FootprintVerdict::out_of_memory:
        too_large_ = batch;
        break;
      case FootprintVerdict::fits_unconfirmed:
        return stop("Windows may promise more memory than there is");
      case FootprintVerdict::refused:
      case FootprintVerdict::aborted:
        return stop(fmt::format("batch {}: {}", batch, played.why));
    }
    return true;
  }

  bool stop(std::string why) {
    report_.why = std::move(why);
    return false;
  }

  const PlayBatch& play_;
  std::chrono::steady_clock::time_point end_;
  BatchReport& report_;
  std::int64_t fits_ = 0;
  std::int64_t too_large_ = 0;  // 0: none is known
};

}  // namespace

BatchReport find_batch(std::int64_t predicted, const PlayBatch& play,
                       std::chrono::steady_clock::time_point end) {
  BatchReport report;
  report.predicted = predicted;
  Search(play, end, report).run();
  return report;
}

}  // namespace gpulint::probe

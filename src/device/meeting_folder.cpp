#include "base/text.h"
#include "device/meeting.h"
#include "disk/atomic_file.h"
#include "disk/private_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>
#include <unistd.h>

namespace gpulint::probe {
namespace {

constexpr std::chrono::milliseconds kFolderPause{50};  // between two looks at a folder of a network
constexpr const char* kRollName = "roll.json";
constexpr const char* kAlive = ".alive";  // files that are rewritten while others are read
// A process that is alive says so; one that has been silent for so long is taken for ended. Network
// file systems may show a file a few seconds late.
constexpr std::chrono::milliseconds kBeat{1000};
constexpr std::chrono::milliseconds kPatience{8000};
constexpr disk::PrivateLimits kMeetingLimits{.bytes = std::size_t{4} << 20,
                                             .files = kMostProcesses + 1};

std::string hello_name(int rank) { return fmt::format("hello-{}.json", rank); }

std::string folder_of(const JobPlace& place) {
  std::string job = place.job.empty() ? "job" : place.job;
  for (char& c : job) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.' && c != '_') c = '-';
  }
  return join_path(place.meet, "gpulint-meeting-" + job);
}

/// Files of this user alone, by name: whoever else could write one could join the job.
Result<std::map<std::string, std::string>> read_all(const std::string& folder) {
  auto files = disk::read_private_folder(folder, ".json", kMeetingLimits);
  if (!files) return fail(files.error());
  std::map<std::string, std::string> texts;
  for (disk::PrivateFile& file : *files) {
    if (!file.text) return fail(file.text.error());
    texts[file.name] = std::move(*file.text);
  }
  return texts;
}

/// One hello of each process, or nothing yet.
std::vector<Hello> hellos_in(const std::map<std::string, std::string>& texts, int processes) {
  std::vector<Hello> hellos;
  for (int rank = 0; rank < processes; ++rank) {
    const auto text = texts.find(hello_name(rank));
    if (text == texts.end()) return {};
    const auto hello = read_hello(text->second);
    if (!hello || hello->rank != rank) return {};
    hellos.push_back(*hello);
  }
  return hellos;
}

Result<Roll> answer(const std::string& folder, const std::vector<Hello>& hellos,
                    const MakeId& make_id) {
  auto roll = call_roll(hellos, make_id);
  if (!roll) return roll;
  auto written = disk::write_atomically(folder, kRollName, write_roll(*roll), disk::kOwnerOnly);
  if (!written) return fail(written.error());
  return roll;
}

/// Each process counts in a file of its own. The first one watches all, the others watch the first,
/// whose file also says who ended.
class Beats : public Companions {
 public:
  Beats(std::string folder, const JobPlace& place, std::vector<std::string> nonces)
      : folder_(std::move(folder)), rank_(place.rank), nonces_(std::move(nonces)) {
    watched_.resize(rank_ == 0 ? nonces_.size() : 1);
    beat("");
  }
  ~Beats() override { rmdir(folder_.c_str()); }  // by the last one
  std::string lost() override {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return lost_;
    next_ = now + kBeat;
    const auto files = disk::read_private_folder(folder_, kAlive, kMeetingLimits);
    std::map<std::string_view, const Result<std::string>*> texts;
    if (files) {
      for (const disk::PrivateFile& file : *files) texts[file.name] = &file.text;
    }
    for (int rank = 0; files && lost_.empty() && rank < static_cast<int>(watched_.size()); ++rank) {
      const auto text = texts.find(name_of(rank));
      const bool there = text != texts.end();
      // One that was replaced while it was read says more the next time.
      if (rank == rank_ || (there && !*text->second)) continue;
      look(rank, there ? **text->second : "", now);
    }
    beat(lost_);
    return lost_;
  }
  void done() override { unlink(path_of(rank_).c_str()); }

 private:
  struct Watched {
    std::string text;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    bool seen = false;
  };

  std::string name_of(int rank) const {
    return fmt::format("{}-{}{}", rank, nonces_[static_cast<std::size_t>(rank)], kAlive);
  }
  std::string path_of(int rank) const { return join_path(folder_, name_of(rank)); }

  void look(int rank, const std::string& text, std::chrono::steady_clock::time_point now) {
    Watched& watched = watched_[static_cast<std::size_t>(rank)];
    if (text.empty() && watched.seen) return;  // its part is done
    if (const auto told = text.find(' '); rank == 0 && told != std::string::npos) {
      lost_ = text.substr(told + 1);
      return;
    }
    if (text != watched.text) watched = {text, now, true};
    if (now - watched.since > kPatience) lost_ = fmt::format("process {} of the job ended", rank);
  }
  void beat(const std::string& lost) {
    const std::string text = fmt::format("{}{}{}", ++count_, lost.empty() ? "" : " ", lost);
    (void)disk::write_atomically(folder_, name_of(rank_), text, disk::kOwnerOnly);
  }

  std::string folder_;
  int rank_;
  std::vector<std::string> nonces_;
  std::vector<Watched> watched_;
  std::chrono::steady_clock::time_point next_ = {};
  std::string lost_;
  int count_ = 0;
};

std::unique_ptr<Companions> beats(const std::string& folder, const JobPlace& place,
                                  const Roll& roll) {
  if (roll.nonces.size() != static_cast<std::size_t>(place.processes)) return nullptr;
  return std::make_unique<Beats>(folder, place, roll.nonces);
}

}  // namespace

Result<Roll> meet_in_folder(const JobPlace& place, const Hello& own, const MakeId& make_id,
                            Deadline deadline, std::unique_ptr<Companions>& others) {
  const std::string folder = folder_of(place);
  if (auto made = disk::make_folder(folder); !made) return fail(made.error());
  const bool first = place.rank == 0;
  if (first) unlink(join_path(folder, kRollName).c_str());  // of an attempt before
  auto said =
      disk::write_atomically(folder, hello_name(own.rank), write_hello(own), disk::kOwnerOnly);
  if (!said) return fail(said.error());
  std::size_t seen = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto texts = read_all(folder);
    if (!texts) return fail(texts.error());
    seen = texts->size();
    if (first) {
      const std::vector<Hello> hellos = hellos_in(*texts, place.processes);
      if (!hellos.empty()) {
        auto roll = answer(folder, hellos, make_id);
        if (roll) others = beats(folder, place, *roll);
        return roll;
      }
    } else if (const auto text = texts->find(kRollName); text != texts->end()) {
      auto roll = read_roll(text->second);
      // Another's roll is of an attempt before this one.
      if (roll &&
          std::find(roll->nonces.begin(), roll->nonces.end(), own.nonce) != roll->nonces.end()) {
        others = beats(folder, place, *roll);
        return roll;
      }
    }
    std::this_thread::sleep_for(kFolderPause);
  }
  return fail(fmt::format("of {} processes {} came to {} in time", place.processes, seen, folder));
}

void leave(const JobPlace& place) {
  if (place.processes <= 1 || place.meet.empty() || is_port_address(place.meet)) return;
  const std::string folder = folder_of(place);
  unlink(join_path(folder, hello_name(place.rank)).c_str());
  if (place.rank == 0) unlink(join_path(folder, kRollName).c_str());
  rmdir(folder.c_str());  // by the last one that leaves
}

}  // namespace gpulint::probe

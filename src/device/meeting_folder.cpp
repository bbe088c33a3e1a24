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

}  // namespace

Result<Roll> meet_in_folder(const JobPlace& place, const Hello& own, const MakeId& make_id,
                            Deadline deadline) {
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
      if (!hellos.empty()) return answer(folder, hellos, make_id);
    } else if (const auto text = texts->find(kRollName); text != texts->end()) {
      auto roll = read_roll(text->second);
      // Another's roll is of an attempt before this one.
      if (roll &&
          std::find(roll->nonces.begin(), roll->nonces.end(), own.nonce) != roll->nonces.end()) {
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

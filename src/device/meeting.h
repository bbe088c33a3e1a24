#pragma once

// How the processes of a job learn who takes part: through a folder that all of them share, or
// through a port of the first. Nobody runs a program on another machine, and nothing is asked of
// a launcher beyond each process's place.

#include "base/result.h"
#include "device/nccl_api.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// A process's place in a job.
struct JobPlace {
  int rank = 0;
  int processes = 1;
  int local_rank = 0;
  int local_processes = 1;  // on its machine
  std::string machine;
  std::string job = {};   // tells this job's files from another's; "" = nobody says
  std::string meet = {};  // a shared folder, or "host:port"
};

/// What each process says of itself.
struct Hello {
  int rank = 0;
  int cards = 0;  // of this process that take part
  std::string machine;
  std::string nonce;  // of this attempt
};
/// What the first process answers all of them.
struct Roll {
  NcclUniqueId id;
  int ranks = 0;                    // cards of all processes
  int machines = 0;                 // they are on
  std::vector<int> first;           // rank of each process's first card
  std::vector<std::string> nonces;  // of the attempts that were heard
};

/// The other processes of a job, from the roll until this one's part is done.
class Companions {
 public:
  virtual ~Companions() = default;
  /// What became of one that ended before its part was done: "process 3 of the job ended"; "" while
  /// none did. One look, which does not wait.
  virtual std::string lost() = 0;
  /// Tells the others that this process's part is done. Only `lost` may be called before.
  virtual void done() = 0;
};

using MakeId = std::function<Result<NcclUniqueId>()>;
using Deadline = std::chrono::steady_clock::time_point;

/// The roll of a job. Blocks until every process has said hello, or an Error at the deadline.
/// `make_id` is called by the first process alone. `others`: set where there are any.
Result<Roll> meet(const JobPlace& place, int cards, const MakeId& make_id, Deadline deadline,
                  std::unique_ptr<Companions>* others = nullptr);
/// Takes away what `meet` left in a folder, once all have joined.
void leave(const JobPlace& place);

/// Whether this names "host:port" rather than a folder.
bool is_port_address(std::string_view meet);

// The two ways, and the texts that travel. What is read is not trusted.

Result<Roll> meet_in_folder(const JobPlace& place, const Hello& own, const MakeId& make_id,
                            Deadline deadline, std::unique_ptr<Companions>& others);
Result<Roll> meet_at_port(const JobPlace& place, const Hello& own, const MakeId& make_id,
                          Deadline deadline, std::unique_ptr<Companions>& others);
std::string write_hello(const Hello& hello);
Result<Hello> read_hello(std::string_view text);
std::string write_roll(const Roll& roll);
Result<Roll> read_roll(std::string_view text);
/// An Error where one says nothing sensible. `hellos`: one of each process, by rank.
Result<Roll> call_roll(const std::vector<Hello>& hellos, const MakeId& make_id);

/// More is not a job of ours.
inline constexpr int kMostProcesses = 65'536;

}  // namespace gpulint::probe

#pragma once

#include "base/result.h"
#include "device/driver_api.h"
#include "device/nccl_api.h"
#include "device/node_report.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulint::probe {

/// The functions of a library at an absolute path. Its constructors run: `find_nccl` says which
/// paths are safe.
Result<NcclApi> load_nccl(const std::string& path);
/// "NCCL 2.27.5"
std::string nccl_name(const NcclApi& api);

/// A card of this process that takes part: its context, its stream, memory on it.
struct Participant {
  CudaContext context = nullptr;
  CudaStream stream = nullptr;
  CudaAddress from = 0;  // of the message
  CudaAddress to = 0;
};

/// A communicator for each card of this process, and with it those of all processes that know the
/// same id. Every one of them has to make the same calls.
class Communicators {
 public:
  /// `first`: the rank of this process's first card among `ranks`. Blocks until all have joined.
  static Result<std::unique_ptr<Communicators>> join(const CudaApi& cuda, const NcclApi& nccl,
                                                     std::vector<Participant> cards,
                                                     const NcclUniqueId& id, int ranks, int first);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  ~Communicators();

  int ranks() const { return ranks_; }
  /// Enqueues one collective of `size` bytes, a multiple of four times the ranks.
  Result<void> run(Collective kind, Bytes size);

 private:
  Communicators(const NcclApi& nccl, std::vector<Participant> cards, int ranks)
      : nccl_(nccl), cards_(std::move(cards)), ranks_(ranks) {}
  Result<void> done(NcclResult code, const char* call) const;
  NcclResult enqueue(Collective kind, std::size_t count, std::size_t card);
  NcclResult exchange(std::size_t part, std::size_t card);

  NcclApi nccl_;
  std::vector<Participant> cards_;
  std::vector<NcclCommunicator> joined_;
  int ranks_;
};

}  // namespace gpulint::probe

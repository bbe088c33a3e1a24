// Collectives as a framework asks for them. A process may have several cards: calls of one
// collective for all of them stand between ncclGroupStart and ncclGroupEnd, or each would wait for
// the others for ever.

#include "device/nccl.h"

#include "host/library.h"

#include <fmt/format.h>

namespace gpulint::probe {
namespace {

constexpr std::size_t kMessageValue = sizeof(float);

void* message_at(CudaAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace

Result<NcclApi> load_nccl(const std::string& path) {
  const Result<Library> library = Library::open(path);
  if (!library) return fail(library.error());
  SymbolTable table(*library);
  NcclApi api;
  table.need(api.version, "ncclGetVersion");
  table.need(api.unique_id, "ncclGetUniqueId");
  table.need(api.init_rank, "ncclCommInitRank");
  table.need(api.destroy, "ncclCommDestroy");
  table.need(api.group_start, "ncclGroupStart");
  table.need(api.group_end, "ncclGroupEnd");
  table.need(api.all_reduce, "ncclAllReduce");
  table.need(api.all_gather, "ncclAllGather");
  table.need(api.reduce_scatter, "ncclReduceScatter");
  table.need(api.send, "ncclSend");
  table.need(api.receive, "ncclRecv");
  table.need(api.error_text, "ncclGetErrorString");
  if (!table.missing().empty()) return fail(fmt::format("{} lacks {}", path, table.missing()));
  return api;
}

std::string nccl_name(const NcclApi& api) {
  int version = 0;
  if (api.version(&version) != kNcclSuccess) return "NCCL";
  // Before 2.9 it was 1000 * major + 100 * minor + patch.
  constexpr int kNewForm = 10'000;
  const int unit = version < kNewForm ? 1000 : kNewForm;
  return fmt::format("NCCL {}.{}.{}", version / unit, version % unit / 100, version % 100);
}

Result<void> Communicators::done(NcclResult code, const char* call) const {
  if (code == kNcclSuccess) return {};
  const char* text = nccl_.error_text(code);
  return fail(fmt::format("{} returned {}: {}", call, code, text == nullptr ? "" : text));
}

Result<std::unique_ptr<Communicators>> Communicators::join(const CudaApi& cuda, const NcclApi& nccl,
                                                           std::vector<Participant> cards,
                                                           const NcclUniqueId& id, int ranks,
                                                           int first) {
  std::unique_ptr<Communicators> all(new Communicators(nccl, std::move(cards), ranks));
  all->joined_.resize(all->cards_.size(), nullptr);
  if (auto begun = all->done(nccl.group_start(), "ncclGroupStart"); !begun)
    return fail(begun.error());
  NcclResult code = kNcclSuccess;
  for (std::size_t i = 0; i < all->cards_.size() && code == kNcclSuccess; ++i) {
    cuda.set_current_context(all->cards_[i].context);
    code = nccl.init_rank(&all->joined_[i], ranks, id, first + static_cast<int>(i));
  }
  const NcclResult ended = nccl.group_end();
  if (auto joined = all->done(code != kNcclSuccess ? code : ended, "ncclCommInitRank"); !joined) {
    return fail(joined.error());
  }
  return all;
}

Communicators::~Communicators() {
  for (const NcclCommunicator each : joined_) {
    if (each != nullptr) nccl_.destroy(each);
  }
}

NcclResult Communicators::exchange(std::size_t part, std::size_t card) {
  const Participant& at = cards_[card];
  for (int peer = 0; peer < ranks_; ++peer) {
    const CudaAddress offset = static_cast<CudaAddress>(peer) * part * kMessageValue;
    NcclResult code = nccl_.send(message_at(at.from + offset), part, kNcclFloat32, peer,
                                 joined_[card], at.stream);
    if (code != kNcclSuccess) return code;
    code = nccl_.receive(message_at(at.to + offset), part, kNcclFloat32, peer, joined_[card],
                         at.stream);
    if (code != kNcclSuccess) return code;
  }
  return kNcclSuccess;
}

NcclResult Communicators::enqueue(Collective kind, std::size_t count, std::size_t card) {
  const Participant& at = cards_[card];
  void* from = message_at(at.from);
  void* to = message_at(at.to);
  const std::size_t part = count / static_cast<std::size_t>(ranks_);
  switch (kind) {
    case Collective::all_reduce:
      return nccl_.all_reduce(from, to, count, kNcclFloat32, kNcclSum, joined_[card], at.stream);
    case Collective::all_gather:
      return nccl_.all_gather(from, to, part, kNcclFloat32, joined_[card], at.stream);
    case Collective::reduce_scatter:
      return nccl_.reduce_scatter(from, to, part, kNcclFloat32, kNcclSum, joined_[card], at.stream);
    case Collective::all_to_all:
      return exchange(part, card);
  }
  return kNcclSuccess;
}

Result<void> Communicators::run(Collective kind, Bytes size) {
  const std::size_t count = static_cast<std::size_t>(size.count()) / kMessageValue;
  if (auto begun = done(nccl_.group_start(), "ncclGroupStart"); !begun) return begun;
  NcclResult code = kNcclSuccess;
  for (std::size_t card = 0; card < cards_.size() && code == kNcclSuccess; ++card) {
    code = enqueue(kind, count, card);
  }
  const NcclResult ended = nccl_.group_end();
  return done(code != kNcclSuccess ? code : ended, name_of(kind).data());
}

}  // namespace gpulint::probe

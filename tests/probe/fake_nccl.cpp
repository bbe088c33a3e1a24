// A NCCL for the tests. Ranks may be in one process or in several: they share a file, which the
// unique id names. Small messages are exchanged for real, large ones only move the fake devices'
// clocks.

#include "probe/fake_nccl.h"

#include "device/nccl_api.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace gpulint::probe;

FakeNccl fake_nccl;

namespace {

constexpr int kInvalidUsage = 5;  // ncclInvalidUsage
constexpr int kRemoteError = 6;
constexpr int kMostRanks = 32;
constexpr std::size_t kSlot = std::size_t{1} << 20;  // larger messages are not exchanged

struct Shared {
  std::atomic<int> joined;
  std::atomic<int> arrived;     // at a barrier
  std::atomic<int> generation;  // of barriers
  std::array<std::array<char, kSlot>, kMostRanks> slots;
};

struct Communicator {
  Shared* shared = nullptr;
  int rank = 0;
  int ranks = 0;
  NcclUniqueId id = {};  // the file's name, which is needed until all have joined
};

enum class Kind { all_reduce, all_gather, reduce_scatter, send, receive };
struct Call {
  Kind kind;
  const char* from = nullptr;
  char* to = nullptr;
  std::size_t bytes = 0;  // of the part the call names
  int peer = 0;
  Communicator* communicator = nullptr;
  void* stream = nullptr;
};

int depth = 0;
std::vector<Call> calls;
std::vector<Communicator*> joining;

int enter(std::string_view call) {
  const char* deadly = std::getenv("FAKE_NCCL_DIES_IN");
  if (deadly != nullptr && call == deadly) raise(SIGKILL);
  return call == fake_nccl.failing_call ? fake_nccl.failing_code : kNcclSuccess;
}

template <class Ready>
bool wait_until(Ready ready) {
  constexpr int kMostPauses = 20'000;
  for (int i = 0; i < kMostPauses; ++i) {
    if (ready()) return true;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

/// All ranks of this process at once.
bool barrier(const std::vector<Communicator*>& own) {
  Shared& shared = *own.front()->shared;
  const int before = shared.generation;
  const int mine = static_cast<int>(own.size());
  if (shared.arrived.fetch_add(mine) + mine == own.front()->ranks) {
    shared.arrived = 0;
    ++shared.generation;
    return true;
  }
  return wait_until([&] { return shared.generation != before; });
}

std::vector<Communicator*> own_ranks() {
  std::vector<Communicator*> own;
  for (const Call& call : calls) {
    if (std::find(own.begin(), own.end(), call.communicator) == own.end()) {
      own.push_back(call.communicator);
    }
  }
  return own;
}

char* slot(const Call& call, int rank) {
  return call.communicator->shared->slots[static_cast<std::size_t>(rank)].data();
}

/// Of all ranks.
std::size_t whole_message(const Call& call) {
  const bool part = call.kind != Kind::all_reduce;
  return call.bytes * static_cast<std::size_t>(part ? call.communicator->ranks : 1);
}

void hand_in(const Call& call) {
  if (call.kind == Kind::receive) return;
  const std::size_t at =
      call.kind == Kind::send ? static_cast<std::size_t>(call.peer) * call.bytes : 0;
  const std::size_t size = call.kind == Kind::reduce_scatter ? whole_message(call) : call.bytes;
  std::memcpy(slot(call, call.communicator->rank) + at, call.from, size);
}

void add_up(const Call& call, std::size_t offset) {
  std::vector<float> sum(call.bytes / sizeof(float), 0.0F);
  for (int rank = 0; rank < call.communicator->ranks; ++rank) {
    const auto* values = reinterpret_cast<const float*>(slot(call, rank) + offset);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  if (fake_nccl.wrong_sums) sum.back() += 1;
  std::memcpy(call.to, sum.data(), call.bytes);
}

void take_out(const Call& call) {
  const auto rank = static_cast<std::size_t>(call.communicator->rank);
  switch (call.kind) {
    case Kind::all_reduce:
      return add_up(call, 0);
    case Kind::reduce_scatter:
      return add_up(call, rank * call.bytes);
    case Kind::all_gather:
      for (int from = 0; from < call.communicator->ranks; ++from) {
        std::memcpy(call.to + static_cast<std::size_t>(from) * call.bytes, slot(call, from),
                    call.bytes);
      }
      return;
    case Kind::receive:
      std::memcpy(call.to, slot(call, call.peer) + rank * call.bytes, call.bytes);
      return;
    case Kind::send:
      return;
  }
}

/// Every stream of this process ends when all of them do.
void pass_time() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return;
  using Clock = double* (*)(void*);
  const auto clock = reinterpret_cast<Clock>(dlsym(driver, "fake_clock"));
  const Call& first = calls.front();
  const double others = (first.communicator->ranks - 1.0) / first.communicator->ranks;
  const double share = first.kind == Kind::all_reduce ? 2 * others : others;
  const char* set = std::getenv("FAKE_NCCL_BANDWIDTH");
  const double rate = set == nullptr ? fake_nccl.bus_bandwidth : std::atof(set);
  double begin = 0;
  for (const Call& call : calls) begin = std::max(begin, *clock(call.stream));
  const double end =
      begin + fake_nccl.latency + share * static_cast<double>(whole_message(first)) / rate;
  for (const Call& call : calls) *clock(call.stream) = end;
  dlclose(driver);
}

int run_calls() {
  const std::vector<Communicator*> own = own_ranks();
  ++fake_nccl.collectives;
  if (whole_message(calls.front()) <= kSlot) {
    for (const Call& call : calls) hand_in(call);
    if (!barrier(own)) return kRemoteError;
    for (const Call& call : calls) take_out(call);
  }
  if (!barrier(own)) return kRemoteError;
  pass_time();
  calls.clear();
  return kNcclSuccess;
}

int add(std::string_view name, Call call) {
  if (const int code = enter(name); code != 0) return code;
  if (call.communicator == nullptr || call.stream == nullptr) return kInvalidUsage;
  calls.push_back(call);
  return depth == 0 ? run_calls() : kNcclSuccess;
}

Communicator* of(NcclCommunicator communicator) { return static_cast<Communicator*>(communicator); }

}  // namespace

extern "C" {
#pragma GCC diagnostic ignored "-Wmissing-declarations"

int ncclGetVersion(int* version) {
  *version = 22705;
  return enter("ncclGetVersion");
}
int ncclGetUniqueId(NcclUniqueId* id) {
  char path[] = "/tmp/fake-nccl-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) return kRemoteError;
  close(file);
  std::snprintf(id->bytes.data(), id->bytes.size(), "%s", path);
  return enter("ncclGetUniqueId");
}
int ncclCommInitRank(NcclCommunicator* made, int ranks, NcclUniqueId id, int rank) {
  if (const int code = enter("ncclCommInitRank"); code != 0) return code;
  if (ranks > kMostRanks || rank < 0 || rank >= ranks || depth == 0) return kInvalidUsage;
  const int file = open(id.bytes.data(), O_RDWR | O_CLOEXEC);
  if (file < 0) return kRemoteError;
  void* mapped = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return kRemoteError;
  auto* communicator = new Communicator{static_cast<Shared*>(mapped), rank, ranks, id};
  ++communicator->shared->joined;
  ++fake_nccl.live_communicators;
  joining.push_back(communicator);
  *made = communicator;
  return kNcclSuccess;
}
int ncclCommDestroy(NcclCommunicator communicator) {
  munmap(of(communicator)->shared, sizeof(Shared));
  delete of(communicator);
  --fake_nccl.live_communicators;
  return enter("ncclCommDestroy");
}
int ncclGroupStart() {
  ++depth;
  return enter("ncclGroupStart");
}
int ncclGroupEnd() {
  if (--depth > 0) return kNcclSuccess;
  if (const int code = enter("ncclGroupEnd"); code != 0) return code;
  for (const Communicator* each : joining) {
    if (!wait_until([each] { return each->shared->joined >= each->ranks; })) return kRemoteError;
    unlink(each->id.bytes.data());
  }
  joining.clear();
  return calls.empty() ? kNcclSuccess : run_calls();
}
int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation,
                  NcclCommunicator communicator, void* stream) {
  if (type != kNcclFloat32 || operation != kNcclSum) return kInvalidUsage;
  return add("ncclAllReduce", {Kind::all_reduce, static_cast<const char*>(from),
                               static_cast<char*>(to), count * 4, 0, of(communicator), stream});
}
int ncclAllGather(const void* from, void* to, std::size_t count, int, NcclCommunicator communicator,
                  void* stream) {
  return add("ncclAllGather", {Kind::all_gather, static_cast<const char*>(from),
                               static_cast<char*>(to), count * 4, 0, of(communicator), stream});
}
int ncclReduceScatter(const void* from, void* to, std::size_t count, int, int,
                      NcclCommunicator communicator, void* stream) {
  return add("ncclReduceScatter", {Kind::reduce_scatter, static_cast<const char*>(from),
                                   static_cast<char*>(to), count * 4, 0, of(communicator), stream});
}
int ncclSend(const void* from, std::size_t count, int, int peer, NcclCommunicator communicator,
             void* stream) {
  return add("ncclSend", {Kind::send, static_cast<const char*>(from), nullptr, count * 4, peer,
                          of(communicator), stream});
}
int ncclRecv(void* to, std::size_t count, int, int peer, NcclCommunicator communicator,
             void* stream) {
  return add("ncclRecv", {Kind::receive, nullptr, static_cast<char*>(to), count * 4, peer,
                          of(communicator), stream});
}
const char* ncclGetErrorString(int) { return "fake error"; }
}

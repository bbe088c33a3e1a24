// Main memory as plain loops see it: words of eight bytes read or written one after the other, and
// the C library's memcpy. Nontemporal stores would write faster, and no loader uses them.

#include "host/memory_bandwidth.h"

#include "host/worker_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sys/mman.h>

namespace gpulint::probe {
namespace {

/// Of one round: a few hundred microseconds.
constexpr std::size_t kChunk = std::size_t{4} << 20;
constexpr Bytes kLeastBuffer = Bytes::mib(16);
constexpr Bytes kSingleBuffer = Bytes::mib(128);
constexpr std::int64_t kPartOfFree = 4;

/// Memory of this process that has been written to.
class TouchedMemory {
 public:
  explicit TouchedMemory(std::size_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    constexpr int kAnything = 0x5a;
    if (ready()) std::memset(memory_, kAnything, bytes_);
  }
  TouchedMemory(const TouchedMemory&) = delete;
  TouchedMemory& operator=(const TouchedMemory&) = delete;
  ~TouchedMemory() {
    if (ready()) munmap(memory_, bytes_);
  }
  bool ready() const { return memory_ != MAP_FAILED; }
  char* at(std::size_t offset) const { return static_cast<char*>(memory_) + offset; }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Unrolled: with fewer instructions a load, more loads are under way.
void read_words(const char* bytes) {
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(bytes);
  std::uint64_t sum = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kChunk / sizeof *words; ++i) sum += words[i];
  static_cast<void>(sum);
}

void write_words(char* bytes) {
  auto* words = reinterpret_cast<volatile std::uint64_t*>(bytes);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kChunk / sizeof *words; ++i) words[i] = i;
}

/// Goes through a buffer chunk by chunk, over and over. A copy goes from its first to its second
/// half.
Round pass_over(FigureKind kind, std::size_t bytes) {
  auto memory = std::make_shared<TouchedMemory>(bytes);
  if (!memory->ready()) return {};
  const std::size_t span = kind == FigureKind::memory_copy ? bytes / 2 : bytes;
  return [kind, memory, span, offset = std::size_t{0}]() mutable {
    char* const chunk = memory->at(offset);
    if (kind == FigureKind::memory_read) read_words(chunk);
    if (kind == FigureKind::memory_write) write_words(chunk);
    if (kind == FigureKind::memory_copy) std::memcpy(memory->at(span + offset), chunk, kChunk);
    offset += kChunk;
    if (offset + kChunk > span) offset = 0;
    return true;
  };
}

void measure_pass(FigureKind kind, Bytes buffer, int workers, const PartWriter& writer) {
  const WorkerPlan plan{.workers = workers};
  const auto bytes = static_cast<std::size_t>(buffer.count());
  auto rates = worker_rates(plan, [&](int) { return pass_over(kind, bytes); });
  if (!rates) return writer.missing(name_of(kind), "the machine gives no memory for it");
  for (double& rate : *rates) rate *= static_cast<double>(kChunk);
  writer.figure(
      figure_of(kind, *rates, workers, fmt::format("{} each process", format_binary(buffer))));
}

}  // namespace

Bytes memory_buffer(const HostFacts& facts, int workers) {
  const Bytes cache = facts.last_cache.value_or(Bytes::mib(32));
  const Bytes wanted = std::max(kSingleBuffer, Bytes::of(4 * cache.count() / workers));
  const Bytes free = free_memory(facts).value_or(Bytes::gib(1));
  const Bytes most = Bytes::of(free.count() / kPartOfFree / workers);
  const auto chunk = Bytes::of(2 * static_cast<std::int64_t>(kChunk));
  const Bytes size = std::min(wanted, most);
  return size < kLeastBuffer ? Bytes{} : Bytes::of(size.count() / chunk.count() * chunk.count());
}

void measure_memory(const HostFacts& facts, const PartWriter& writer) {
  const int all = parallel_workers(facts);
  for (const int workers : all > 1 ? std::vector<int>{1, all} : std::vector<int>{1}) {
    const Bytes buffer = memory_buffer(facts, workers);
    for (const FigureKind kind :
         {FigureKind::memory_read, FigureKind::memory_write, FigureKind::memory_copy}) {
      if (buffer.count() == 0) {
        writer.missing(name_of(kind), "too little memory is free to leave the caches");
      } else {
        measure_pass(kind, buffer, workers, writer);
      }
    }
  }
}

void measure_page_lock(const HostFacts& facts, const PartWriter& writer) {
  constexpr int kSamples = 5;
  const Bytes free = free_memory(facts).value_or(Bytes::mib(64));
  Bytes size = std::min(Bytes::mib(64), Bytes::of(free.count() / 16));
  if (facts.locked_limit) size = std::min(size, Bytes::of(facts.locked_limit->count() / 2));
  if (size < Bytes::kib(64)) {
    return writer.missing(name_of(FigureKind::page_lock),
                          fmt::format("only {} may be locked", format_binary(size)));
  }
  const auto bytes = static_cast<std::size_t>(size.count());
  std::vector<double> rates;
  for (int i = 0; i < kSamples; ++i) {
    const TouchedMemory memory(bytes);
    const auto start = std::chrono::steady_clock::now();
    if (!memory.ready() || mlock(memory.at(0), bytes) != 0) {
      return writer.missing(name_of(FigureKind::page_lock), std::strerror(errno));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    munlock(memory.at(0), bytes);
    rates.push_back(size.as_double() / std::max(took.count(), 1e-9));
  }
  writer.figure(figure_of(FigureKind::page_lock, rates, 1,
                          fmt::format("{} that were in memory", format_binary(size))));
}

}  // namespace gpulint::probe

// Cold is what the disk delivers, warm what the page cache does. Large files are read with O_DIRECT
// where the file system has it. Small ones are read as loaders read them, through the cache, from
// which they are dropped first; whether that worked is asked of the kernel. Folder entries stay
// cached, so a loader's very first pass is slower still.

#include "host/disk_read.h"

#include "base/text.h"
#include "host/data_files.h"
#include "host/statistics.h"
#include "host/worker_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace gpulint::probe {
namespace {

using DiskClock = std::chrono::steady_clock;

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
constexpr std::int64_t kLeastLarge = std::int64_t{16} << 20;  // a file worth reading in sequence
constexpr std::int64_t kMostSmall = std::int64_t{4} << 20;
constexpr std::int64_t kTemporaryLarge = std::int64_t{256} << 20;
constexpr std::int64_t kTemporarySmall = std::int64_t{128} << 10;
constexpr std::size_t kTemporaryCount = 128;
constexpr std::size_t kFewestSmall = 32;
constexpr std::size_t kMostSmallFiles = 1024;
constexpr std::int64_t kWarmBytes = std::int64_t{64} << 20;

/// What is read: a file of the data, or an open one of ours without a name.
struct ReadTarget {
  std::string path;
  std::int64_t bytes = 0;
};

/// A path under which an open file can be opened again.
std::string path_of(const OpenFile& file) { return fmt::format("/proc/self/fd/{}", file.number()); }

/// /proc/self/fd holds links, which are ours.
OpenFile open_target(const ReadTarget& target, int more_flags) {
  if (!target.path.starts_with("/proc/self/fd/")) return open_data_file(target.path, more_flags);
  return OpenFile(open(target.path.c_str(), O_RDONLY | O_CLOEXEC | more_flags));
}

#ifdef __linux__
constexpr int kDirectReads = O_DIRECT;
void drop_from_cache(int file) { posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); }
#else
constexpr int kDirectReads = 0;  // there are none
void drop_from_cache(int) {}
#endif

/// Pages of the file are in memory. Where nobody can say they count as such.
bool is_cached(const OpenFile& file, std::int64_t bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* const map = mmap(nullptr, length, PROT_READ, MAP_SHARED, file.number(), 0);
  if (map == MAP_FAILED) return true;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((length + page - 1) / page);
#ifdef __linux__
  unsigned char* const state_of_pages = resident.data();
#else
  char* const state_of_pages = reinterpret_cast<char*>(resident.data());
#endif
  const bool known = mincore(map, length, state_of_pages) == 0;
  munmap(map, length);
  return !known || std::any_of(resident.begin(), resident.end(),
                               [](unsigned char state) { return (state & 1) != 0; });
}

struct AlignedBlock {
  AlignedBlock()
      : bytes(std::aligned_alloc(4096, static_cast<std::size_t>(kBlockBytes)), std::free) {}
  std::unique_ptr<void, void (*)(void*)> bytes;
};

/// Reads a file block by block and over again. `direct`: past the page cache.
Round reading_blocks(const ReadTarget& target, bool direct, int worker, int workers) {
  auto file = std::make_shared<OpenFile>(open_target(target, direct ? kDirectReads : 0));
  auto block = std::make_shared<AlignedBlock>();
  if (!file->is_open() || block->bytes == nullptr) return {};
  const std::int64_t blocks = target.bytes / kBlockBytes;
  return [file, block, blocks, next = blocks * worker / workers]() mutable {
    const ssize_t got = pread(file->number(), block->bytes.get(),
                              static_cast<std::size_t>(kBlockBytes), next * kBlockBytes);
    next = (next + 1) % blocks;
    return got == kBlockBytes;
  };
}

bool has_direct_reads(const ReadTarget& target) {
  if (kDirectReads == 0) return false;
  const Round once = reading_blocks(target, true, 0, 1);
  return once && once();
}

std::optional<std::vector<double>> block_rates(const ReadTarget& target, bool direct, int workers) {
  // A disk serves others too, and a virtual one grants its bandwidth in bursts of seconds.
  constexpr int kDiskIntervals = 18;
  WorkerPlan plan{.workers = workers};
  if (direct) plan.intervals = kDiskIntervals;
  auto rates = worker_rates(
      plan, [&](int worker) { return reading_blocks(target, direct, worker, workers); });
  if (!rates) return std::nullopt;
  for (double& rate : *rates) rate *= static_cast<double>(kBlockBytes);
  const auto stood_still = [](double rate) { return rate <= 0; };
  if (direct ? std::all_of(rates->begin(), rates->end(), stood_still)
             : std::any_of(rates->begin(), rates->end(), stood_still)) {
    return std::nullopt;
  }
  return rates;
}

void send_blocks(FigureKind kind, const ReadTarget& target, int workers, const std::string& words,
                 const PartWriter& writer) {
  const auto rates = block_rates(target, kind == FigureKind::disk_cold, workers);
  if (!rates) return writer.missing(name_of(kind), "the file could not be read in time");
  Figure figure = figure_of(kind, *rates, workers, words);
  // What a loader gets of bursts and pauses is their mean.
  if (kind == FigureKind::disk_cold) figure.value = mean_of(*rates);
  writer.figure(figure);
}

void measure_large(const ReadTarget& target, const std::string& words, int readers,
                   const PartWriter& writer) {
  if (has_direct_reads(target)) {
    const std::string source = words + ", 1 MiB at a time with O_DIRECT";
    send_blocks(FigureKind::disk_cold, target, 1, source, writer);
    if (readers > 1) send_blocks(FigureKind::disk_cold, target, readers, source, writer);
  } else {
    writer.missing(name_of(FigureKind::disk_cold),
                   "this file system has no reads past the page cache (O_DIRECT)");
  }
  const ReadTarget part{target.path, std::min(target.bytes, kWarmBytes)};
  if (const Round fill = reading_blocks(part, false, 0, 1)) {
    for (std::int64_t i = 0; i < part.bytes / kBlockBytes; ++i) fill();
    send_blocks(FigureKind::disk_warm, part, 1, words + ", from the page cache", writer);
  }
}

bool read_whole(const ReadTarget& target, std::string& text) {
  const OpenFile file = open_target(target, 0);
  if (!file.is_open()) return false;
  text.resize(static_cast<std::size_t>(target.bytes));
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = read(file.number(), text.data() + filled, text.size() - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled > 0;
}

void drop_all(const std::vector<ReadTarget>& files) {
  for (const ReadTarget& each : files) {
    const OpenFile file = open_target(each, 0);
    if (file.is_open()) drop_from_cache(file.number());
  }
}

bool any_cached(const std::vector<ReadTarget>& files) {
  return std::any_of(files.begin(), files.end(), [](const ReadTarget& each) {
    const OpenFile file = open_target(each, 0);
    return file.is_open() && is_cached(file, each.bytes);
  });
}

/// Files per second of several passes over the first files, as many as a quarter of a second holds.
/// `cold`: dropped from the page cache before each pass.
std::vector<double> file_rates(const std::vector<ReadTarget>& files, bool cold) {
  constexpr int kPasses = 5;
  constexpr std::chrono::milliseconds kPass{250};
  std::vector<double> rates;
  std::string text;
  for (int pass = 0; pass < kPasses; ++pass) {
    if (cold) drop_all(files);
    const DiskClock::time_point start = DiskClock::now();
    int read = 0;
    for (std::size_t i = 0; i < files.size() && DiskClock::now() - start < kPass; ++i) {
      if (read_whole(files[i], text)) ++read;
    }
    const std::chrono::duration<double> took = DiskClock::now() - start;
    if (read > 0) rates.push_back(read / std::max(took.count(), 1e-9));
  }
  return rates;
}

void measure_small(const std::vector<ReadTarget>& files, const std::string& words,
                   const PartWriter& writer) {
  std::int64_t bytes = 0;
  for (const ReadTarget& each : files) bytes += each.bytes;
  const Bytes average = Bytes::of(bytes / static_cast<std::int64_t>(files.size()));
  const std::string source = fmt::format("{}, {} each", words, format_decimal(average));
  const auto send = [&](FigureKind kind, bool cold) {
    const auto rates = file_rates(files, cold);
    if (rates.empty()) return writer.missing(name_of(kind), "the files could not be read");
    writer.figure(figure_of(kind, rates, 1, source));
  };
  drop_all(files);
  if (any_cached(files)) {
    writer.missing(name_of(FigureKind::small_files_cold),
                   "the kernel keeps the files in its page cache");
  } else {
    send(FigureKind::small_files_cold, true);
  }
  send(FigureKind::small_files_warm, false);
}

/// Of a file system with little room left nothing is taken.
bool has_room(const std::string& folder, std::int64_t bytes) {
  constexpr std::int64_t kPartOfFree = 20;
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) != 0) return false;
  return saturating_multiply(static_cast<std::int64_t>(status.f_bavail),
                             static_cast<std::int64_t>(status.f_frsize)) /
             kPartOfFree >=
         bytes;
}

constexpr const char* kTooLittle =
    "the data path has no such files; name a folder with --data-path, where temporary files may "
    "take their place";

void measure_temporary_large(const std::string& folder, int readers, const PartWriter& writer) {
  if (!has_room(folder, kTemporaryLarge)) {
    return writer.missing("disk_cold", "too little room for a temporary file");
  }
  const auto file = temporary_file(folder, kTemporaryLarge, 1);
  if (!file) return writer.missing("disk_cold", "no temporary file: " + file.error().message);
  measure_large({path_of(*file), kTemporaryLarge}, "a temporary file of 256 MiB", readers, writer);
}

void measure_temporary_small(const std::string& folder, const PartWriter& writer) {
  if (!has_room(folder, kTemporarySmall * static_cast<std::int64_t>(kTemporaryCount))) {
    return writer.missing("small_files_cold", "too little room for temporary files");
  }
  std::vector<OpenFile> open;
  std::vector<ReadTarget> targets;
  for (std::size_t i = 0; i < kTemporaryCount; ++i) {
    auto file = temporary_file(folder, kTemporarySmall, static_cast<unsigned>(i));
    if (!file)
      return writer.missing("small_files_cold", "no temporary file: " + file.error().message);
    targets.push_back({path_of(*file), kTemporarySmall});
    open.push_back(std::move(*file));
  }
  measure_small(targets, "128 temporary files", writer);
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

void measure_disk(const DiskWork& work, const PartWriter& writer) {
  if (work.paths.empty()) {
    return writer.missing("disk", "no data path is known, name one with --data-path");
  }
  const std::string path = first_existing(work.paths);
  if (path.empty()) return writer.missing("disk", work.paths.front() + " is not there");
  const auto files = find_data_files(path);
  if (!files) return writer.missing("disk", files.error().message);
  const bool may_write = work.may_write && is_folder(path);
  const auto largest =
      std::max_element(files->begin(), files->end(),
                       [](const DataFile& a, const DataFile& b) { return a.bytes < b.bytes; });
  if (largest != files->end() && largest->bytes >= kLeastLarge) {
    measure_large(
        {largest->path, largest->bytes},
        fmt::format("the largest file found, {}", format_decimal(Bytes::of(largest->bytes))),
        work.readers, writer);
  } else if (may_write) {
    measure_temporary_large(path, work.readers, writer);
  } else {
    writer.missing("disk_cold", kTooLittle);
  }
  std::vector<ReadTarget> small;
  for (const DataFile& file : *files) {
    if (file.bytes <= kMostSmall && small.size() < kMostSmallFiles) {
      small.push_back({file.path, file.bytes});
    }
  }
  if (small.size() >= kFewestSmall) {
    const std::string words = counted(static_cast<std::int64_t>(small.size()), "file");
    measure_small(small, words + " of the data path", writer);
  } else if (may_write) {
    measure_temporary_small(path, writer);
  } else {
    writer.missing("small_files_cold", kTooLittle);
  }
}

}  // namespace gpulint::probe

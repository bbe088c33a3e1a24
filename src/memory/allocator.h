#pragma once

// PyTorch's caching allocator for device memory: what it reserves from the driver while tensors
// come and go. Sizes and rules are those of c10/cuda/CUDACachingAllocator.cpp.

#include "base/units.h"
#include "memory/segment_events.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulint {

struct AllocatorOptions {
  bool expandable_segments = false;
  Bytes limit = {};  // what the device can give; 0 = without end
  friend bool operator==(const AllocatorOptions&, const AllocatorOptions&) = default;
};

class CachingAllocator {
 public:
  using Handle = std::uint32_t;

  explicit CachingAllocator(AllocatorOptions options) : options_(options) {}

  /// Takes the best fitting cached block, else a new segment. Where the limit does not allow one,
  /// unused segments are given back first; what is still missing is taken all the same, so that a
  /// peak above the limit shows.
  Handle allocate(Bytes bytes);
  void release(Handle handle);

  /// What the device can give from now on; 0 = without end.
  void limit(Bytes limit) { options_.limit = limit; }
  /// What is asked of the driver from now on is appended to `events`, which must outlive this.
  void record(std::vector<SegmentEvent>& events) { events_ = &events; }
  /// Of the events that follow.
  void enter(TracePhase phase) { phase_ = phase; }

  Bytes allocated() const { return Bytes::of(allocated_); }
  Bytes reserved() const { return Bytes::of(reserved_); }
  Bytes peak_allocated() const { return Bytes::of(peak_allocated_); }
  /// Of that, what nobody asked for: sizes rounded up, remainders too small to split off.
  Bytes rounding_at_peak() const { return Bytes::of(rounding_at_peak_); }
  Bytes peak_reserved() const { return Bytes::of(peak_reserved_); }

 private:
  static constexpr Handle kNone = 0xffffffffU;
  struct Block {
    std::int64_t bytes = 0;
    std::int64_t requested = 0;  // while it is used
    Handle before = kNone;       // neighbours in the same segment
    Handle after = kNone;
    Handle smaller = kNone;  // neighbours in its class, while it is free
    Handle larger = kNone;
    std::uint64_t place = 0;    // in its class
    std::uint32_t segment = 0;  // native: its number
    bool small = false;         // pool
    bool used = false;
  };
  // The free blocks of a pool, in classes of size: sixteen to every power of two. A class is a
  // chain sorted by size, then handle; sizes come back again and again, so that chains are short,
  // and a block leaves its chain without being looked for.
  static constexpr std::size_t kClasses = 512;
  struct FreeBlocks {
    FreeBlocks() {
      first.fill(kNone);
      last.fill(kNone);
    }
    std::array<Handle, kClasses> first;
    std::array<Handle, kClasses> last;
    std::array<std::uint64_t, kClasses / 64> filled{};  // a bit for each class that has a block
  };

  Handle reserve(std::int64_t bytes, bool small);
  Handle grow(std::int64_t bytes, bool small);
  Handle cut(Handle handle, std::int64_t bytes);
  Handle join(Handle left, Handle right);
  void give_back_unused_segments();
  void log(std::uint32_t segment, std::int64_t bytes);
  static std::size_t class_of(std::uint32_t units);
  Handle best_fit(std::int64_t bytes, bool small) const;
  void cache(Handle handle);
  void uncache(Handle handle);
  Handle new_block(const Block& block);
  FreeBlocks& pool(bool small) { return small ? small_ : large_; }
  const FreeBlocks& pool(bool small) const { return small ? small_ : large_; }

  AllocatorOptions options_;
  std::vector<SegmentEvent>* events_ = nullptr;
  TracePhase phase_ = TracePhase::setup;
  std::uint32_t segments_ = 0;  // native ones made so far
  std::vector<Block> blocks_;
  std::vector<Handle> unused_handles_;
  FreeBlocks small_;
  FreeBlocks large_;
  Handle last_[2] = {kNone, kNone};  // end of the growing segment of each pool
  std::int64_t allocated_ = 0;
  std::int64_t reserved_ = 0;
  std::int64_t requested_ = 0;
  std::int64_t peak_allocated_ = 0;
  std::int64_t rounding_at_peak_ = 0;
  std::int64_t peak_reserved_ = 0;
};

}  // namespace gpulint

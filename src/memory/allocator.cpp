#include "memory/allocator.h"

#include <algorithm>
#include <bit>

namespace gpulint {
namespace {

// Bytes; c10/core/AllocatorConfig.h.
constexpr std::int64_t kMinBlock = 512;
constexpr std::int64_t kSmallSize = std::int64_t{1} << 20;       // larger goes to the large pool
constexpr std::int64_t kSmallBuffer = std::int64_t{2} << 20;     // segment of the small pool
constexpr std::int64_t kLargeBuffer = std::int64_t{20} << 20;    // segment for 1 to 10 MiB
constexpr std::int64_t kMinLargeAlloc = std::int64_t{10} << 20;  // from here on segments fit
constexpr std::int64_t kRoundLarge = std::int64_t{2} << 20;

std::int64_t round_up(std::int64_t bytes, std::int64_t unit) {
  return saturating_multiply(saturating_add(bytes, unit - 1) / unit, unit);
}

std::int64_t segment_bytes(std::int64_t bytes, bool small) {
  if (small) return kSmallBuffer;
  return bytes < kMinLargeAlloc ? kLargeBuffer : round_up(bytes, kRoundLarge);
}

// All blocks from 2 TiB on count as one size.
std::uint32_t units_of(std::int64_t bytes) {
  constexpr std::uint64_t kMostUnits = 0xffffffff;
  const std::uint64_t units = static_cast<std::uint64_t>(bytes) / kMinBlock;
  return static_cast<std::uint32_t>(std::min(units, kMostUnits));
}

}  // namespace

inline CachingAllocator::Handle CachingAllocator::new_block(const Block& block) {
  if (unused_handles_.empty()) {
    blocks_.push_back(block);
    return static_cast<Handle>(blocks_.size() - 1);
  }
  const Handle handle = unused_handles_.back();
  unused_handles_.pop_back();
  blocks_[handle] = block;
  return handle;
}

inline std::size_t CachingAllocator::class_of(std::uint32_t units) {
  constexpr int kDigits = 4;  // behind the first, that tell classes apart
  if (units < 1U << kDigits) return units;
  const int shift = std::bit_width(units) - 1 - kDigits;
  return (static_cast<std::size_t>(shift) << kDigits) + (units >> shift);
}

// Into the free blocks of its pool.
inline void CachingAllocator::cache(Handle handle) {
  Block& block = blocks_[handle];
  FreeBlocks& free = pool(block.small);
  const std::uint32_t units = units_of(block.bytes);
  const std::size_t at = class_of(units);
  free.filled[at / 64] |= std::uint64_t{1} << at % 64;
  block.place = std::uint64_t{units} << 32U | handle;
  Handle after = kNone;
  if (free.last[at] != kNone && block.place < blocks_[free.last[at]].place) {
    after = free.first[at];
    while (blocks_[after].place < block.place) after = blocks_[after].larger;
  }
  const Handle before = after == kNone ? free.last[at] : blocks_[after].smaller;
  block.smaller = before;
  block.larger = after;
  (before == kNone ? free.first[at] : blocks_[before].larger) = handle;
  (after == kNone ? free.last[at] : blocks_[after].smaller) = handle;
}

// Out of them.
inline void CachingAllocator::uncache(Handle handle) {
  const Block& block = blocks_[handle];
  FreeBlocks& free = pool(block.small);
  const std::size_t at = class_of(static_cast<std::uint32_t>(block.place >> 32U));
  (block.smaller == kNone ? free.first[at] : blocks_[block.smaller].larger) = block.larger;
  (block.larger == kNone ? free.last[at] : blocks_[block.larger].smaller) = block.smaller;
  if (free.first[at] == kNone) free.filled[at / 64] &= ~(std::uint64_t{1} << at % 64);
}

// The smallest cached block that is large enough; kNone where there is none.
inline CachingAllocator::Handle CachingAllocator::best_fit(std::int64_t bytes, bool small) const {
  const FreeBlocks& free = pool(small);
  const std::size_t at = class_of(units_of(bytes));
  for (Handle each = free.first[at]; each != kNone; each = blocks_[each].larger) {
    if (blocks_[each].bytes >= bytes) return each;
  }
  const std::size_t next = at + 1;
  std::uint64_t above = ~std::uint64_t{0} << next % 64;
  for (std::size_t word = next / 64; word < free.filled.size(); ++word) {
    if (const std::uint64_t filled = free.filled[word] & above; filled != 0)
      return free.first[word * 64 + static_cast<std::size_t>(std::countr_zero(filled))];
    above = ~std::uint64_t{0};
  }
  return kNone;
}

void CachingAllocator::log(std::uint32_t segment, std::int64_t bytes) {
  if (events_ != nullptr) events_->push_back({segment, Bytes::of(bytes), phase_});
}

CachingAllocator::Handle CachingAllocator::reserve(std::int64_t bytes, bool small) {
  const std::int64_t segment = segment_bytes(bytes, small);
  const std::int64_t limit = options_.limit.count();
  if (limit > 0 && saturating_add(reserved_, segment) > limit) give_back_unused_segments();
  reserved_ = saturating_add(reserved_, segment);
  log(segments_, segment);
  return new_block({.bytes = segment, .segment = segments_++, .small = small});
}

// One segment per pool that is mapped further by whole pages; a free block at its end counts.
CachingAllocator::Handle CachingAllocator::grow(std::int64_t bytes, bool small) {
  Handle& last = last_[small ? 1 : 0];
  const bool open = last != kNone && !blocks_[last].used;
  const std::int64_t there = open ? blocks_[last].bytes : 0;
  const std::int64_t mapped = round_up(bytes - there, small ? kSmallBuffer : kLargeBuffer);
  reserved_ = saturating_add(reserved_, mapped);
  log(small ? 1 : 0, mapped);
  if (open) {
    uncache(last);
    blocks_[last].bytes = saturating_add(there, mapped);
    return last;
  }
  const Handle handle = new_block({.bytes = mapped, .before = last, .small = small});
  if (last != kNone) blocks_[last].after = handle;
  last = handle;
  return handle;
}

// Cuts off what is left of the block behind `bytes`, if that is worth a block of its own: that one,
// in no pool yet; else kNone.
inline CachingAllocator::Handle CachingAllocator::cut(Handle handle, std::int64_t bytes) {
  const Block whole = blocks_[handle];
  const std::int64_t rest = whole.bytes - bytes;
  const bool small = whole.small;
  const bool worth = small || options_.expandable_segments ? rest >= kMinBlock : rest > kSmallSize;
  if (!worth) return kNone;
  const Handle right = new_block({.bytes = rest,
                                  .before = handle,
                                  .after = whole.after,
                                  .segment = whole.segment,
                                  .small = small});
  if (whole.after != kNone) blocks_[whole.after].before = right;
  blocks_[handle].after = right;
  blocks_[handle].bytes = bytes;
  if (last_[small ? 1 : 0] == handle) last_[small ? 1 : 0] = right;
  return right;
}

CachingAllocator::Handle CachingAllocator::allocate(Bytes requested) {
  const std::int64_t bytes =
      std::max(kMinBlock, round_up(std::max<std::int64_t>(requested.count(), 1), kMinBlock));
  const bool small = bytes <= kSmallSize;
  Handle handle = best_fit(bytes, small);
  if (handle != kNone) {
    uncache(handle);
  } else {
    handle = options_.expandable_segments ? grow(bytes, small) : reserve(bytes, small);
    peak_reserved_ = std::max(peak_reserved_, reserved_);
  }
  if (const Handle rest = cut(handle, bytes); rest != kNone) cache(rest);
  Block& block = blocks_[handle];
  block.used = true;
  block.requested = requested.count();
  allocated_ = saturating_add(allocated_, block.bytes);
  requested_ = saturating_add(requested_, requested.count());
  if (allocated_ > peak_allocated_) {
    peak_allocated_ = allocated_;
    rounding_at_peak_ = (Bytes::of(allocated_) - Bytes::of(requested_)).count();
  }
  return handle;
}

inline CachingAllocator::Handle CachingAllocator::join(Handle left, Handle right) {
  Block& kept = blocks_[left];
  const Block& gone = blocks_[right];
  kept.bytes = saturating_add(kept.bytes, gone.bytes);
  kept.after = gone.after;
  if (kept.after != kNone) blocks_[kept.after].before = left;
  Handle& last = last_[kept.small ? 1 : 0];
  if (last == right) last = left;
  unused_handles_.push_back(right);
  return left;
}

void CachingAllocator::release(Handle handle) {
  // Sums of hostile sizes have saturated: what is taken off again may reach the other end.
  allocated_ = saturating_add(allocated_, -blocks_[handle].bytes);
  requested_ = saturating_add(requested_, -blocks_[handle].requested);
  blocks_[handle].used = false;
  const Handle before = blocks_[handle].before;
  const Handle after = blocks_[handle].after;
  if (after != kNone && !blocks_[after].used) {
    uncache(after);
    join(handle, after);
  }
  if (before != kNone && !blocks_[before].used) {
    uncache(before);
    handle = join(before, handle);
  }
  cache(handle);
}

void CachingAllocator::give_back_unused_segments() {
  for (const FreeBlocks* free : {&small_, &large_}) {
    for (const Handle first : free->first) {
      for (Handle handle = first; handle != kNone;) {
        const Block& block = blocks_[handle];
        const Handle next = block.larger;
        if (block.before == kNone && block.after == kNone) {  // the whole segment
          reserved_ = saturating_add(reserved_, -block.bytes);
          log(block.segment, -block.bytes);
          uncache(handle);
          unused_handles_.push_back(handle);
        }
        handle = next;
      }
    }
  }
}

}  // namespace gpulint

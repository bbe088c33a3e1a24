#include "memory/allocator.h"

#include <algorithm>

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

}  // namespace

CachingAllocator::Handle CachingAllocator::new_block(std::int64_t bytes, bool small) {
  const Block block{.bytes = bytes, .small = small};
  if (unused_handles_.empty()) {
    blocks_.push_back(block);
    return static_cast<Handle>(blocks_.size() - 1);
  }
  const Handle handle = unused_handles_.back();
  unused_handles_.pop_back();
  blocks_[handle] = block;
  return handle;
}

// All blocks from 2 TiB on count as one size.
std::uint64_t CachingAllocator::key_of(std::int64_t bytes, Handle handle) {
  constexpr std::int64_t kMostUnits = 0xffffffff;
  const auto units = static_cast<std::uint64_t>(std::min(bytes / kMinBlock, kMostUnits));
  return units << 32U | handle;
}

// Where `key` stands or belongs. The sizes of a step follow no pattern a processor could guess:
// halving without a branch takes half the time of std::lower_bound.
CachingAllocator::FreeBlocks::iterator CachingAllocator::place_of(FreeBlocks& free,
                                                                  std::uint64_t key) {
  auto first = free.begin();
  for (std::size_t count = free.size(); count > 0;) {
    const std::size_t half = count - count / 2;
    const bool before = first[static_cast<std::ptrdiff_t>(half) - 1] < key;
    first += before ? static_cast<std::ptrdiff_t>(half) : 0;
    count = before ? count - half : half - 1;
  }
  return first;
}

// Into the free blocks of its pool.
void CachingAllocator::cache(Handle handle) {
  FreeBlocks& free = pool(blocks_[handle].small);
  const std::uint64_t key = key_of(blocks_[handle].bytes, handle);
  free.insert(place_of(free, key), key);
}

// Out of them, before its size changes.
void CachingAllocator::uncache(Handle handle) {
  FreeBlocks& free = pool(blocks_[handle].small);
  free.erase(place_of(free, key_of(blocks_[handle].bytes, handle)));
}

// One free block for another: only what lies between their places moves.
void CachingAllocator::exchange(FreeBlocks& free, FreeBlocks::iterator gone, std::uint64_t key) {
  auto place = place_of(free, key);
  if (place <= gone) {
    std::move_backward(place, gone, gone + 1);
    *place = key;
  } else {
    std::move(gone + 1, place, gone);
    *(place - 1) = key;
  }
}

// The smallest cached block that is large enough; end() where there is none.
CachingAllocator::FreeBlocks::iterator CachingAllocator::best_fit(std::int64_t bytes, bool small) {
  FreeBlocks& free = pool(small);
  auto found = place_of(free, key_of(bytes, 0));
  while (found != free.end() && blocks_[static_cast<Handle>(*found)].bytes < bytes) ++found;
  return found;
}

void CachingAllocator::log(std::uint32_t segment, std::int64_t bytes) {
  if (events_ != nullptr) events_->push_back({segment, Bytes::of(bytes), phase_});
}

CachingAllocator::Handle CachingAllocator::reserve(std::int64_t bytes, bool small) {
  const std::int64_t segment = segment_bytes(bytes, small);
  const std::int64_t limit = options_.limit.count();
  if (limit > 0 && saturating_add(reserved_, segment) > limit) give_back_unused_segments();
  reserved_ = saturating_add(reserved_, segment);
  const Handle handle = new_block(segment, small);
  blocks_[handle].segment = segments_++;
  log(blocks_[handle].segment, segment);
  return handle;
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
  const Handle handle = new_block(mapped, small);
  blocks_[handle].before = last;
  if (last != kNone) blocks_[last].after = handle;
  last = handle;
  return handle;
}

// Cuts off what is left of the block behind `bytes`, if that is worth a block of its own: that one,
// in no pool yet; else kNone.
CachingAllocator::Handle CachingAllocator::cut(Handle handle, std::int64_t bytes) {
  const std::int64_t rest = blocks_[handle].bytes - bytes;
  const bool small = blocks_[handle].small;
  const bool worth = small || options_.expandable_segments ? rest >= kMinBlock : rest > kSmallSize;
  if (!worth) return kNone;
  const Handle right = new_block(rest, small);
  Block& block = blocks_[handle];
  blocks_[right].segment = block.segment;
  blocks_[right].before = handle;
  blocks_[right].after = block.after;
  if (block.after != kNone) blocks_[block.after].before = right;
  block.after = right;
  block.bytes = bytes;
  if (last_[small ? 1 : 0] == handle) last_[small ? 1 : 0] = right;
  return right;
}

CachingAllocator::Handle CachingAllocator::allocate(Bytes requested) {
  const std::int64_t bytes =
      std::max(kMinBlock, round_up(std::max<std::int64_t>(requested.count(), 1), kMinBlock));
  const bool small = bytes <= kSmallSize;
  FreeBlocks& free = pool(small);
  const auto found = best_fit(bytes, small);
  Handle handle = kNone;
  if (found != free.end()) {
    handle = static_cast<Handle>(*found);
    const Handle rest = cut(handle, bytes);
    if (rest == kNone) {
      free.erase(found);
    } else {
      exchange(free, found, key_of(blocks_[rest].bytes, rest));
    }
  } else {
    handle = options_.expandable_segments ? grow(bytes, small) : reserve(bytes, small);
    peak_reserved_ = std::max(peak_reserved_, reserved_);
    if (const Handle rest = cut(handle, bytes); rest != kNone) cache(rest);
  }
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

CachingAllocator::Handle CachingAllocator::join(Handle left, Handle right) {
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
  const bool joins_before = before != kNone && !blocks_[before].used;
  const bool joins_after = after != kNone && !blocks_[after].used;
  if (!joins_before && !joins_after) return cache(handle);
  FreeBlocks& free = pool(blocks_[handle].small);
  if (joins_before && joins_after) uncache(after);
  const Handle neighbour = joins_before ? before : after;
  const auto gone = place_of(free, key_of(blocks_[neighbour].bytes, neighbour));
  if (joins_after) join(handle, after);
  if (joins_before) handle = join(before, handle);
  exchange(free, gone, key_of(blocks_[handle].bytes, handle));
}

void CachingAllocator::give_back_unused_segments() {
  for (FreeBlocks* free : {&small_, &large_}) {
    std::erase_if(*free, [&](std::uint64_t key) {
      const Handle handle = static_cast<Handle>(key);
      const Block& block = blocks_[handle];
      const bool whole = block.before == kNone && block.after == kNone;
      if (!whole) return false;
      reserved_ = saturating_add(reserved_, -block.bytes);
      log(block.segment, -block.bytes);
      unused_handles_.push_back(handle);
      return true;
    });
  }
}

}  // namespace gpulint

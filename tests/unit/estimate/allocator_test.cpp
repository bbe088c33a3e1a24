#include "memory/allocator.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace gpulint;

namespace {
constexpr Bytes kMiB = Bytes::mib(1);
}

TEST_CASE("a small tensor takes a segment of 2 MiB and a block of 512 bytes") {
  CachingAllocator allocator({});
  allocator.allocate(Bytes::of(1));
  CHECK(allocator.allocated() == Bytes::of(512));
  CHECK(allocator.reserved() == kMiB * 2);
}

TEST_CASE("tensors of one to ten MiB share segments of 20 MiB") {
  CachingAllocator allocator({});
  allocator.allocate(kMiB * 8);
  CHECK(allocator.reserved() == kMiB * 20);
  allocator.allocate(kMiB * 8);
  CHECK(allocator.reserved() == kMiB * 20);
  allocator.allocate(kMiB * 8);
  CHECK(allocator.reserved() == kMiB * 40);
}

TEST_CASE("a tensor from 10 MiB on takes a segment rounded to 2 MiB") {
  CachingAllocator allocator({});
  allocator.allocate(kMiB * 11);
  CHECK(allocator.reserved() == kMiB * 12);
  // One MiB is left, which large blocks do not split off.
  CHECK(allocator.allocated() == kMiB * 12);
}

TEST_CASE("the best fitting cached block is used, and what is left of it is split off") {
  CachingAllocator allocator({});
  const auto wide = allocator.allocate(kMiB * 40);
  const auto narrow = allocator.allocate(kMiB * 30);
  allocator.release(wide);
  allocator.release(narrow);
  allocator.allocate(kMiB * 28);
  allocator.allocate(kMiB * 40);
  CHECK(allocator.reserved() == kMiB * 70);
  CHECK(allocator.allocated() == kMiB * 68);
}

TEST_CASE("a cached block serves no larger request, so memory is reserved anew") {
  CachingAllocator allocator({});
  allocator.release(allocator.allocate(kMiB * 20));
  allocator.allocate(kMiB * 24);
  CHECK(allocator.reserved() == kMiB * 44);
}

TEST_CASE("neighbours that are free become one block again") {
  CachingAllocator allocator({});
  const auto first = allocator.allocate(kMiB * 8);
  const auto second = allocator.allocate(kMiB * 8);
  allocator.release(first);
  allocator.release(second);
  allocator.allocate(kMiB * 18);
  CHECK(allocator.reserved() == kMiB * 20);
}

TEST_CASE("expandable segments reserve little more than was allocated at once") {
  CachingAllocator allocator({.expandable_segments = true});
  allocator.release(allocator.allocate(kMiB * 20));
  allocator.allocate(kMiB * 24);
  CHECK(allocator.reserved() == kMiB * 40);
}

TEST_CASE("cached segments are given back before the device runs out") {
  CachingAllocator allocator({.limit = kMiB * 50});
  allocator.release(allocator.allocate(kMiB * 30));
  allocator.allocate(kMiB * 40);
  CHECK(allocator.reserved() == kMiB * 40);
  CHECK(allocator.peak_reserved() == kMiB * 40);
}

TEST_CASE("what is rounded up counts as allocated, and its sum at the peak is known") {
  CachingAllocator allocator({});
  allocator.allocate(
      Bytes::of(11 * 1048576 - 100));  // a segment of 12 MiB, whose rest is too small
  CHECK(allocator.peak_allocated() == kMiB * 12);
  CHECK(allocator.rounding_at_peak() == Bytes::of(1048576 + 100));
}

TEST_CASE("sizes near the largest integer saturate") {
  CachingAllocator allocator({});
  allocator.allocate(Bytes::of(9'000'000'000'000'000'000));
  allocator.allocate(Bytes::of(9'000'000'000'000'000'000));
  CHECK(allocator.allocated() > Bytes::of(9'000'000'000'000'000'000));
  CHECK(allocator.reserved() > Bytes::of(9'000'000'000'000'000'000));
}

TEST_CASE("sizes beyond counting saturate, also when they are given back") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CachingAllocator allocator({});
  const auto first = allocator.allocate(Bytes::of(kMost));
  const auto second = allocator.allocate(Bytes::of(kMost / 2));
  CHECK(allocator.peak_allocated() == Bytes::of(kMost));
  allocator.release(first);
  allocator.release(second);
  allocator.release(allocator.allocate(Bytes::of(kMost / 2)));
  CHECK(allocator.allocated() <= Bytes{});
  CHECK(allocator.peak_reserved() == Bytes::of(kMost));
}

// The instructions of compute capability 9.0 for whole boxes of memory and for the barriers that
// count them, each as one function, as in ptx.cuh. Tests compile the kernels with functions of the
// same names for the host (tests/probe/emulated).
#pragma once

typedef unsigned long long Barrier;  // in shared memory

/// What cuTensorMapEncodeTiled writes.
struct __align__(64) TensorMap {
  Byte bytes[128];
};

namespace {

/// Nobody waits longer than this for a box: a kernel that hangs would take all other measurements
/// with it, one that ends with an error is left out by itself.
constexpr unsigned long long kLongestWait = 2'000'000'000;  // nanoseconds

/// What the first lane of this warp has: so the compiler knows that all have the same.
__device__ Word of_first_lane(Word value) { return __shfl_sync(0xffffffff, value, 0); }

__device__ Word rank_in_cluster() {
  Word rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Until every thread of every block of the cluster has come.
__device__ void meet_in_cluster() {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

/// A barrier whose phase ends after `arrivals` and after all bytes that were announced.
__device__ void make_barrier(Barrier* barrier, Word arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
/// The cluster sees the barriers, once it has met.
__device__ void show_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void arrive_and_announce(Barrier* barrier, Word bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
/// At the same barrier of the block of that rank.
__device__ void arrive_at(Barrier* barrier, Word rank) {
  asm volatile(
      "{\n\t.reg .b32 there;\n\t"
      "mapa.shared::cluster.u32 there, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t}" ::"r"(
          shared_address(barrier)),
      "r"(rank)
      : "memory");
}

__device__ bool has_ended(Barrier* barrier, Word parity) {
  Word ended;
  asm volatile(
      "{\n\t.reg .pred ended;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, ended;\n\t}"
      : "=r"(ended)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return ended != 0;
}
__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
/// Until the phase of this parity has ended.
__device__ void wait_for(Barrier* barrier, Word parity) {
  if (has_ended(barrier, parity)) return;
  const unsigned long long began = nanoseconds();
  while (!has_ended(barrier, parity)) {
    if (nanoseconds() - began > kLongestWait) __trap();
  }
}

/// Copies the box of a tensor map at byte `depth` of row `row` of matrix `matrix` to shared memory
/// in the 128-byte swizzle; its bytes arrive at the barrier.
__device__ void copy_box(Byte* to, const TensorMap& map, int depth, int row, int matrix,
                         Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(depth), "r"(row), "r"(matrix), "r"(shared_address(barrier))
      : "memory");
}
/// The same to the same place of every block that `ranks` has a bit of, and to its barrier.
__device__ void copy_box_to(unsigned short ranks, Byte* to, const TensorMap& map, int depth,
                            int row, int matrix, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&map), "r"(depth), "r"(row), "r"(matrix), "r"(shared_address(barrier)), "h"(ranks)
      : "memory");
}

}  // namespace

#pragma once

// The functions of src/device/kernels/ptx_bulk.cuh as the PTX manual defines their instructions:
// barriers that count arrivals and bytes, and copies of boxes that may arrive at any moment before
// the phase ends that counts them.

#include "probe/emulated/ptx.h"
#include "probe/emulated/tensor_map.h"

#include <cstring>

typedef unsigned long long Barrier;

namespace {

/// What a barrier of 8 bytes holds here.
struct Phase {
  short arrivals = 0;  // of each phase
  short missing = 0;   // of this one
  int bytes : 31 = 0;  // announced and not there yet
  unsigned parity : 1 = 0;
};
static_assert(sizeof(Phase) == sizeof(Barrier));

inline Phase& phase_of(Barrier* barrier) { return *reinterpret_cast<Phase*>(barrier); }

inline void end_phase_of(Phase& phase) {
  if (phase.missing != 0 || phase.bytes != 0) return;
  phase.parity ^= 1;
  phase.missing = phase.arrivals;
}
inline void arrive(Phase& phase) {
  if (phase.missing == 0) emulated::forbid("more arrivals at a barrier than it expects");
  --phase.missing;
  end_phase_of(phase);
}

/// The same place in the memory of another block of the cluster.
template <class T>
T* there(T* here, Word rank) {
  Byte* at = reinterpret_cast<Byte*>(here);
  return reinterpret_cast<T*>(emulated::shared_memory(rank) + (at - emulated::shared_memory()));
}

inline Word rank_in_cluster() { return emulated::rank_in_cluster; }
inline void meet_in_cluster() { emulated::cluster_barrier(); }
inline void show_barriers() {}
inline Word of_first_lane(Word value) {
  static Word values[emulated::kMostThreads];
  const unsigned int me = emulated::fiber();
  values[me] = value;
  emulated::barrier(32);
  const Word first = values[me / 32 * 32];
  emulated::barrier(32);
  return first;
}

inline void make_barrier(Barrier* barrier, Word arrivals) {
  Phase& phase = phase_of(barrier);
  phase = {};
  phase.arrivals = phase.missing = static_cast<short>(arrivals);
}
inline void arrive_and_announce(Barrier* barrier, Word bytes) {
  phase_of(barrier).bytes += static_cast<int>(bytes);
  arrive(phase_of(barrier));
}
inline void arrive_at(Barrier* barrier, Word rank) { arrive(phase_of(there(barrier, rank))); }
inline void wait_for(Barrier* barrier, Word parity) {
  emulated::wait_until([barrier, parity] { return phase_of(barrier).parity != parity; });
}

/// Rows of 128 bytes, bits 4 to 6 of every address XORed with bits 7 to 9.
inline void write_box(Byte* memory, Byte* to, const TensorMap& map, int depth, int row,
                      int matrix) {
  for (Word i = 0; i < map.box_rows; ++i) {
    const auto start = static_cast<Word>(to - memory) + i * map.box_bytes;
    for (Word piece = 0; piece < map.box_bytes; piece += 16) {
      const Word address = start + piece;
      std::memcpy(memory + (address ^ (address >> 7 & 7) << 4),
                  map.at(depth, row, matrix) + i * map.row_bytes + piece, 16);
    }
  }
}

inline void copy_box_to(unsigned short ranks, Byte* to, const TensorMap& map, int depth, int row,
                        int matrix, Barrier* barrier) {
  if (!map.holds(depth, row, matrix)) emulated::forbid("a box outside of its matrices");
  for (Word rank = 0; ranks >> rank != 0; ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    const auto arrival = [=, memory = emulated::shared_memory(rank), place = there(to, rank),
                          counted = there(barrier, rank), &map] {
      write_box(memory, place, map, depth, row, matrix);
      phase_of(counted).bytes -= static_cast<int>(map.box_bytes * map.box_rows);
      end_phase_of(phase_of(counted));
    };
    if (emulated::timing.late_copies) {
      emulated::happen_late(arrival);
    } else {
      arrival();
    }
  }
}
inline void copy_box(Byte* to, const TensorMap& map, int depth, int row, int matrix,
                     Barrier* barrier) {
  copy_box_to(static_cast<unsigned short>(1U << rank_in_cluster()), to, map, depth, row, matrix,
              barrier);
}

}  // namespace

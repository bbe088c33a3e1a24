#pragma once

// The functions of src/device/kernels/ptx.cuh as the PTX manual defines their instructions: which
// lane holds which bytes of a fragment, where the 128-byte swizzle puts a byte, and that what is
// asynchronous may happen at any moment between its start and its wait.

#include "device/reference.h"
#include "probe/emulated/device.h"

#include <cstring>
#include <deque>
#include <functional>
#include <vector>

typedef unsigned int Word;
typedef unsigned char Byte;
typedef unsigned long long Descriptor;

namespace {

using emulated::kMostThreads;

/// Work of one thread in groups, the last of which is still open.
struct Groups {
  std::deque<std::vector<std::function<void()>>> groups{1};
  void add(bool late, std::function<void()> work) {
    if (late) {
      groups.back().push_back(std::move(work));
    } else {
      work();
    }
  }
  void end() { groups.emplace_back(); }
  void wait(std::size_t pending) {
    for (; groups.size() - 1 > pending; groups.pop_front()) {
      for (const auto& work : groups.front()) work();
    }
  }
};
Groups copies[kMostThreads];
Groups products[kMostThreads];

inline Word shared_address(const void* pointer) {
  return static_cast<Word>(static_cast<const Byte*>(pointer) - emulated::shared_memory());
}
inline Byte* launched_shared() { return emulated::shared_memory(); }

inline void copy_16_bytes(Byte* to, const Byte* from) {
  copies[emulated::fiber()].add(emulated::timing.late_copies,
                                       [to, from] { std::memcpy(to, from, 16); });
}
inline void end_group_of_copies() { copies[emulated::fiber()].end(); }
template <int kPending>
void wait_copies() {
  copies[emulated::fiber()].wait(kPending);
}

/// Lane i gets bytes 4 (i % 4) to 4 (i % 4) + 3 of row i / 4 of each matrix.
inline void load_matrices(Word (&to)[4], const Byte* row) {
  static const Byte* rows[kMostThreads];
  const unsigned int me = emulated::fiber();
  const unsigned int lane = me % 32;
  rows[me] = row;
  emulated::barrier(32);
  for (unsigned int i = 0; i < 4; ++i) {
    std::memcpy(&to[i], rows[me - lane + 8 * i + lane / 4] + lane % 4 * 4, 4);
  }
  emulated::barrier(32);
}

template <gpulint::probe::NumberFormat kFormat>
std::vector<double> values_of(const Byte (&bytes)[32]) {
  return gpulint::probe::decoded(std::as_bytes(std::span(bytes)), kFormat);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// mma.sync of 16 x 8 with 32 bytes of depth. Register 0 of a holds row i / 4 of the first 16
/// bytes, 1 row i / 4 + 8, 2 and 3 the same of the second 16; b holds column i / 4 of both halves;
/// sums are of columns 2 (i % 4) and the next, rows i / 4 and i / 4 + 8.
template <gpulint::probe::NumberFormat kFormat, int kValueBytes>
struct Mma {
  static constexpr int kBytes = kValueBytes;
  static void multiply(float (&sum)[4], const Word (&a)[4], Word b_low, Word b_high) {
    static Byte a_rows[kMostThreads / 32][16][32];
    static Byte b_columns[kMostThreads / 32][8][32];
    const unsigned int lane = emulated::thread_index.x % 32;
    auto& rows = a_rows[emulated::fiber() / 32];
    auto& columns = b_columns[emulated::fiber() / 32];
    for (unsigned int i = 0; i < 4; ++i) {
      std::memcpy(&rows[lane / 4 + i % 2 * 8][i / 2 * 16 + lane % 4 * 4], &a[i], 4);
    }
    std::memcpy(&columns[lane / 4][lane % 4 * 4], &b_low, 4);
    std::memcpy(&columns[lane / 4][16 + lane % 4 * 4], &b_high, 4);
    emulated::barrier(32);
    const auto upper = values_of<kFormat>(rows[lane / 4]);
    const auto lower = values_of<kFormat>(rows[lane / 4 + 8]);
    for (unsigned int i = 0; i < 2; ++i) {
      const auto column = values_of<kFormat>(columns[lane % 4 * 2 + i]);
      sum[i] += static_cast<float>(dot(upper, column));
      sum[i + 2] += static_cast<float>(dot(lower, column));
    }
    emulated::barrier(32);
  }
};
using MmaFp16 = Mma<gpulint::probe::NumberFormat::fp16, 2>;
using MmaBf16 = Mma<gpulint::probe::NumberFormat::bf16, 2>;
using MmaTf32 = Mma<gpulint::probe::NumberFormat::tf32, 4>;
using MmaFp8 = Mma<gpulint::probe::NumberFormat::fp8, 1>;

constexpr int kWgmmaSums = 128;

inline void show_to_wgmma() { emulated::barrier(emulated::block_size.x); }
inline void hand_over(float (&)[kWgmmaSums]) { emulated::barrier(128); }
inline void end_group_of_products() { products[emulated::fiber()].end(); }
template <int kPending>
void wait_products(float (&)[kWgmmaSums]) {
  products[emulated::fiber()].wait(kPending);
  emulated::barrier(32);  // .sync.aligned: of all lanes
}

/// 32 bytes of row `row` of an operand: rows 128 bytes apart, groups of 8 rows as the descriptor
/// says, and bits 4 to 6 of every address XORed with bits 7 to 9.
struct OperandRow {
  Byte bytes[32];
};
inline OperandRow read_swizzled(Descriptor descriptor, int row) {
  const Word start = (descriptor & 0x3fff) << 4;
  const Word group = (descriptor >> 32 & 0x3fff) << 4;
  OperandRow result;
  for (Word i = 0; i < 32; ++i) {
    const Word address =
        start + static_cast<Word>(row / 8) * group + static_cast<Word>(row % 8) * 128 + i;
    result.bytes[i] = emulated::shared_memory()[address ^ (address >> 7 & 7) << 4];
  }
  return result;
}

/// wgmma of 64 x 256 with 32 bytes of depth.
template <gpulint::probe::NumberFormat kFormat, int kValueBytes>
struct Wgmma {
  static constexpr int kBytes = kValueBytes;
  static void multiply(float (&sums)[kWgmmaSums], Descriptor a, Descriptor b) {
    const unsigned int me = emulated::thread_index.x;
    float* to = sums;
    products[emulated::fiber()].add(emulated::timing.late_products, [to, a, b, me] {
      if ((a >> 62 | b >> 62) != 1) return;  // another layout than was meant
      const int row = static_cast<int>(me % 128 / 32 * 16 + me % 32 / 4);
      const auto upper = values_of<kFormat>(read_swizzled(a, row).bytes);
      const auto lower = values_of<kFormat>(read_swizzled(a, row + 8).bytes);
      for (int i = 0; i < kWgmmaSums; i += 4) {
        for (int j = 0; j < 2; ++j) {
          const int column = i / 4 * 8 + static_cast<int>(me % 4) * 2 + j;
          const auto values = values_of<kFormat>(read_swizzled(b, column).bytes);
          to[i + j] += static_cast<float>(dot(upper, values));
          to[i + j + 2] += static_cast<float>(dot(lower, values));
        }
      }
    });
  }
};
using WgmmaFp16 = Wgmma<gpulint::probe::NumberFormat::fp16, 2>;
using WgmmaBf16 = Wgmma<gpulint::probe::NumberFormat::bf16, 2>;
using WgmmaTf32 = Wgmma<gpulint::probe::NumberFormat::tf32, 4>;
using WgmmaFp8 = Wgmma<gpulint::probe::NumberFormat::fp8, 1>;

}  // namespace

#pragma once

/// What a tensor map says here, in place of the driver's secret 128 bytes: bytes of matrices that
/// lie one behind the other, and the box that a copy takes of them.
struct TensorMap {
  const unsigned char* first = nullptr;
  unsigned long long row_bytes = 0;
  unsigned int rows = 0;
  unsigned int matrices = 0;
  unsigned int box_bytes = 0;
  unsigned int box_rows = 0;

  bool holds(int depth, int row, int matrix) const {
    return depth >= 0 && row >= 0 && matrix >= 0 && depth + box_bytes <= row_bytes &&
           row + box_rows <= rows && static_cast<unsigned>(matrix) < matrices;
  }
  const unsigned char* at(int depth, int row, int matrix) const {
    return first + (static_cast<unsigned long long>(matrix) * rows + row) * row_bytes + depth;
  }
};

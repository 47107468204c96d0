// Plain structs that the generators of an expansion family fill on the host, once per plan, on the CPU
// once per process as long as they are kept. Backends copy them to where they compute (m2m, m2l, l2l, l2p, m2p);
// nothing here depends on the family.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hd.hpp"

namespace farfield {

/// y = A x in compressed rows: row r holds entries begin[r] ... begin[r + 1].
struct SparseMap {
  int rows = 0, columns = 0;
  std::vector<std::int32_t> begin, column;  ///< begin: [rows + 1]
  std::vector<double> value;
};

/// One entry of a linear map of coefficients.
struct Entry {
  int row, column;
  long double value;
};
using Entries = std::vector<Entry>;

/// Entries of one row and column stand once in `entries`.
inline SparseMap compress(int rows, int columns, Entries entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  SparseMap map{rows, columns, std::vector<std::int32_t>(static_cast<std::size_t>(rows) + 1, 0), {}, {}};
  for (const Entry& entry : entries) {
    ++map.begin[entry.row + 1];
    map.column.push_back(entry.column);
    map.value.push_back(static_cast<double>(entry.value));
  }
  for (int row = 0; row < rows; ++row) map.begin[row + 1] += map.begin[row];
  return map;
}

/// A signed permutation of coefficients: what an isometry g of the cube does to them, R_i(g u) = sign[i] R_index[i](u).
struct Symmetry {
  std::vector<std::int32_t> index;
  std::vector<std::int8_t> sign;
};

/// m2l as L = Z^T Y^T C Y Z M (rotate t onto the z axis, shift along it, rotate back): O(degree^3) numbers and work.
struct RotationOperator {
  /// Z, [degree + 1] each: for m > 0 and every n, with c = cosine[m], s = sine[m],
  ///   (M_{n,m}, M_{n,-m}) becomes (c M_{n,m} + s M_{n,-m}, c M_{n,-m} - s M_{n,m}).
  std::vector<double> cosine, sine;
  /// Y, for n = 0 ... degree: a row-major (n+1) x (n+1) block for the coefficients m = 0 ... n, then a row-major
  /// n x n block for m = -1 ... -n (rows and columns in order of |m|).
  std::vector<double> blocks;
  /// C, for m = 0 ... degree: a row-major (degree-m+1)^2 block, row = output degree n - m, column = input degree
  /// n' - m; the same for +m and -m.
  std::vector<double> shift;
};

/// Lengths of the parts of a RotationOperator; azimuth: of the cosine and of the sine.
struct RotationSizes {
  int azimuth, blocks, shift;
};
/// Upper bound of their sum.
constexpr std::int64_t most_rotation_numbers(std::int64_t degree) {
  const std::int64_t d = degree + 1;
  return 2 * d + d * (2 * d + 1) * (2 * d - 1) / 3 + d * (d + 1) * (2 * d + 1) / 6;
}

/// Stride of expansions with `count` coefficients: whole lines of 64 bytes.
template <class Real>
FARFIELD_HD constexpr int stride_of(int count) {
  constexpr int line = 64 / static_cast<int>(sizeof(Real));
  return (count + line - 1) / line * line;
}

}  // namespace farfield

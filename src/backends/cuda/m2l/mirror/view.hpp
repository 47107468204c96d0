// Dense m2l in double on tensor cores with mirror images taken together, as plain pointers.
//
// A reflection changes the sign of the coefficients of odd parity along its axis; the operator of a mirrored offset is
// P A P, P the diagonal matrix of these signs (expansions/offsets.hpp). So the sources at the offsets (+-x, +-y, +-z),
// an orbit, need one operator: with bit b of `s` the side along axis b and c(i) the three parities of coefficient i,
//   L(j) = sum_i A(j, i) H_{c(i) ^ c(j)}(i),   H_w(i) = sum_s (-1)^(bits of w & s) M_s(i),
// a Walsh-Hadamard transform of the sources as in octants.hpp. Along an axis where the offset is 0, A couples equal
// parities only, which halves the products. Targets of other octants than 0 are reflected to octant 0, with their
// sources and results. Seen from there, offsets are -2 ... 3 along each axis: 56 orbits whose products cost
// (1/2 + 3)^3 - (1/2 + 1)^3 = 39.5 dense operators instead of 189.
#pragma once
#include <cstdint>

#include "tree/tree.hpp"

namespace farfield::cuda {

inline constexpr int mirror_rows = 64;        ///< boxes of a tile
inline constexpr int mirror_columns = 5;      ///< most groups of eight coefficients that a warp sums
inline constexpr int mirror_few_columns = 3;  ///< up to so many leave registers to blocks of other kernels
inline constexpr int mirror_orbits = 56;

/// Coefficients of an expansion by parity (bit b: odd under the reflection of axis b), in chunks of eight.
struct MirrorShape {
  std::int16_t count[8];    ///< coefficients of a parity
  std::int16_t first[8];    ///< first chunk of a parity among those of all
  std::int16_t chunks = 0;  ///< of all parities
  std::int16_t deep = 0;    ///< chunks of the largest parity; `MirrorView::multipole` has room for as many in each
  std::uint8_t parity_of_warp[8];
};

/// One step of the product: one chunk of an input parity, or of all parities that differ only along axes where the
/// orbit's offset is 0.
struct MirrorStep {
  std::uint32_t word = 0;
  std::uint32_t filled = 0;  ///< two bits per parity: 0 no coefficient, 1 up to four, 2 more
  MirrorStep() = default;
  MirrorStep(int orbit, const int (&offset)[3], int parity, int chunk);
  FARFIELD_HD int orbit() const { return static_cast<int>(word & 63u); }
  FARFIELD_HD unsigned parity() const { return word >> 6 & 7u; }  ///< bits of `zero` are 0
  FARFIELD_HD int chunk() const { return static_cast<int>(word >> 9 & 127u); }
  FARFIELD_HD int offset(int axis) const { return static_cast<int>(word >> (16 + 2 * axis) & 3u); }
  FARFIELD_HD unsigned two_sided() const { return word >> 22 & 7u; }  ///< axes of offset 1 or 2
  FARFIELD_HD unsigned zero() const { return word >> 25 & 7u; }       ///< axes of offset 0
  FARFIELD_HD unsigned one_sided() const { return 7u & ~(two_sided() | zero()); }
};

struct MirrorView {
  bool ready = false;
  MirrorShape shape;
  int steps = 0;
  int splits = 1;                        ///< blocks that share the columns of a tile
  int parts = 1;                         ///< shares of the steps, whose sums are added in their order
  const MirrorStep* step = nullptr;      ///< [steps], orbits one after another
  const std::int32_t* begin = nullptr;   ///< [mirror_orbits + 1]: an orbit's first step
  const double* operators = nullptr;     ///< [steps][chunks][32 lanes][2]: a lane's two of eight by eight elements
  const std::int16_t* source = nullptr;  ///< [8][deep][8]: coefficient at each place of `multipole`, -1: none
  const std::int16_t* column = nullptr;  ///< [8 chunks]: coefficient at each place of the sums, -1: none
  double* multipole = nullptr;           ///< [boxes][8][deep][8], written by the sorting pass
  double* part = nullptr;                ///< [parts][rows][chunks][8], where there are several
  const BoxId* row = nullptr;            ///< [rows]: boxes with targets; null: all from first_row on
  BoxId first_row = 0, rows = 0;
};

}  // namespace farfield::cuda

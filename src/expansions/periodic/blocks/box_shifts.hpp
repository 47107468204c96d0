// BoxShifts: translations between a block of a cell and the boxes of a tree that fill it, parts[0] x parts[1] x
// parts[2] cubes in rows along the axes, as matrices: there are few of them, the same in all blocks.
#pragma once
#include "expansions/periodic/solid_convolution.hpp"

namespace farfield {

/// A shift's translations as matrices of real coefficients, [given * count + got] of SolidShape::count: m2m of
/// multipoles, and l2l of local expansions, where both give potentials without a factor before their sum.
std::vector<double> m2m_matrix(const SolidConvolution& convolution, const SolidShift& shift);
std::vector<double> l2l_matrix(const SolidConvolution& convolution, const SolidShift& shift);

struct BoxShifts {
  int parts[3];
  int pitch;  ///< coefficients, rounded up
  /// [place][given][got], `pitch` rows of `pitch` numbers, 0 beyond the coefficients. m2m: multipoles of boxes in units
  /// of their edge -> multipole of the block. l2l: its local expansion -> those of the boxes, times their edge over its
  /// unit, since potentials are in one over these.
  std::vector<float> m2m, l2l;

  int places() const { return parts[0] * parts[1] * parts[2]; }
  int place(const int (&at)[3]) const { return (at[0] * parts[1] + at[1]) * parts[2] + at[2]; }
};

/// Of boxes with this edge, in blocks whose expansions are in this unit.
BoxShifts make_box_shifts(int degree, double unit, double edge, const int (&parts)[3]);

/// How many boxes so wide a side holds, where that is a whole number from `least` to `most`; else 0.
int whole_boxes(double side, double edge, int least, int most);

}  // namespace farfield

// BoxShifts: translations between a block of a cell and the boxes of a tree that fill it, parts[0] x parts[1] x
// parts[2] cubes in rows along the axes.
#pragma once
#include "expansions/periodic/solid_convolution.hpp"

namespace farfield {

struct BoxShifts {
  int parts[3];
  double ratio;               ///< the edge of a box over the unit of the block's expansions
  std::vector<double> power;  ///< ratio^n
  SolidConvolution::Numbers
      unit_charges;  ///< [place][coefficient]: of a unit charge at a box's centre, about the block's

  int places() const { return parts[0] * parts[1] * parts[2]; }
  int place(const int (&at)[3]) const { return (at[0] * parts[1] + at[1]) * parts[2] + at[2]; }
};

/// For convolution::m2m of the boxes' multipoles, in units of their edge, and, times the ratio, convolution::l2l of the
/// block's local expansion.
BoxShifts make_box_shifts(int degree, double unit, double edge, const int (&parts)[3]);

/// How many boxes so wide a side holds, where that is a whole number from `least` to `most`; else 0.
int whole_boxes(double side, double edge, int least, int most);

}  // namespace farfield

#include "expansions/periodic/blocks/box_shifts.hpp"

#include <cmath>

namespace farfield {

BoxShifts make_box_shifts(int degree, double unit, double edge, const int (&parts)[3]) {
  BoxShifts shifts{{parts[0], parts[1], parts[2]}, edge / unit, {}, {}};
  const SolidConvolution convolution(degree);
  const auto from_centre = [&](int i, int axis) { return (i - 0.5 * (parts[axis] - 1)) * shifts.ratio; };
  for (int i = 0; i < parts[0]; ++i)
    for (int j = 0; j < parts[1]; ++j)
      for (int k = 0; k < parts[2]; ++k) {
        const SolidShift shift(convolution, {from_centre(i, 0), from_centre(j, 1), from_centre(k, 2)}, shifts.ratio);
        shifts.unit_charges.insert(shifts.unit_charges.end(), shift.unit().begin(), shift.unit().end());
        shifts.power = shift.power();
      }
  return shifts;
}

int whole_boxes(double side, double edge, int least, int most) {
  constexpr double rounding = 1e-6;  // boxes divide a cell to 2^-32
  const double boxes = std::round(side / edge);
  const bool whole = std::fabs(side - boxes * edge) <= rounding * edge;
  return whole && boxes >= least && boxes <= most ? static_cast<int>(boxes) : 0;
}

}  // namespace farfield

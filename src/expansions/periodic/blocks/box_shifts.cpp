#include "expansions/periodic/blocks/box_shifts.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "expansions/periodic/convolution_sums.hpp"

namespace farfield {
namespace {

using convolution::Complex;
using Numbers = SolidConvolution::Numbers;

double* parts_of(Numbers& numbers) { return reinterpret_cast<double*>(numbers.data()); }
const double* parts_of(const Numbers& numbers) { return reinterpret_cast<const double*>(numbers.data()); }

/// visit(n, m, real) for each real coefficient: that one alone is 1, of order m or -m.
template <class Visit>
void for_each_unit(int degree, const Visit& visit) {
  std::vector<double> real(static_cast<std::size_t>(SolidShape::count(degree)));
  for (int n = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m) {
      real[static_cast<std::size_t>(SolidShape::index(n, m))] = 1;
      visit(n, std::abs(m), std::as_const(real));
      real[static_cast<std::size_t>(SolidShape::index(n, m))] = 0;
    }
}

/// add(m) for the orders at which such a coefficient's complex numbers are not 0.
template <class Add>
void both_orders(int m, const Add& add) {
  add(m);
  if (m > 0) add(-m);
}

/// A matrix in single, with rows of `pitch` numbers.
void put(const std::vector<double>& matrix, int count, int pitch, double factor, float* row) {
  for (int given = 0; given < count; ++given, row += pitch)
    for (int got = 0; got < count; ++got)
      row[got] = static_cast<float>(factor * matrix[static_cast<std::size_t>(given * count + got)]);
}

}  // namespace

/// A sum of one or two terms for each number: by convolution::m2m these would be 40 in the mean at degree 12.
std::vector<double> m2m_matrix(const SolidConvolution& convolution, const SolidShift& shift) {
  const int degree = convolution.degree();
  const double *const root = convolution.roots().data(), *const unit = parts_of(shift.unit());
  Numbers from(static_cast<std::size_t>(SolidShape::count(degree)));
  std::vector<double> matrix(from.size() * from.size());
  double* row = matrix.data();
  for_each_unit(degree, [&](int k, int l, const std::vector<double>& multipole) {
    convolution::set_both(parts_of(from), k, l, convolution::scaled(multipole.data(), root, k, l));
    const double power = shift.power()[static_cast<std::size_t>(k)];
    for (int n = k; n <= degree; ++n)
      for (int m = 0; m <= n; ++m) {
        Complex sum;
        both_orders(l, [&](int o) { convolution::add_m2m(sum, parts_of(from), unit, n, m, k, o, o); });
        convolution::set_real_multipole(root, n, m, {power * sum.real, power * sum.imaginary}, row);
      }
    row += from.size();
  });
  return matrix;
}

std::vector<double> l2l_matrix(const SolidConvolution& convolution, const SolidShift& shift) {
  const int degree = convolution.degree();
  const double *const root = convolution.roots().data(), *const unit = parts_of(shift.unit());
  Numbers y(static_cast<std::size_t>(SolidShape::count(degree)));
  std::vector<double> matrix(y.size() * y.size());
  double* row = matrix.data();
  for_each_unit(degree, [&](int n, int m, const std::vector<double>& local) {
    convolution::set_both(parts_of(y), n, m, convolution::of_local(local.data(), root, n, m));
    for (int k = 0; k <= n; ++k)
      for (int l = 0; l <= k; ++l) {
        Complex sum;
        both_orders(m, [&](int o) { convolution::add_l2l(sum, parts_of(y), unit, k, l, n, o, o); });
        const double power = shift.power()[static_cast<std::size_t>(k)];
        convolution::add_real_local(root, k, l, {power * sum.real, power * sum.imaginary}, row);
      }
    row += y.size();
  });
  return matrix;
}

BoxShifts make_box_shifts(int degree, double unit, double edge, const int (&parts)[3]) {
  constexpr int line = 32;  // floats that a warp reads at once
  const int count = SolidShape::count(degree), pitch = (count + line - 1) / line * line;
  const double ratio = edge / unit;
  BoxShifts shifts{{parts[0], parts[1], parts[2]}, pitch, {}, {}};
  const auto size = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(pitch);
  shifts.m2m.resize(size * static_cast<std::size_t>(shifts.places()));
  shifts.l2l.resize(shifts.m2m.size());
  const SolidConvolution convolution(degree);
  const auto from_centre = [&](int i, int axis) { return (i - 0.5 * (parts[axis] - 1)) * ratio; };
  std::size_t first = 0;
  for (int i = 0; i < parts[0]; ++i)
    for (int j = 0; j < parts[1]; ++j)
      for (int k = 0; k < parts[2]; ++k, first += size) {
        const SolidShift shift(convolution, {from_centre(i, 0), from_centre(j, 1), from_centre(k, 2)}, ratio);
        put(m2m_matrix(convolution, shift), count, pitch, 1, shifts.m2m.data() + first);
        put(l2l_matrix(convolution, shift), count, pitch, ratio, shifts.l2l.data() + first);
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

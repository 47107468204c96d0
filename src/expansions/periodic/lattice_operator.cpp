#include "expansions/periodic/lattice_operator.hpp"

#include "expansions/laplace_harmonics.hpp"

namespace farfield {

using laplace::index;

LatticeOperator::LatticeOperator(const UnitCell& cell, double edge, int degree, std::span<const CellIndex> near)
    : LatticeOperator(lattice_sums(cell, edge, 2 * degree, near), degree) {}

LatticeOperator::LatticeOperator(const LatticeSums& sums, int degree)
    : convolution_(degree), even_(sums.even), quadratic_(sums.quadratic), table_(convolution_.table_size()) {
  convolution_.make_table(sums.far.data(), table_.data());
}

double LatticeOperator::apply(const double* multipole, const RootMoments& moments, double* local) const {
  convolution_.m2l(convolution_.scaled(multipole), table_.data(), even_, local);
  // quadratic |u - v|^2, summed over the sources v
  local[0] += quadratic_ * moments.second;
  if (convolution_.degree() > 0)
    for (int m = -1; m <= 1; ++m) local[index(1, m)] -= 2 * quadratic_ * multipole[index(1, m)];
  return quadratic_ * multipole[0];
}

}  // namespace farfield

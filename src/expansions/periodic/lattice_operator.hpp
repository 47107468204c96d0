// The lattice operator: from the root's multipole to its local expansion, all far images at once. It is m2l with the
// harmonics S of one offset replaced by their sum over the far images, and what the background adds.
#pragma once
#include <span>

#include "expansions/periodic/lattice_sums.hpp"
#include "expansions/periodic/solid_convolution.hpp"

namespace farfield {

/// Of the sources in the root's units about its centre, u: what the multipole does not hold.
struct RootMoments {
  double second = 0;  ///< sum of q |u|^2
};

class LatticeOperator {
 public:
  /// `edge`: of the root, in the cell's unit; `near`: the images that lists of boxes serve (near_cells and more).
  LatticeOperator(const UnitCell& cell, double edge, int degree, std::span<const CellIndex> near);

  /// Of other sums, as strain_slopes gives them.
  LatticeOperator(const LatticeSums& sums, int degree);

  /// Adds to `local` what all far images of the multipole give, so that with R_i of box units
  ///   u(x) = (1/edge) (sum_i local[i] R_i(u) + q |u|^2),   q the value returned: 0 for a neutral system.
  /// Both hold coefficients of degrees 0 ... degree in the order of SolidShape.
  double apply(const double* multipole, const RootMoments& moments, double* local) const;

  const SolidConvolution::Numbers& table() const { return table_; }
  bool even() const { return even_; }
  double quadratic() const { return quadratic_; }

 private:
  SolidConvolution convolution_;
  bool even_;
  double quadratic_;
  SolidConvolution::Numbers table_;
};

}  // namespace farfield

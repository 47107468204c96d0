// SolidConvolution: translations of solid harmonics by any vector, as convolutions of complex coefficients. In
//
//   x_n^m = (R_{n,m} + i R_{n,-m}) / sqrt((2 - delta_m0) (n-m)! (n+m)!),   x_n^{-m} = (-1)^m conj x_n^m
//
// no factor stands between the coefficients (docs/mathematics/m2m.md). (degree+1)^4 / 2 multiplications each: for the
// few translations of whole cells, not for those of boxes.
#pragma once
#include <complex>
#include <vector>

#include "tree/cell/unit_cell.hpp"

namespace farfield {

class SolidConvolution {
 public:
  using Number = std::complex<double>;
  /// [SolidShape::index(n, m)], m = -n ... n
  using Numbers = std::vector<Number>;

  explicit SolidConvolution(int degree);
  int degree() const { return degree_; }

  /// The conjugates of x for a multipole, the sums of q R.
  Numbers scaled(const double* multipole) const;
  std::vector<double> unscaled(const Numbers& scaled) const;
  /// `sums`: coefficients of the function of x - y that acts between sources and targets, to twice the degree.
  void make_table(const double* sums, Number* table) const;
  /// One number of it, m >= 0.
  Number table_number(const double* sums, int n, int m) const;
  std::size_t table_size() const { return root_.size(); }
  const std::vector<double>& roots() const { return root_; }
  /// Adds to `local` what that function makes of the sources. `even`: its odd degrees are 0.
  void m2l(const Numbers& scaled_multipole, const Number* table, bool even, double* local) const;
  /// Adds sums of such convolutions, [n (n + 1) / 2 + m][real, imaginary] of orders m >= 0.
  void add_local(const double* sums, double* local) const;

 private:
  friend class SolidShift;
  friend void differentiate(const SolidConvolution&, const double*, double* [3]);
  int degree_;
  std::vector<double> root_;  ///< [index(n, m)] sqrt((n-m)! (n+m)!), to twice the degree
};

/// From expansions in u about one centre to those in ratio u + d about another, and back.
class SolidShift {
 public:
  SolidShift(const SolidConvolution& convolution, const Vector3& d, double ratio);
  /// Adds the multipole, as SolidConvolution::scaled gives it, to another about the other centre.
  void m2m(const SolidConvolution::Numbers& from, SolidConvolution::Numbers& to) const;
  /// Adds the local expansion about the other centre to `to`. Both give potentials without a factor before their sum.
  void l2l(const double* from, double* to) const;
  const SolidConvolution::Numbers& unit() const { return unit_; }
  const std::vector<double>& power() const { return power_; }

 private:
  const SolidConvolution& convolution_;
  SolidConvolution::Numbers unit_;  ///< of a unit charge at d
  std::vector<double> power_;       ///< ratio^n
};

/// Coefficients of the local expansion's derivatives along x, y and z.
void differentiate(const SolidConvolution& convolution, const double* local, double* derivative[3]);

}  // namespace farfield

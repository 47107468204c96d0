// Sums over a row of images, the cell repeated along x with period L: q (pi/L) cot(pi z/L), of z = x + iy. The images
// n = -1, 0, 1 are summed as points, near pairs and cores included; here is the rest,
//   C(z) = (pi/L) cot(pi z/L) - sum over |n| <= 1 of 1/(z - nL),
// which is analytic but for poles at 2L and beyond. The cell is cut into strips of height L/2, whose points are at most
// rho = 0.56 L from its centre: with moments a_k = sum q (z - c)^k of a strip of sources, and Taylor's coefficients c_m
// of C at the distance of two strips, the sum at a target is a polynomial in z - c of its own strip. Degree p errs by
// (2 rho / 2L)^p = 0.56^p, at any height of the cell.
// With the logarithm, -log |2 sin(pi z/L)|, the same is done to the integral of C, of w = z/L,
//   A(w) = log(2 sin(pi w)) - log w - log(w^2 - 1),     C = A'/L,
// whose real part alone counts: Re A(0) = log(2 pi), and c_m / (m + 1) are its further coefficients.
#pragma once
#include <complex>
#include <cstdint>
#include <vector>

namespace farfield {

/// C(z) for L = 1.
std::complex<long double> far_images(std::complex<long double> z);
/// Re A(iy).
long double far_logarithm(long double y);

class RowSum {
 public:
  /// Of points within one cell from `left` on, between the heights `low` and `high`; `error`: of a pair, relative to
  /// 1/L, and of the logarithm to 1. `logarithm`: it is asked for.
  RowSum(double cell, double left, double low, double high, double error, bool logarithm);
  static constexpr int most_strips = 2048;
  static std::int64_t strips_of(double cell, double low, double high);

  /// Takes sources: the next sums are of these. The same bits for any number of threads.
  void set(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& q, int threads);
  struct Sums {
    std::complex<double> field;  ///< sum q C(z - z_j)
    double logarithm;            ///< sum q Re A((z - z_j)/L), if asked for
  };
  Sums at(double x, double y) const;

 private:
  std::int64_t strip_of(double y) const;
  std::complex<double> place(double x, double y, std::int64_t strip) const;  ///< z - c over L
  void make_local(std::int64_t target);

  double cell_, centre_, low_;
  std::int64_t strips_;
  int degree_;
  bool logarithm_;
  std::vector<std::complex<double>> taylor_;  ///< [2 strips - 1][2 degree + 1]: c_m m!, of C or A
  std::vector<std::complex<double>> moment_, local_;
  std::vector<double> factorial_;
  std::vector<bool> filled_;
};

}  // namespace farfield

#include "expansions/periodic/lattice_operator.hpp"

#include <cmath>

#include "expansions/laplace_harmonics.hpp"

namespace farfield {

using laplace::index;

namespace {

/// sqrt((n-m)! (n+m)!); sqrt(240!) = 2e234 at the highest degree, 60.
std::vector<double> factorial_roots(int order) {
  std::vector<double> root(static_cast<std::size_t>(laplace::count(order)));
  double middle = 1;  // n!
  for (int n = 0; n <= order; ++n) {
    middle *= n > 0 ? n : 1;
    double value = middle;
    for (int m = 0; m <= n; ++m) {
      if (m > 0) value *= std::sqrt(static_cast<double>(n + m) / (n - m + 1));
      root[index(n, m)] = root[index(n, -m)] = value;
    }
  }
  return root;
}

double sign(int m) { return m & 1 ? -1 : 1; }

}  // namespace

LatticeOperator::LatticeOperator(const UnitCell& cell, double edge, int degree, std::span<const CellIndex> near)
    : degree_(degree), root_(factorial_roots(2 * degree)), table_(root_.size()) {
  const LatticeSums sums = lattice_sums(cell, edge, 2 * degree, near);
  even_ = sums.even;
  quadratic_ = sums.quadratic;
  const double half = std::sqrt(0.5);
  for (int n = 0; n <= 2 * degree; ++n) {
    table_[index(n, 0)] = sums.far[index(n, 0)] * root_[index(n, 0)];
    for (int m = 1; m <= n; ++m) {
      const Number value = Number(sums.far[index(n, m)], sums.far[index(n, -m)]) * half * root_[index(n, m)];
      table_[index(n, m)] = value;
      table_[index(n, -m)] = sign(m) * std::conj(value);
    }
  }
}

/// The conjugates of the complex multipoles over root_, for m = -n ... n.
std::vector<LatticeOperator::Number> LatticeOperator::scaled_multipole(const double* multipole) const {
  std::vector<Number> scaled(static_cast<std::size_t>(laplace::count(degree_)));
  const double half = std::sqrt(0.5);
  for (int n = 0; n <= degree_; ++n) {
    scaled[index(n, 0)] = multipole[index(n, 0)] / root_[index(n, 0)];
    for (int m = 1; m <= n; ++m) {
      const Number value = Number(multipole[index(n, m)], -multipole[index(n, -m)]) * half / root_[index(n, m)];
      scaled[index(n, m)] = value;
      scaled[index(n, -m)] = sign(m) * std::conj(value);
    }
  }
  return scaled;
}

double LatticeOperator::apply(const double* multipole, const RootMoments& moments, double* local) const {
  const std::vector<Number> scaled = scaled_multipole(multipole);
  for (int k = 0; k <= degree_; ++k)
    for (int l = 0; l <= k; ++l) {
      double real = 0, imaginary = 0;
      for (int n = even_ ? k & 1 : 0; n <= degree_; n += even_ ? 2 : 1) {
        const Number* a = &scaled[index(n, 0)];
        const Number* b = &table_[index(n + k, l)];
        for (int m = -n; m <= n; ++m) {
          real += a[m].real() * b[m].real() - a[m].imag() * b[m].imag();
          imaginary += a[m].real() * b[m].imag() + a[m].imag() * b[m].real();
        }
      }
      const double factor = sign(k) * (l > 0 ? std::sqrt(2.0) : 1.0) / root_[index(k, l)];
      local[index(k, l)] += factor * real;
      if (l > 0) local[index(k, -l)] += factor * imaginary;
    }
  // quadratic |u - v|^2, summed over the sources v
  local[0] += quadratic_ * moments.second;
  if (degree_ > 0)
    for (int m = -1; m <= 1; ++m) local[index(1, m)] -= 2 * quadratic_ * multipole[index(1, m)];
  return quadratic_ * multipole[0];
}

}  // namespace farfield

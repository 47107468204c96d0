#include "expansions/periodic/solid_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "expansions/laplace_basis.hpp"

namespace farfield {

using laplace::index;
using Number = SolidConvolution::Number;
using Numbers = SolidConvolution::Numbers;

namespace {

constexpr double half_root = 0.5 * std::numbers::sqrt2;
double sign(int m) { return m & 1 ? -1 : 1; }

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

/// Sets (n, m) and (n, -m).
void set_both(Number* numbers, int n, int m, const Number& value) {
  numbers[index(n, m)] = value;
  if (m > 0) numbers[index(n, -m)] = sign(m) * std::conj(value);
}

/// Of a local expansion: y with sum L R = sum over n and all m of y_n^m x_n^m.
Numbers complex_local(int degree, const std::vector<double>& root, const double* local) {
  Numbers y(static_cast<std::size_t>(laplace::count(degree)));
  for (int n = 0; n <= degree; ++n) {
    y[index(n, 0)] = local[index(n, 0)] * root[index(n, 0)];
    for (int m = 1; m <= n; ++m)
      set_both(y.data(), n, m, Number(local[index(n, m)], -local[index(n, -m)]) * half_root * root[index(n, m)]);
  }
  return y;
}
void add_real_local(const std::vector<double>& root, int n, int m, const Number& y, double* local) {
  const double factor = (m > 0 ? std::numbers::sqrt2 : 1.0) / root[index(n, m)];
  local[index(n, m)] += factor * y.real();
  if (m > 0) local[index(n, -m)] -= factor * y.imag();
}

}  // namespace

SolidConvolution::SolidConvolution(int degree) : degree_(degree), root_(factorial_roots(2 * degree)) {}

Numbers SolidConvolution::scaled(const double* multipole) const {
  Numbers scaled(static_cast<std::size_t>(laplace::count(degree_)));
  for (int n = 0; n <= degree_; ++n) {
    scaled[index(n, 0)] = multipole[index(n, 0)] / root_[index(n, 0)];
    for (int m = 1; m <= n; ++m)
      set_both(scaled.data(), n, m,
               Number(multipole[index(n, m)], -multipole[index(n, -m)]) * half_root / root_[index(n, m)]);
  }
  return scaled;
}

std::vector<double> SolidConvolution::unscaled(const Numbers& scaled) const {
  std::vector<double> multipole(scaled.size());
  for (int n = 0; n <= degree_; ++n)
    for (int m = 0; m <= n; ++m) {
      const Number value = scaled[index(n, m)] * root_[index(n, m)] * (m > 0 ? std::numbers::sqrt2 : 1.0);
      multipole[index(n, m)] = value.real();
      if (m > 0) multipole[index(n, -m)] = -value.imag();
    }
  return multipole;
}

void SolidConvolution::make_table(const double* sums, Number* table) const {
  for (int n = 0; n <= 2 * degree_; ++n) {
    table[index(n, 0)] = sums[index(n, 0)] * root_[index(n, 0)];
    for (int m = 1; m <= n; ++m)
      set_both(table, n, m, Number(sums[index(n, m)], sums[index(n, -m)]) * half_root * root_[index(n, m)]);
  }
}

void SolidConvolution::m2l(const Numbers& scaled, const Number* table, bool even, double* local) const {
  for (int k = 0; k <= degree_; ++k)
    for (int l = 0; l <= k; ++l) {
      double real = 0, imaginary = 0;
      for (int n = even ? k & 1 : 0; n <= degree_; n += even ? 2 : 1) {
        const Number* a = &scaled[index(n, 0)];
        const Number* b = &table[index(n + k, l)];
        double r = 0, i = 0;
        for (int m = -n; m <= n; ++m) {
          r += a[m].real() * b[m].real() - a[m].imag() * b[m].imag();
          i += a[m].real() * b[m].imag() + a[m].imag() * b[m].real();
        }
        real += sign(n) * r, imaginary += sign(n) * i;
      }
      const double factor = (l > 0 ? std::numbers::sqrt2 : 1.0) / root_[index(k, l)];
      local[index(k, l)] += factor * real;
      if (l > 0) local[index(k, -l)] += factor * imaginary;
    }
}

SolidShift::SolidShift(const SolidConvolution& convolution, const Vector3& d, double ratio)
    : convolution_(convolution) {
  const int degree = convolution.degree();
  std::vector<double> unit(static_cast<std::size_t>(laplace::count(degree)));
  const auto table = LaplaceBasis::recurrence_table(degree);
  laplace::columns(degree, table.data(), d[0], d[1], d[2], laplace::StoreFunctions<double>{unit.data()});
  at_ = convolution.scaled(unit.data());
  for (double power = 1; std::ssize(power_) <= degree; power *= ratio) power_.push_back(power);
}

void SolidShift::m2m(const Numbers& from, Numbers& to) const {
  const int degree = convolution_.degree();
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) {
      Number sum = 0;
      for (int k = 0; k <= n; ++k) {
        Number part = 0;
        for (int l = std::max(-k, m - n + k); l <= std::min(k, m + n - k); ++l)
          part += from[index(k, l)] * at_[index(n - k, m - l)];
        sum += power_[static_cast<std::size_t>(k)] * part;
      }
      set_both(to.data(), n, m, to[index(n, m)] + sum);
    }
}

void SolidShift::l2l(const double* from, double* to) const {
  const int degree = convolution_.degree();
  const Numbers y = complex_local(degree, convolution_.root_, from);
  for (int k = 0; k <= degree; ++k)
    for (int l = 0; l <= k; ++l) {
      Number sum = 0;
      for (int n = k; n <= degree; ++n)
        for (int m = std::max(-n, l - n + k); m <= std::min(n, l + n - k); ++m)
          sum += y[index(n, m)] * std::conj(at_[index(n - k, m - l)]);
      add_real_local(convolution_.root_, k, l, power_[static_cast<std::size_t>(k)] * sum, to);
    }
}

/// d/dz x_n^m = x_{n-1}^m, (d/dx - i d/dy) x_n^m = x_{n-1}^{m-1}, (d/dx + i d/dy) x_n^m = -x_{n-1}^{m+1}.
void differentiate(const SolidConvolution& convolution, const double* local, double* derivative[3]) {
  const int degree = convolution.degree();
  const Numbers y = complex_local(degree, convolution.root_, local);
  for (int axis = 0; axis < 3; ++axis) std::fill_n(derivative[axis], laplace::count(degree), 0.0);
  for (int k = 0; k < degree; ++k)
    for (int l = 0; l <= k; ++l) {
      const Number up = y[index(k + 1, l + 1)], down = y[index(k + 1, l - 1)];
      add_real_local(convolution.root_, k, l, 0.5 * (up - down), derivative[0]);
      add_real_local(convolution.root_, k, l, Number(0, 0.5) * (up + down), derivative[1]);
      add_real_local(convolution.root_, k, l, y[index(k + 1, l)], derivative[2]);
    }
}

}  // namespace farfield

#include "expansions/periodic/solid_convolution.hpp"

#include <algorithm>
#include <cmath>

#include "expansions/laplace_basis.hpp"
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield {

using convolution::Complex;
using laplace::index;
using Number = SolidConvolution::Number;
using Numbers = SolidConvolution::Numbers;

namespace {

const double* parts(const Number* numbers) { return reinterpret_cast<const double*>(numbers); }
double* parts(Number* numbers) { return reinterpret_cast<double*>(numbers); }
double* parts(Numbers& numbers) { return parts(numbers.data()); }
const double* parts(const Numbers& numbers) { return parts(numbers.data()); }

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

/// visit(n, m) for all degrees and orders m >= 0.
template <class Visit>
void for_each_order(int degree, const Visit& visit) {
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) visit(n, m);
}

Numbers complex_local(int degree, const std::vector<double>& root, const double* local) {
  Numbers y(static_cast<std::size_t>(laplace::count(degree)));
  for_each_order(degree, [&](int n, int m) {
    convolution::set_both(parts(y), n, m, convolution::of_local(local, root.data(), n, m));
  });
  return y;
}

}  // namespace

SolidConvolution::SolidConvolution(int degree) : degree_(degree), root_(factorial_roots(2 * degree)) {}

Numbers SolidConvolution::scaled(const double* multipole) const {
  Numbers scaled(static_cast<std::size_t>(laplace::count(degree_)));
  for_each_order(degree_, [&](int n, int m) {
    convolution::set_both(parts(scaled), n, m, convolution::scaled(multipole, root_.data(), n, m));
  });
  return scaled;
}

std::vector<double> SolidConvolution::unscaled(const Numbers& scaled) const {
  std::vector<double> multipole(scaled.size());
  for_each_order(degree_, [&](int n, int m) {
    convolution::set_real_multipole(root_.data(), n, m, convolution::at(parts(scaled), n, m), multipole.data());
  });
  return multipole;
}

Number SolidConvolution::table_number(const double* sums, int n, int m) const {
  const double size = root_[index(n, m)];
  if (m == 0) return sums[index(n, 0)] * size;
  return {sums[index(n, m)] * convolution::half_root * size, sums[index(n, -m)] * convolution::half_root * size};
}

void SolidConvolution::make_table(const double* sums, Number* table) const {
  for_each_order(2 * degree_, [&](int n, int m) {
    const Number value = table_number(sums, n, m);
    convolution::set_both(parts(table), n, m, {value.real(), value.imag()});
  });
}

void SolidConvolution::m2l(const Numbers& scaled, const Number* table, bool even, double* local) const {
  std::vector<double> sums;
  for_each_order(degree_, [&](int k, int l) {
    const Complex sum = convolution::m2l(degree_, parts(scaled), parts(table), even, k, l);
    sums.insert(sums.end(), {sum.real, sum.imaginary});
  });
  add_local(sums.data(), local);
}

void SolidConvolution::add_local(const double* sums, double* local) const {
  for_each_order(degree_, [&](int k, int l) {
    const double factor = (l > 0 ? convolution::root_of_two : 1.0) / root_[index(k, l)];
    local[index(k, l)] += factor * sums[0];
    if (l > 0) local[index(k, -l)] += factor * sums[1];
    sums += 2;
  });
}

SolidShift::SolidShift(const SolidConvolution& convolution, const Vector3& d, double ratio)
    : convolution_(convolution) {
  const int degree = convolution.degree();
  std::vector<double> unit(static_cast<std::size_t>(laplace::count(degree)));
  const auto table = LaplaceBasis::recurrence_table(degree);
  laplace::columns(degree, table.data(), d[0], d[1], d[2], laplace::StoreFunctions<double>{unit.data()});
  unit_ = convolution.scaled(unit.data());
  for (double power = 1; std::ssize(power_) <= degree; power *= ratio) power_.push_back(power);
}

void SolidShift::m2m(const Numbers& from, Numbers& to) const {
  for_each_order(convolution_.degree(), [&](int n, int m) {
    const Complex sum = convolution::m2m(parts(from), parts(unit_), power_.data(), n, m);
    convolution::set_both(parts(to), n, m, {to[index(n, m)].real() + sum.real, to[index(n, m)].imag() + sum.imaginary});
  });
}

void SolidShift::l2l(const double* from, double* to) const {
  const int degree = convolution_.degree();
  const Numbers y = complex_local(degree, convolution_.root_, from);
  for_each_order(degree, [&](int k, int l) {
    convolution::add_real_local(convolution_.root_.data(), k, l,
                                convolution::l2l(degree, parts(y), parts(unit_), power_.data(), k, l), to);
  });
}

void differentiate(const SolidConvolution& convolution, const double* local, double* derivative[3]) {
  const int degree = convolution.degree();
  const Numbers y = complex_local(degree, convolution.root_, local);
  for (int axis = 0; axis < 3; ++axis) {
    std::fill_n(derivative[axis], laplace::count(degree), 0.0);
    for_each_order(degree - 1, [&](int k, int l) {
      convolution::add_real_local(convolution.root_.data(), k, l, convolution::derivative(parts(y), axis, k, l),
                                  derivative[axis]);
    });
  }
}

}  // namespace farfield

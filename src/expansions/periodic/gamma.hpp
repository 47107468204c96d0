// Regularised incomplete gamma functions of half-integer order, and the tail of the zeta function.
#pragma once
#include <cmath>
#include <vector>

#include "expansions/periodic/strained.hpp"

namespace farfield {

/// [l] = Q(l + 1/2, x) or P(l + 1/2, x) for l = 0 ... order, by the recurrence in its stable direction. Number: double
/// or Strained.
template <class Number>
class HalfIntegerGamma {
 public:
  explicit HalfIntegerGamma(int order) : value_(static_cast<std::size_t>(order) + 1), term_(value_.size()) {}
  const Number& operator[](int l) const { return value_[static_cast<std::size_t>(l)]; }

  void upper(const Number& x) {
    using std::erfc, std::sqrt;
    set_terms(x);
    value_[0] = erfc(sqrt(x));
    for (std::size_t l = 1; l < value_.size(); ++l) value_[l] = value_[l - 1] + term_[l - 1];
  }
  void lower(const Number& x) {
    set_terms(x);
    const auto last = value_.size() - 1;
    Number series = 1, factor = 1;
    for (double a = static_cast<double>(last) + 1.5; value_of(factor) > 1e-17 * value_of(series); a += 1)
      series += factor *= x / a;
    value_[last] = term_[last] * series;
    for (std::size_t l = last; l > 0; --l) value_[l - 1] = value_[l] + term_[l - 1];
  }

 private:
  /// x^(l+1/2) exp(-x) / Gamma(l + 3/2)
  void set_terms(const Number& x) {
    using std::exp, std::sqrt;
    constexpr double root_of_pi = 1.7724538509055160;
    Number term = 2 * sqrt(x) * exp(-x) / root_of_pi;
    for (std::size_t l = 0; l < term_.size(); ++l) {
      term_[l] = term;
      term *= x / (static_cast<double>(l) + 1.5);
    }
  }
  std::vector<Number> value_, term_;
};

/// sum over n >= first of n^-s, s > 1, first >= 10, by Euler and Maclaurin's formula.
inline double zeta_tail(int s, int first) {
  constexpr double bernoulli[] = {1.0 / 12,       -1.0 / 720,     1.0 / 30240,
                                  -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000};  // B_2j / (2j)!
  const double n = first;
  double total = n / (s - 1) + 0.5, factor = s / n;
  for (int j = 0; j < 6; ++j) {
    total += bernoulli[j] * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (n * n);
  }
  return total * std::pow(n, -s);
}

}  // namespace farfield

// cosh x = sum_m u^m / (2m)! and sinh(x)/x = sum_m u^m / (2m+1)!, u = x^2. On [0, W], u^m is
// W^m 2^(1-2m) sum_j binom(2m, m-j) T_j(2u/W - 1), the term of j = 0 halved. So all coefficients c_j of Chebyshev's
// series are positive, with o = 0 or 1
//     c_j = sum_{m >= j} W^m 2^(1-2m) binom(2m, m-j) / (2m+o)!  <=  2 (W/4)^j / (2j+o)! e^(W / (4 (2j+1))),
// and the series cut off behind degree n errs by at most their sum over j > n, where each is less than W/4 / ((2j+1)
// (2j+2)) of the one before.
#include "core/exponential_fit.hpp"

#include <cmath>

namespace farfield {

/// 2 (W/4)^j / (2j+o)!, the first term of c_j.
static double first_term(int j, int o, double w) {
  double term = 2;
  for (int i = 1; i <= j; ++i) term *= w / 4 / ((2 * i + o) * (2 * i + o - 1));
  return term;
}

static double chebyshev_coefficient(int j, int o, double w) {
  double term = first_term(j, o, w), sum = 0;
  for (int m = j; term > 1e-18 * sum; ++m) {
    sum += term;
    const double two = 2 * m + 1;  // binom(2m+2, m+1-j) / binom(2m, m-j) and the factorials
    term *= w / 4 * two * (two + 1) / ((two + o) * (two + o + 1)) / ((m + 1 - j) * (m + 1 + j));
  }
  return sum;
}

static double cut_off(int n, int o, double w) {
  const double next = w / 4 / ((2 * n + 3) * (2 * n + 4));
  return first_term(n + 1, o, w) * std::exp(w / (4 * (2 * n + 3))) / (1 - next);
}

double exponential_fit_error(const ExponentialForm& form, double width) {
  const double w = width * width;
  return std::exp(width) * (cut_off(form.even, 0, w) + width * cut_off(form.odd, 1, w));
}

static double width_of(const ExponentialForm& form, double error) {
  if (exponential_fit_error(form, widest_fit) <= error) return widest_fit;
  double low = 0, high = widest_fit;
  for (int step = 0; step < 25; ++step) {
    const double middle = (low + high) / 2;
    (exponential_fit_error(form, middle) <= error ? low : high) = middle;
  }
  return low;
}

/// Chebyshev's series behind degree n as a polynomial in u.
static void expand(int n, int o, double w, double* coefficient) {
  double below[most_fit_degree + 1] = {1}, own[most_fit_degree + 1] = {-1, 2};  // T_0 and T_1 of 2u/W - 1, in u/W
  for (int j = 0; j <= n; ++j) {
    const double factor = chebyshev_coefficient(j, o, w) / (j == 0 ? 2 : 1);
    for (int i = 0; i <= j; ++i) coefficient[i] += factor * below[i];
    double next[most_fit_degree + 1];
    for (int i = 0; i <= most_fit_degree; ++i)
      next[i] = 2 * ((i > 0 ? 2 * own[i - 1] : 0) - own[i]) - below[i], below[i] = own[i];
    for (int i = 0; i <= most_fit_degree; ++i) own[i] = next[i];
  }
  for (int i = 1; i <= n; ++i) coefficient[i] /= std::pow(w, i);
}

ExponentialFit fit_exponential(const ExponentialForm& form, double error) {
  ExponentialFit fit;
  fit.width = width_of(form, error);
  expand(form.even, 0, fit.width * fit.width, fit.even);
  expand(form.odd, 1, fit.width * fit.width, fit.odd);
  return fit;
}

ExponentialFits::ExponentialFits(bool single, double error)
    : forms_(single ? forms_in_single : forms_in_double),
      count_(!(error > 0) ? 0
             : single     ? exponential_form_count<float>
                          : exponential_form_count<double>) {
  for (int i = 0; i < count_; ++i) fits_[i] = fit_exponential(forms_[i], error);
}

}  // namespace farfield

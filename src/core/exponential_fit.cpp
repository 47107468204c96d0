// The polynomial is Chebyshev's series of e^t cut off behind degree n, with h = width/2
//     e^t = e^h (I_0(h) + 2 sum_k I_k(h) T_k(t/h - 1))
// so that it errs by at most 2 e^h sum_{k>n} I_k(h), which is also the relative error, since e^t >= 1. All I_k are
// positive, and I_k(h) <= (h/2)^k / k! e^(h^2 / (4 (k+1))). Its coefficients are close to 1/j!: no terms cancel.
#include "core/exponential_fit.hpp"

#include <cmath>

namespace farfield {

/// The modified Bessel function I_k by its series.
static double bessel_i(int k, double h) {
  double term = 1, sum = 0;
  for (int j = 1; j <= k; ++j) term *= h / 2 / j;
  for (int j = 1; term > 1e-18 * sum; ++j) {
    sum += term;
    term *= h * h / 4 / (j * (j + k));
  }
  return sum;
}

double exponential_fit_error(int n, double width) {
  const double h = width / 2;
  double first = std::exp(h * h / (4 * (n + 2)));
  for (int j = 1; j <= n + 1; ++j) first *= h / 2 / j;
  return 2 * std::exp(h) * first / (1 - h / (2 * (n + 2)));  // I_{k+1} <= I_k h / (2 (k+1)), k > n
}

/// Of one polynomial, before it is squared.
static double width_of(const ExponentialForm& form, double error) {
  const double share = 0.9 * error / (1 << form.squarings);  // (1 + d)^m - 1 <= m d / 0.9
  double low = 0, high = widest_fit / (1 << form.squarings);
  if (exponential_fit_error(form.degree, high) <= share) return high;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (exponential_fit_error(form.degree, middle) <= share ? low : high) = middle;
  }
  return low;
}

ExponentialFit fit_exponential(const ExponentialForm& form, double error) {
  const double width = width_of(form, error), h = width / 2;
  ExponentialFit fit;
  fit.width = width * (1 << form.squarings);
  double below[most_fit_degree + 1] = {1}, own[most_fit_degree + 1] = {-1, 2};  // T_0 and T_1 of 2x - 1, x = t / width
  for (int k = 0; k <= form.degree; ++k) {
    const double factor = (k == 0 ? 1 : 2) * std::exp(h) * bessel_i(k, h);
    for (int j = 0; j <= k; ++j) fit.coefficient[j] += factor * below[j];
    double next[most_fit_degree + 1];
    for (int j = 0; j <= most_fit_degree; ++j)
      next[j] = 2 * ((j > 0 ? 2 * own[j - 1] : 0) - own[j]) - below[j], below[j] = own[j];
    for (int j = 0; j <= most_fit_degree; ++j) own[j] = next[j];
  }
  for (int j = 1; j <= form.degree; ++j) fit.coefficient[j] /= std::pow(width, j);
  return fit;
}

ExponentialFits::ExponentialFits(bool single, double error)
    : forms_(single ? exponential_forms<float> : exponential_forms<double>),
      count_(!(error > 0) ? 0 : single ? exponential_form_count<float> : exponential_form_count<double>) {
  for (int i = 0; i < count_; ++i) fits_[i] = fit_exponential(forms_[i], error);
}

}  // namespace farfield

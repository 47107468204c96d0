// e^t for 0 <= t <= width as a power of a polynomial, (sum of c_j (t / 2^k)^j)^(2^k): fewer operations than e^t by
// reduction of its argument where the width is at most a few, and no more of them than an error asked for needs.
#pragma once

namespace farfield {

struct ExponentialForm {
  int degree, squarings;  ///< n, k
};
/// Those that pair sums are compiled for, in the order of their cost; in double and in single.
template <class Real>
inline constexpr ExponentialForm exponential_forms[] = {{5, 0}, {7, 0}, {7, 1}, {7, 2}, {9, 2}};
template <>
inline constexpr ExponentialForm exponential_forms<float>[] = {{3, 0}, {5, 0}, {5, 1}, {5, 2}};
template <class Real>
inline constexpr int exponential_form_count = sizeof exponential_forms<Real> / sizeof(ExponentialForm);
inline constexpr int most_exponential_forms = exponential_form_count<double>, most_fit_degree = 9;
inline constexpr int whole_formula = -1;  ///< no form: e^t itself

/// No fit is wider: there the error of a distance, whose multiple t is, would count.
inline constexpr double widest_fit = 3;

struct ExponentialFit {
  double width = -1;  ///< of t; negative: no fit
  double coefficient[most_fit_degree + 1] = {};
};

/// Bound of the relative error of the polynomial of degree n for 0 <= t <= width: see exponential_fit.cpp.
double exponential_fit_error(int n, double width);

/// The widest one, up to widest_fit, that errs by at most `error` < 1/10 of e^t.
ExponentialFit fit_exponential(const ExponentialForm& form, double error);

/// A fit by each form.
class ExponentialFits {
 public:
  /// error 0: none.
  ExponentialFits(bool single, double error);
  /// The cheapest form that is wide enough, or whole_formula.
  int form_for(double width) const {
    for (int i = 0; i < count_; ++i)
      if (width <= fits_[i].width) return i;
    return whole_formula;
  }
  const ExponentialFit& operator[](int form) const { return fits_[form]; }
  ExponentialForm form(int i) const { return forms_[i]; }

 private:
  const ExponentialForm* forms_;
  int count_;
  ExponentialFit fits_[most_exponential_forms];
};

}  // namespace farfield

// e^-x for 0 <= x <= width as p(x^2) - x s(x^2), two short polynomials in place of cosh x and sinh(x)/x: a pair sum
// needs neither a reduction of the argument nor, for e^-x / x, a root before the polynomials. No more terms than an
// error asked for needs.
#pragma once

namespace farfield {

struct ExponentialForm {
  int even, odd;  ///< degrees of p and s, even >= odd >= 1
};
/// Those that pair sums are compiled for, in the order of their cost; in double and in single. Widths at an error of
/// 1e-10: 0.2 to 2.5; at 1e-7: 0.15 to 1.8.
inline constexpr ExponentialForm forms_in_double[6] = {{3, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}};
inline constexpr ExponentialForm forms_in_single[5] = {{2, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 4}};
template <class Real>
inline constexpr int exponential_form_count = sizeof(Real) == 4 ? 5 : 6;
inline constexpr int most_exponential_forms = exponential_form_count<double>, most_fit_degree = 7;
inline constexpr int whole_formula = -1;  ///< no form: e^-x itself

/// No fit is wider: p and x s are then 10 where their difference is 0.05, and errors of x itself count threefold.
inline constexpr double widest_fit = 3;

struct ExponentialFit {
  double width = -1;  ///< of x; negative: no fit
  double even[most_fit_degree + 1] = {}, odd[most_fit_degree + 1] = {};
};

/// Bound of the relative error of a fit of that width: see exponential_fit.cpp.
double exponential_fit_error(const ExponentialForm& form, double width);

/// The widest one, up to widest_fit, that errs by at most `error` of e^-x.
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

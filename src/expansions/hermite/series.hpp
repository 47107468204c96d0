// Hermite and Taylor series in one to three dimensions on the host: a tensor of p coefficients along each axis in use,
// the first axis fastest; along an axis that is not in use one function, 1.
#pragma once
#include <cstddef>
#include <cstdint>

#include "expansions/hermite/functions.hpp"

namespace farfield::hermite {

inline constexpr int most_terms = 40;

/// Terms along each axis.
struct Shape {
  int terms[3] = {1, 1, 1};
  int axes = 0, p = 0;
  FARFIELD_HD std::int64_t count() const { return std::int64_t(terms[0]) * terms[1] * terms[2]; }
};

/// The functions of a point along each axis, and their derivatives.
struct Functions {
  double value[3][most_terms + 1], slope[3][most_terms];
};

/// psi about a centre that is `offset` away, in lengths of sqrt(2) bandwidths.
template <class Roots>
FARFIELD_HD void hermite_functions(const Shape& shape, const Roots& roots, const double offset[3], bool slopes,
                                   Functions& to) {
  for (int axis = 0; axis < 3; ++axis) {
    to.value[axis][0] = 1, to.slope[axis][0] = 0;
    if (axis >= shape.axes) continue;
    const double t = offset[axis];
    fill_hermite(shape.p + slopes, roots, t, std::exp(-t * t), to.value[axis]);
    if (!slopes) continue;
    for (int n = 0; n < shape.p; ++n) to.slope[axis][n] = hermite_slope(roots, n) * to.value[axis][n + 1];
  }
}

/// chi likewise.
template <class Roots>
FARFIELD_HD void taylor_functions(const Shape& shape, const Roots& roots, const double offset[3], bool slopes,
                                  Functions& to) {
  for (int axis = 0; axis < 3; ++axis) {
    to.value[axis][0] = 1, to.slope[axis][0] = 0;
    if (axis >= shape.axes) continue;
    fill_taylor(shape.p, roots, offset[axis], to.value[axis]);
    if (!slopes) continue;
    for (int n = 1; n < shape.p; ++n) to.slope[axis][n] = taylor_slope(roots, n) * to.value[axis][n - 1];
  }
}

/// Adds q times the product of the functions to every coefficient.
FARFIELD_HD void accumulate(const Shape& shape, const Functions& f, double q, double* coefficient) {
  for (int c = 0; c < shape.terms[2]; ++c)
    for (int b = 0; b < shape.terms[1]; ++b, coefficient += shape.terms[0]) {
      const double weight = q * f.value[2][c] * f.value[1][b];
      for (int a = 0; a < shape.terms[0]; ++a) coefficient[a] += weight * f.value[0][a];
    }
}

/// Adds the series' value to out[0], with slopes its derivatives to out[1 ... 3].
FARFIELD_HD void evaluate(const Shape& shape, const Functions& f, const double* coefficient, bool slopes,
                          double out[4]) {
  for (int c = 0; c < shape.terms[2]; ++c)
    for (int b = 0; b < shape.terms[1]; ++b, coefficient += shape.terms[0]) {
      double row = 0, along = 0;
      for (int a = 0; a < shape.terms[0]; ++a) row += coefficient[a] * f.value[0][a];
      out[0] += row * f.value[1][b] * f.value[2][c];
      if (!slopes) continue;
      for (int a = 0; a < shape.terms[0]; ++a) along += coefficient[a] * f.slope[0][a];
      out[1] += along * f.value[1][b] * f.value[2][c];
      out[2] += row * f.slope[1][b] * f.value[2][c];
      out[3] += row * f.value[1][b] * f.slope[2][c];
    }
}

/// Adds the Hermite series `from` to the Taylor series `to` by one matrix [b][a] per axis in use (translations.hpp).
/// `room`: twice shape.count() numbers.
FARFIELD_HD void translate(const Shape& shape, const double* const matrix[3], const double* from, double* to,
                           double* room) {
  std::int64_t stride = 1;
  const std::int64_t count = shape.count();
  for (int axis = 0; axis < shape.axes; ++axis, stride *= shape.p) {
    double* result = axis + 1 == shape.axes ? to : room + (axis % 2 ? count : 0);
    if (result != to)
      for (std::int64_t i = 0; i < count; ++i) result[i] = 0;
    for (std::int64_t outer = 0; outer < count; outer += stride * shape.p)
      for (int b = 0; b < shape.p; ++b)
        for (int a = 0; a < shape.p; ++a) {
          const double entry = matrix[axis][b * shape.p + a];
          for (std::int64_t i = 0; i < stride; ++i)
            result[outer + b * stride + i] += entry * from[outer + a * stride + i];
        }
    from = result;
  }
}

}  // namespace farfield::hermite

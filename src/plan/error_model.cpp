#include "plan/error_model.hpp"

#include <cmath>

namespace farfield {

// log10 of the error falls linearly with the degree (Gumerov & Duraiswami 2008, eq. 20); offsets and slopes are fits to
// the accuracy sweep of tests/accuracy.
struct Line {
  double offset, slope;
};

static Line line_of(bool reduced, bool gradient) {
  if (gradient) return reduced ? Line{-0.70, -0.315} : Line{-0.80, -0.32};
  return reduced ? Line{-1.40, -0.315} : Line{-1.50, -0.32};
}

double truncation_error(int degree, bool reduced, bool gradient) {
  const Line line = line_of(reduced, gradient);
  return std::pow(10.0, line.offset + line.slope * degree);
}

int degree_for(double tolerance, bool reduced, bool gradient) {
  int degree = 1;
  while (degree < max_degree && truncation_error(degree, reduced, gradient) > tolerance) ++degree;
  return degree;
}

double reachable_tolerance(Precision precision, bool gradient) {
  if (precision == Precision::single_) return gradient ? 3e-6 : 3e-6;
  return gradient ? 1e-13 : 1e-13;
}

}  // namespace farfield

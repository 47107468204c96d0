// Hermite series of the trial: series_at in double, and the CPU's vectors, against Gaussians of the sources.
#include "hermite_series.hpp"

#include <gtest/gtest.h>

#include "expansions/hermite/translations.hpp"
#include "series_at.hpp"

namespace farfield::testing {
namespace {

TEST(HermiteTrial, OneSourceIsItsGaussianWithinTheBound) {
  constexpr int p = 12;
  const double dx = 0.4, dy = -0.25;
  float coefficient[p * p];
  double row = 1;
  for (int b = 0; b < p; row *= 2 * dy / ++b) {
    double term = row;
    for (int a = 0; a < p; term *= 2 * dx / ++a) coefficient[b * p + a] = static_cast<float>(term);
  }
  const double bound = hermite::product_bound(hermite::axis_bound(p, 0.5), 2);
  for (const double x : {-2.0, 0.1, 1.3})
    for (const double y : {-0.7, 0.0, 2.2})
      EXPECT_NEAR(lab::series_at<p>(coefficient, p, x, y), std::exp(-std::pow(x - dx, 2) - std::pow(y - dy, 2)),
                  bound + 1e-6);
}

TEST(HermiteTrial, TheCpuGivesTheSumOfAllSeries) {
  for (const int p : {5, 9, 12}) {
    const lab::SeriesCase from(p, 1003);  // no multiple of a vector's lanes
    std::vector<float> result(from.x.size());
    lab::evaluate_on_cpu(from, 2, result);
    EXPECT_LT(from.error(result, 1003), 1e-6) << p;
  }
}

}  // namespace
}  // namespace farfield::testing

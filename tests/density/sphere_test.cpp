// The density on the sphere: von Mises-Fisher kernels without seam or pole.
#include "density/sphere.hpp"

#include <numbers>

#include "density/grid.hpp"
#include "samples.hpp"

namespace farfield::density::testing {
namespace {

const std::vector<double> places = {0, 0, 179.9, 10, -179.9, -20, 30, 89.9, 77, -90, 540, 45};  // longitude, latitude

Sample on_sphere() { return {3, unit_vectors(places, "Point"), uneven(6)}; }

TEST(Sphere, IsTheSumOfVonMisesFisherKernels) {
  const Sample s = on_sphere();
  const std::vector<double> at = unit_vectors({10, 20, -179, 0, 12, 90, 0, -89}, "Target");
  for (const double sigma : {0.02, 0.3, 3.0}) {
    const double kappa = 1 / (sigma * sigma);
    const auto found = estimate_on_sphere(s, at, sigma, exact()).density;
    for (std::size_t i = 0; i < found.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 6; ++j) {
        double cosine = 0;
        for (std::size_t a = 0; a < 3; ++a) cosine += at[3 * i + a] * s.positions[3 * j + a];
        sum +=
            s.weights[j] * kappa / (2 * std::numbers::pi * (1 - std::exp(-2 * kappa))) * std::exp(kappa * (cosine - 1));
      }
      // A rounding of the cosine counts kappa times.
      EXPECT_NEAR(found[i], sum / total(s.weights), 1e-15 * (1 + kappa) * sphere_norm(kappa)) << sigma << ' ' << i;
    }
  }
}

TEST(Sphere, IntegratesToOne) {
  const Grid grid = grid_of_globe(360, 180);
  const std::vector<double> at = unit_vectors(grid.points(), "Place");
  for (const double sigma : {0.1, 0.5, 2.0, 100.0}) {
    const auto density = estimate_on_sphere(on_sphere(), at, sigma, exact()).density;
    // Boxes of one degree take a kernel's value at the middle for its mean: off by (1 degree / sigma)^2 / 24 of it and
    // less.
    const double boxes = std::pow(radians(1) / sigma, 2) / 24 + 2e-5;
    EXPECT_NEAR(integral_over_globe(grid, density), 1, boxes) << sigma;
  }
  EXPECT_NEAR(sphere_norm(1e-10), 1 / (4 * std::numbers::pi), 1e-9);  // even all over the sphere
}

TEST(Sphere, HasNoSeamAndNoPole) {
  const Sample s = on_sphere();
  const auto at = [&](std::vector<double> degrees) {
    return estimate_on_sphere(s, unit_vectors(degrees, "Target"), 0.2, exact()).density[0];
  };
  EXPECT_NEAR(at({180, 5}), at({-180, 5}), 1e-14);
  EXPECT_NEAR(at({0, 90}), at({123, 90}), 1e-14);
  EXPECT_NEAR(at({0, -90}), at({-77, -90}), 1e-14);
  // Across the pole as across any other place: a degree further is a degree further.
  EXPECT_NEAR(at({30, 89.5}), at({30, 90}), 0.05 * at({30, 90}));
}

TEST(Sphere, RefusesPlacesThatAreNone) {
  expect_error(ErrorCode::input, "Target 1: longitude 0 and latitude 90.5", [] {
    unit_vectors({0, 0, 0, 90.5}, "Target");
  });
  expect_error(ErrorCode::input, "Point 0: longitude nan", [] { unit_vectors({NAN, 0}, "Point"); });
  expect_error(ErrorCode::input, "latitude nan", [] { unit_vectors({0, NAN}, "Point"); });
  expect_error(ErrorCode::input, "longitude inf", [] { unit_vectors({INFINITY, 0}, "Point"); });
}

}  // namespace
}  // namespace farfield::density::testing

// BiotSavart: velocities and their derivatives against loops over pairs in long double, and a ring of known speed.
#include <gtest/gtest.h>

#include <farfield/farfield.hpp>
#include <numbers>

#include "support/filament.hpp"
#include "support/measure.hpp"
#include "support/oracle.hpp"

namespace farfield::testing {
namespace {

Vortices random_vortices(Kind kind, std::int64_t count) {
  const Cloud cloud = make_cloud(kind, count, Signs::mixed);
  Vortices v{cloud.sources, {}, cloud.targets};
  Stream random(7'101);
  for (std::size_t i = 0; i < 3 * cloud.strengths.size(); ++i) v.strengths.push_back(random.between(-1, 1));
  return v;
}

/// Velocity, its derivative and the stretching at all points.
struct Field {
  std::vector<double> velocity, gradient, stretching;
};

/// u = sum alpha x d / (4 pi rho^3), rho^2 = d^2 + softening^2, whose derivative along j is
/// (alpha x e_j) / rho^3 - 3 d_j (alpha x d) / rho^5.
Field exact_field(const Vortices& v, double softening) {
  const std::vector<double>& where = v.where();
  Field f{std::vector<double>(where.size()), std::vector<double>(3 * where.size()), std::vector<double>(where.size())};
#pragma omp parallel for
  for (std::size_t i = 0; i < where.size() / 3; ++i) {
    long double u[3] = {}, j[3][3] = {};
    for (std::size_t s = 0; s < v.places.size() / 3; ++s) {
      long double d[3], r2 = 0;
      for (std::size_t a = 0; a < 3; ++a) d[a] = (long double)where[3 * i + a] - v.places[3 * s + a], r2 += d[a] * d[a];
      if (r2 == 0) continue;
      const long double rho2 = r2 + (long double)softening * softening,
                        w3 = 1 / (rho2 * std::sqrt(rho2)) / (4 * std::numbers::pi_v<long double>);
      const double* alpha = &v.strengths[3 * s];
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        const long double cross = alpha[b] * d[c] - alpha[c] * d[b];
        u[a] += w3 * cross;
        for (std::size_t k = 0; k < 3; ++k) j[a][k] -= 3 * w3 / rho2 * d[k] * cross;
        j[a][c] += w3 * alpha[b], j[a][b] -= w3 * alpha[c];
      }
    }
    for (std::size_t a = 0; a < 3; ++a) {
      f.velocity[3 * i + a] = static_cast<double>(u[a]);
      for (std::size_t k = 0; k < 3; ++k) {
        f.gradient[9 * i + 3 * a + k] = static_cast<double>(j[a][k]);
        if (v.targets.empty()) f.stretching[3 * i + a] += static_cast<double>(j[a][k] * v.strengths[3 * i + k]);
      }
    }
  }
  return f;
}

VortexField<double> computed_field(const Vortices& v, const Options& options) {
  const Options o = on_tested_backend(options);
  BiotSavart sum =
      v.targets.empty() ? BiotSavart(points(v.places), o) : BiotSavart(points(v.places), points(v.targets), o);
  return sum.evaluate(v.strengths);
}

TEST(BiotSavart, VelocitiesKeepTheTolerance) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::outside})
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      const Vortices v = random_vortices(kind, 3'000);
      const VortexField<double> found = computed_field(v, {.tolerance = tolerance});
      EXPECT_LE(relative_difference(found.velocity, exact_field(v, 0).velocity), 2 * tolerance) << name(kind);
      EXPECT_TRUE(found.velocity_gradient.empty());
    }
}

TEST(BiotSavart, SoftenedIsTheKernelOfRosenheadAndMoore) {
  const Vortices v = random_vortices(Kind::uniform, 3'000);
  const VortexField<double> found = computed_field(v, {.tolerance = 1e-6, .softening = 0.01});
  EXPECT_LE(relative_difference(found.velocity, exact_field(v, 0.01).velocity), 2e-6);
}

TEST(BiotSavart, StretchingKeepsTheTolerance) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::outside})
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      const Vortices v = random_vortices(kind, 3'000);
      const VortexField<double> found = computed_field(v, {.tolerance = tolerance, .hessian = true});
      const Field expected = exact_field(v, 0);
      EXPECT_LE(relative_difference(found.velocity, expected.velocity), 2 * tolerance) << name(kind);
      EXPECT_LE(relative_difference(found.velocity_gradient, expected.gradient), 2 * tolerance) << name(kind);
      if (v.targets.empty()) {
        EXPECT_LE(relative_difference(found.stretching, expected.stretching), 3 * tolerance) << name(kind);
      } else {
        EXPECT_TRUE(found.stretching.empty());
      }
    }
}

// Of a thin ring with the kernel of Rosenhead and Moore, softening e: (log(8 / e) - 1) / (4 pi), short of e^2.
TEST(BiotSavart, ARingMovesAtItsKnownSpeed) {
  const Vortices v = ring(4'000);
  const double softening = 0.02, expected = (std::log(8 / softening) - 1) / (4 * std::numbers::pi);
  const VortexField<double> found = computed_field(v, {.tolerance = 1e-8, .softening = softening});
  for (std::size_t i = 0; i < v.places.size() / 3; ++i) {
    EXPECT_NEAR(found.velocity[3 * i + 2], expected, 1e-3 * expected);
    EXPECT_NEAR(found.velocity[3 * i] * v.places[3 * i] + found.velocity[3 * i + 1] * v.places[3 * i + 1], 0, 1e-6);
  }
}

TEST(BiotSavart, SaysWhatItCannotSum) {
  const Vortices v = random_vortices(Kind::uniform, 10);
  const auto sentence = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(sentence([&] { BiotSavart(points(v.places), {.kernel = Kernel::count}); }),
            "velocities of vortex particles are sums of 1/r, but the kernel is count; use kernel laplace3d");
  EXPECT_EQ(sentence([&] { BiotSavart(points(v.places)).evaluate(std::vector<double>(10)); }),
            "10 numbers were given as strengths of 10 vortex particles; pass three for each");
}

}  // namespace
}  // namespace farfield::testing

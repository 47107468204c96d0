// Cores of vortex particles: their functions of r against series and differences in long double, velocities and
// stretching against loops over pairs, and rings whose speeds are known.
#include "kernels/cores/cores.hpp"

#include <numbers>

#include "support/filament.hpp"
#include "support/oracle.hpp"
#include "support/softened.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind cores[] = {SofteningKind::algebraic, SofteningKind::gauss};

Options cored(SofteningKind kind, double sigma, double tolerance = 1e-6) {
  Options o;
  o.softening = sigma;
  o.softening_kind = kind;
  o.tolerance = tolerance;
  return on_tested_backend(o);
}

/// Of K and its derivatives by -D = -(1/r) d/dr, as the pairs of a sum have them, at rho sigma.
template <class Real>
RadialOrders computed_orders(SofteningKind kind, Real rho, Real sigma) {
  const Real r = rho * sigma, r2 = r * r;
  CoreOrders<Real> core;
  if (kind == SofteningKind::algebraic)
    core = core_orders<Softened::algebraic>(1 / std::sqrt(r2 + sigma * sigma), r2, sigma * sigma);
  else
    core = core_orders<Softened::gauss>(r2 > 0 ? 1 / std::sqrt(r2) : Real(0), r2, 1 / (Real(gauss_reach) * sigma));
  RadialOrders orders;
  long double s = core.s;
  for (int m = 0; m < 4; ++m, s *= (long double)core.s * core.s) orders.of[m] = core.n[m] * s;
  return orders;
}

template <class Real>
void expect_orders(SofteningKind kind, double bound) {
  const double sigma = 0.375;
  std::vector<double> distances{0, 1e-12, 1e-6, 1e-3, 2, 10};
  for (int i = 1; i < 3'000; ++i) distances.push_back(0.005 * i);
  for (const double rho : distances) {
    const Real own = static_cast<Real>(rho), r = own * static_cast<Real>(sigma);
    const RadialOrders found = computed_orders<Real>(kind, own, static_cast<Real>(sigma)),
                       exact = orders_of((long double)r * r, cored(kind, sigma));
    for (int m = 0; m < 4; ++m)
      EXPECT_NEAR((double)(found.of[m] / exact.of[m]), 1, bound) << word_of(kind) << ", order " << m << ", " << rho;
  }
}

TEST(Cores, AreAccurateAtEveryDistance) {
  for (const SofteningKind kind : cores) {
    expect_orders<double>(kind, 4e-15);
    expect_orders<float>(kind, 3e-6);
  }
}

/// What the tests compare with: each order is the derivative of the one before, by differences of fourth order.
TEST(Cores, OrdersAreDerivatives) {
  for (const SofteningKind kind : all_softenings)
    for (const long double r : {0.02L, 0.3L, 0.9L, 1.7L, 2.2L, 5.0L, 12.0L}) {
      const auto at = [&](long double x) { return orders_of(x * x, cored(kind, 1)); };
      const long double h = 1e-4L * r;
      for (int m = 0; m < 3; ++m) {
        const long double slope =
            (8 * (at(r + h).of[m] - at(r - h).of[m]) - at(r + 2 * h).of[m] + at(r - 2 * h).of[m]) / (12 * h);
        EXPECT_NEAR((double)(-slope / r / at(r).of[m + 1]), 1, 1e-7)
            << word_of(kind) << ", order " << m + 1 << ", " << (double)r;
      }
    }
}

/// The formulas of Winckelmans & Leonard: q(rho) / r^3 by which velocities are those of point vortices.
TEST(Cores, AreThoseOfThePaper) {
  for (const double rho : {0.1, 0.7, 1.0, 3.0, 20.0}) {
    const double r2 = rho * rho, pi = std::numbers::pi;
    EXPECT_NEAR((double)orders_of(r2, cored(SofteningKind::algebraic, 1)).of[1] * r2 * rho,
                r2 * rho * (r2 + 2.5) / std::pow(r2 + 1, 2.5), 1e-15);
    EXPECT_NEAR((double)orders_of(r2, cored(SofteningKind::gauss, 1)).of[1] * r2 * rho,
                std::erf(rho / std::sqrt(2)) - std::sqrt(2 / pi) * rho * std::exp(-r2 / 2), 1e-15);
  }
}

Vortices random_vortices(std::int64_t count) {
  Vortices v{make_cloud(Kind::uniform, count, Signs::mixed).sources, {}, {}};
  Stream random(5'303);
  for (std::size_t i = 0; i < v.places.size(); ++i) v.strengths.push_back(random.between(-1, 1));
  return v;
}

/// u = sum alpha x d f, f = -DK / (4 pi), and (alpha' . grad) u = sum alpha x alpha' f - alpha x d (d . alpha') g with
/// g = D^2 K / (4 pi).
struct Field {
  std::vector<double> velocity, stretching;
};
Field exact_field(const Vortices& v, const Options& o) {
  Field f{std::vector<double>(v.places.size()), std::vector<double>(v.places.size())};
#pragma omp parallel for
  for (std::size_t i = 0; i < v.places.size() / 3; ++i) {
    const double* own = &v.strengths[3 * i];
    long double u[3] = {}, w[3] = {};
    for (std::size_t s = 0; s < v.places.size() / 3; ++s) {
      if (s == i) continue;
      long double d[3], r2 = 0, along = 0;
      for (std::size_t a = 0; a < 3; ++a)
        d[a] = (long double)v.places[3 * i + a] - v.places[3 * s + a], r2 += d[a] * d[a], along += d[a] * own[a];
      const RadialOrders k = orders_of(r2, o);
      const double* alpha = &v.strengths[3 * s];
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        const long double cross = alpha[b] * d[c] - alpha[c] * d[b];
        u[a] += k.of[1] * cross;
        w[a] += k.of[1] * ((long double)alpha[b] * own[c] - (long double)alpha[c] * own[b]) - k.of[2] * cross * along;
      }
    }
    for (std::size_t a = 0; a < 3; ++a) {
      f.velocity[3 * i + a] = static_cast<double>(u[a] / (4 * std::numbers::pi_v<long double>));
      f.stretching[3 * i + a] = static_cast<double>(w[a] / (4 * std::numbers::pi_v<long double>));
    }
  }
  return f;
}

TEST(Cores, DirectVelocitiesAndStretching) {
  const Vortices v = random_vortices(700);
  for (const SofteningKind kind : all_softenings)
    for (const double sigma : {0.01, 0.1, 0.6})
      for (const Precision precision : both_precisions) {
        Options o = cored(kind, sigma);
        o.method = Method::direct, o.hessian = true, o.precision = precision;
        const VortexField<double> found = BiotSavart(points(v.places), o).evaluate(v.strengths);
        const Field exact = exact_field(v, o);
        const double bound = precision == Precision::single_ ? 1e-6 : 1e-14;
        EXPECT_LE(relative_difference(found.velocity, exact.velocity), bound) << word_of(kind) << " " << sigma;
        EXPECT_LE(relative_difference(found.stretching, exact.stretching), bound) << word_of(kind) << " " << sigma;
      }
}

/// A filament of velocity q(r/sigma) alpha x d / (4 pi r^3) moves at (log(8 R/sigma) - C) G / (4 pi R), short of
/// sigma^2, with C = log 2 - c and the integral of q(x)/x from 0 to X = log X + c for long X. By Simpson's rule in
/// log x.
double ring_constant(SofteningKind kind) {
  constexpr int steps = 40'000;
  const double low = -12, high = 6, h = (high - low) / steps;
  long double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const long double x = std::exp((long double)(low + i * h)), q = orders_of(x * x, cored(kind, 1)).of[1] * x * x * x;
    sum += q * (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2);
  }
  return std::log(2.0) + high - static_cast<double>(sum * h / 3);
}

TEST(Cores, ConstantsOfRings) {
  const double gamma = std::numbers::egamma;
  EXPECT_NEAR(ring_constant(SofteningKind::plummer), 1, 1e-4);
  EXPECT_NEAR(ring_constant(SofteningKind::algebraic), 0.5, 1e-6);
  EXPECT_NEAR(ring_constant(SofteningKind::gauss), 1 - gamma / 2 + std::log(2.0) / 2, 1e-6);
}

TEST(Cores, RingsMoveAtTheirKnownSpeeds) {
  const Vortices v = ring(4'000);
  const double sigma = 0.02;
  for (const auto& [kind, constant] :
       {std::pair{SofteningKind::plummer, 1.0}, {SofteningKind::algebraic, 0.5}, {SofteningKind::gauss, 1.0579658}}) {
    const double expected = (std::log(8 / sigma) - constant) / (4 * std::numbers::pi);
    const VortexField<double> found = BiotSavart(points(v.places), cored(kind, sigma)).evaluate(v.strengths);
    for (std::size_t i = 0; i < v.places.size() / 3; ++i) {
      EXPECT_NEAR(found.velocity[3 * i + 2], expected, 5e-4 * expected) << word_of(kind);
      EXPECT_NEAR(std::hypot(found.velocity[3 * i], found.velocity[3 * i + 1]), 0, 1e-6) << word_of(kind);
    }
  }
}

TEST(Cores, SaysWhereTheyAreNotOffered) {
  const Cloud cloud = make_cloud(Kind::uniform, 50, Signs::mixed);
  const auto sentence = [&](Options o, const double* lengths = nullptr) {
    Points with = points(cloud.sources);
    with.softening = lengths;
    return refusal(ErrorCode::usage, [&] { Plan(with, o); });
  };
  Options o = cored(SofteningKind::gauss, 0.1);
  o.method = Method::treecode;
  EXPECT_EQ(sentence(o), "softening 0.1 of kind gauss is not offered by method treecode; use method fmm or direct");
  o = cored(SofteningKind::algebraic, 0.1);
  std::vector<double> lengths(50, 0.1);
  lengths[3] = 0.2;
  EXPECT_EQ(sentence(o, lengths.data()),
            "softening 0.2 of kind algebraic is one length for all points; leave their own lengths out, or use plummer "
            "or spline");
}

}  // namespace
}  // namespace farfield::testing

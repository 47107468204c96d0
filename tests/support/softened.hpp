// Softened sums against long double, for any backend and kind of softening; a particle without itself.
#pragma once
#include <limits>

#include "support/measure.hpp"

namespace farfield::testing {

/// What Options::softening promises of single for softenings from 1e-6 to 10 extents; in double rounding alone.
template <class T>
double softened_bound(double terms) {
  return sizeof(T) == 4 ? 1e-6 : direct_rounding<double>(terms);
}

/// A softened kernel at distance r, and -1/r times its derivative.
struct SoftenedPair {
  long double potential, slope;
};
inline SoftenedPair plummer_pair(long double r2, long double softening) {
  const long double r = std::sqrt(r2 + softening * softening);
  return {1 / r, 1 / (r * r * r)};
}
/// As GADGET writes it, with its sign of the potential changed.
inline SoftenedPair spline_pair(long double r2, long double softening) {
  const long double h = 2.8L * softening, r = std::sqrt(r2), u = r / h, u2 = u * u;
  if (u >= 1) return {1 / r, 1 / (r * r * r)};
  if (u < 0.5L)
    return {-(-2.8L + u2 * (16 / 3.0L + u2 * (6.4L * u - 9.6L))) / h, (32 / 3.0L + u2 * (32 * u - 38.4L)) / h / h / h};
  return {-(-3.2L + 1 / (15 * u) + u2 * (32 / 3.0L + u * (-16 + u * (9.6L - 32 / 15.0L * u)))) / h,
          (64 / 3.0L - 48 * u + 38.4L * u2 - 32 / 3.0L * u2 * u - 1 / (15 * u2 * u)) / h / h / h};
}
/// K and (-1/r d/dr)^k K, k = 1, 2, 3, of a softened kernel: what all its derivatives are made of.
struct RadialOrders {
  long double of[4];
};
inline RadialOrders inverse_orders(long double r) {
  const long double s2 = 1 / (r * r);
  return {{1 / r, s2 / r, 3 * s2 * s2 / r, 15 * s2 * s2 * s2 / r}};
}
inline RadialOrders algebraic_orders(long double r2, long double sigma) {
  const long double x = r2 + sigma * sigma, s = 1 / std::sqrt(x), half = sigma * sigma / 2;
  return {{s + half * s / x, (1 + 3 * half / x) * s / x, (3 + 15 * half / x) * s / x / x,
           (15 + 105 * half / x) * s / x / x / x}};
}
/// By the series F_m(z) = e^-z sum_n (2z)^n / ((2m+1) (2m+3) ... (2m+2n+1)), whose terms are positive.
inline RadialOrders gauss_orders(long double r2, long double sigma) {
  const long double z = r2 / (2 * sigma * sigma), pi = std::acos(-1.0L);
  if (z > 60) return inverse_orders(std::sqrt(r2));
  RadialOrders orders;
  long double unit = std::sqrt(2 / pi) / sigma;
  for (int m = 0; m < 4; ++m, unit /= sigma * sigma) {
    long double term = 1.0L / (2 * m + 1), sum = 0;
    for (int n = 1; term > 1e-25L * sum; ++n) sum += term, term *= 2 * z / (2 * m + 2 * n + 1);
    orders.of[m] = unit * std::exp(-z) * sum;
  }
  return orders;
}
inline RadialOrders plummer_orders(long double r2, long double softening) {
  return inverse_orders(std::sqrt(r2 + softening * softening));
}
/// Outside of the reach 1/r; within it the derivatives of the polynomials above, term by term: (-1/r d/dr) r^k is
/// -k r^(k-2).
inline RadialOrders spline_orders(long double r2, long double softening) {
  const long double h = 2.8L * softening, r = std::sqrt(r2), u = r / h;
  if (u >= 1) return inverse_orders(r);
  struct Term {
    int power;
    long double factor;
  };
  const std::vector<Term> inner{{0, 2.8L}, {2, -16 / 3.0L}, {4, 9.6L}, {5, -6.4L}},
      outer{{-1, -1 / 15.0L}, {0, 3.2L}, {2, -32 / 3.0L}, {3, 16}, {4, -9.6L}, {5, 32 / 15.0L}};
  std::vector<Term> terms = u < 0.5L ? inner : outer;
  RadialOrders orders;
  long double unit = 1 / h;
  for (int m = 0; m < 4; ++m, unit /= h * h) {
    orders.of[m] = 0;
    for (Term& t : terms) {
      if (t.factor != 0) orders.of[m] += unit * t.factor * std::pow(u, (long double)t.power);
      t = {t.power - 2, -t.power * t.factor};
    }
  }
  return orders;
}
inline RadialOrders orders_of(long double r2, const Options& o) {
  switch (o.softening_kind) {
    case SofteningKind::spline:
      return spline_orders(r2, o.softening);
    case SofteningKind::algebraic:
      return algebraic_orders(r2, o.softening);
    case SofteningKind::gauss:
      return gauss_orders(r2, o.softening);
    case SofteningKind::plummer:
      break;
  }
  return plummer_orders(r2, o.softening);
}
inline SoftenedPair softened_pair(long double r2, const Options& o) {
  const auto first_two = [](const RadialOrders& orders) { return SoftenedPair{orders.of[0], orders.of[1]}; };
  switch (o.softening_kind) {
    case SofteningKind::spline:
      return spline_pair(r2, o.softening);
    case SofteningKind::algebraic:
      return first_two(algebraic_orders(r2, o.softening));
    case SofteningKind::gauss:
      return first_two(gauss_orders(r2, o.softening));
    case SofteningKind::plummer:
      break;
  }
  return plummer_pair(r2, o.softening);
}
inline constexpr SofteningKind all_softenings[] = {SofteningKind::plummer, SofteningKind::spline,
                                                   SofteningKind::algebraic, SofteningKind::gauss};

/// The sum at x over all sources but `self` (-1: over all).
inline PointSum softened_sum_at(const Cloud& c, const double* x, std::int64_t self, const Options& o) {
  PointSum s;
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    if (static_cast<std::int64_t>(j) == self) continue;
    const double* y = &c.sources[3 * j];
    const long double d[3] = {(long double)x[0] - y[0], (long double)x[1] - y[1], (long double)x[2] - y[2]};
    const long double distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const SoftenedPair pair = softened_pair(distance2, o);
    const long double w = c.strengths[j] * pair.potential, w3 = c.strengths[j] * pair.slope;
    s.u += w;
    for (int a = 0; a < 3; ++a) s.g[a] -= w3 * d[a];
    s.abs_u += std::fabs(w);
    s.abs_g += std::fabs(w3) * std::sqrt(distance2);
  }
  return s;
}

/// L2 errors over all targets, relative to the sum of absolute values: for strengths of one sign, to the potential.
struct SoftenedErrors {
  double potential = 0, gradient = 0;
};

/// `with_self`: the targets are not the sources, so every source contributes.
template <class T>
SoftenedErrors softened_errors(const Cloud& cloud, const Options& o, const std::vector<double>& where, bool with_self,
                               const std::vector<T>& potential, const std::vector<T>& gradient) {
  long double error_u = 0, error_g = 0, all_u = 0, all_g = 0;
  for (std::size_t i = 0; i < potential.size(); ++i) {
    const PointSum s = softened_sum_at(cloud, &where[3 * i], with_self ? -1 : static_cast<std::int64_t>(i), o);
    const auto square = [](long double x) { return x * x; };
    error_u += square(potential[i] - s.u), all_u += square(s.abs_u);
    for (std::size_t a = 0; a < 3; ++a) error_g += square(gradient[3 * i + a] - s.g[a]);
    all_g += square(s.abs_g);
  }
  const auto relative = [](long double error, long double all) {
    return error == 0 ? 0.0 : static_cast<double>(std::sqrt(error / all));
  };
  return {relative(error_u, all_u), relative(error_g, all_g)};
}

/// How a test softens: the backend, and the kind.
struct How {
  Backend backend;
  SofteningKind kind;
  How(Backend where, SofteningKind as = SofteningKind::plummer) : backend(where), kind(as) {}
};

inline Options softened_options(double softening, Precision precision, How how) {
  Options o;
  o.gradient = true;
  o.method = Method::direct;
  o.precision = precision;
  o.softening = softening;
  o.softening_kind = how.kind;
  o.backend = how.backend;
  return o;
}

/// Returns the report of what ran.
inline Report expect_softened(const Cloud& cloud, const Options& o) {
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const SoftenedErrors e = softened_errors(cloud, o, cloud.where(), cloud.apart(), r.potential, r.gradient);
  const auto terms = static_cast<double>(cloud.count());
  const double bound = o.precision == Precision::single_ ? softened_bound<float>(terms) : softened_bound<double>(terms);
  EXPECT_LE(e.potential, bound) << cloud.label << ", softening " << o.softening << ", " << r.report.precision;
  EXPECT_LE(e.gradient, bound) << cloud.label << ", softening " << o.softening << ", " << r.report.precision;
  EXPECT_EQ(r.report.method, "direct");
  EXPECT_EQ(r.report.softening, o.softening);
  return r.report;
}
inline void expect_softened(const Cloud& cloud, double softening, Precision precision, How how) {
  expect_softened(cloud, softened_options(softening, precision, how));
}

inline Cloud in_units(Cloud cloud, double unit, double strength = 1) {
  cloud.label += "/in units of " + std::to_string(std::log10(unit));
  for (double& x : cloud.sources) x *= unit;
  for (double& x : cloud.targets) x *= unit;
  for (double& q : cloud.strengths) q *= strength;
  return cloud;
}

/// Every third source, and every third target where they are apart, is put on the source before it.
inline Cloud with_coincident_points(Cloud cloud) {
  cloud.label += "/coincident";
  for (std::size_t i = 1; i < cloud.strengths.size(); i += 3)
    for (std::size_t a = 0; a < 3; ++a) {
      cloud.sources[3 * i + a] = cloud.sources[3 * i - 3 + a];
      if (cloud.apart()) cloud.targets[3 * i + a] = cloud.sources[3 * i + a];
    }
  return cloud;
}

constexpr Precision both_precisions[] = {Precision::single_, Precision::double_};
constexpr double softenings[] = {1e-6, 1e-3, 0.05, 1, 10};  ///< in extents

inline void soften_odd_sizes(How how, const std::vector<std::int64_t>& sizes) {
  for (const std::int64_t n : sizes)
    for (const Kind kind : {Kind::uniform, Kind::apart, Kind::outside})
      for (const Precision precision : both_precisions)
        for (const double softening : softenings)
          expect_softened(make_cloud(kind, n, Signs::positive), softening, precision, how);
}

inline void soften_kinds(How how) {
  for (const Kind kind : all_kinds)
    for (const Signs signs : {Signs::mixed, Signs::positive})
      for (const Precision precision : both_precisions)
        for (const double softening : {1e-4, 0.1})
          expect_softened(make_cloud(kind, 700, signs), softening, precision, how);
}

inline void soften_coincident_points(How how) {
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const Precision precision : both_precisions)
      for (const double softening : softenings)
        expect_softened(with_coincident_points(make_cloud(kind, 257, Signs::positive)), softening, precision, how);
}

inline void soften_far_units(How how) {
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const double unit : {1e-30, 3e-7, 4.5e9, 1e30})
      for (const Precision precision : both_precisions)
        for (const double softening : softenings)
          expect_softened(in_units(make_cloud(kind, 130, Signs::positive), unit, 1e12), softening * unit, precision,
                          how);
}

/// Lengths whose square leaves the range of the precision. 1e-30 of the extent is what single can invert.
inline void soften_beyond_squares(How how) {
  for (const Kind kind : {Kind::uniform, Kind::apart}) {
    const Cloud cloud = with_coincident_points(make_cloud(kind, 130, Signs::positive));
    for (const double softening : {1e-30, 1e-12, 1e3, 1e6, 1e10, 1e25, 1e60})
      expect_softened(cloud, softening, Precision::single_, how);
    for (const double softening : {1e-200, 1e-120, 1e-40, 1e6, 1e12, 1e40, 1e90})
      expect_softened(cloud, softening, Precision::double_, how);
  }
}

/// Results at the sources beside targets apart: there, and only there, a particle leaves itself out.
inline void soften_at_sources(How how) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::apart, 131, Signs::positive));
  for (const Precision precision : both_precisions) {
    Options o = softened_options(0.01, precision, how);
    o.at_sources = true;
    const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
    const double bound = precision == Precision::single_ ? softened_bound<float>(131) : softened_bound<double>(131);
    const SoftenedErrors apart = softened_errors(cloud, o, cloud.targets, true, r.potential, r.gradient);
    const SoftenedErrors own = softened_errors(cloud, o, cloud.sources, false, r.source_potential, r.source_gradient);
    for (const double error : {apart.potential, apart.gradient, own.potential, own.gradient}) EXPECT_LE(error, bound);
  }
}

/// The tolerance kept at targets apart and at the sources beside them, and seen by `check`.
inline void expect_kept_at_both(const Cloud& cloud, Options o) {
  o.at_sources = true, o.check = 200;
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const SoftenedErrors apart = softened_errors(cloud, o, cloud.targets, true, r.potential, r.gradient);
  const SoftenedErrors own = softened_errors(cloud, o, cloud.sources, false, r.source_potential, r.source_gradient);
  for (const double error : {apart.potential, apart.gradient, own.potential, own.gradient})
    EXPECT_LE(error, o.tolerance);
  EXPECT_LE(r.report.error->potential, o.tolerance);
  EXPECT_LE(r.report.error->gradient, o.tolerance);
}

/// One particle alone is at exactly 0; at a target on it strength / softening, and no gradient.
inline void soften_one_particle(How how) {
  const std::vector<double> one{1, 2, 3}, q{3};
  for (const Precision precision : both_precisions)
    for (const double softening : {1e-20, 0.25, 1e20}) {
      const Options o = softened_options(softening, precision, how);
      const Result<double> alone = Plan(points(one), o).evaluate(q),
                           apart = Plan(points(one), points(one), o).evaluate(q);
      EXPECT_EQ(alone.potential, std::vector<double>{0});
      EXPECT_EQ(alone.gradient, (std::vector<double>{0, 0, 0}));
      const auto most = static_cast<double>(3 * softened_pair(0, o).potential);
      EXPECT_NEAR(apart.potential[0], most, most * 4 * std::numeric_limits<float>::epsilon());
      EXPECT_EQ(apart.gradient, (std::vector<double>{0, 0, 0}));
    }
}

/// `check` sums with the same softening, and what it measures is the error.
inline void check_softened(How how) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::plummer, 1'000, Signs::mixed));
  for (const Precision precision : both_precisions) {
    Options o = softened_options(0.02, precision, how);
    o.check = 500;
    const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
    const double bound =
        precision == Precision::single_ ? direct_rounding<float>(1'000) : direct_rounding<double>(1'000);
    ASSERT_TRUE(r.report.error.has_value());
    EXPECT_LE(r.report.error->potential, bound);
    EXPECT_LE(r.report.error->gradient, bound);
    EXPECT_GE(r.report.condition_potential, 1);
    EXPECT_GE(r.report.condition_gradient, 1);
    EXPECT_LE(r.report.condition_gradient, promised_condition);
  }
}

}  // namespace farfield::testing

// Sums of kernels vortex and cauchy in long double, with cores.
#pragma once
#include <complex>
#include <numbers>

#include "support/planar.hpp"

namespace farfield::testing {

using LongComplex = std::complex<long double>;

/// r^2 times what the velocity of a pair is over that of points at a unit distance.
inline long double core_factor(long double r2, const Options& o) {
  const long double x = r2 / ((long double)o.core_radius * o.core_radius);
  return o.core == Core::gauss ? -std::expm1(-x) : o.core == Core::rankine ? std::min(1.0L, x) : 1;
}

/// log r of a pair with core: finite where points coincide.
inline long double core_logarithm(long double r2, const Options& o) {
  const long double square = (long double)o.core_radius * o.core_radius, x = r2 / square;
  if (o.core == Core::rankine && x < 1) return (std::log(square) + x - 1) / 2;
  if (o.core != Core::gauss) return std::log(r2) / 2;
  constexpr long double gamma = std::numbers::egamma_v<long double>;
  if (x < 1e-9L) return (std::log(square) - gamma + x) / 2;
  return (std::log(r2) - std::expint(-x)) / 2;  // E1(x) = -Ei(-x)
}

/// u in PointSum::u; (u, v, 0) or (Re, Im, 0) in g.
inline PointSum vortex_sum_at(const Cloud& c, const double* x, const Options& o) {
  PointSum s;
  const bool turned = o.kernel == Kernel::vortex;
  const long double constant = o.scale * (turned ? 1 / (2 * std::numbers::pi_v<long double>) : 1.0L);
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    const long double dx = (long double)x[0] - c.sources[3 * j], dy = (long double)x[1] - c.sources[3 * j + 1];
    const long double r2 = dx * dx + dy * dy, q = constant * c.strengths[j];
    if (o.core != Core::none || r2 > 0) s.u -= q * core_logarithm(r2, o);
    if (r2 == 0) continue;  // coincident pairs contribute nothing to velocities
    const long double g = q * core_factor(r2, o) / r2;
    s.g[0] += g * (turned ? -dy : dx), s.g[1] += g * (turned ? dx : -dy);
    s.abs_g += std::fabs(g) * std::sqrt(r2);
  }
  return s;
}

/// At all targets of small clouds, at a sample of large ones.
inline Exact vortex_exact(const Cloud& cloud, const Options& o) {
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  Exact e;
  e.targets = sample_of(count, count <= 4'000 ? count : 1'000);
  const std::size_t n = e.targets.size();
  e.potential.resize(n), e.gradient.resize(3 * n), e.gradient_magnitude.resize(n);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t k = 0; k < n; ++k) {
    const PointSum s = vortex_sum_at(cloud, &cloud.where()[3 * static_cast<std::size_t>(e.targets[k])], o);
    e.potential[k] = s.u, e.gradient_magnitude[k] = s.abs_g;
    for (std::size_t a = 0; a < 3; ++a) e.gradient[3 * k + a] = s.g[a];
  }
  return e;
}

/// sum of the magnitudes over the sum, L2 over the targets: the promise holds up to 1e3.
inline double condition_of(const Exact& e) {
  long double all = 0, terms = 0;
  for (const long double v : e.gradient) all += v * v;
  for (const long double m : e.gradient_magnitude) terms += m * m;
  return static_cast<double>(std::sqrt(terms / all));
}

inline Outcome measure_vortices(const Cloud& cloud, const Options& o, const Exact& truth) {
  const Result<double> result = make_plan(cloud, o).evaluate(cloud.strengths);
  Outcome found;
  found.gradient = relative_error(result.gradient, truth.gradient, truth.targets, 3);
  if (o.stream_function) found.potential = relative_error(result.potential, truth.potential, truth.targets, 1);
  EXPECT_EQ(result.potential.empty(), !o.stream_function || cloud.count() == 0);
  found.report = result.report;
  return found;
}
inline Outcome measure_vortices(const Cloud& cloud, const Options& o) {
  return measure_vortices(cloud, o, vortex_exact(cloud, o));
}

inline Options vortex_options(double tolerance, Precision precision = Precision::automatic) {
  Options o = fmm_options(tolerance, precision);
  o.gradient = false;  // velocities come in any case
  o.kernel = Kernel::vortex;
  return on_tested_backend(o);
}
inline Options cored(Options o, Core core, double radius) {
  o.core = core, o.core_radius = radius;
  return o;
}

/// `count` points evenly on a circle about the origin.
inline std::vector<double> polygon(std::int64_t count, double radius = 1) {
  std::vector<double> points;
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    points.insert(points.end(), {radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  return points;
}

}  // namespace farfield::testing

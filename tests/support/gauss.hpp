// Oracle of kernel gauss in long double, and errors in the norm of its promise: at every target relative to the sum of
// |strengths|, those of the gradient to this sum over the bandwidth.
#pragma once
#include <map>

#include "support/measure.hpp"

namespace farfield::testing {

inline PointSum gauss_sum_at(const Cloud& c, const double* x, long double sigma) {
  PointSum s;
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    long double d[3], r2 = 0;
    for (std::size_t a = 0; a < 3; ++a)
      d[a] = (long double)x[a] - c.sources[3 * j + a], r2 += d[a] / sigma * (d[a] / sigma);
    const long double w = c.strengths[j] * std::exp(-r2 / 2);
    s.u += w;
    for (int a = 0; a < 3; ++a) s.g[a] -= w * d[a] / sigma / sigma;
  }
  return s;
}

/// Computed once per label and bandwidth in a process, as exact().
inline const Exact& gauss_exact(const Cloud& cloud, double sigma) {
  static std::map<std::pair<std::string, double>, Exact> known;
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  Exact& e = known[{cloud.label, sigma}];
  if (!e.targets.empty() || count == 0) return e;
  constexpr std::int64_t most = 300;
  e.targets = sample_of(count, most);
  const std::size_t n = e.targets.size();
  e.potential.resize(n), e.gradient.resize(3 * n);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t k = 0; k < n; ++k) {
    const PointSum s = gauss_sum_at(cloud, &cloud.where()[3 * static_cast<std::size_t>(e.targets[k])], sigma);
    e.potential[k] = s.u;
    for (std::size_t a = 0; a < 3; ++a) e.gradient[3 * k + a] = s.g[a];
  }
  return e;
}

/// The largest error at any target.
template <class T>
Outcome judge_gauss(const Cloud& cloud, const Result<T>& result, double sigma) {
  const Exact& truth = gauss_exact(cloud, sigma);
  long double sizes = 0;
  for (const double q : cloud.strengths) sizes += std::fabs(q);
  Outcome o;
  o.report = result.report;
  for (std::size_t k = 0; k < truth.targets.size(); ++k) {
    const auto at = static_cast<std::size_t>(truth.targets[k]);
    const long double u = result.potential[at] - truth.potential[k];
    o.potential = std::max(o.potential, static_cast<double>(std::fabs(u) / sizes));
    if (result.gradient.empty()) continue;
    long double squares = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const long double g = result.gradient[3 * at + a] - truth.gradient[3 * k + a];
      squares += g * g;
    }
    o.gradient = std::max(o.gradient, static_cast<double>(std::sqrt(squares) * sigma / sizes));
  }
  return o;
}

inline Options gauss_options(double bandwidth, double tolerance, Method method = Method::automatic,
                             Precision precision = Precision::automatic) {
  Options o;
  o.kernel = Kernel::gauss;
  o.bandwidth = bandwidth;
  o.tolerance = tolerance;
  o.gradient = true;
  o.method = method;
  o.precision = precision;
  return on_tested_backend(o);
}

inline Outcome measure_gauss(const Cloud& cloud, const Options& o) {
  return judge_gauss(cloud, make_plan(cloud, o).evaluate(cloud.strengths), o.bandwidth);
}

}  // namespace farfield::testing

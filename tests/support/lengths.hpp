// Points with softening lengths of their own, and their sums in long double: a pair is softened by the root of the mean
// square of its points' lengths (Plummer) or by the longer one (spline).
#pragma once
#include <utility>

#include "support/softened.hpp"

namespace farfield::testing {

/// How the lengths of a set of points are distributed; `scale` is the longest.
enum class Lengths { two_kinds, wide_range, some_without };

inline std::vector<double> make_lengths(Lengths how, std::size_t count, double scale, std::uint64_t seed) {
  Stream random(seed);
  std::vector<double> lengths(count);
  for (std::size_t i = 0; i < count; ++i) {
    lengths[i] = how == Lengths::two_kinds ? (i % 3 ? 1 : 0.4) : std::pow(10, -4 * random.between(0, 1));
    if (how == Lengths::some_without && i % 4 == 0) lengths[i] = 0;
    lengths[i] *= scale;
  }
  return lengths;
}

/// A cloud whose points have lengths.
struct Softly {
  Cloud cloud;
  std::vector<double> of_sources, of_targets;
  SofteningKind kind = SofteningKind::plummer;

  Softly(Cloud c, Lengths how, double scale, SofteningKind as)
      : cloud(std::move(c)),
        of_sources(make_lengths(how, cloud.strengths.size(), scale, 11)),
        of_targets(make_lengths(how, cloud.targets.size() / 3, scale, 12)),
        kind(as) {}
  Points sources() const {
    Points p = points(cloud.sources);
    p.softening = of_sources.data();
    return p;
  }
  Points targets() const {
    Points p = points(cloud.targets);
    p.softening = of_targets.data();
    return p;
  }
  Plan plan(const Options& o) const { return cloud.apart() ? Plan(sources(), targets(), o) : Plan(sources(), o); }

  /// The sum at x of a target with that length over all sources but `self` (-1: over all).
  PointSum sum_at(const double* x, double length, std::int64_t self) const {
    PointSum s;
    for (std::size_t j = 0; j < cloud.strengths.size(); ++j) {
      if (static_cast<std::int64_t>(j) == self) continue;
      const double* y = &cloud.sources[3 * j];
      const long double d[3] = {(long double)x[0] - y[0], (long double)x[1] - y[1], (long double)x[2] - y[2]};
      const long double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], a = length, b = of_sources[j];
      const bool spline = kind == SofteningKind::spline;
      const long double of_pair = spline ? std::max(a, b) : std::sqrt((a * a + b * b) / 2);
      if (r2 == 0 && of_pair == 0) continue;
      const SoftenedPair pair = spline && of_pair > 0 ? spline_pair(r2, of_pair) : plummer_pair(r2, of_pair);
      const long double w = cloud.strengths[j] * pair.potential, w3 = cloud.strengths[j] * pair.slope;
      s.u += w, s.abs_u += std::fabs(w), s.abs_g += std::fabs(w3) * std::sqrt(r2);
      for (int axis = 0; axis < 3; ++axis) s.g[axis] -= w3 * d[axis];
    }
    return s;
  }
};

struct Missed {
  double potential = 0, gradient = 0;
};

/// L2 errors at every `step`th target over those of the results, or (`of_terms`) over those of the sums of |terms|.
inline Missed missed(const Softly& c, bool at_sources, const std::vector<double>& potential,
                     const std::vector<double>& gradient, std::size_t step = 1, bool of_terms = false) {
  const bool own = at_sources || !c.cloud.apart();
  const std::vector<double>&where = own ? c.cloud.sources : c.cloud.targets,
        &length = own ? c.of_sources : c.of_targets;
  long double error_u = 0, error_g = 0, all_u = 0, all_g = 0;
  for (std::size_t i = 0; i < potential.size(); i += step) {
    const PointSum s = c.sum_at(&where[3 * i], length[i], own ? static_cast<std::int64_t>(i) : -1);
    const auto square = [](long double x) { return x * x; };
    error_u += square(potential[i] - s.u), all_u += square(of_terms ? s.abs_u : s.u);
    for (std::size_t a = 0; a < 3; ++a) {
      error_g += square(gradient[3 * i + a] - s.g[a]);
      all_g += of_terms ? 0 : square(s.g[a]);
    }
    all_g += of_terms ? square(s.abs_g) : 0;
  }
  const auto relative = [](long double error, long double all) {
    return error == 0 ? 0.0 : static_cast<double>(std::sqrt(error / all));
  };
  return {relative(error_u, all_u), relative(error_g, all_g)};
}

inline Options options_for(const Softly& c, Method method, Precision precision, Backend backend = Backend::cpu) {
  Options o = softened_options(0, precision, How(backend, c.kind));
  o.method = method;
  return o;
}

/// Results at the targets and at the sources of one plan, and what `check` measures of them.
inline void expect_results_at_both(Backend backend) {
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
    for (const Method method : {Method::direct, Method::fmm})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        const Softly c(with_coincident_points(make_cloud(Kind::apart, 2'000, Signs::positive)), Lengths::some_without,
                       1e-3, kind);
        Options o = options_for(c, method, precision, backend);
        o.at_sources = true, o.tolerance = 1e-5, o.check = 300;
        const Result<double> r = c.plan(o).evaluate(c.cloud.strengths);
        const Missed apart = missed(c, false, r.potential, r.gradient, 10),
                     own = missed(c, true, r.source_potential, r.source_gradient, 10);
        for (const double error : {apart.potential, apart.gradient, own.potential, own.gradient})
          EXPECT_LE(error, o.tolerance);
        EXPECT_LE(r.report.error->potential, o.tolerance);
        EXPECT_LE(r.report.error->gradient, o.tolerance);
      }
}

/// Lengths that are all the same are one length, and moves from one to many and back leave no trace.
inline void expect_moves_without_trace(const Cloud& cloud, SofteningKind kind, Options o) {
  const Softly c(cloud, Lengths::wide_range, 0.5, kind);
  const std::vector<double> same(cloud.strengths.size(), 0.3);
  Points equal = points(cloud.sources);
  equal.softening = same.data();
  Plan moved(equal, o);
  const Result<double> first = moved.evaluate(cloud.strengths);
  moved.move(c.sources());
  const Result<double> own = moved.evaluate(cloud.strengths), fresh = c.plan(o).evaluate(cloud.strengths);
  moved.move(equal);
  const Result<double> again = moved.evaluate(cloud.strengths), twice = moved.evaluate(cloud.strengths);
  o.softening = 0.3;
  const Result<double> one = Plan(points(cloud.sources), o).evaluate(cloud.strengths);
  EXPECT_EQ(first.gradient, one.gradient);
  EXPECT_EQ(again.gradient, one.gradient);
  EXPECT_EQ(twice.gradient, one.gradient);
  EXPECT_EQ(own.gradient, fresh.gradient);
  EXPECT_NE(own.gradient, one.gradient);
}

inline double rounding(Precision precision, const Cloud& cloud) {
  const auto terms = static_cast<double>(cloud.count());
  return precision == Precision::single_ ? softened_bound<float>(terms) : softened_bound<double>(terms);
}

}  // namespace farfield::testing

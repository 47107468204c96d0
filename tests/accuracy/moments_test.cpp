// The promise for sources of charges, dipoles or both, and for potential, gradient and Hessian: fitted clouds and
// random problems, against loops over pairs in long double (support/moments.hpp).
#include "support/moments.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <farfield/farfield.hpp>

#include "support/measure.hpp"
#include "support/tolerance.hpp"

namespace farfield::testing {
namespace {

enum class Carried { charges, dipoles, both };
constexpr Carried every_kind_of_source[] = {Carried::charges, Carried::dipoles, Carried::both};
const char* name(Carried carried) {
  constexpr const char* names[] = {"charges", "dipoles", "both"};
  return names[static_cast<int>(carried)];
}

/// A cloud whose sources carry moments, and its exact sums by part, target by target.
struct Problem {
  Cloud cloud;
  Carried carried;
  MomentSources sources;
  std::vector<long double> part[10];
};

/// Random dipoles of about `length` times a charge. The length of mixed problems is the mean distance of neighbours, so
/// that either kind counts.
Problem make_problem(const Cloud& cloud, Carried carried, double length, Stream& random) {
  Problem p{cloud, carried, {cloud.sources, {}, {}}, {}};
  if (carried != Carried::dipoles) p.sources.charges = cloud.strengths;
  if (carried != Carried::charges)
    for (std::size_t i = 0; i < cloud.sources.size(); ++i) p.sources.dipoles.push_back(length * random.between(-1, 1));
  const std::size_t count = cloud.where().size() / 3;
  for (auto& part : p.part) part.resize(count);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t i = 0; i < count; ++i) {
    const MomentSum sum = moments_at(p.sources, &cloud.where()[3 * i]);
    for (std::size_t part = 0; part < 10; ++part) p.part[part][i] = sum.part[part];
  }
  return p;
}

double extent_of(const Cloud& cloud) {
  double low = INFINITY, high = -INFINITY;
  for (const double x : cloud.sources) low = std::min(low, x), high = std::max(high, x);
  return high - low;
}

/// Relative L2 errors of potential, gradient and Hessian; off-diagonal elements of Hessians count twice.
struct Found {
  double error[3] = {};
  Report report;
  double worst() const { return std::max({error[0], error[1], error[2]}); }
};

template <class T>
double error_of(const std::vector<T>& computed, const Problem& p, std::size_t first, std::size_t width) {
  long double squares = 0, all = 0;
  for (std::size_t i = 0; i < p.part[0].size(); ++i)
    for (std::size_t k = 0; k < width; ++k) {
      const long double value = computed[width * i + k], difference = value - p.part[first + k][i],
                        weight = first + k > 6 ? 2 : 1;
      squares += weight * difference * difference, all += weight * value * value;
    }
  return squares == 0 ? 0 : static_cast<double>(std::sqrt(squares / all));
}

template <class T>
Found evaluated(const Problem& p, const Options& options) {
  const std::vector<T> charges(p.sources.charges.begin(), p.sources.charges.end()),
      dipoles(p.sources.dipoles.begin(), p.sources.dipoles.end());
  Strengths s = strengths(charges.empty() ? nullptr : charges.data(), p.cloud.count());
  if (!dipoles.empty()) s = with_dipoles(s, dipoles.data());
  Options o = options;
  o.dipoles = !dipoles.empty();
  Plan plan = make_plan(p.cloud, o);
  const Result<T> r = plan.evaluate<T>(s);
  Found found;
  found.report = r.report;
  found.error[0] = error_of(r.potential, p, 0, 1);
  if (o.gradient || o.hessian) found.error[1] = error_of(r.gradient, p, 1, 3);
  if (o.hessian) found.error[2] = error_of(r.hessian, p, 4, 6);
  return found;
}

TEST(Moments, KeepThePromiseOnFittedClouds) {
  std::printf("cloud            sources    order  tolerance  degree  errors of potential, gradient, Hessian\n");
  for (const Kind kind : all_kinds) {
    const Cloud cloud = make_cloud(kind, 2'000, Signs::mixed);
    Stream random(77);
    for (const Carried carried : every_kind_of_source) {
      const Problem p = make_problem(cloud, carried, 0.05 * extent_of(cloud), random);
      for (int order = 0; order < 3; ++order)
        for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
          if (carried == Carried::charges && order < 2) continue;
          Options o{.tolerance = tolerance, .gradient = order == 1};
          o.hessian = order == 2, o.method = Method::fmm;
          const Found f = evaluated<double>(p, o);
          std::printf("%-16s %-10s %d      %.0e      %2d      %.1e %.1e %.1e%s\n", name(kind), name(carried), order,
                      tolerance, f.report.degree, f.error[0], f.error[1], f.error[2],
                      f.report.warnings.empty() ? "" : "  warned");
          if (f.report.warnings.empty()) {
            EXPECT_LE(f.worst(), slack * tolerance) << name(kind) << ' ' << name(carried) << " order " << order;
          }
        }
    }
  }
}

TEST(Moments, KeepThePromiseInSingle) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::shifted, Kind::outside}) {
    const Cloud cloud = make_cloud(kind, 2'000, Signs::mixed);
    Stream random(78);
    for (const Carried carried : every_kind_of_source) {
      const Problem p = make_problem(cloud, carried, 0.05 * extent_of(cloud), random);
      for (const double tolerance : {1e-3, 1e-5})
        for (const Method method : {Method::fmm, Method::direct}) {
          Options o{.tolerance = tolerance};
          o.hessian = true, o.precision = Precision::single_, o.method = method;
          const Found f = evaluated<double>(p, o);
          if (f.report.warnings.empty()) {
            EXPECT_LE(f.worst(), slack * tolerance) << name(kind) << ' ' << name(carried) << ' ' << word_of(method)
                                                    << ' ' << f.error[0] << ' ' << f.error[1] << ' ' << f.error[2];
          }
        }
    }
  }
}

TEST(Moments, DirectSumsAreExact) {
  for (const Kind kind : all_kinds) {
    const Cloud cloud = make_cloud(kind, 500, Signs::mixed);
    Stream random(79);
    for (const Carried carried : every_kind_of_source) {
      Options o{.tolerance = 1e-12};
      o.hessian = true, o.method = Method::direct, o.precision = Precision::double_;
      EXPECT_LE(evaluated<double>(make_problem(cloud, carried, 0.05 * extent_of(cloud), random), o).worst(), 1e-12)
          << name(kind) << ' ' << name(carried);
    }
  }
}

// A density evaluated with others has the bits that it has alone.
TEST(Moments, DensitiesDoNotTouchEachOther) {
  const Cloud cloud = make_cloud(Kind::plummer, 5'000, Signs::mixed);
  constexpr std::int64_t densities = 7;
  Stream random(80);
  std::vector<double> q, p;
  for (std::int64_t i = 0; i < densities * cloud.count(); ++i) q.push_back(random.between(-1, 1));
  for (std::int64_t i = 0; i < 3 * densities * cloud.count(); ++i) p.push_back(random.between(-0.1, 0.1));
  for (const bool hessian : {false, true})
    for (const bool dipoles : {false, true}) {
      Options o{.tolerance = 1e-5, .gradient = true};
      o.hessian = hessian, o.dipoles = dipoles, o.method = Method::fmm;
      Plan plan = make_plan(cloud, o);
      Strengths all = strengths(q.data(), cloud.count(), densities);
      if (dipoles) all = with_dipoles(all, p.data());
      const Result<double> together = plan.evaluate<double>(all);
      for (std::int64_t v = 0; v < densities; ++v) {
        Strengths one = strengths(q.data() + v * cloud.count(), cloud.count());
        if (dipoles) one = with_dipoles(one, p.data() + 3 * v * cloud.count());
        const Result<double> alone = plan.evaluate<double>(one);
        const auto same = [&](const std::vector<double>& many, const std::vector<double>& few) {
          return std::equal(few.begin(), few.end(), many.begin() + v * std::ssize(few));
        };
        EXPECT_TRUE(same(together.potential, alone.potential)) << v << dipoles << hessian;
        EXPECT_TRUE(same(together.gradient, alone.gradient)) << v << dipoles << hessian;
        EXPECT_TRUE(same(together.hessian, alone.hessian)) << v << dipoles;
      }
    }
}

// Charges q at points y with results at x, and the reverse: sum q' (p . grad_y) K = sum p . grad (q' K).
TEST(Moments, DipolesAreAdjointToGradients) {
  const Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  Stream random(81);
  std::vector<double> p;
  for (std::size_t i = 0; i < cloud.sources.size(); ++i) p.push_back(random.between(-1, 1));
  Options o{.tolerance = 1e-10, .gradient = true};
  o.dipoles = true, o.method = Method::fmm;
  Plan plan = make_plan(cloud, o);
  const Result<double> of_dipoles = plan.evaluate<double>(dipoles(p)),
                       of_charges = plan.evaluate<double>(strengths(cloud.strengths));
  long double left = 0, right = 0, size = 0;
  for (std::size_t i = 0; i < cloud.strengths.size(); ++i) {
    left += (long double)cloud.strengths[i] * of_dipoles.potential[i];
    size += std::fabs((long double)cloud.strengths[i] * of_dipoles.potential[i]);
    for (std::size_t a = 0; a < 3; ++a) right += (long double)p[3 * i + a] * of_charges.gradient[3 * i + a];
  }
  EXPECT_LE(std::fabs(left - right), 1e-9L * size);
}

TEST(Moments, HessiansHaveNoTrace) {
  const Cloud cloud = make_cloud(Kind::plummer, 3'000, Signs::mixed);
  for (const double tolerance : {1e-3, 1e-8}) {
    Options o{.tolerance = tolerance};
    o.hessian = true, o.method = Method::fmm;
    Plan plan = make_plan(cloud, o);
    const Result<double> r = plan.evaluate(cloud.strengths);
    long double trace = 0, all = 0;
    for (std::size_t i = 0; i < cloud.strengths.size(); ++i) {
      const double* h = &r.hessian[6 * i];
      trace += std::pow((long double)h[0] + h[1] + h[2], 2), all += std::pow((long double)h[0], 2);
    }
    EXPECT_LE(std::sqrt(trace / all), tolerance < 1e-6 ? 1e-12L : 1e-5L);
  }
}

// Outside a uniformly magnetised sphere of radius 1 the field is that of one dipole at its centre.
TEST(Moments, AMagnetisedSphereIsADipoleOutside) {
  const int cells = 14;
  std::vector<double> places, moments;
  const double h = 2.0 / cells, volume = h * h * h;
  double all = 0;
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      for (int k = 0; k < cells; ++k) {
        const double x[3] = {(i + 0.5) * h - 1, (j + 0.5) * h - 1, (k + 0.5) * h - 1};
        if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > 1) continue;
        places.insert(places.end(), x, x + 3), moments.insert(moments.end(), {0, 0, volume});
        all += volume;
      }
  const std::vector<double> far = {3, 4, 12, -5, 20, 3, 0, 0, -15};
  Options o{.tolerance = 1e-9, .gradient = true};
  o.dipoles = true, o.method = Method::fmm;
  const Result<double> r = Plan(points(places), points(far), on_tested_backend(o)).evaluate<double>(dipoles(moments));
  for (std::size_t i = 0; i < 3; ++i) {
    const double* x = &far[3 * i];
    const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], r3 = r2 * std::sqrt(r2);
    EXPECT_NEAR(r.potential[i], all * x[2] / r3, 2e-4 * all / r2) << "multipoles of the staircase are small";
  }
}

}  // namespace
}  // namespace farfield::testing

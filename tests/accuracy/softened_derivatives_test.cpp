// Hessians and dipoles of softened sums in the fast method: the promise against loops over pairs in long double, on
// fitted clouds and on random problems.
//   FARFIELD_TEST_SEED=first FARFIELD_TEST_PROBLEMS=count test_softened_derivatives
#include <cstdlib>

#include "support/moments.hpp"
#include "support/softened.hpp"
#include "support/tolerance.hpp"

namespace farfield::testing {
namespace {

/// A cloud whose sources carry charges, dipoles or both, and how its sum is softened.
struct Problem {
  Cloud cloud;
  MomentSources sources;
  Options options;
};

double extent_of(const Cloud& cloud) {
  const auto [low, high] = std::minmax_element(cloud.sources.begin(), cloud.sources.end());
  return *high - *low;
}

Problem make_problem(const Cloud& cloud, bool charges, bool dipoles, double softening, SofteningKind kind,
                     Stream& random) {
  Problem p{cloud, {cloud.sources, {}, {}}, {}};
  if (charges) p.sources.charges = cloud.strengths;
  for (std::size_t i = 0; dipoles && i < cloud.sources.size(); ++i)
    p.sources.dipoles.push_back(0.05 * extent_of(cloud) * random.between(-1, 1));
  p.options.method = Method::fmm;
  p.options.dipoles = dipoles;
  p.options.hessian = true;
  p.options.softening = softening * extent_of(cloud);
  p.options.softening_kind = kind;
  return p;
}

MomentSum exact_at(const Problem& p, std::size_t target) {
  MomentSum sum;
  for (std::size_t j = 0; j < p.sources.count(); ++j) {
    if (!p.cloud.apart() && j == target) continue;
    long double d[3], dipole[3] = {}, r2 = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      d[a] = (long double)p.cloud.where()[3 * target + a] - p.cloud.sources[3 * j + a], r2 += d[a] * d[a];
      if (p.options.dipoles) dipole[a] = p.sources.dipoles[3 * j + a];
    }
    add_moments(sum, d, orders_of(r2, p.options).of, p.sources.charges.empty() ? 0 : p.sources.charges[j], dipole);
  }
  return sum;
}

/// Relative L2 errors of potential, gradient and Hessian over all targets: a few with close neighbours carry most of
/// the norm, and others most of the error.
struct Found {
  double error[3] = {};
  Report report;
  double worst() const { return std::max({error[0], error[1], error[2]}); }
};

Found evaluated(const Problem& p) {
  const auto& [positions, charges, dipoles] = p.sources;
  Strengths s = strengths(charges.empty() ? nullptr : charges.data(), p.cloud.count());
  if (p.options.dipoles) s = with_dipoles(s, dipoles.data());
  const Result<double> r = make_plan(p.cloud, p.options).evaluate<double>(s);
  std::vector<MomentSum> exact(r.potential.size());
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = exact_at(p, i);
  long double error[3] = {}, all[3] = {};
  for (std::size_t i = 0; i < exact.size(); ++i)
    for (std::size_t part = 0; part < 10; ++part) {
      const std::size_t order = part == 0 ? 0 : part < 4 ? 1 : 2;
      const double found = part == 0  ? r.potential[i]
                           : part < 4 ? r.gradient[3 * i + part - 1]
                                      : r.hessian[6 * i + part - 4];
      const long double value = exact[i].part[part], times = part > 6 ? 2 : 1;
      error[order] += times * (found - value) * (found - value), all[order] += times * value * value;
    }
  Found f;
  f.report = r.report;
  for (int k = 0; k < 3; ++k) f.error[k] = error[k] == 0 ? 0 : static_cast<double>(std::sqrt(error[k] / all[k]));
  return f;
}

void expect_kept(const Problem& p, const std::string& what) {
  const Found f = evaluated(p);
  if (!f.report.warnings.empty()) return;
  EXPECT_LE(f.worst(), slack * p.options.tolerance)
      << what << ", " << p.cloud.label << ", " << word_of(p.options.softening_kind) << " " << p.options.softening
      << (p.options.dipoles ? ", dipoles" : "") << ", degree " << f.report.degree << ", " << f.report.method << ": "
      << f.error[0] << " " << f.error[1] << " " << f.error[2];
}

class SoftenedDerivatives : public ::testing::TestWithParam<std::tuple<Kind, SofteningKind>> {};

TEST_P(SoftenedDerivatives, KeepThePromise) {
  const auto [kind, softening_kind] = GetParam();
  Stream random(91);
  for (const Signs signs : {Signs::positive, Signs::mixed}) {
    const Cloud cloud = make_cloud(kind, 500, signs);
    for (const bool dipoles : {false, true})
      for (const double softening : {1e-6, 3e-3, 0.05}) {
        Problem p = make_problem(cloud, true, dipoles, softening, softening_kind, random);
        p.options.precision = Precision::single_, p.options.tolerance = 1e-3;
        expect_kept(p, "single");
        p.options.precision = Precision::double_, p.options.tolerance = 1e-4, p.options.leaf_size = 12;
        expect_kept(p, "small leaves");
        p.options.tolerance = 1e-9, p.options.leaf_size = 0;
        expect_kept(p, "double");
      }
  }
}

std::string name_of(const ::testing::TestParamInfo<SoftenedDerivatives::ParamType>& info) {
  return std::string(name(std::get<0>(info.param))) + "_" + word_of(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Clouds, SoftenedDerivatives,
                         ::testing::Combine(::testing::Values(Kind::uniform, Kind::plummer, Kind::two_clusters,
                                                              Kind::sphere, Kind::apart, Kind::outside),
                                            ::testing::ValuesIn(all_softenings)),
                         name_of);

/// Most pairs are far, and leaves are no wider than the least edge asks.
TEST(SoftenedDerivatives, ExpansionsCarryMostPairs) {
  const Cloud cloud = make_cloud(Kind::uniform, 4'000, Signs::mixed);
  Stream random(92);
  for (const SofteningKind kind : all_softenings) {
    const double reach = kind == SofteningKind::plummer ? 1e-3 : kind == SofteningKind::algebraic ? 8e-3 : 0.02;
    Problem p = make_problem(cloud, true, false, reach, kind, random);
    p.options.tolerance = 1e-3;
    const Found f = evaluated(p);
    EXPECT_EQ(f.report.method, "fmm") << word_of(kind);
    EXPECT_GT(f.report.far_fraction, 0.3) << word_of(kind);
    EXPECT_TRUE(f.report.warnings.empty());
    EXPECT_LE(f.worst(), 1e-3) << word_of(kind);
  }
}

/// What the softening lacks beyond the least edge counts for Hessians, too: between two shells whose forces cancel it
/// is found, and all pairs are summed.
TEST(SoftenedDerivatives, CancellingSumsAreJudged) {
  Cloud cloud{"two shells", {}, {}, {}};
  Stream random(7);
  for (int i = 0; i < 3'000; ++i) {
    const double radius = 1 + i % 2;
    for (const double x : on_sphere(random)) cloud.sources.push_back(radius * x);
    cloud.strengths.push_back(1);
  }
  for (int i = 0; i < 3 * 1'500; ++i) cloud.targets.push_back(random.between(-0.15, 0.15));
  Problem p = make_problem(cloud, true, false, 0.0035, SofteningKind::plummer, random);
  p.options.tolerance = 1e-3, p.options.leaf_size = 20;
  expect_kept(p, "cancelling");
}

/// Fresh problems: clouds, signs, softenings, sources and tolerances at random.
TEST(SoftenedDerivatives, KeepThePromiseOnRandomProblems) {
  const char *first = std::getenv("FARFIELD_TEST_SEED"), *count = std::getenv("FARFIELD_TEST_PROBLEMS");
  const std::uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 1,
                      problems = count ? std::strtoull(count, nullptr, 10) : 30;
  for (std::uint64_t seed = begin; seed < begin + problems; ++seed) {
    Stream random(seed);
    const auto among = [&](auto& list) {
      return list[static_cast<std::size_t>(random.between(0, static_cast<double>(std::size(list))))];
    };
    const auto between = [&](double low, double high) { return low * std::pow(high / low, random.between(0, 1)); };
    const Cloud cloud = make_cloud(among(all_kinds), static_cast<std::int64_t>(between(300, 1'500)),
                                   random.between(0, 1) < 0.5 ? Signs::mixed : Signs::positive);
    const int carried = static_cast<int>(random.between(0, 3));
    Problem p = make_problem(cloud, carried != 1, carried != 0, between(1e-6, 0.2), among(all_softenings), random);
    p.options.tolerance = between(1e-11, 1e-2);
    if (random.between(0, 1) < 0.3) p.options.leaf_size = 16;
    expect_kept(p, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace farfield::testing

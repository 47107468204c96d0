// Kernel gauss: the promise relative to the sum of |strengths|, identities, and what is refused.
#include "support/gauss.hpp"

namespace farfield::testing {
namespace {

constexpr double rounding = 2e-15;  // of direct sums in double, relative to the sum of |strengths|

TEST(Gauss, DirectSumsKeepThePromiseInBothPrecisions) {
  for (const Kind kind : all_kinds)
    for (const double bandwidth : {1e-3, 0.05, 1.0, 30.0}) {
      const Cloud cloud = make_cloud(kind, 700, Signs::mixed);
      const Outcome exact = measure_gauss(cloud, gauss_options(bandwidth, 1e-12, Method::direct, Precision::double_)),
                    single = measure_gauss(cloud, gauss_options(bandwidth, 1e-6, Method::direct, Precision::single_));
      EXPECT_LE(exact.worst(), rounding) << cloud.label << ", " << bandwidth;
      EXPECT_LE(single.worst(), 2e-7) << cloud.label << ", " << bandwidth;
    }
}

constexpr Method near_methods[] = {Method::cutoff, Method::grid};

/// What is asked of that method: gradients by a grid end at about 1e-10.
double asked(double tolerance, Method method) {
  return method == Method::grid ? std::max(tolerance, 1e-10) : tolerance;
}

/// Largest error at any target, which is what the promise bounds.
void expect_gauss(const Cloud& cloud, const Options& o) {
  const Outcome found = measure_gauss(cloud, o);
  EXPECT_LE(found.worst(), o.tolerance) << cloud.label << ", bandwidth " << o.bandwidth << ", " << word_of(o.method)
                                        << ", " << word_of(o.precision) << ", tolerance " << o.tolerance;
  EXPECT_TRUE(found.report.warnings.empty()) << found.report.warnings[0];
}

TEST(Gauss, CutoffAndGridKeepThePromise) {
  for (const Kind kind : all_kinds)
    for (const double tolerance : {1e-3, 1e-5, 1e-6, 1e-9, 1e-12})
      for (const double bandwidth : {0.15, 1.0})
        for (const Method method : near_methods) {
          const Cloud cloud = make_cloud(kind, 1'500, Signs::mixed);
          const double unit = kind == Kind::plummer ? 30 : kind == Kind::lattice ? 10 : 1;
          for (const Precision precision : {Precision::single_, Precision::double_})
            if (precision == Precision::double_ || tolerance >= 1e-6)
              expect_gauss(cloud, gauss_options(bandwidth * unit, asked(tolerance, method), method, precision));
        }
}

/// One source and one target at any distance: nothing else hides the error of the pair.
TEST(Gauss, EveryPairKeepsThePromise) {
  Stream random(3);
  for (const int axes : {1, 2, 3})
    for (const double tolerance : {1e-2, 1e-4, 1e-7, 1e-10, 1e-12})
      for (int i = 0; i < 40; ++i) {
        Cloud cloud;
        cloud.label = "pair/" + std::to_string(axes) + "/" + std::to_string(tolerance * 1e10) + "/" + std::to_string(i);
        for (int a = 0; a < 3; ++a) cloud.sources.push_back(a < axes ? random.between(-1, 1) : 0);
        for (int k = 0; k < 20; ++k)
          for (int a = 0; a < 3; ++a)
            cloud.targets.push_back(a < axes ? cloud.sources[static_cast<std::size_t>(a)] + 1.3 * random.between(-k, k)
                                             : 0);
        cloud.strengths = {random.between(-1, 1)};
        for (const Method method : near_methods)
          expect_gauss(cloud, gauss_options(1, asked(tolerance, method), method));
      }
}

/// The sum over a tensor grid is a product of sums along the axes.
TEST(Gauss, TensorGridIsAProduct) {
  constexpr int side = 14;
  std::vector<double> xyz;
  for (int i = 0; i < side * side * side; ++i)
    xyz.insert(xyz.end(), {0.1 * (i % side), 0.07 * (i / side % side), 0.13 * (i / side / side)});
  const std::vector<double> ones(xyz.size() / 3, 1);
  const double sigma = 0.2, all = static_cast<double>(ones.size());
  for (const Method method : {Method::direct, Method::cutoff, Method::grid}) {
    const Result<double> r = Plan(points(xyz), gauss_options(sigma, asked(1e-11, method), method)).evaluate(ones);
    for (std::size_t i = 0; i < ones.size(); i += 7) {
      double product = 1;
      const double steps[3] = {0.1, 0.07, 0.13};
      for (std::size_t a = 0; a < 3; ++a) {
        double sum = 0;
        for (int k = 0; k < side; ++k) sum += std::exp(-std::pow((xyz[3 * i + a] - steps[a] * k) / sigma, 2) / 2);
        product *= sum;
      }
      EXPECT_NEAR(r.potential[i], product, asked(1e-11, method) * all);
    }
  }
}

/// Far from its ends an infinite row of spacing a sums to sqrt(2 pi) sigma / a for sigma well above a, and the integral
/// of the sum is that of its terms, sqrt(2 pi) sigma each.
TEST(Gauss, RowsAndIntegrals) {
  std::vector<double> row, q;
  for (int i = 0; i < 4'001; ++i) row.insert(row.end(), {0.01 * i, 5, 5}), q.push_back(1);
  for (const Method method : {Method::cutoff, Method::grid, Method::automatic}) {
    const Result<double> r = Plan(points(row), gauss_options(0.1, asked(1e-12, method), method)).evaluate(q);
    const double plain = std::sqrt(2 * std::numbers::pi) * 0.1;
    EXPECT_NEAR(r.potential[2'000], plain / 0.01, 4'001 * asked(1e-12, method));
    EXPECT_NEAR(r.gradient[6'000], 0, 10 * 4'001 * asked(1e-12, method));
    double integral = 0;  // trapezoids, whose error is below e^-1000 but for the ends, where erf tells what lies beyond
    for (const double u : r.potential) integral += 0.01 * u;
    double exact = 0;
    for (int i = 0; i < 4'001; ++i)
      exact += plain / 2 *
               (std::erf((40.005 - 0.01 * i) / 0.1 / std::sqrt(2)) + std::erf((0.01 * i + 0.005) / 0.1 / std::sqrt(2)));
    EXPECT_NEAR(integral, exact, 1e-4 * exact);
  }
}

TEST(Gauss, SameBitsForAnyNumberOfThreads) {
  for (const Kind kind : {Kind::uniform, Kind::plane, Kind::line, Kind::plummer})
    for (const Method method : {Method::direct, Method::cutoff, Method::grid})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        const Cloud cloud = make_cloud(kind, 12'000, Signs::mixed);
        Options o = gauss_options(kind == Kind::plummer ? 3 : 0.2, 1e-4, method, precision);
        if (method == Method::direct) o.gradient = false;
        std::vector<double> first;
        for (const int threads : {1, 2, 3, 4}) {
          o.threads = threads;
          const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
          if (first.empty()) first = r.potential;
          EXPECT_EQ(first, r.potential) << cloud.label << threads;
        }
      }
}

/// Half of the points in a few cells of the grid, and many at one place: there they are summed in runs (grid/runs.hpp),
/// which end with 64, with 512 and with a piece of a block.
Cloud crowded(int axes, bool apart) {
  Stream random(static_cast<std::uint64_t>(17 + axes));
  Cloud cloud;
  cloud.label = "crowded/" + std::to_string(axes) + (apart ? "/apart" : "/alike");
  const auto place = [&](std::int64_t i) {
    for (int a = 0; a < 3; ++a)
      cloud.sources.push_back(a >= axes ? 0.5 : i % 7 == 0 ? 0.3 : random.between(0, i % 2 ? 1.0 : 0.05));
    cloud.strengths.push_back(random.between(-1, 1));
  };
  for (std::int64_t i = 0; i < 9'000; ++i) place(i);
  if (!apart) return cloud;
  cloud.targets.assign(cloud.sources.begin(), cloud.sources.begin() + 3 * 5'001);
  for (std::size_t i = 0; i < cloud.targets.size(); ++i)
    if (static_cast<int>(i % 3) < axes && i % 2) cloud.targets[i] += 0.01;
  return cloud;
}

TEST(Gauss, RunsOfPointsInOneCellKeepThePromise) {
  for (const int axes : {1, 2, 3})
    for (const bool apart : {false, true}) {
      const Cloud cloud = crowded(axes, apart);
      for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9, 1e-12})
        for (const double bandwidth : {0.03, 0.2})
          for (const bool gradient : {false, true}) {
            Options o = gauss_options(bandwidth, gradient ? asked(tolerance, Method::grid) : tolerance, Method::grid);
            if (axes == 3 && tolerance < 1e-9 && bandwidth < 0.1) continue;  // more blocks than memory allows
            o.gradient = gradient;
            expect_gauss(cloud, o);
            o.precision = Precision::double_;
            expect_gauss(cloud, o);
            if (gradient || tested_on_device()) continue;
            for (const Precision precision : {Precision::automatic, Precision::double_}) {  // vectors of 2 and 4
              o.precision = precision, o.simd = Simd::baseline;
              expect_gauss(cloud, o);
            }
          }
    }
}

/// Several vectors, other points in the same plan, results at the sources as well.
TEST(Gauss, PlansAreUsedAgain) {
  const Cloud first = make_cloud(Kind::uniform, 2'000, Signs::mixed),
              second = make_cloud(Kind::sphere, 900, Signs::mixed), apart = make_cloud(Kind::apart, 700, Signs::mixed);
  for (const Method method : {Method::direct, Method::cutoff, Method::grid}) {
    Plan plan = make_plan(first, gauss_options(0.1, 1e-8, method));
    for (int twice = 0; twice < 2; ++twice)
      EXPECT_LE(judge_gauss(first, plan.evaluate(first.strengths), 0.1).worst(), 1e-8);
    plan.move(points(second.sources));
    EXPECT_LE(judge_gauss(second, plan.evaluate(second.strengths), 0.1).worst(), 1e-8);
    Options o = gauss_options(0.1, 1e-8, method);
    o.at_sources = true;
    const Result<double> both = make_plan(apart, o).evaluate(apart.strengths);
    EXPECT_LE(judge_gauss(apart, both, 0.1).worst(), 1e-8);
    Cloud at = apart;
    at.targets.clear(), at.label += "/at sources";
    Result<double> there = both;
    there.potential = both.source_potential, there.gradient = both.source_gradient;
    EXPECT_LE(judge_gauss(at, there, 0.1).worst(), 1e-8);
  }
}

TEST(Gauss, ChoosesByCost) {
  if (tested_on_device()) GTEST_SKIP() << "costs of the CPU";
  const auto chosen = [](std::int64_t count, double bandwidth) {
    const Cloud cloud = make_cloud(Kind::uniform, count, Signs::positive);
    return make_plan(cloud, gauss_options(bandwidth, 1e-6)).report().method;
  };
  EXPECT_EQ(chosen(50, 0.1), "direct");
  EXPECT_EQ(chosen(30'000, 0.005), "cutoff");
  EXPECT_EQ(chosen(30'000, 0.2), "grid");
  // blocks of the grid would be as many as points
  const Cloud sparse = make_cloud(Kind::uniform, 30'000, Signs::positive);
  EXPECT_EQ(
      refusal(ErrorCode::memory, [&] { make_plan(sparse, gauss_options(1e-3, 1e-6, Method::grid)); }).substr(0, 22),
      "the blocks of the grid");
}

/// Relative accuracy far out, where only direct sums have it.
TEST(Gauss, DirectSumsKeepDigitsInTails) {
  const std::vector<double> sources{0, 0, 0}, q{1};
  std::vector<double> targets;
  for (int k = 0; k < 37; ++k) targets.insert(targets.end(), {static_cast<double>(k), 0, 0});
  const Result<double> r =
      Plan(points(sources), points(targets), gauss_options(1, 1e-6, Method::direct, Precision::double_)).evaluate(q);
  for (std::size_t k = 0; k < r.potential.size(); ++k) {
    const auto x = static_cast<double>(k);
    EXPECT_NEAR(r.potential[k] / std::exp(-x * x / 2), 1, 4e-14) << k;
  }
}

/// A point with itself counts, and so does every copy of it.
TEST(Gauss, CoincidentPointsCount) {
  const std::vector<double> xyz(3 * 50, 0.25), q(50, 2);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    const Result<double> r = Plan(points(xyz), gauss_options(0.1, 1e-6, Method::automatic, precision)).evaluate(q);
    for (const double u : r.potential) EXPECT_NEAR(u, 100, 1e-4);
    for (const double g : r.gradient) EXPECT_EQ(g, 0);
  }
}

TEST(Gauss, TakesPointsOfOneAndTwoCoordinates) {
  const Cloud cloud = make_cloud(Kind::uniform, 300, Signs::mixed);
  for (const int axes : {1, 2}) {
    std::vector<double> whole = cloud.sources, flat;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (static_cast<int>(i % 3) >= axes) whole[i] = 0;
      if (static_cast<int>(i % 3) < axes) flat.push_back(whole[i]);
    }
    Points few;
    few.count = cloud.count(), few.stride = axes;
    for (int a = 0; a < axes; ++a) few.axis[static_cast<std::size_t>(a)] = flat.data() + a;
    const Options o = gauss_options(0.1, 1e-9);
    const Result<double> two = Plan(few, o).evaluate(cloud.strengths),
                         three = Plan(points(whole), o).evaluate(cloud.strengths);
    EXPECT_EQ(two.potential, three.potential);
    EXPECT_EQ(two.gradient, three.gradient);
  }
}

TEST(Gauss, ChecksInTheNormOfItsPromise) {
  Cloud cloud = make_cloud(Kind::uniform, 400, Signs::mixed);
  Options o = gauss_options(0.01, 1e-6, Method::direct, Precision::single_);
  o.check = 400;
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const Outcome own = judge_gauss(cloud, r, o.bandwidth);
  ASSERT_TRUE(r.report.error);
  EXPECT_EQ(r.report.relative_to, "strengths");
  EXPECT_EQ(r.report.condition_potential, 1);
  EXPECT_GT(r.report.error->potential, 0);
  EXPECT_LE(r.report.error->potential, r.report.error->potential_max);
  EXPECT_GE(r.report.error->potential_max, own.potential * 0.99);
  EXPECT_LE(r.report.error->potential_max, 1e-7);
}

TEST(Gauss, BandwidthsOfAnySize) {
  const Cloud cloud = make_cloud(Kind::plummer, 300, Signs::positive);
  double all = 0;
  for (const double q : cloud.strengths) all += q;
  for (const double bandwidth : {1e-100, 1e-20, 1e20, 1e200}) {
    const Result<double> r = make_plan(cloud, gauss_options(bandwidth, 1e-9)).evaluate(cloud.strengths);
    for (std::size_t i = 0; i < r.potential.size(); ++i)
      EXPECT_NEAR(r.potential[i], bandwidth < 1 ? cloud.strengths[i] : all, 1e-9 * all);
    EXPECT_TRUE(r.report.warnings.empty()) << r.report.warnings[0];
  }
}

/// Units of length change nothing.
/// One point far out: cells get a millionth of the extent's width and no finer.
TEST(Gauss, PositionsKeepTheirDigitsBesideAFarPoint) {
  for (const double far : {1e4, 1e8, 1e12, 1e20, 1e50}) {
    Cloud cloud = make_cloud(Kind::uniform, 400, Signs::mixed);
    cloud.label += "/far " + std::to_string(std::log10(far));
    for (std::size_t a = 0; a < 3; ++a) cloud.sources[a] = far;
    for (const double tolerance : {1e-5, 1e-10})
      for (const Method method : {Method::automatic, Method::direct, Method::cutoff}) {
        const Options o = gauss_options(0.1, tolerance, method);
        try {
          expect_gauss(cloud, o);
        } catch (const Error& error) {
          EXPECT_TRUE(method == Method::cutoff && far > 1e8) << error.what();
        }
      }
  }
}

TEST(Gauss, ScalesWithItsBandwidth) {
  const Cloud cloud = make_cloud(Kind::uniform, 300, Signs::mixed);
  const Result<double> here = make_plan(cloud, gauss_options(0.1, 1e-9)).evaluate(cloud.strengths);
  for (const double unit : {0x1p-900, 0x1p-30, 0x1p30, 0x1p900}) {
    Cloud other = cloud;
    for (double& x : other.sources) x *= unit;
    const Result<double> there = make_plan(other, gauss_options(0.1 * unit, 1e-9)).evaluate(cloud.strengths);
    EXPECT_EQ(here.potential, there.potential) << unit;
    for (std::size_t i = 0; i < here.gradient.size(); ++i)
      ASSERT_EQ(here.gradient[i], there.gradient[i] * unit) << unit;
  }
}

TEST(Gauss, RefusesBandwidthsThatAreNone) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::mixed);
  const auto sentence = [&](double bandwidth, Precision precision = Precision::automatic) {
    const Options o = gauss_options(bandwidth, 1e-6, Method::automatic, precision);
    return refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
  };
  for (const double bad : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    EXPECT_NE(sentence(bad).find("is no length above 0"), std::string::npos) << sentence(bad);
  EXPECT_NE(sentence(1e-300).find("below 1e-150"), std::string::npos);
  EXPECT_NE(sentence(1e-14, Precision::single_).find("precision double"), std::string::npos);
  Options o = gauss_options(0.1, 1e-6, Method::fmm);
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("no multipole expansions"), std::string::npos);
  for (const Method method : near_methods) {
    o = gauss_options(0, 1e-6, method);
    o.kernel = Kernel::laplace3d;
    EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("does not vanish far out"),
              std::string::npos);
  }
  EXPECT_NE(
      refusal(ErrorCode::usage, [&] { make_plan(cloud, gauss_options(1, 1e-12, Method::grid)); }).find("below 1e-10"),
      std::string::npos);
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, gauss_options(1e-9, 1e-6, Method::grid)); })
                .find("bandwidths far"),
            std::string::npos);
  o = gauss_options(0.1, 1e-6);
  o.softening = 0.1;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("not softened"), std::string::npos);
  o = gauss_options(0.1, 1e-6);
  o.kernel = Kernel::laplace3d;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("has none"), std::string::npos);
}

TEST(Gauss, NoPointsAndOnePoint) {
  const std::vector<double> none, one{1, 2, 3}, q{2};
  EXPECT_TRUE(Plan(points(none), gauss_options(1, 1e-6)).evaluate(none).potential.empty());
  EXPECT_EQ(Plan(points(one), gauss_options(1, 1e-6)).evaluate(q).potential.at(0), 2);
  EXPECT_EQ(Plan(points(none), points(one), gauss_options(1, 1e-6)).evaluate(none).potential.at(0), 0);
  EXPECT_GT(Plan::memory_bound(1000, 0, gauss_options(1, 1e-6)), 0);
}

}  // namespace
}  // namespace farfield::testing

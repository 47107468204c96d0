// Both halves together sum what the cores sum alone: every result, precision, list and share, and over moves; and the
// promise of the tolerance against long double.
#include "hybrid/halves.hpp"

#include <cmath>

#include "support/softened.hpp"

namespace farfield::testing {
namespace {

constexpr double shares[] = {0, 0.3, 0.8, 1};

/// The same pairs and expansions in another order of additions: each of some thousand terms rounds.
double rounding_of(Precision precision) {
  return precision == Precision::single_ ? direct_rounding<float>(1e4) : direct_rounding<double>(1e4);
}

/// With the decision of backend hybrid, by the cores alone.
class Alone {
 public:
  Alone(const Cloud& cloud, const Options& options) : options_(halved(options)) {
    const Points sources = points(cloud.sources), apart = points(cloud.targets);
    const Points* const targets = cloud.apart() ? &apart : nullptr;
    const Geometry g = cpu::survey(sources, targets, threads);
    const Decision d = choose(options_, g, {Backend::hybrid, cpu::resolve_simd(options_.simd)});
    report_ = describe(options_, d, g, threads);
    evaluator_ = cpu::make_evaluator(d, threads);
    evaluator_->build(sources, targets, g, report_);
    targets_ = cloud.where().size() / 3;
  }
  Result<double> evaluate(const std::vector<double>& q, const double* dipoles = nullptr) {
    Strengths given = strengths(q.data(), std::ssize(q));
    given.dipoles = dipoles;
    Result<double> r;
    Outputs outputs;
    if (sums_potential(options_)) r.potential.resize(targets_), outputs.potential = r.potential.data();
    if (options_.gradient) r.gradient.resize(3 * targets_), outputs.gradient = r.gradient.data();
    if (options_.hessian) r.hessian.resize(6 * targets_), outputs.hessian = r.hessian.data();
    const double scale = options_.scale * traits(options_.kernel).vector.constant;
    evaluator_->evaluate(given, {outputs, static_cast<std::int64_t>(targets_), scale}, report_);
    return r;
  }

 private:
  static constexpr int threads = 2;
  Options options_;
  Report report_;
  std::unique_ptr<Evaluator> evaluator_;
  std::size_t targets_ = 0;
};

void expect_equal(const Result<double>& found, const Result<double>& expected, double rounding,
                  const std::string& what) {
  EXPECT_EQ(found.potential.size(), expected.potential.size());
  EXPECT_EQ(found.gradient.size(), expected.gradient.size());
  EXPECT_EQ(found.hessian.size(), expected.hessian.size());
  const auto compare = [&](const std::vector<double>& of_both, const std::vector<double>& of_cores) {
    if (of_cores.empty()) return;
    EXPECT_LE(relative_difference(of_both, of_cores), rounding) << what;
  };
  compare(found.potential, expected.potential);
  compare(found.gradient, expected.gradient);
  compare(found.hessian, expected.hessian);
}

/// With leaves so small that there is a far field, and lists of boxes of all levels.
Options options_of(double tolerance, Precision precision) {
  Options o = fmm_options(tolerance, precision);
  o.leaf_size = 60;
  return o;
}

void expect_sums_of_cores(const Cloud& cloud, const Options& o) {
  const Result<double> expected = Alone(cloud, o).evaluate(cloud.strengths);
  for (const double share : shares) {
    const KeptShare kept(share);
    Told told;
    Halves halves(cloud, o, told);
    const Result<double> found = halves.evaluate(cloud.strengths);
    const std::string what = cloud.label + ", share " + std::to_string(share);
    expect_equal(found, expected, rounding_of(o.precision), what);
    EXPECT_EQ(told.share > 0, share > 0) << what;
    EXPECT_GT(found.report.m2l_boxes, 0) << what;
  }
}

TEST(Halves, SumWhatTheCoresSum) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::outside, Kind::two_clusters})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const Cloud cloud = make_cloud(kind, 6'000, Signs::positive);
      expect_sums_of_cores(cloud, options_of(1e-4, precision));
      Options potential = options_of(1e-4, precision);
      potential.gradient = false;
      expect_sums_of_cores(cloud, potential);
    }
}

TEST(Halves, SumEverySchemeAndStencil) {
  const Cloud cloud = make_cloud(Kind::plummer, 6'000, Signs::positive);
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
      Options o = options_of(1e-6, Precision::double_);
      o.m2l = m2l, o.stencil = stencil;
      expect_sums_of_cores(cloud, o);
    }
}

/// Of lengths that leave a far field.
TEST(Halves, SumSoftenedPairs) {
  for (const auto& [kind, length] : {std::pair{SofteningKind::plummer, 1e-5}, {SofteningKind::spline, 0.01}}) {
    Options o = options_of(1e-6, Precision::double_);
    o.softening_kind = kind, o.softening = length;
    expect_sums_of_cores(make_cloud(Kind::uniform, 6'000, Signs::positive), o);
  }
}

TEST(Halves, SumOtherFamiliesOfExpansions) {
  for (const Kernel kernel : {Kernel::yukawa3d, Kernel::laplace2d}) {
    Options o = options_of(1e-6, Precision::double_);
    o.kernel = kernel;
    if (kernel == Kernel::yukawa3d) o.kappa = 2;
    expect_sums_of_cores(make_cloud(kernel == Kernel::laplace2d ? Kind::plane : Kind::uniform, 6'000, Signs::positive),
                         o);
  }
}

TEST(Halves, SumHessiansOfDipoles) {
  const Cloud cloud = make_cloud(Kind::plummer, 4'000, Signs::positive);
  Stream random(5);
  std::vector<double> dipoles;
  for (std::size_t i = 0; i < cloud.sources.size(); ++i) dipoles.push_back(random.between(0, 1));
  Options o = options_of(1e-4, Precision::double_);
  o.hessian = o.dipoles = true;
  const Result<double> expected = Alone(cloud, o).evaluate(cloud.strengths, dipoles.data());
  for (const double share : shares) {
    const KeptShare kept(share);
    Told told;
    Halves halves(cloud, o, told);
    expect_equal(halves.evaluate(cloud.strengths, dipoles.data()), expected, rounding_of(Precision::double_),
                 std::to_string(share));
  }
}

/// Three are summed together, and one after them.
TEST(Halves, GiveEveryDensityItsOwnBits) {
  const Cloud cloud = make_cloud(Kind::plummer, 5'000, Signs::mixed);
  const KeptShare kept(0.5);
  const Options o = options_of(1e-4, Precision::double_);
  std::vector<double> four;
  for (const double factor : {1, 2, -1, 4})
    for (const double q : cloud.strengths) four.push_back(factor * q);
  Told told;
  Halves halves(cloud, o, told);
  const Result<double> together = halves.evaluate(four), alone = halves.evaluate(cloud.strengths);
  const std::size_t n = cloud.strengths.size();
  const double factors[] = {1, 2, -1, 4};
  for (std::size_t v = 0; v < 4; ++v)
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(together.potential[v * n + i], factors[v] * alone.potential[i]) << v << ", " << i;
      ASSERT_EQ(together.gradient[3 * (v * n + i)], factors[v] * alone.gradient[3 * i]) << v << ", " << i;
    }
}

/// Each target finds exactly N, whoever sums.
TEST(Halves, CountEverySourceOnce) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::spiral, Kind::apart, Kind::outside})
    for (const double share : shares) {
      const KeptShare kept(share);
      Cloud cloud = make_cloud(kind, 5'000, Signs::positive);
      std::fill(cloud.strengths.begin(), cloud.strengths.end(), 1);
      Options o;
      o.kernel = Kernel::count, o.leaf_size = 20, o.precision = Precision::double_;
      Told told;
      Halves halves(cloud, o, told);
      const Result<double> found = halves.evaluate(cloud.strengths);
      EXPECT_GT(found.report.levels, 3);
      for (const double n : found.potential) ASSERT_EQ(n, 5'000) << cloud.label << ", share " << share;
    }
}

Outcome expect_kept(const Cloud& cloud, double tolerance, Precision precision, double share) {
  const KeptShare kept(share);
  Told told;
  Halves halves(cloud, fmm_options(tolerance, precision), told);
  const Outcome o = judge(cloud, halves.evaluate(cloud.strengths));
  print_row(cloud, o);
  EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", share " << share;
  return o;
}

TEST(Halves, KeepThePromise) {
  print_header("hybrid");
  for (const Kind kind : all_kinds) {
    const Cloud cloud = make_cloud(kind, 4'000, Signs::mixed);
    expect_kept(cloud, 1e-3, Precision::single_, 0);
    expect_kept(cloud, 1e-6, Precision::double_, 0.5);
    expect_kept(cloud, 1e-10, Precision::double_, 0);
  }
}

TEST(Halves, TakeCoincidentPointsAndOutliers) {
  const Cloud cloud = with_coincident_points_and_an_outlier();
  for (const double share : {0.0, 0.5}) expect_kept(cloud, 1e-6, Precision::double_, share);
}

TEST(Halves, TakeNoneOneAndTwoPoints) {
  for (const std::size_t n : {0u, 1u, 2u}) {
    Cloud cloud;
    for (std::size_t i = 0; i < n; ++i) {
      cloud.strengths.push_back(3 + 2.0 * static_cast<double>(i));
      for (const double x : {0.0, 0.0, 2.0 * static_cast<double>(i)}) cloud.sources.push_back(x);
    }
    Told told;
    Halves halves(cloud, fmm_options(1e-6, Precision::double_), told);
    if (n == 0) continue;  // nobody can count its vectors
    const std::vector<double> u = halves.evaluate(cloud.strengths).potential;
    EXPECT_EQ(u, n == 1 ? std::vector<double>{0} : (std::vector<double>{2.5, 1.5}));
  }
}

/// Charges whose fields nearly cancel need a higher degree than the tolerance alone asks for, or all pairs.
TEST(Halves, EvaluateAgainWhatErrsTooMuch) {
  Cloud cloud = make_cloud(Kind::lattice, 8'000, Signs::mixed);
  cloud.label += "/of alternating charges";
  for (std::size_t i = 0; i < cloud.strengths.size(); ++i) {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) sum += cloud.sources[3 * i + a];
    cloud.strengths[i] = std::lround(sum) % 2 == 0 ? 1 : -1;
  }
  int again = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-9})
    for (const double share : {0.0, 0.5}) {
      const Report r = expect_kept(cloud, tolerance, Precision::automatic, share).report;
      again += std::any_of(r.choices.begin(), r.choices.end(),
                           [](const Choice& choice) { return choice.name == "evaluated again"; });
    }
  EXPECT_GT(again, 0);
}

TEST(Halves, MoveAndFollow) {
  Cloud a = make_cloud(Kind::plummer, 5'000, Signs::mixed);
  const Cloud b = make_cloud(Kind::uniform, 7'000, Signs::mixed);
  const KeptShare kept(0.5);
  Options o = options_of(1e-6, Precision::double_);
  o.skin = 1e-3;
  Told told, anew;
  Halves halves(b, o, told);
  EXPECT_EQ(told.placed, 1);
  halves.evaluate(b.strengths);
  halves.build(a);
  EXPECT_EQ(told.placed, 2);
  EXPECT_EQ(halves.evaluate(a.strengths).potential, Halves(a, o, anew).evaluate(a.strengths).potential);
  for (double& x : a.sources) x += 1e-7;
  a.label += '+';
  ASSERT_TRUE(halves.follow(a));
  EXPECT_EQ(told.moved, 1);
  EXPECT_EQ(told.placed, 2);
  EXPECT_LE(judge(a, halves.evaluate(a.strengths)).worst(), slack * o.tolerance);
}

TEST(Halves, DivideTheTargetsByMeasuredSpeed) {
  const Cloud cloud = make_cloud(Kind::uniform, 20'000, Signs::mixed);
  Told told;
  Halves halves(cloud, options_of(1e-6, Precision::double_), told);
  told.seconds = {1e-9, 1e-9, 1e-9};  // a device that takes no time
  halves.evaluate(cloud.strengths);
  EXPECT_GT(halves.evaluate(cloud.strengths).report.choices.size(), 0u);
  EXPECT_GT(told.share, 18'000);
  told.seconds = {1e3, 1e3, 1e3};  // one that takes all of it
  halves.evaluate(cloud.strengths);
  const Report slow = halves.evaluate(cloud.strengths).report;
  EXPECT_EQ(told.share, 0);
  EXPECT_EQ(share_of(slow).value, "near field alone");
  EXPECT_EQ(share_of(slow).reason.rfind("measured: ", 0), 0u) << share_of(slow).reason;
}

TEST(Halves, DoWithoutAShareWhereMemoryIsShort) {
  const Cloud cloud = make_cloud(Kind::uniform, 5'000, Signs::mixed);
  const KeptShare kept(0.5);
  Told told;
  told.refuses = true;
  const Options o = options_of(1e-6, Precision::double_);
  Halves halves(cloud, o, told);
  for (int run = 0; run < 2; ++run) {
    const Result<double> found = halves.evaluate(cloud.strengths);
    EXPECT_LE(judge(cloud, found).worst(), slack * o.tolerance);
    EXPECT_EQ(share_of(found.report).reason, "the device has no memory for expansions");
  }
}

TEST(Halves, ReportWhatEachHalfDid) {
  const Cloud cloud = make_cloud(Kind::uniform, 5'000, Signs::mixed);
  const KeptShare kept(0.5);
  Told told;
  told.seconds = {0.25, 0.5, 1};
  Halves halves(cloud, options_of(1e-6, Precision::double_), told);
  const Report r = halves.evaluate(cloud.strengths).report;
  EXPECT_EQ(r.backend, "hybrid");
  EXPECT_EQ(r.device, "a half on the host");
  EXPECT_GT(r.memory_bytes, 1 << 20);
  ASSERT_TRUE(r.stage("p2p") && r.stage("share") && r.stage("m2l") && r.stage("join") && r.stage("start"));
  EXPECT_EQ(r.stage("p2p")->seconds, 0.25);
  EXPECT_EQ(r.stage("share")->seconds, 1.5);
}

}  // namespace
}  // namespace farfield::testing

// Method treecode: the promise on clouds, the angle's order of convergence, exact counts, few targets and far ones.
// FARFIELD_TEST_BACKEND=cuda runs the same on a device.
#include <cmath>
#include <tuple>

#include "support/measure.hpp"
#include "support/planar.hpp"
#include "support/screened.hpp"
#include "support/softened.hpp"
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

Options treecode_options(double tolerance, Precision precision = Precision::automatic) {
  Options o = fmm_options(tolerance, precision);
  o.method = Method::treecode;
  return o;
}

/// The same points, with some of them, or points beside them, as targets.
Cloud with_few_targets(Cloud cloud, std::int64_t targets, double shift) {
  cloud.label.append("/few ").append(std::to_string(targets)).append("/").append(std::to_string(shift));
  cloud.targets.clear();
  const std::int64_t step = std::ssize(cloud.strengths) / targets;
  for (std::int64_t t = 0; t < targets; ++t)
    for (std::int64_t a = 0; a < 3; ++a)
      cloud.targets.push_back(cloud.sources[static_cast<std::size_t>(3 * t * step + a)] + shift);
  return cloud;
}

Outcome expect_kept(const Cloud& cloud, const Options& o) {
  const Outcome found = measure(cloud, o);
  print_row(cloud, found);
  EXPECT_LE(found.worst(), slack * o.tolerance) << cloud.label << ", degree " << found.report.degree;
  EXPECT_TRUE(found.report.warnings.empty()) << cloud.label << ": " << found.report.warnings.front();
  return found;
}

class Treecode : public ::testing::TestWithParam<Kind> {};

TEST_P(Treecode, KeepsThePromise) {
  print_header("treecode");
  for (const Signs signs : {Signs::mixed, Signs::positive}) {
    const Cloud cloud = make_cloud(GetParam(), 3'000, signs);
    for (const double tolerance : {1e-2, 1e-3, 1e-5}) {
      Options o = treecode_options(tolerance, Precision::single_);
      o.leaf_size = 20;  // many boxes to accept
      expect_kept(cloud, o);
    }
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      Options o = treecode_options(tolerance, Precision::double_);
      o.leaf_size = 12;
      expect_kept(cloud, o);
    }
  }
}

/// With strengths 1 every target counts the sources, each once.
TEST_P(Treecode, CountsEverySourceOnce) {
  Cloud cloud = make_cloud(GetParam(), 20'000, Signs::positive);
  for (const double theta : {0.2, 0.6, 1.0})
    for (const std::int64_t leaf_size : {1, 9, 60}) {
      Options o = treecode_options(1e-2);
      o.kernel = Kernel::count, o.theta = theta, o.leaf_size = leaf_size, o.degree = 0;
      const std::vector<double> ones(cloud.strengths.size(), 1.0);
      const Result<double> r = make_plan(cloud, o).evaluate(ones);
      std::int64_t wrong = 0;
      for (const double u : r.potential) wrong += u != static_cast<double>(cloud.count());
      EXPECT_EQ(wrong, 0) << cloud.label << ", theta " << theta << ", leaf " << leaf_size;
      EXPECT_GT(r.report.m2p_boxes, 0) << cloud.label;
    }
}

std::string name_of(const ::testing::TestParamInfo<Kind>& info) { return name(info.param); }
INSTANTIATE_TEST_SUITE_P(Clouds, Treecode, ::testing::ValuesIn(all_kinds), name_of);

TEST(TreecodeSums, FewTargetsAmongManySources) {
  print_header("treecode, few targets");
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere})
    for (const std::int64_t targets : {1, 7, 64, 500})
      for (const double shift : {0.0, 1e-3}) {
        const Cloud cloud = with_few_targets(make_cloud(kind, 30'000, Signs::mixed), targets, shift);
        expect_kept(cloud, treecode_options(1e-4, Precision::single_));
        expect_kept(cloud, treecode_options(1e-8, Precision::double_));
      }
}

/// The root's children, or the root, are accepted whole.
TEST(TreecodeSums, TargetsFarFromAllSources) {
  print_header("treecode, far targets");
  for (const double distance : {3.0, 1e2, 1e5}) {
    Cloud cloud = make_cloud(Kind::uniform, 5'000, Signs::mixed);
    cloud.label.append("/at ").append(std::to_string(distance));
    Stream random(3);
    for (int i = 0; i < 3 * 2'000; ++i) cloud.targets.push_back(distance + random.unit());
    for (const double tolerance : {1e-3, 1e-9}) {
      const Outcome o = expect_kept(cloud, treecode_options(tolerance, Precision::double_));
      EXPECT_GT(o.report.far_fraction, 0.99) << distance;
    }
  }
}

TEST(TreecodeSums, TargetsInsideOneLeaf) {
  Cloud cloud = make_cloud(Kind::uniform, 20'000, Signs::mixed);
  cloud.label += "/one leaf";
  Stream random(4);
  for (int i = 0; i < 3 * 300; ++i)
    cloud.targets.push_back(cloud.sources[static_cast<std::size_t>(i % 3)] + 1e-7 * random.unit());
  expect_kept(cloud, treecode_options(1e-5, Precision::single_));
  expect_kept(cloud, treecode_options(1e-10, Precision::double_));
}

TEST(TreecodeSums, HeapsOfCoincidentPoints) {
  Cloud cloud = make_cloud(Kind::uniform, 5'000, Signs::mixed);
  cloud.label += "/heap";
  for (std::size_t i = 3; i < 3 * 1'000; ++i) cloud.sources[i] = cloud.sources[i % 3];
  expect_kept(cloud, treecode_options(1e-4, Precision::single_));
  expect_kept(cloud, treecode_options(1e-9, Precision::double_));
}

TEST(TreecodeSums, NoneOneAndTwoPoints) {
  const Options o = treecode_options(1e-6);
  const std::vector<double> none, one{1, 2, 3}, two{0, 0, 0, 0, 0, 2}, q1{3}, q2{3, 5};
  EXPECT_TRUE(Plan(points(none), o).evaluate(none).potential.empty());
  EXPECT_EQ(Plan(points(one), o).evaluate(q1).potential, std::vector<double>{0});
  EXPECT_NEAR(Plan(points(two), o).evaluate(q2).potential[0], 2.5, 1e-6);
  EXPECT_EQ(Plan(points(none), points(two), o).evaluate(none).potential, (std::vector<double>{0, 0}));
  EXPECT_TRUE(Plan(points(two), points(none), o).evaluate(q2).potential.empty());
}

/// Halving the angle divides the error of degree d by about 2^(d+1), and by somewhat more where p2p takes over.
TEST(TreecodeAngle, ErrorFallsWithItsPower) {
  const Cloud cloud = make_cloud(Kind::uniform, 10'000, Signs::mixed);
  for (const int degree : {2, 4, 7}) {
    double before = 0;
    for (const double theta : {0.8, 0.4}) {
      Options o = treecode_options(1e-3, Precision::double_);
      o.degree = degree, o.theta = theta, o.leaf_size = 8;
      const Outcome found = measure(cloud, o);
      if (before > 0) {
        EXPECT_GT(before / found.potential, std::pow(2, degree + 0.5)) << degree;
        EXPECT_LT(before / found.potential, std::pow(2, degree + 4)) << degree;
      }
      before = found.potential;
    }
  }
}

/// With an angle the tolerance is no promise, but the report says what error was estimated.
TEST(TreecodeAngle, ReportsTheEstimate) {
  const Cloud cloud = make_cloud(Kind::uniform, 10'000, Signs::mixed);
  for (const double theta : {0.3, 0.9}) {
    Options o = treecode_options(1e-9, Precision::double_);
    o.degree = 4, o.theta = theta, o.leaf_size = 30;
    const Outcome found = measure(cloud, o);
    EXPECT_EQ(found.report.degree, 4);
    EXPECT_GT(found.report.estimated_error, found.worst());
    EXPECT_LT(found.report.estimated_error, 20 * found.worst());
  }
}

TEST(TreecodeAngle, OutOfRangeIsRefused) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::mixed);
  for (const double theta : {-0.5, 1.01, 1e300, std::nan("")}) {
    Options o = treecode_options(1e-3);
    o.theta = theta;
    const std::string sentence = refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
    EXPECT_NE(sentence.find("is not above 0 and at most 1"), std::string::npos) << sentence;
  }
  Options o = fmm_options(1e-3);
  o.theta = 0.5;
  const std::string sentence = refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
  EXPECT_NE(sentence.find("method treecode"), std::string::npos) << sentence;
}

constexpr struct {
  Precision precision;
  double tolerance;
} tolerances[] = {{Precision::single_, 1e-2},  {Precision::single_, 1e-3}, {Precision::single_, 1e-5},
                  {Precision::double_, 1e-4},  {Precision::double_, 1e-6}, {Precision::double_, 1e-8},
                  {Precision::double_, 1e-10}, {Precision::double_, 1e-12}};

constexpr double least_by_walks = 1e-3;  ///< below it all pairs of so few points may be cheaper than a higher degree

TEST(TreecodeKernels, InThePlane) {
  print_header("treecode, kernel laplace2d");
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::lattice})
    for (const auto& [precision, tolerance] : tolerances) {
      const Cloud cloud = flat_cloud(kind, 3'000, Signs::mixed);
      Options o = flat_options(tolerance, precision);
      o.method = Method::treecode, o.leaf_size = 20;
      const Outcome found = measure_flat(cloud, o);
      print_row(cloud, found);
      EXPECT_LE(found.worst(), tolerance) << cloud.label;
      EXPECT_GT(found.report.m2p_boxes, 0);
      if (tolerance >= least_by_walks && kind != Kind::lattice) {  // whose expansions err by more than most
        EXPECT_EQ(found.report.method, "treecode") << cloud.label;
      }
    }
}

/// The constant of the logarithm comes with every box: in other units of length each target gains the same.
TEST(TreecodeKernels, UnitsOfLengthInThePlane) {
  Cloud cloud = with_few_targets(flat_cloud(Kind::plummer, 4'000, Signs::positive), 400, 1e-3);
  lay_flat(cloud);  // no target coincides with a source, which would then not count
  double all = 0;
  for (const double q : cloud.strengths) all += q;
  for (const double unit : {1e-30, 7.0, 1e12}) {
    Cloud other = cloud;
    for (std::vector<double>* points : {&other.sources, &other.targets})
      for (double& x : *points) x *= unit;
    Options o = flat_options(1e-9, Precision::double_);
    o.method = Method::treecode, o.leaf_size = 20;
    const Result<double> here = make_plan(cloud, o).evaluate(cloud.strengths),
                         there = make_plan(other, o).evaluate(other.strengths);
    const double shift = all * std::log(unit);
    for (std::size_t t = 0; t < here.potential.size(); ++t)
      EXPECT_NEAR(there.potential[t] + shift, here.potential[t],
                  1e-8 * (std::fabs(shift) + std::fabs(here.potential[t])));
  }
}

/// Cores keep boxes away as far as they show.
TEST(TreecodeKernels, VorticesWithCores) {
  for (const Core core : {Core::none, Core::gauss, Core::rankine})
    for (const Kind kind : {Kind::uniform, Kind::apart}) {
      const Cloud cloud = flat_cloud(kind, 2'000, Signs::mixed);
      const auto with_core = [&](const Options& o) { return core == Core::none ? o : cored(o, core, 0.003); };
      const Exact truth = vortex_exact(cloud, with_core(vortex_options(1e-2)));
      for (const bool stream : {false, true})
        for (const auto& [precision, tolerance] : tolerances) {
          Options o = with_core(vortex_options(tolerance, precision));
          o.stream_function = stream, o.method = Method::treecode, o.leaf_size = 16;
          const Outcome found = measure_vortices(cloud, o, truth);
          EXPECT_LE(found.worst(), tolerance) << cloud.label << " " << word_of(core) << " " << stream;
          if (tolerance >= least_by_walks) {
            EXPECT_EQ(found.report.method, "treecode") << cloud.label << " " << word_of(core);
            EXPECT_GT(found.report.far_fraction, 0.2) << cloud.label << " " << word_of(core);
          }
        }
    }
}

/// From no screening to where boxes are too wide for expansions.
TEST(TreecodeKernels, Screened) {
  print_header("treecode, kernel yukawa3d");
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart})
    for (const double screening : {0.0, 1.0, 10.0, 100.0, 3e3, 1e8})
      for (const Signs signs : {Signs::mixed, Signs::positive}) {
        const Cloud cloud = make_cloud(kind, 1'500, signs);
        const double kappa = screening / extent_of(cloud);
        for (const auto& [precision, tolerance] : tolerances) {
          // in single exp(-kappa r) may be below the range: automatic takes double then
          const bool fits = screening < 50 || precision == Precision::double_;
          Options o = screened_options(kappa, tolerance, fits ? precision : Precision::automatic);
          o.method = Method::treecode, o.leaf_size = 12;
          const Outcome found = measure_screened(cloud, o);
          if (found.worst() > slack * tolerance) print_row(cloud, found);
          EXPECT_LE(found.worst(), slack * tolerance)
              << cloud.label << ", kappa times extent " << screening << ", degree " << found.report.degree;
          if (screening < 50 && tolerance >= least_by_walks) {
            EXPECT_GT(found.report.m2p_boxes, 0) << cloud.label << ", kappa times extent " << screening;
          }
        }
      }
}

/// Targets that no near pair reaches: what is left of the screened sum comes from the expansions alone.
TEST(TreecodeKernels, ScreenedFarTargets) {
  print_header("treecode, kernel yukawa3d, far targets");
  for (const double screening : {0.5, 5.0, 20.0})
    for (const double distance : {1.5, 4.0}) {
      Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::positive);
      const double extent = extent_of(cloud);
      cloud.label.append("/at ").append(std::to_string(distance));
      Stream random(5);
      for (int i = 0; i < 3 * 500; ++i) cloud.targets.push_back(extent * (distance + random.unit()));
      for (const auto& [precision, tolerance] : tolerances) {
        Options o = screened_options(screening / extent, tolerance, precision);
        o.method = Method::treecode, o.leaf_size = 20;
        const Outcome found = measure_screened(cloud, o);
        print_row(cloud, found);
        EXPECT_LE(found.worst(), slack * tolerance) << cloud.label << ", kappa times extent " << screening;
      }
    }
}

/// Screening makes the error of a degree no larger, and the estimate knows.
TEST(TreecodeKernels, ScreenedEstimatesAndConverges) {
  const Cloud cloud = make_cloud(Kind::uniform, 6'000, Signs::mixed);
  for (const double screening : {0.0, 3.0, 30.0}) {
    double before = 1;
    for (const int degree : {1, 4, 7, 11}) {
      Options o = screened_options(screening / extent_of(cloud), 1e-3, Precision::double_);
      o.method = Method::treecode, o.degree = degree, o.theta = 0.6, o.leaf_size = 16;
      const Outcome found = measure_screened(cloud, o);
      EXPECT_LT(found.worst(), 0.3 * before) << degree << ", kappa times extent " << screening;
      if (degree >= 4) {
        EXPECT_GT(found.report.estimated_error, found.worst()) << degree << ", kappa times extent " << screening;
        EXPECT_LT(found.report.estimated_error, 60 * found.worst()) << degree << ", kappa times extent " << screening;
      }
      before = found.worst();
    }
  }
}

/// Boxes are accepted only where the softened kernel is 1/r to what the tolerance allows.
TEST(TreecodeKernels, Softened) {
  const Cloud cloud = make_cloud(Kind::uniform, 4'000, Signs::positive);
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
    for (const double softening : {1e-4, 1e-3, 0.02})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        Options o = softened_options(softening, precision, How(Backend::cpu, kind));
        o.method = Method::treecode, o.tolerance = 1e-4, o.leaf_size = 10;
        const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
        const SoftenedErrors e = softened_errors(cloud, o, cloud.where(), false, r.potential, r.gradient);
        EXPECT_LE(std::max(e.potential, e.gradient), o.tolerance) << word_of(kind) << " " << softening;
        if (kind == SofteningKind::spline && softening <= 1e-3) {
          EXPECT_GT(r.report.far_fraction, 0.1) << softening;
        }
      }
}

TEST(TreecodeBits, AreTheSameForAnyNumberOfThreads) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const Cloud cloud = make_cloud(kind, 8'000, Signs::mixed);
      Options o = treecode_options(1e-5, precision);
      o.threads = 1;
      const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths);
      o.threads = 3;
      const Result<double> three = make_plan(cloud, o).evaluate(cloud.strengths);
      EXPECT_EQ(hash_of(one.potential), hash_of(three.potential)) << cloud.label;
      EXPECT_EQ(hash_of(one.gradient), hash_of(three.gradient)) << cloud.label;
    }
}

TEST(TreecodePlan, MovesAndSumsAtSources) {
  const Cloud first = make_cloud(Kind::uniform, 5'000, Signs::mixed),
              second = make_cloud(Kind::apart, 4'000, Signs::mixed);
  Options o = treecode_options(1e-5, Precision::double_);
  o.at_sources = true;
  Plan moved(points(first.sources), o);
  moved.evaluate(first.strengths);
  moved.move(points(second.sources), points(second.targets));
  const Result<double> a = moved.evaluate(second.strengths), b = make_plan(second, o).evaluate(second.strengths);
  EXPECT_EQ(a.potential, b.potential);
  EXPECT_EQ(a.source_gradient, b.source_gradient);
  EXPECT_LE(judge(second, a).worst(), o.tolerance);
  Cloud own = second;
  own.targets.clear(), own.label += "/at sources";
  EXPECT_LE(judge(own, Result<double>{a.source_potential, a.source_gradient, {}, {}, a.report}).worst(), o.tolerance);
}

TEST(TreecodePlan, KernelsMoveAndKeepTheirBits) {
  const auto expect = [](const Cloud& first, const Cloud& second, Options o) {
    o.method = Method::treecode, o.leaf_size = 16, o.threads = 1;
    Plan moved = make_plan(first, o);
    moved.evaluate(first.strengths);
    if (second.apart())
      moved.move(points(second.sources), points(second.targets));
    else
      moved.move(points(second.sources));
    const Result<double> a = moved.evaluate(second.strengths);
    o.threads = 3;
    const Result<double> b = make_plan(second, o).evaluate(second.strengths);
    EXPECT_EQ(a.potential, b.potential) << second.label;
    EXPECT_EQ(a.gradient, b.gradient) << second.label;
  };
  for (const Precision precision : {Precision::single_, Precision::double_})
    for (const Kind kind : {Kind::plummer, Kind::apart}) {
      expect(flat_cloud(Kind::uniform, 3'000, Signs::mixed), flat_cloud(kind, 2'500, Signs::mixed),
             flat_options(1e-4, precision));
      expect(flat_cloud(Kind::uniform, 3'000, Signs::mixed), flat_cloud(kind, 2'500, Signs::mixed),
             vortex_options(1e-4, precision));
      expect(make_cloud(Kind::uniform, 3'000, Signs::mixed), make_cloud(kind, 2'500, Signs::mixed),
             screened_options(2, 1e-4, precision));
    }
}

TEST(TreecodePlan, StaysBelowItsMemoryBound) {
  for (const Kernel kernel : {Kernel::laplace3d, Kernel::yukawa3d, Kernel::laplace2d})
    for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere})
      for (const std::int64_t leaf_size : {0, 8, 100}) {
        Cloud cloud = make_cloud(kind, 20'000, Signs::mixed);
        Options o = treecode_options(1e-5);
        o.leaf_size = leaf_size, o.kernel = kernel;
        if (kernel == Kernel::yukawa3d) o.kappa = 3;
        if (kernel == Kernel::laplace2d) lay_flat(cloud);
        Plan plan(points(cloud.sources), o);
        plan.evaluate(cloud.strengths);
        EXPECT_GE(Plan::memory_bound(20'000, 0, o), plan.report().memory_bytes) << name(kind) << " " << leaf_size;
      }
}

}  // namespace
}  // namespace farfield::testing

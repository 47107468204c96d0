// Ranks that sum on a device, several on one: softening of all kinds, cores, lengths of points, dipoles, Hessians and
// kernels whose tables depend on the level have the bits of one plan on that device.
#include "distributed/repeated.hpp"
#include "distributed/sums.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind kinds[] = {SofteningKind::plummer, SofteningKind::spline, SofteningKind::algebraic,
                                   SofteningKind::gauss};
constexpr SofteningKind kinds_of_lengths[] = {SofteningKind::plummer, SofteningKind::spline};

Options on_device(Precision precision, int degree, double tolerance = 1e-5) {
  Options o = fmm_of_degree(degree, tolerance);
  o.backend = Backend::cuda, o.precision = precision;
  return o;
}
Options softened(SofteningKind kind, double length, Precision precision, int degree, double tolerance = 1e-4) {
  Options o = on_device(precision, degree, tolerance);
  o.softening_kind = kind, o.softening = length;
  return o;
}
Options screened(double kappa, Precision precision, int degree) {
  Options o = on_device(precision, degree);
  o.kernel = Kernel::yukawa3d, o.kappa = kappa;
  return o;
}

template <class T>
Report expect_bits(const std::vector<Sum>& steps, const std::vector<int>& ranks, Sharing sharing = Sharing::random) {
  return expect_as_one_plan<T>(steps, ranks, sharing, expect_like_report);
}

/// Some are 0, and most differ.
Sum with_lengths_of(Sum sum, double longest) {
  const auto lengths = [&](std::size_t count) {
    std::vector<double> all = strengths_for(count, fresh_seed() + count);
    for (double& one : all) one = one < -0.8 ? 0 : longest * std::fabs(one);
    return all;
  };
  sum.lengths = lengths(sum.x.size() / 3);
  if (sum.apart) sum.target_lengths = lengths(sum.y.size() / 3);
  return sum;
}

std::vector<double> in_plane(std::vector<double> x) {
  for (std::size_t i = 2; i < x.size(); i += 3) x[i] = 0.5;
  return x;
}

class CudaSums : public GpuTest, public ::testing::WithParamInterface<Named> {};

TEST_P(CudaSums, SoftenedInDouble) {
  const std::vector<double> x = GetParam().make(5'000);
  for (const SofteningKind kind : kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    expect_bits<double>({Sum::of(x, softened(kind, 1e-4, Precision::double_, 6))}, {1, 3, 5});
  }
}
TEST_P(CudaSums, SoftenedInSingle) {
  const std::vector<double> x = GetParam().make(5'000);
  for (const SofteningKind kind : kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    expect_bits<float>({Sum::of(x, softened(kind, 0.01, Precision::single_, 4), 2)}, {2, 4}, Sharing::some_empty);
  }
}
TEST_P(CudaSums, SoftenedAtTargetsApart) {
  const std::vector<double> x = GetParam().make(3'000), y = plummer(2'000);
  for (const SofteningKind kind : kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Options o = softened(kind, 1e-3, Precision::double_, 4);
    o.at_sources = true;
    expect_bits<double>({Sum::of(x, o).to(y)}, {3});
    o.at_sources = false, o.precision = Precision::single_;
    expect_bits<float>({Sum::of(x, o).to(x)}, {4});
  }
}
TEST_P(CudaSums, OfLengths) {
  const std::vector<double> x = GetParam().make(4'000);
  for (const SofteningKind kind : kinds_of_lengths) {
    SCOPED_TRACE(static_cast<int>(kind));
    expect_bits<double>({with_lengths_of(Sum::of(x, softened(kind, 0, Precision::double_, 6)), 1e-3)}, {1, 3});
    Options o = softened(kind, 0, Precision::single_, 4);
    o.at_sources = true;
    expect_bits<float>({with_lengths_of(Sum::of(x, o, 2).to(plummer(2'000)), 0.01)}, {5}, Sharing::some_empty);
  }
}
TEST_P(CudaSums, OfDipolesAndHessians) {
  const std::vector<double> x = GetParam().make(4'000);
  for (const auto& [dipoles, hessian] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
    SCOPED_TRACE((dipoles ? "dipoles " : "") + std::string(hessian ? "Hessian" : ""));
    Options o = on_device(Precision::double_, 6);
    o.dipoles = dipoles, o.hessian = hessian;
    expect_bits<double>({Sum::of(x, o)}, {1, 3, 5});
    o.precision = Precision::single_, o.degree = 4;
    expect_bits<float>({Sum::of(x, o)}, {4});
    o.at_sources = true;
    expect_bits<float>({Sum::of(x, o, 2).to(plummer(2'000))}, {3}, Sharing::some_empty);
  }
}
TEST_P(CudaSums, OfAScreenedKernel) {
  const std::vector<double> x = GetParam().make(5'000);
  for (const double kappa : {0.0, 0.3, 8.0, 400.0}) {
    SCOPED_TRACE(kappa);
    expect_bits<double>({Sum::of(x, screened(kappa, Precision::double_, 6), 2)}, {1, 4});
    expect_bits<float>({Sum::of(x, screened(kappa, Precision::single_, 5))}, {2, 5});
    Options o = screened(kappa, Precision::single_, 4);
    o.at_sources = true;
    expect_bits<float>({Sum::of(x, o).to(sphere(2'000))}, {3}, Sharing::some_empty);
  }
}
TEST_P(CudaSums, OfVorticesWithCores) {
  const std::vector<double> x = in_plane(GetParam().make(4'000));
  for (const Core core : {Core::gauss, Core::rankine})
    for (const double radius : {1e-3, 0.03}) {
      Options o = on_device(Precision::double_, 8);
      o.kernel = Kernel::vortex, o.core = core, o.core_radius = radius, o.gradient = false;
      expect_bits<double>({Sum::of(x, o)}, {2, 4});
      o.stream_function = true, o.precision = Precision::single_;
      expect_bits<float>({Sum::of(x, o, 2).to(in_plane(sphere(2'000)))}, {3}, Sharing::some_empty);
    }
}
/// Decided to a tolerance, degrees and precision by the ranks' own sums.
TEST_P(CudaSums, ToATolerance) {
  const std::vector<double> x = GetParam().make(6'000);
  Options o = softened(SofteningKind::plummer, 1e-4, Precision::automatic, -1);
  expect_bits<double>({Sum::of(x, o)}, {2, 3});
  expect_bits<double>({Sum::of(x, screened(3, Precision::automatic, -1))}, {3});
  o = on_device(Precision::automatic, -1);
  o.dipoles = o.hessian = true;
  expect_bits<double>({Sum::of(x, o)}, {3});
}

INSTANTIATE_TEST_SUITE_P(Clouds, CudaSums, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

class CudaSumsOf : public GpuTest {};

/// So long that leaves are wide, and what a kernel lacks of 1/r beyond them is estimated.
TEST_F(CudaSumsOf, LongSoftenings) {
  for (const SofteningKind kind : kinds)
    for (const double length : {0.03, 0.2}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + ", " + std::to_string(length));
      expect_bits<double>({Sum::of(uniform(4'000), softened(kind, length, Precision::double_, 5))}, {3});
      expect_bits<float>({Sum::of(clusters(6'000), softened(kind, length, Precision::single_, 4))}, {2});
      expect_bits<float>(
          {with_lengths_of(Sum::of(plummer(3'000), softened(SofteningKind::spline, 0, Precision::single_, 4)), length)},
          {3});
    }
}

TEST_F(CudaSumsOf, SoftenedDipolesAndHessians) {
  for (const SofteningKind kind : kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Options o = softened(kind, 1e-3, Precision::double_, 5);
    o.dipoles = o.hessian = true;
    expect_bits<double>({Sum::of(uniform(3'000), o)}, {4});
    o.precision = Precision::single_, o.hessian = false;
    expect_bits<float>({Sum::of(coincident(3'000), o).to(uniform(1'500))}, {3});
  }
}

/// The operands of dipoles leave the range of m2l on tensor cores on the finest levels of one rank alone.
TEST_F(CudaSumsOf, DipolesInATreeTooDeepForTensorCores) {
  std::vector<double> x = uniform(4'000);
  for (std::size_t i = 0; i < 3 * 1'000; ++i) x[i] = 0.7 + 1e-8 * x[i];
  Options o = on_device(Precision::single_, 4);
  o.dipoles = true;
  expect_bits<float>({Sum::of(x, o)}, {1, 3});
  o.dipoles = false;
  expect_bits<float>({Sum::of(x, o)}, {3});
}

TEST_F(CudaSumsOf, AScreenedKernelByBothSchemesAndStencils) {
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const Stencil stencil : {Stencil::full, Stencil::reduced})
      for (const double kappa : {0.0, 5.0, 1e4}) {
        SCOPED_TRACE(kappa);
        Options o = screened(kappa, Precision::double_, 6);
        o.m2l = m2l, o.stencil = stencil;
        expect_bits<double>({Sum::of(sphere(4'000), o)}, {3});
        o.precision = Precision::single_;
        expect_bits<float>({Sum::of(uniform(8'000), o)}, {4});
      }
}

TEST_F(CudaSumsOf, ChargesDipolesOrBoth) {
  Options o = on_device(Precision::double_, 5);
  o.dipoles = true;
  Sum sum = Sum::of(sphere(3'000), o, 2);
  expect_bits<double>({sum}, {4});
  std::fill(sum.q.begin(), sum.q.end(), 0.0);
  expect_bits<double>({sum}, {3});
  sum.p.clear();  // a plan that may have dipoles
  sum.q = strengths_for(6'000, fresh_seed());
  expect_bits<double>({sum}, {5});
}

/// The measured targets are sources of any rank, or not.
TEST_F(CudaSumsOf, MeasuredTargets) {
  for (const SofteningKind kind : kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Options o = softened(kind, 1e-3, Precision::double_, 6);
    o.check = 700;
    EXPECT_TRUE(expect_bits<double>({Sum::of(coincident(2'600), o)}, {1, 4}).error);
    o.at_sources = true;
    expect_bits<double>({Sum::of(clusters(1'500), o).to(coincident(900))}, {3});
  }
  Options o = softened(SofteningKind::plummer, 0, Precision::double_, 6);
  o.check = 700;
  expect_bits<double>({with_lengths_of(Sum::of(coincident(2'600), o), 1e-3)}, {3});
  o = on_device(Precision::single_, 4);
  o.dipoles = o.hessian = true, o.check = 300;
  expect_bits<double>({Sum::of(plummer(2'000), o)}, {3});
  o = screened(4, Precision::single_, 4);
  o.check = 300;
  expect_bits<double>({Sum::of(plummer(2'000), o)}, {3});
}

TEST_F(CudaSumsOf, AllPairs) {
  for (const SofteningKind kind : kinds) {
    Options o = softened(kind, 0.05, Precision::double_, -1);
    o.method = Method::direct;
    expect_bits<double>({Sum::of(coincident(700), o, 2)}, {1, 4});
    o.at_sources = true, o.precision = Precision::single_;
    expect_bits<float>({Sum::of(coincident(500), o).to(coincident(300))}, {5});
  }
  Options o = on_device(Precision::double_, -1);
  o.method = Method::direct, o.dipoles = o.hessian = true;
  expect_bits<double>({Sum::of(uniform(600), o)}, {3});
  o.softening = 0.1;
  expect_bits<double>({with_lengths_of(Sum::of(uniform(600), o).to(coincident(300)), 0.1)}, {3});
  o = screened(5, Precision::single_, -1);
  o.method = Method::direct;
  expect_bits<float>({Sum::of(coincident(600), o)}, {4});
}

TEST_F(CudaSumsOf, PointsThatMove) {
  const auto moving = [](const Options& o, double lengths) {
    std::vector<Sum> steps{Sum::of(uniform(4'000), o), Sum::of(plummer(5'000), o), Sum::of(line(3'000), o)};
    if (lengths > 0) steps[0] = with_lengths_of(steps[0], lengths), steps[2] = with_lengths_of(steps[2], lengths);
    expect_bits<double>(steps, {2, 5});
  };
  moving(softened(SofteningKind::plummer, 1e-3, Precision::double_, 5), 0);
  moving(softened(SofteningKind::gauss, 1e-3, Precision::single_, 4), 0);
  moving(softened(SofteningKind::spline, 1e-3, Precision::double_, 5), 1e-2);
  moving(screened(5, Precision::single_, 5), 0);
  Options o = on_device(Precision::double_, 5);
  o.dipoles = o.hessian = true;
  moving(o, 0);
}

double error_of(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double squares = 0, norm = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    squares += (a[i] - b[i]) * (a[i] - b[i]), norm += b[i] * b[i];
  return std::sqrt(squares / norm);
}

/// A tolerance that the first decision misses: repeated by all pairs of the tree's points, of which the targets apart
/// are sources, too. One taken for another's would add 1e7 times its strength.
TEST_F(CudaSumsOf, SumsThatNeedAllPairs) {
  for (const SofteningKind kind : kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Options o = softened(kind, 1e-7, Precision::single_, -1, 2e-3);
    o.leaf_size = 10, o.at_sources = true;
    const Cloud cloud = ions_that_repeat(800, "direct", [&](Cloud& one) {
      one.targets.assign(one.sources.begin(), one.sources.begin() + 3 * 40);
      return Plan(points(one.sources), points(one.targets), o).evaluate(one.strengths).report;
    });
    ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
    Options direct = o;
    direct.method = Method::direct, direct.precision = Precision::double_;
    const Result<double> exact =
        Plan(points(cloud.sources), points(cloud.targets), direct).evaluate<double>(strengths(cloud.strengths));
    constexpr std::size_t n = 800, m = 40;
    for (const int ranks : {1, 3}) {
      std::vector<double> potential(m), source_potential(n);
      const Cuts of_sources = make_cuts(n, ranks, Sharing::random, fresh_seed()),
                 of_targets = make_cuts(m, ranks, Sharing::random, fresh_seed() + 1);
      rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
        const auto r = static_cast<std::size_t>(communicator.rank());
        const auto count = [r](const Cuts& cuts) { return static_cast<std::int64_t>(cuts[r + 1] - cuts[r]); };
        distributed::Plan plan(communicator, points(cloud.sources.data() + 3 * of_sources[r], count(of_sources)),
                               points(cloud.targets.data() + 3 * of_targets[r], count(of_targets)), o);
        Outputs outputs;
        outputs.potential = potential.data() + of_targets[r];
        outputs.source_potential = source_potential.data() + of_sources[r];
        plan.evaluate(strengths(cloud.strengths.data() + of_sources[r], count(of_sources)), outputs);
      }));
      EXPECT_LE(error_of(potential, exact.potential), 2e-3);
      EXPECT_LE(error_of(source_potential, exact.source_potential), 2e-3);
    }
  }
}

/// Lengths travel in a move from the order in which points are owned.
TEST_F(CudaSumsOf, LengthsInTheOwnedOrder) {
  constexpr int ranks = 3;
  constexpr std::size_t n = 4'000;
  const Sum sum =
      with_lengths_of(Sum::of(plummer(n), softened(SofteningKind::plummer, 0, Precision::double_, 5)), 1e-2);
  const Cuts cuts = make_cuts(n, ranks, Sharing::random, fresh_seed());
  std::vector<double> x[ranks], lengths[ranks], q[ranks], u[ranks];
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const Sum own = part_of(sum, cuts, Cuts(cuts.size(), 0), r);
    distributed::Plan plan(communicator, with_lengths(points(own.x), own.lengths), own.options);
    x[r] = plan.to_owned(own.x, 3), lengths[r] = plan.to_owned(own.lengths), q[r] = plan.to_owned(own.q);
    for (double& one : x[r]) one += 1e-3 * std::sin(50 * one);
    plan.move(with_lengths(points(x[r]), lengths[r]), distributed::Order::owned);
    u[r].resize(q[r].size());
    Outputs outputs;
    outputs.potential = u[r].data();
    plan.evaluate(strengths(q[r]), outputs);
  }));
  const auto joined = [](const std::vector<double>(&parts)[ranks]) {
    std::vector<double> all;
    for (const std::vector<double>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  Sum moved = sum;
  moved.x = joined(x), moved.lengths = joined(lengths), moved.q = joined(q);
  Plan one = plan_of(moved);
  EXPECT_EQ(joined(u), found_by_one<double>(moved, one).at_targets[0]);
}

/// The error of all results against direct sums in double.
TEST_F(CudaSumsOf, TheToleranceIsKept) {
  std::vector<Options> sums;
  for (const SofteningKind kind : kinds) sums.push_back(softened(kind, 2e-3, Precision::automatic, -1));
  sums.push_back(screened(3, Precision::automatic, -1));
  for (Options o : sums)
    for (const Named& cloud : {clouds[0], clouds[2], clouds[4]})
      for (const double tolerance : {1e-3, 1e-7}) {
        SCOPED_TRACE(std::string(cloud.name) + " to " + std::to_string(tolerance));
        o.tolerance = tolerance;
        const std::vector<double> x = cloud.make(4'000), q = strengths_for(4'000, fresh_seed());
        Options direct = o;
        direct.method = Method::direct, direct.precision = Precision::double_;
        const Sums<double> exact = single_sums<double>(x, q, 1, direct);
        std::vector<distributed::Report> reports;
        const Sums<double> all =
            distributed_sums<double>(x, q, 1, 3, make_cuts(4'000, 3, Sharing::random, fresh_seed()), o, &reports);
        EXPECT_EQ(reports.front().plan.backend, "cuda");
        EXPECT_LE(error_of(all.potential, exact.potential), tolerance);
        EXPECT_LE(error_of(all.gradient, exact.gradient), tolerance);
      }
}

}  // namespace
}  // namespace farfield::testing

// Ranks that sum on a device, several on one: the same bits as one plan on that device over the points of all ranks.
#include <gtest/gtest.h>

#include "distributed/clouds.hpp"
#include "distributed/shares.hpp"
#include "distributed/steps.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

Options options_of(Precision precision, int degree, double tolerance = 1e-5) {
  Options o;
  o.method = Method::fmm;
  o.backend = Backend::cuda;
  o.precision = precision;
  o.degree = degree, o.tolerance = tolerance;
  o.gradient = true;
  o.threads = 1;
  return o;
}

const std::vector<int> one_to_four{1, 2, 3, 4};

template <class T>
std::size_t differing(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t count = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += !(a[i] == b[i]);
  return count;
}

template <class T>
void expect_same(const std::vector<double>& x, std::int64_t vectors, const Options& o,
                 const std::vector<int>& ranks = one_to_four, Sharing sharing = Sharing::random) {
  const std::size_t n = x.size() / 3;
  const std::vector<double> q = strengths_for(n * static_cast<std::size_t>(vectors), fresh_seed());
  Report one_report;
  const Sums<T> one = single_sums<T>(x, q, vectors, o, &one_report);
  for (const int p : ranks) {
    SCOPED_TRACE(std::to_string(p) + " ranks");
    std::vector<distributed::Report> reports;
    const Sums<T> all = distributed_sums<T>(
        x, q, vectors, p, make_cuts(n, p, sharing, fresh_seed() + static_cast<std::uint64_t>(p)), o, &reports);
    EXPECT_EQ(differing(all.potential, one.potential), 0u) << "of " << one.potential.size();
    EXPECT_EQ(differing(all.gradient, one.gradient), 0u) << "of " << one.gradient.size();
    const Report& report = reports.front().plan;
    EXPECT_EQ(report.backend, one_report.backend);
    EXPECT_EQ(report.degree, one_report.degree);
    EXPECT_EQ(report.m2l, one_report.m2l);
    const auto counts = [](const Report& r) {
      return std::vector<std::int64_t>{r.boxes, r.levels, r.leaves, r.p2p_boxes, r.m2l_boxes, r.m2p_boxes, r.p2l_boxes};
    };
    if (one_report.method == "fmm") {
      EXPECT_EQ(counts(report), counts(one_report));
    }
    EXPECT_NEAR(report.estimated_error, one_report.estimated_error, 1e-13 + 1e-3 * one_report.estimated_error);
    EXPECT_NEAR(report.condition_potential, one_report.condition_potential, 0.01 * one_report.condition_potential);
  }
}

class CudaRanks : public GpuTest, public ::testing::WithParamInterface<Named> {};

TEST_P(CudaRanks, InDouble) {
  expect_same<double>(GetParam().make(12'000), 1, options_of(Precision::double_, 7));
  expect_same<double>(GetParam().make(6'000), 1, options_of(Precision::double_, 3), {3});
}
TEST_P(CudaRanks, InSingle) {
  expect_same<float>(GetParam().make(12'000), 1, options_of(Precision::single_, 4));
  expect_same<float>(GetParam().make(40'000), 1, options_of(Precision::single_, 9), {3});
}
TEST_P(CudaRanks, OfThreeVectors) {
  expect_same<double>(GetParam().make(6'000), 3, options_of(Precision::double_, 5), {2, 4}, Sharing::some_empty);
  expect_same<float>(GetParam().make(6'000), 4, options_of(Precision::single_, 4), {3});
}
TEST_P(CudaRanks, InSmallLeaves) {
  Options o = options_of(Precision::single_, 3);
  o.leaf_size = 9;
  expect_same<float>(GetParam().make(10'000), 1, o, {2, 4});
}
TEST_P(CudaRanks, WhereOneRankPassesAll) {
  expect_same<float>(GetParam().make(6'000), 1, options_of(Precision::single_, 5), {4}, Sharing::first_alone);
}
TEST_P(CudaRanks, ToATolerance) {
  for (const double tolerance : {1e-3, 1e-5})
    expect_same<double>(GetParam().make(12'000), 1, options_of(Precision::automatic, -1, tolerance), {2, 3});
}

INSTANTIATE_TEST_SUITE_P(Clouds, CudaRanks, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

class CudaRanksOf : public GpuTest {};

TEST_F(CudaRanksOf, UniformTreesReducedStencilsAndBothSchemes) {
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
      Options o = options_of(Precision::double_, 6);
      o.m2l = m2l, o.stencil = stencil;
      expect_same<double>(plummer(5'000), 1, o, {3});
      o.precision = Precision::single_, o.depth = 3;
      expect_same<float>(uniform(5'000), 1, o, {2});
    }
}

/// So many that results are placed in groups, those that others wait for first, and come in parts.
TEST_F(CudaRanksOf, ManyPoints) {
  expect_same<float>(uniform(6'000'000), 1, options_of(Precision::single_, 2), {2, 3}, Sharing::even);
}

TEST_F(CudaRanksOf, FewPoints) {
  for (const std::size_t n : {0u, 1u, 2u, 5u, 40u}) {
    expect_same<double>(uniform(n), 1, options_of(Precision::double_, 4), {1, 4});
    Options automatic = options_of(Precision::automatic, -1);  // all pairs, to the tolerance
    automatic.method = Method::automatic;
    expect_same<double>(uniform(n), 2, automatic, {1, 3});
  }
}

TEST_F(CudaRanksOf, KernelsOfThePlane) {
  std::vector<double> x = uniform(9'000);
  for (std::size_t i = 2; i < x.size(); i += 3) x[i] = 0;
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    Options o = options_of(precision, 8);
    o.kernel = Kernel::laplace2d;
    expect_same<double>(x, 1, o, {2, 4});
  }
}

/// Strengths of 1e30 overflow single's results: the plan repeats them in double, on all ranks.
TEST_F(CudaRanksOf, SumsThatNeedDouble) {
  std::vector<double> x = uniform(4'000), q(4'000, 1.0);
  x[3] = x[0] + 1e-30, x[4] = x[1], x[5] = x[2];
  q[7] = 1e-45;
  const Options o = options_of(Precision::single_, 4);
  Report report;
  const Sums<double> one = single_sums<double>(x, q, 1, o, &report);
  const Sums<double> all = distributed_sums<double>(x, q, 1, 3, make_cuts(4'000, 3, Sharing::random, fresh_seed()), o);
  EXPECT_TRUE(all == one);
}

/// Of vectors of the plain options: the error of all results against direct sums in double.
TEST_F(CudaRanksOf, TheToleranceIsKept) {
  for (const Named& cloud : clouds)
    for (const double tolerance : {1e-2, 1e-4, 1e-7, 1e-11}) {
      SCOPED_TRACE(std::string(cloud.name) + " to " + std::to_string(tolerance));
      const std::vector<double> x = cloud.make(5'000), q = strengths_for(5'000, fresh_seed());
      Options direct = options_of(Precision::double_, -1);
      direct.method = Method::direct;
      const Sums<double> exact = single_sums<double>(x, q, 1, direct);
      Options o = options_of(Precision::automatic, -1, tolerance);
      const Sums<double> all = distributed_sums<double>(x, q, 1, 3, make_cuts(5'000, 3, Sharing::random, 3), o);
      const auto error = [](const std::vector<double>& a, const std::vector<double>& b) {
        double squares = 0, norm = 0;
        for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]), norm += b[i] * b[i];
        return std::sqrt(squares / norm);
      };
      EXPECT_LE(error(all.potential, exact.potential), tolerance);
      EXPECT_LE(error(all.gradient, exact.gradient), tolerance);
    }
}

/// Results at targets apart and, where `at_sources`, at the sources.
struct Results {
  std::vector<double> potential, gradient, source_potential;
};

Results apart_by_ranks(const Cloud& cloud, int ranks, const Options& o, distributed::Order order) {
  const std::size_t n = cloud.sources.size() / 3, m = cloud.targets.size() / 3;
  Results all{std::vector<double>(m), std::vector<double>(3 * m), std::vector<double>(o.at_sources ? n : 0)};
  const Cuts sources = make_cuts(n, ranks, Sharing::random, fresh_seed()),
             targets = make_cuts(m, ranks, Sharing::some_empty, fresh_seed() + 1);
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const auto own_sources = static_cast<std::int64_t>(sources[r + 1] - sources[r]),
               own_targets = static_cast<std::int64_t>(targets[r + 1] - targets[r]);
    distributed::Plan plan(communicator, points(cloud.sources.data() + 3 * sources[r], own_sources),
                           points(cloud.targets.data() + 3 * targets[r], own_targets), o);
    std::vector<double> q(cloud.strengths.begin() + static_cast<std::ptrdiff_t>(sources[r]),
                          cloud.strengths.begin() + static_cast<std::ptrdiff_t>(sources[r + 1]));
    using distributed::Set;
    const bool owned = order == distributed::Order::owned;
    const std::int64_t at = owned ? plan.owned_count(Set::targets) : own_targets,
                       at_own = owned ? plan.owned_count() : own_sources;
    if (owned) q = plan.to_owned(q);
    std::vector<double> potential(static_cast<std::size_t>(at)), gradient(static_cast<std::size_t>(3 * at)),
        source_potential(o.at_sources ? static_cast<std::size_t>(at_own) : 0);
    Outputs outputs;
    outputs.potential = potential.data(), outputs.gradient = gradient.data();
    if (o.at_sources) outputs.source_potential = source_potential.data();
    plan.evaluate(strengths(q.data(), at_own), outputs, order);
    if (owned) {
      potential = plan.to_given(potential, 1, Set::targets), gradient = plan.to_given(gradient, 3, Set::targets);
      if (o.at_sources) source_potential = plan.to_given(source_potential);
    }
    std::copy(potential.begin(), potential.end(), all.potential.begin() + static_cast<std::ptrdiff_t>(targets[r]));
    std::copy(gradient.begin(), gradient.end(), all.gradient.begin() + static_cast<std::ptrdiff_t>(3 * targets[r]));
    std::copy(source_potential.begin(), source_potential.end(),
              all.source_potential.begin() + static_cast<std::ptrdiff_t>(o.at_sources ? sources[r] : 0));
  }));
  return all;
}

TEST_F(CudaRanksOf, TargetsApartInBothOrders) {
  for (const Named& of_sources : {clouds[0], clouds[2]})
    for (const Named& of_targets : {clouds[0], clouds[1], clouds[4]})
      for (const bool at_sources : {false, true}) {
        SCOPED_TRACE(std::string(of_sources.name) + " at " + of_targets.name + (at_sources ? " and sources" : ""));
        const Cloud cloud = cloud_of(of_sources.make(5'000), of_targets.make(4'000));
        Options o = options_of(Precision::double_, 5);
        o.at_sources = at_sources;
        const Result<double> one =
            Plan(points(cloud.sources), points(cloud.targets), o).evaluate<double>(strengths(cloud.strengths));
        for (const int ranks : {1, 3})
          for (const distributed::Order order : {distributed::Order::given, distributed::Order::owned}) {
            const Results all = apart_by_ranks(cloud, ranks, o, order);
            EXPECT_EQ(differing(all.potential, one.potential), 0u) << ranks << " ranks";
            EXPECT_EQ(differing(all.gradient, one.gradient), 0u) << ranks << " ranks";
            EXPECT_EQ(differing(all.source_potential, one.source_potential), 0u) << ranks << " ranks";
          }
      }
}

/// Steps of a simulation that keeps its arrays where points are owned: the bits of one plan over what the ranks pass.
TEST_F(CudaRanksOf, MovesInTheOwnedOrder) {
  const std::size_t n = 6'000;
  for (const Named& cloud : {clouds[0], clouds[2]})
    for (const int ranks : {2, 4}) {
      const std::vector<double> x = cloud.make(n), q = strengths_for(n, fresh_seed());
      const Cuts cuts = make_cuts(n, ranks, Sharing::random, fresh_seed());
      const auto drift = [](double at, int step) { return at + 1e-3 * std::sin(50 * at + step); };
      const Steps steps = steps_of_ranks(x, q, 1, cuts, options_of(Precision::single_, 5), 3, drift);
      expect_as_one_plan(steps, 1, options_of(Precision::single_, 5), [](const Report&, const Report&) {});
    }
}

/// Where the caller leaves the backend open, sums of every kind go to the devices where one plan's does.
TEST_F(CudaRanksOf, SumsOfEveryKindGoToTheDevices) {
  std::vector<Options> kinds(6, options_of(Precision::double_, 5));
  kinds[0].softening = 1e-3, kinds[1].dipoles = true, kinds[2].hessian = true;
  kinds[3].kernel = Kernel::yukawa3d, kinds[3].kappa = 2;
  kinds[4].kernel = Kernel::vortex, kinds[4].core = Core::gauss, kinds[4].core_radius = 1e-4;
  kinds[5].softening = 1e-3, kinds[5].softening_kind = SofteningKind::gauss;
  std::vector<double> x = uniform(300'000);
  for (std::size_t i = 2; i < x.size(); i += 3) x[i] = 0;
  int on_devices = 0;
  for (Options& o : kinds) {
    o.backend = Backend::automatic;
    const std::string one = Plan(points(x), o).report().backend;
    const Cuts cuts = make_cuts(x.size() / 3, 2, Sharing::even, fresh_seed());
    rethrow_any(run_ranks(2, [&](distributed::Communicator& communicator) {
      const auto r = static_cast<std::size_t>(communicator.rank());
      const Points own = points(x.data() + 3 * cuts[r], static_cast<std::int64_t>(cuts[r + 1] - cuts[r]));
      EXPECT_EQ(distributed::Plan(communicator, own, o).report().plan.backend, one);
    }));
    on_devices += one == "cuda";
  }
  EXPECT_GE(on_devices, 4) << "of " << kinds.size();
}

TEST_F(CudaRanksOf, APointThatIsRefusedIsAnErrorOnAllRanks) {
  std::vector<double> x = uniform(3'000);
  const std::vector<double> q = strengths_for(3'000, 1);
  const Options o = options_of(Precision::double_, 4);
  const Sums<double> one = single_sums<double>(x, q, 1, o);
  const auto thrown = run_ranks(3, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    std::vector<double> own(x.begin() + static_cast<std::ptrdiff_t>(3'000 * r),
                            x.begin() + static_cast<std::ptrdiff_t>(3'000 * (r + 1)));
    distributed::Plan plan(communicator, points(own), o);
    std::vector<double> bad = own;
    if (r == 1) bad[7] = NAN;
    try {
      plan.move(points(bad));
      ADD_FAILURE() << "a point that is not finite was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("rank 1: source 2: coordinate y"), std::string::npos) << error.what();
    }
    std::vector<double> strengths(q.begin() + static_cast<std::ptrdiff_t>(1'000 * r),
                                  q.begin() + static_cast<std::ptrdiff_t>(1'000 * (r + 1)));
    std::vector<double> potential(1'000);
    Outputs outputs;
    outputs.potential = potential.data();
    std::vector<double> infinite = strengths;
    if (r == 2) infinite[4] = INFINITY;
    try {
      plan.evaluate(farfield::strengths(infinite), outputs);
      ADD_FAILURE() << "a strength that is not finite was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("rank 2: strength 4"), std::string::npos) << error.what();
    }
    plan.evaluate(farfield::strengths(strengths), outputs);
    for (std::size_t i = 0; i < 1'000; ++i) EXPECT_EQ(potential[i], one.potential[1'000 * r + i]);
  });
  rethrow_any(thrown);
}

}  // namespace
}  // namespace farfield::testing

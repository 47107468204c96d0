// Points that repeat, and virials, over ranks on a device, several on one: the bits of one plan on that device over the
// points of all ranks, for any axes and cells, targets apart, several vectors, moves, and other cells; virials to
// rounding; errors against one plan on the CPU, which tests/periodic holds to the slow Ewald sums.
#include <gtest/gtest.h>

#include "distributed/cells.hpp"
#include "distributed/steps.hpp"
#include "distributed/whole.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using distributed::Order;

/// Sums of some thousand products, added up rank by rank: 1e-16 times the square root of their number, times how much
/// of them cancels.
constexpr double virial_rounding = 1e-11;

Options on_device(const Rows& cell, int axes, double tolerance = 1e-4, Precision precision = Precision::double_) {
  Options o = cell_of(cell, axes, tolerance);
  o.backend = Backend::cuda, o.precision = precision;
  return o;
}

/// What is decided and counted; estimates of ranks on devices differ by the rounding of their sums.
void expect_alike(const Report& of_ranks, const Report& one) {
  EXPECT_EQ(of_ranks.backend, one.backend);
  EXPECT_EQ(of_ranks.method, one.method);
  EXPECT_EQ(of_ranks.precision, one.precision);
  EXPECT_EQ(of_ranks.degree, one.degree);
  EXPECT_EQ(of_ranks.periodic, one.periodic);
  EXPECT_EQ(of_ranks.sources, one.sources);
  for (const Choice& choice : one.choices)
    for (const Choice& same : of_ranks.choices)
      if (same.name == choice.name && (choice.name == "images" || choice.name == "blocks")) {
        EXPECT_EQ(same.value, choice.value);
        EXPECT_EQ(same.reason, choice.reason);
      }
}

template <class T>
Report expect_bits(const std::vector<Sum>& steps, const std::vector<int>& ranks, Sharing sharing = Sharing::random) {
  const auto alike = [](const Options&, const Report& of_ranks, const Report& one) { expect_alike(of_ranks, one); };
  const Report one = expect_as_one_plan<T>(steps, ranks, sharing, alike);
  EXPECT_EQ(one.backend, "cuda");
  return one;
}

class CudaCells : public GpuTest, public ::testing::WithParamInterface<int> {};

TEST_P(CudaCells, HaveTheBitsOfOnePlan) {
  const int axes = GetParam();
  for (const Rows& cell : {bricks, triclinic}) {
    expect_bits<double>({sum_in(anywhere(4'000, cell, fresh_seed()), on_device(cell, axes))}, {1, 2, 5});
    const Options single = on_device(cell, axes, 1e-3, Precision::single_);
    expect_bits<float>({sum_in(anywhere(4'000, cell, fresh_seed() + 1), single, 2)}, {4}, Sharing::some_empty);
  }
}

TEST_P(CudaCells, AtTargetsApartAndAtSources) {
  const std::vector<double> x = anywhere(3'000, triclinic, fresh_seed()),
                            y = anywhere(2'000, triclinic, fresh_seed() + 1);
  Options o = on_device(triclinic, GetParam());
  expect_bits<double>({sum_in(x, o).to(y)}, {5});
  o.at_sources = true;
  expect_bits<double>({sum_in(x, o).to(y)}, {3});
}

/// Points that rest where they were, that move, and that are more or fewer.
TEST_P(CudaCells, OfPlansThatMove) {
  const Options o = on_device(triclinic, GetParam());
  std::vector<Sum> steps{sum_in(anywhere(3'000, triclinic, fresh_seed()), o)};
  steps.push_back(steps.front());
  for (double& x : steps.back().x) x += 1e-3 * std::sin(50 * x);
  for (const std::size_t count : {3'000u, 4'500u, 1'200u})
    steps.push_back(sum_in(anywhere(count, triclinic, fresh_seed() + count), o));
  expect_bits<double>(steps, {2, 5});
}

/// Of sums of images that nearly cancel, which are repeated where their norms ask for it.
TEST_P(CudaCells, HaveTheVirialOfOnePlan) {
  Options o = on_device(triclinic, GetParam());
  o.virial = true, o.gradient = GetParam() % 2 == 0;
  std::array<double, 9> cell{}, other{};
  for (std::size_t i = 0; i < 9; ++i) other[i] = (GetParam() >> i / 3 & 1) ? 1.02 * triclinic[i / 3][i % 3] : 0;
  expect_virials_of_one_plan(sum_in(anywhere(2'000, triclinic, fresh_seed()), o, 2), {cell, other}, virial_rounding);
}

/// Of three ranks, against one plan on the CPU to a much smaller tolerance.
TEST_P(CudaCells, KeepTheTolerance) {
  const Sum sum = sum_in(anywhere(4'000, bricks, fresh_seed()), on_device(bricks, GetParam()));
  const Sums<double> exact = single_sums<double>(sum.x, sum.q, 1, cell_of(bricks, GetParam(), 1e-11));
  const auto error = [](const std::vector<double>& a, const std::vector<double>& b) {
    double squares = 0, norm = 0;
    for (std::size_t i = 0; i < b.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]), norm += b[i] * b[i];
    return std::sqrt(squares / norm);
  };
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    const Options o = on_device(bricks, GetParam(), tolerance, Precision::automatic);
    const Cuts cuts = make_cuts(4'000, 3, Sharing::random, fresh_seed());
    const Sums<double> all = distributed_sums<double>(sum.x, sum.q, 1, 3, cuts, o);
    EXPECT_LE(error(all.potential, exact.potential), tolerance);
    EXPECT_LE(error(all.gradient, exact.gradient), tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Axes, CudaCells, ::testing::Range(1, 8));

class CudaCellsOf : public GpuTest {};

/// Many parts in each block, shared unequally, sorted along an axis or not.
TEST_F(CudaCellsOf, ManyParts) {
  Options o = on_device(bricks, 7, 1e-3, Precision::single_);
  std::vector<double> x = anywhere(150'000, bricks, fresh_seed());
  expect_bits<double>({sum_in(x, o)}, {1, 2, 5});
  std::sort(x.begin(), x.end());  // all coordinates: along the diagonal
  expect_bits<double>({sum_in(x, o)}, {3}, Sharing::some_empty);
}

TEST_F(CudaCellsOf, FewPoints) {
  for (const Method method : {Method::fmm, Method::direct})
    for (const std::size_t n : {0u, 1u, 2u, 5u, 40u})
      for (const int axes : {7, 2}) {
        Options o = on_device(bricks, axes);
        o.method = method;
        const std::vector<double> x = anywhere(n, bricks, fresh_seed() + n);
        expect_bits<double>({sum_in(x, o, 2)}, {n == 5 ? 9 : 3});
        expect_bits<double>({sum_in(x, o).to({0.1, 0.2, 0.3})}, {2});
      }
}

TEST_F(CudaCellsOf, OneRankThatPassesAll) {
  const Sum sum = sum_in(anywhere(4'000, triclinic, fresh_seed()), on_device(triclinic, 7));
  expect_bits<double>({sum}, {4}, Sharing::first_alone);
  expect_bits<double>({sum}, {5}, Sharing::last_alone);
}

/// Sums of which all images leave little need a near plan that is more accurate, and longer expansions.
TEST_F(CudaCellsOf, PairsThatCancel) {
  Stream random(fresh_seed());
  const Ions at = ions(1'500, bricks, 1e-3, random);
  Sum sum = Sum::of(at.x, on_device(bricks, 7, 1e-5));
  sum.q = at.q;
  expect_bits<double>({sum}, {3, 4});
}

TEST_F(CudaCellsOf, MovesInTheOwnedOrder) {
  const Options o = on_device(triclinic, 7);
  const std::vector<double> x = anywhere(3'000, triclinic, fresh_seed());
  const Cuts cuts = make_cuts(3'000, 4, Sharing::random, fresh_seed());
  const auto shift = [](double at, int step) { return at + 0.01 * step; };
  expect_as_one_plan(steps_of_ranks(x, sum_in(x, o).q, 1, cuts, o, 3, shift), 1, o, expect_alike);
}

/// In open space.
TEST_F(CudaCellsOf, OpenVirials) {
  Options o = fmm_of_degree(4);
  o.virial = true, o.backend = Backend::cuda;
  for (const std::size_t n : {0u, 1u, 900u, 20'000u})
    expect_virials_of_one_plan(Sum::of(plummer(n), o, 2), {{}, {}}, virial_rounding);
  o.gradient = false;
  expect_virials_of_one_plan(Sum::of(uniform(900), o, 2), {{}}, virial_rounding);
  o.method = Method::direct;
  expect_virials_of_one_plan(Sum::of(uniform(900), o, 2), {{}}, virial_rounding);
}

/// Ranks that all have a device, and so many points that one process would put them there.
TEST_F(CudaCellsOf, ABackendThatIsLeftOpen) {
  Options o = on_device(bricks, 7, 1e-4, Precision::automatic);
  o.method = Method::fmm, o.backend = Backend::automatic;
  const std::vector<double> x = anywhere(200'000, bricks, fresh_seed());
  expect_bits<double>({sum_in(x, o)}, {2});
}

/// Arrays of a caller who knows no ranks.
TEST_F(CudaCellsOf, WholeArrays) {
  const std::vector<double> x = anywhere(3'000, triclinic, fresh_seed()),
                            y = anywhere(1'000, triclinic, fresh_seed() + 1);
  Options o = on_device(triclinic, 7);
  expect_as_one_plan<double>(x, nullptr, 3, o, {1, 3});
  expect_as_one_plan<float>(x, nullptr, 1, o, {2});
  o.at_sources = true;
  expect_as_one_plan<double>(x, &y, 2, o, {3});
  o.at_sources = false, o.virial = true;
  const Sum sum = sum_in(x, o, 2);
  Plan one = plan_of(sum);
  distributed::DevicesPlan plan(points(x), {0, 0, 0}, o);
  plan.set_cell({1.01, 0, 0, 0.3, 1.1, 0, -0.4, 0.25, 0.9}), plan.move(points(x));
  one.set_cell({1.01, 0, 0, 0.3, 1.1, 0, -0.4, 0.25, 0.9}), one.move(points(x));
  std::array<double, 12> virial, expected;
  EXPECT_EQ(with_virials(plan, sum, virial), with_virials(one, sum, expected));
  EXPECT_LE(difference_of(virial, expected), virial_rounding);
}

/// Bad numbers of one rank are refused on all, with the index there, and leave the plan as it was.
TEST_F(CudaCellsOf, BadNumbersOfOneRank) {
  const Options o = on_device(bricks, 7);
  const std::vector<double> x = anywhere(500, bricks, fresh_seed());
  const auto thrown = run_ranks(3, [&](distributed::Communicator& communicator) {
    const bool bad = communicator.rank() == 1;
    distributed::Plan plan(communicator, points(x), o);
    std::vector<double> q(1'000, 1), before(1'000), after(1'000), moved = x;
    if (bad) moved[3 * 17 + 1] = std::nan("");
    Outputs outputs;
    outputs.potential = before.data();
    plan.evaluate(strengths(q.data(), 500, 2), outputs);
    expect_refusal("rank 1: source 17: coordinate y is nan", [&] { plan.move(points(moved)); });
    if (bad) q[500 + 9] = INFINITY;
    expect_refusal("rank 1: strength 9 of vector 1 is not finite",
                   [&] { plan.evaluate(strengths(q.data(), 500, 2), outputs); });
    q.assign(1'000, 1);
    outputs.potential = after.data();
    plan.evaluate(strengths(q.data(), 500, 2), outputs);
    EXPECT_EQ(before, after);
    distributed::Plan(communicator, points(moved), o);
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(sentence_of(one).find("rank 1: source 17: coordinate y is nan"), std::string::npos) << sentence_of(one);
}

/// What one process says of the caller's arrays, whose points have images between them in the plan beneath.
TEST_F(CudaCellsOf, BadNumbersOfOneProcess) {
  const Options o = on_device(bricks, 7);
  std::vector<double> x = anywhere(500, bricks, fresh_seed()), q(500, 1.0);
  Plan plan(points(x), o);
  q[321] = NAN;
  expect_refusal("strength 321 of vector 0 is not finite", [&] { plan.evaluate<double>(q); });
  x[3 * 321 + 2] = INFINITY;
  expect_refusal("source 321: coordinate z is inf", [&] { plan.move(points(x)); });
}

TEST_F(CudaCellsOf, WhatIsRefused) {
  const std::vector<double> x = anywhere(200, bricks, fresh_seed());
  Options o = on_device(bricks, 7);
  o.skin = 0.1;
  for (const std::exception_ptr& thrown :
       run_ranks(2, [&](distributed::Communicator& communicator) { distributed::Plan(communicator, points(x), o); }))
    EXPECT_NE(sentence_of(thrown).find("a skin is not offered with periodic axes"), std::string::npos);
  o = on_device(bricks, 3);
  for (const std::exception_ptr& thrown : run_ranks(2, [&](distributed::Communicator& communicator) {
         std::vector<double> q(200, 1), potential(200);
         Outputs outputs;
         outputs.potential = potential.data();
         distributed::Plan(communicator, points(x), o).evaluate(strengths(q), outputs);
       }))
    EXPECT_NE(sentence_of(thrown).find("the strengths add up to 400"), std::string::npos) << sentence_of(thrown);
}

}  // namespace
}  // namespace farfield::testing

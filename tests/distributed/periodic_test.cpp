// Points that repeat, over ranks: the bits and reports of one plan, for any axes and cells, points anywhere, net
// charges, targets apart, several vectors, moves, other cells, and the virial; what is refused, and by whom.
#include <cmath>
#include <limits>

#include "distributed/cells.hpp"
#include "distributed/steps.hpp"
#include "distributed/whole.hpp"

namespace farfield::testing {
namespace {

using distributed::Order;

class Cells : public ::testing::TestWithParam<int> {};

TEST_P(Cells, HaveTheBitsOfOnePlan) {
  const int axes = GetParam();
  for (const Rows& cell : {bricks, triclinic}) {
    const Options o = cell_of(cell, axes);
    expect_as_one_plan<double>({sum_in(anywhere(900, cell, fresh_seed()), o)}, {1, 4});
    Options single = cell_of(cell, axes, 1e-3);
    single.precision = Precision::single_;
    expect_as_one_plan<float>({sum_in(anywhere(700, cell, fresh_seed() + 1), single, 2)}, {7}, Sharing::some_empty);
  }
}

TEST_P(Cells, AtTargetsApartAndAtSources) {
  const int axes = GetParam();
  const std::vector<double> x = anywhere(700, triclinic, fresh_seed()), y = anywhere(500, triclinic, fresh_seed() + 1);
  Options o = cell_of(triclinic, axes);
  expect_as_one_plan<double>({sum_in(x, o).to(y)}, {5});
  o.at_sources = true;
  expect_as_one_plan<double>({sum_in(x, o).to(y)}, {3});
}

/// Points that rest where they were, that move, and that are more or fewer.
TEST_P(Cells, OfPlansThatMove) {
  const Options o = cell_of(triclinic, GetParam());
  std::vector<Sum> steps{sum_in(anywhere(800, triclinic, fresh_seed()), o)};
  steps.push_back(steps.front());
  for (double& x : steps.back().x) x += 1e-3 * std::sin(50 * x);
  for (const std::size_t count : {800u, 1'000u, 300u})
    steps.push_back(sum_in(anywhere(count, triclinic, fresh_seed() + count), o));
  expect_as_one_plan<double>(steps, {2, 5});
}

INSTANTIATE_TEST_SUITE_P(Axes, Cells, ::testing::Range(1, 8));

TEST(PeriodicSums, OneToNineRanksAndThreads) {
  Options o = cell_of(bricks, 7);
  o.check = 40;
  EXPECT_TRUE(
      expect_as_one_plan<double>({sum_in(anywhere(1'500, bricks, fresh_seed()), o)}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
          .error);
  o.threads = 2;
  expect_as_one_plan<double>({sum_in(anywhere(1'500, bricks, fresh_seed()), o)}, {3});
  o = cell_of(bricks, 7), o.degree = 5;
  expect_as_one_plan<double>({sum_in(anywhere(1'500, bricks, fresh_seed()), o)}, {4});
}

/// More points than a piece holds, shared unequally, sorted along an axis or not.
TEST(PeriodicSums, OfManyPieces) {
  Options o = cell_of(bricks, 7, 1e-2);
  o.degree = 2;
  std::vector<double> x = anywhere(40'000, bricks, fresh_seed());
  expect_as_one_plan<double>({sum_in(x, o)}, {2, 5});
  std::sort(x.begin(), x.end());  // all coordinates: along the diagonal
  expect_as_one_plan<double>({sum_in(x, o)}, {3}, Sharing::some_empty);
}

TEST(PeriodicSums, OfFewPoints) {
  for (const Method method : {Method::fmm, Method::automatic, Method::direct})
    for (const std::size_t n : {0u, 1u, 2u, 5u, 40u})
      for (const int axes : {7, 2}) {
        Options o = cell_of(bricks, axes);
        o.method = method;
        const std::vector<double> x = anywhere(n, bricks, fresh_seed() + n);
        expect_as_one_plan<double>({sum_in(x, o, 2)}, {n == 5 ? 9 : 3});
        expect_as_one_plan<double>({sum_in(x, o).to({0.1, 0.2, 0.3})}, {2});
      }
}

/// Sums of which all images leave little need a near plan that is more accurate, and longer expansions; a move keeps
/// both.
TEST(PeriodicSums, OfPairsThatCancel) {
  Stream random(fresh_seed());
  const Ions first = ions(400, bricks, 1e-3, random), second = ions(400, bricks, 1e-3, random);
  const Options o = cell_of(bricks, 7, 1e-5);
  std::vector<Sum> steps;
  for (const Ions& ions : {first, second}) {
    steps.push_back(Sum::of(ions.x, o));
    steps.back().q = ions.q;
  }
  expect_as_one_plan<double>(steps, {3, 6});
}

TEST(PeriodicSums, WhereOneRankPassesAll) {
  const Sum sum = sum_in(anywhere(900, triclinic, fresh_seed()), cell_of(triclinic, 7));
  expect_as_one_plan<double>({sum}, {4}, Sharing::first_alone);
  expect_as_one_plan<double>({sum}, {5}, Sharing::last_alone);
}

/// A rank owns what it passed; moves in the owned order are those in the given one.
TEST(PeriodicSums, InTheOwnedOrder) {
  const Options o = cell_of(triclinic, 7);
  const std::vector<double> x = anywhere(600, triclinic, fresh_seed());
  const Cuts cuts = make_cuts(600, 4, Sharing::random, fresh_seed());
  const auto shift = [](double at, int step) { return at + 0.01 * step; };
  expect_as_one_plan(steps_of_ranks(x, sum_in(x, o).q, 1, cuts, o, 3, shift), 1, o);
}

TEST_P(Cells, HaveTheVirialOfOnePlan) {
  Options o = cell_of(triclinic, GetParam());
  o.virial = true, o.gradient = GetParam() % 2 == 0;
  std::array<double, 9> cell{}, other{};
  for (std::size_t i = 0; i < 9; ++i) other[i] = (GetParam() >> i / 3 & 1) ? 1.02 * triclinic[i / 3][i % 3] : 0;
  expect_virials_of_one_plan(sum_in(anywhere(600, triclinic, fresh_seed()), o, 2), {cell, other});
}

/// Points that do not repeat, more of them than a piece holds, softened or not.
TEST(OpenVirials, AreThoseOfOnePlan) {
  Options o = fmm_of_degree(4);
  o.virial = true;
  for (const std::size_t n : {0u, 1u, 900u, 20'000u}) expect_virials_of_one_plan(Sum::of(plummer(n), o, 2), {{}, {}});
  o.gradient = false, o.softening = 0.01;
  Sum sum = Sum::of(uniform(900), o, 2);
  expect_virials_of_one_plan(sum, {{}});
  o.method = Method::direct;
  sum = Sum::of(uniform(900), o, 2);
  Stream random(fresh_seed());
  for (std::size_t i = 0; i < 900; ++i) sum.lengths.push_back(random.between(0, 0.1));
  expect_virials_of_one_plan(sum, {{}, {}});
}

/// After forget() the plan is that of a new one.
TEST(PeriodicSums, AreThoseOfANewPlanAfterForget) {
  const Options o = cell_of(bricks, 7, 1e-5);
  Stream random(fresh_seed());
  const Ions at = ions(300, bricks, 1e-3, random);
  const Sums<double> one = single_sums<double>(at.x, at.q, 1, o);
  rethrow_any(run_ranks(3, [&](distributed::Communicator& communicator) {
    const std::size_t begin = 200 * static_cast<std::size_t>(communicator.rank());
    const std::vector<double> x(at.x.begin() + static_cast<std::ptrdiff_t>(3 * begin),
                                at.x.begin() + static_cast<std::ptrdiff_t>(3 * begin + 600));
    distributed::Plan plan(communicator, points(x), o);
    std::vector<double> potential(200);
    Outputs outputs;
    outputs.potential = potential.data();
    plan.evaluate(strengths(at.q.data() + begin, 200), outputs);
    plan.forget();
    plan.move(points(x));
    plan.evaluate(strengths(at.q.data() + begin, 200), outputs);
    EXPECT_TRUE(
        std::equal(potential.begin(), potential.end(), one.potential.begin() + static_cast<std::ptrdiff_t>(begin)));
  }));
}

/// Bad numbers of one rank are refused on all, with the index there, and leave the plan as it was.
TEST(PeriodicSums, RefuseBadNumbersOfOneRank) {
  const Options o = cell_of(bricks, 7);
  const std::vector<double> x = anywhere(50, bricks, fresh_seed());
  const auto thrown = run_ranks(3, [&](distributed::Communicator& communicator) {
    const bool bad = communicator.rank() == 1;
    distributed::Plan plan(communicator, points(x), o);
    std::vector<double> q(100, 1), before(100), after(100), moved = x;
    if (bad) moved[3 * 17 + 1] = std::nan("");
    Outputs outputs;
    outputs.potential = before.data();
    plan.evaluate(strengths(q.data(), 50, 2), outputs);
    expect_refusal("rank 1: source 17: coordinate y is nan", [&] { plan.move(points(moved)); });
    if (bad) q[50 + 9] = INFINITY;
    expect_refusal("rank 1: strength 9 of vector 1 is not finite",
                   [&] { plan.evaluate(strengths(q.data(), 50, 2), outputs); });
    q.assign(100, 1);
    outputs.potential = after.data();
    plan.evaluate(strengths(q.data(), 50, 2), outputs);
    EXPECT_EQ(before, after);
    distributed::Plan(communicator, points(moved), o);
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(sentence_of(one).find("rank 1: source 17: coordinate y is nan"), std::string::npos) << sentence_of(one);
}

TEST(PeriodicSums, RefuseInOneSentence) {
  const std::vector<double> x = anywhere(20, bricks, fresh_seed());
  const auto expect_refused = [&](const char* sentence, const Options& o) {
    for (const std::exception_ptr& thrown :
         run_ranks(2, [&](distributed::Communicator& communicator) { distributed::Plan(communicator, points(x), o); }))
      EXPECT_NE(sentence_of(thrown).find(sentence), std::string::npos) << sentence_of(thrown);
  };
  Options o = cell_of(bricks, 7);
  o.backend = Backend::hybrid;
  expect_refused("backend hybrid", o);
  o = cell_of(bricks, 7), o.skin = 0.1;
  expect_refused("a skin is not offered with periodic axes", o);
  o = cell_of(bricks, 1), o.kernel = Kernel::vortex;
  expect_refused("periodic axes of kernel vortex are not offered", o);
  o = cell_of(bricks, 7), o.softening = 0.1;
  expect_refused("points that repeat are not softened", o);
  o = cell_of(bricks, 3);
  for (const std::exception_ptr& thrown : run_ranks(2, [&](distributed::Communicator& communicator) {
         std::vector<double> q(20, 1), potential(20);
         Outputs outputs;
         outputs.potential = potential.data();
         distributed::Plan(communicator, points(x), o).evaluate(strengths(q), outputs);
       }))
    EXPECT_NE(sentence_of(thrown).find("the strengths add up to 40"), std::string::npos) << sentence_of(thrown);
}

/// Whole arrays of the caller, over ranks of the CPU.
TEST(PeriodicSums, OfWholeArrays) {
  const std::vector<double> x = anywhere(700, triclinic, fresh_seed()), y = anywhere(300, triclinic, fresh_seed() + 1);
  Options o = cell_of(triclinic, 7);
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
  EXPECT_EQ(virial, expected);
}

}  // namespace
}  // namespace farfield::testing

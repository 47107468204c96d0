// What plans decide from estimates of the errors of their sums, over many small sums that often do not keep the
// tolerance at first: ranks must decide as one plan does.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>

#include "distributed/cells.hpp"

namespace farfield::testing {

/// How many sums were decided upon, and what became of them.
struct Decided {
  int sums = 0, repeated = 0, turned_to_pairs = 0, in_double = 0;
};

/// Everything that follows from an estimate.
inline std::vector<std::string> decisions_of(const Report& r) {
  std::vector<std::string> all{r.method, r.precision, r.m2l, std::to_string(r.degree)};
  for (const Choice& c : r.choices)
    if (c.name == "evaluated again" || c.name == "blocks" || c.name == "degree")
      all.push_back(c.value + "; " + c.reason);
  all.insert(all.end(), r.warnings.begin(), r.warnings.end());
  return all;
}

/// A number between two, as often of each size.
inline double of_any_size(Stream& random, double low, double high) {
  return std::exp(random.between(std::log(low), std::log(high)));
}

/// Ions in pairs: the sum of their potentials nearly cancels. Half of the clouds have pairs about as near to one
/// another as to the next pair, some of them a hundred times larger: few boxes carry the sum, which often wants a
/// second try. `axes`: of the cell, 0: open space.
inline Sum ions_to_sum(Stream& random, int axes, double most_pairs) {
  const bool hard = random.unit() < 0.5;
  const auto pairs = static_cast<std::int64_t>(of_any_size(random, hard ? 200 : 4, most_pairs));
  const double apart = hard ? 1.5 / std::cbrt(2 * static_cast<double>(pairs)) : of_any_size(random, 1e-4, 0.1);
  Options o = cell_of(bricks, axes, of_any_size(random, 1e-10, 1e-3));
  o.precision = Precision::automatic;
  if (!hard && random.unit() < 0.5) o.method = Method::direct, o.tolerance = of_any_size(random, 1e-6, 1e-3);
  const Ions at = ions(pairs, bricks, apart, random);
  Sum sum = Sum::of(at.x, o);
  sum.q = at.q;
  for (std::int64_t i = 0, strong = 4 << random.below(6); hard && i < std::min(strong, 2 * pairs); ++i)
    sum.q[static_cast<std::size_t>(i)] *= 100;
  if (random.unit() < 0.5) return sum;
  sum.options.at_sources = random.unit() < 0.7;
  const auto targets = static_cast<std::size_t>(of_any_size(random, 2, most_pairs));
  return sum.to(anywhere(targets, bricks, static_cast<std::uint64_t>(random.below(1'000'000'000))));
}

/// What is summed, to find it again.
inline std::string told(const Sum& sum, int ranks, std::uint64_t seed) {
  const Options& o = sum.options;
  const auto number = [](std::size_t n) { return std::to_string(n); };
  return "seed " + std::to_string(seed) + ", axes " + std::to_string(static_cast<int>(o.periodic)) + ", " +
         number(sum.x.size() / 3) + " ions, " + (sum.apart ? number(sum.y.size() / 3) + " targets, " : "") +
         "tolerance 1e" + std::to_string(std::log10(o.tolerance)) + (o.at_sources ? ", at sources" : "") +
         (o.method == Method::direct ? ", direct" : "") + ", " + std::to_string(ranks) + " ranks";
}

/// Where decisions differ: which estimate do they come from? Measured errors differ by the rounding of direct sums.
inline void expect_near_estimates(const Report& all, const Report& one, const std::string& of) {
  const double condition = std::max({1.0, one.condition_potential, one.condition_gradient});
  const auto near = [&](const char* what, double a, double b, double within) {
    EXPECT_TRUE(a == b || std::fabs(a - b) <= within) << what << " " << a << " and " << b << ", " << of;
  };
  near("error", all.estimated_error, one.estimated_error, 1e-14 * condition + 1e-3 * one.estimated_error);
  near("condition", all.condition_potential, one.condition_potential, 1e-4 * condition);
  near("condition of the gradient", all.condition_gradient, one.condition_gradient, 1e-4 * condition);
}

/// Ranks sum the same as one plan; their decisions and results are compared.
inline void expect_decided_alike(const Sum& sum, const Found<double>& one, int ranks, std::uint64_t seed) {
  const Cuts of_sources = make_cuts(sum.x.size() / 3, ranks, Sharing::random, seed),
             of_targets = make_cuts(sum.y.size() / 3, ranks, Sharing::random, seed + 1);
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const Sum own = part_of(sum, of_sources, of_targets, r);
    const Points x = points(own.x), y = points(own.y);
    distributed::Plan shared = own.apart ? distributed::Plan(communicator, x, y, own.options)
                                         : distributed::Plan(communicator, x, own.options);
    Found<double> found;
    found.make(own.options, (own.apart ? own.y : own.x).size() / 3, own.x.size() / 3, own.apart);
    const Report& report = shared.evaluate(strengths(own.q), found.outputs()).plan;
    if (r == 0) {
      EXPECT_EQ(decisions_of(report), decisions_of(one.report)) << told(sum, ranks, seed);
      expect_near_estimates(report, one.report, told(sum, ranks, seed));
    }
    std::size_t differ = 0;
    for (std::size_t w = 0; w < 3; ++w) {
      const std::size_t width = Found<double>::width[w];
      differ += differing(found.at_targets[w], one.at_targets[w], 1, own.apart ? of_targets : of_sources, r, width);
      differ += differing(found.at_sources[w], one.at_sources[w], 1, of_sources, r, width);
    }
    EXPECT_EQ(differ, 0u) << "rank " << r << ", " << told(sum, ranks, seed);
  }));
}

/// One plan sums fresh clouds of up to 2 `most_pairs` ions until it has repeated `repeats` of them; ranks sum those and
/// the first 20. `prepare` may change the options.
template <class Prepare>
Decided decide_alike(int repeats, int axes, double most_pairs, const Prepare& prepare) {
  Decided decided;
  for (int k = 0; k < 20 || (decided.repeated < repeats && k < 1'000); ++k) {
    const std::uint64_t seed = fresh_seed() + 10'000 * static_cast<std::uint64_t>(axes) + static_cast<std::uint64_t>(k);
    Stream random(seed);
    Sum sum = ions_to_sum(random, axes, most_pairs);
    prepare(sum.options);
    Plan plan = plan_of(sum);
    const Found<double> one = found_by_one<double>(sum, plan);
    ++decided.sums;
    decided.repeated += was_repeated(one.report);
    for (const Choice& c : one.report.choices)
      if (c.name == "evaluated again")
        decided.turned_to_pairs += c.value.find("all pairs") != std::string::npos,
            decided.in_double += c.value.find("double") != std::string::npos;
    if (k < 20 || was_repeated(one.report)) expect_decided_alike(sum, one, 2 + k % 4, seed);
  }
  std::printf("axes %d: %d sums, %d repeated, %d by all pairs, %d in double\n", axes, decided.sums, decided.repeated,
              decided.turned_to_pairs, decided.in_double);
  return decided;
}

}  // namespace farfield::testing

// A simulation over ranks that keeps its arrays where their points are owned, and the same by one plan.
#pragma once
#include <gtest/gtest.h>

#include "distributed/reports.hpp"
#include "distributed/shares.hpp"

namespace farfield::testing {

/// What one rank passed and found in one step; results in the owned order.
struct RankStep {
  std::vector<double> x, q;
  std::vector<double> potential, gradient;
  std::vector<distributed::Origin> origins;
  distributed::Report report;
};
/// [steps][ranks]
using Steps = std::vector<std::vector<RankStep>>;

/// Where a coordinate goes to in a step.
using Drift = double (*)(double x, int step);

/// The capacity of a rank in a step, of those given in turn; none: as it is by default.
inline distributed::Capacity capacity_in(const std::vector<distributed::Capacity>& given, std::size_t rank, int step) {
  return given.empty() ? distributed::Capacity() : given[(rank + static_cast<std::size_t>(step)) % given.size()];
}

/// `of_all` points by a plan whose ranks pass the shares of `cuts` first and what they own afterwards; `vectors`
/// strengths of each point lie side by side.
inline Steps steps_of_ranks(const std::vector<double>& x, const std::vector<double>& q, std::size_t vectors,
                            const Cuts& cuts, const Options& o, int steps, Drift drift,
                            const std::vector<distributed::Capacity>& capacities = {}) {
  const auto ranks = static_cast<int>(cuts.size()) - 1;
  Steps made(static_cast<std::size_t>(steps), std::vector<RankStep>(static_cast<std::size_t>(ranks)));
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const auto part = [&](const std::vector<double>& all, std::size_t width) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(width * cuts[r]),
                                 all.begin() + static_cast<std::ptrdiff_t>(width * cuts[r + 1]));
    };
    std::vector<double> own_x = part(x, 3), own_q = part(q, vectors);
    distributed::Plan plan(communicator, points(own_x), o, capacity_in(capacities, r, 0));
    for (int k = 0; k < steps; ++k) {
      RankStep& step = made[static_cast<std::size_t>(k)][r];
      if (k > 0) {
        for (double& one : own_x) one = drift(one, k);
        plan.set_capacity(capacity_in(capacities, r, k));
        plan.move(points(own_x), distributed::Order::owned);
      }
      step.x = own_x, step.q = own_q;
      step.origins = plan.origins();
      own_x = plan.to_owned(own_x, 3), own_q = plan.to_owned(own_q, vectors);
      EXPECT_EQ(plan.owned_count(), std::ssize(step.origins));
      step.potential.resize(vectors * step.origins.size()),
          step.gradient.resize(o.gradient ? 3 * step.potential.size() : 0);
      Outputs outputs;
      outputs.potential = step.potential.data();
      outputs.gradient = o.gradient ? step.gradient.data() : nullptr;
      const Strengths strengths{own_q.data(), plan.owned_count(), static_cast<std::int64_t>(vectors),
                                static_cast<std::int64_t>(vectors), 1};
      step.report = plan.evaluate(strengths, outputs, distributed::Order::owned);
      if (vectors == 1) {
        std::vector<double> given(step.q.size());
        outputs = {};
        outputs.potential = given.data();
        plan.evaluate(farfield::strengths(step.q), outputs);
        EXPECT_EQ(plan.to_given(step.potential), given) << "step " << k;
      }
      EXPECT_EQ(plan.to_given(own_x, 3), step.x);
      EXPECT_EQ(plan.to_given(own_q, vectors), step.q);
    }
  }));
  return made;
}

/// One rank's arrays behind the other's.
inline std::vector<double> joined(const std::vector<RankStep>& ranks, std::vector<double> RankStep::*array) {
  std::vector<double> all;
  for (const RankStep& rank : ranks) all.insert(all.end(), (rank.*array).begin(), (rank.*array).end());
  return all;
}

/// Compares with one plan over what the ranks passed, in every step; `compare`: reports of a rank and of that plan.
inline void expect_as_one_plan(const Steps& steps, std::size_t vectors, const Options& o,
                               void (*compare)(const Report&, const Report&) = expect_same_report) {
  std::unique_ptr<Plan> plan;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    SCOPED_TRACE("step " + std::to_string(k));
    const std::vector<double> x = joined(steps[k], &RankStep::x), q = joined(steps[k], &RankStep::q);
    const std::size_t n = x.size() / 3;
    if (plan)
      plan->move(points(x));
    else
      plan = std::make_unique<Plan>(points(x), o);
    const Result<double> one =
        plan->evaluate<double>(Strengths{q.data(), static_cast<std::int64_t>(n), static_cast<std::int64_t>(vectors),
                                         static_cast<std::int64_t>(vectors), 1});
    std::vector<std::size_t> begin{0};
    for (const RankStep& rank : steps[k]) begin.push_back(begin.back() + rank.x.size() / 3);
    std::vector<int> found(n, 0);
    std::size_t differing = 0;
    for (const RankStep& rank : steps[k]) {
      const std::size_t own = rank.origins.size();
      for (std::size_t i = 0; i < own; ++i) {
        const std::size_t at =
            begin[static_cast<std::size_t>(rank.origins[i].rank)] + static_cast<std::size_t>(rank.origins[i].index);
        ++found[at];
        for (std::size_t v = 0; v < vectors; ++v) {
          differing += rank.potential[v * own + i] != one.potential[v * n + at];
          for (std::size_t d = 0; d < 3 && o.gradient; ++d)
            differing += rank.gradient[3 * (v * own + i) + d] != one.gradient[3 * (v * n + at) + d];
        }
      }
    }
    EXPECT_EQ(differing, 0u);
    EXPECT_EQ(found, std::vector<int>(n, 1)) << "every point is owned once";
    for (const RankStep& rank : steps[k]) compare(rank.report.plan, one.report);
  }
}

}  // namespace farfield::testing

// Sums in periodic cells, and virials, over ranks.
#pragma once
#include <array>
#include <cmath>

#include "distributed/sums.hpp"
#include "periodic/cells.hpp"

namespace farfield::testing {

inline const Rows bricks = box(1, 1.3, 0.8);

/// The fast method in double on one thread of each rank.
inline Options cell_of(const Rows& cell, int axes, double tolerance = 1e-4) {
  Options o = in_cell(cell, axes_of(axes), tolerance);
  o.method = Method::fmm, o.backend = Backend::cpu, o.precision = Precision::double_, o.threads = 1;
  return o;
}

/// Points in several images of the cell.
inline std::vector<double> anywhere(std::size_t count, const Rows& cell, std::uint64_t seed) {
  Stream random(seed);
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) {
    const double at[3] = {random.between(-1, 2), random.between(-1, 2), random.between(-1, 2)};
    for (std::size_t a = 0; a < 3; ++a) x.push_back(at[0] * cell[0][a] + at[1] * cell[1][a] + at[2] * cell[2][a]);
  }
  return x;
}

/// With one or two axes strengths must add up to 0.
inline Sum sum_in(const std::vector<double>& x, const Options& o, std::int64_t vectors = 1) {
  Sum sum = Sum::of(x, o, vectors);
  const std::size_t n = x.size() / 3;
  for (std::size_t v = 0; o.periodic != farfield::Axes::xyz && v < static_cast<std::size_t>(vectors); ++v) {
    double net = 0;
    for (std::size_t i = 0; i < n; ++i) net += sum.q[v * n + i];
    for (std::size_t i = 0; i < n; ++i) sum.q[v * n + i] -= net / static_cast<double>(n);
  }
  return sum;
}

/// The potential of two vectors of strengths, and their virials.
template <class AnyPlan>
std::vector<double> with_virials(AnyPlan& plan, const Sum& own, std::array<double, 12>& virial) {
  const std::size_t n = own.x.size() / 3;
  std::vector<double> potential(2 * n);
  Outputs outputs;
  outputs.potential = potential.data(), outputs.virial = virial.data();
  plan.evaluate(strengths(own.q.data(), static_cast<std::int64_t>(n), 2), outputs);
  return potential;
}

/// How much two arrays differ in all, over the largest number of the second; nan where one has a nan.
template <class Array>
double difference_of(const Array& a, const Array& b) {
  double all = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) all += std::fabs(a[i] - b[i]), size = std::max(size, std::fabs(b[i]));
  return all == 0 ? 0 : all / size;
}

/// Virials, of all ranks the same, by a plan that moves; `cells`: those of the moves; `within`: see difference_of.
inline void expect_virials_of_one_plan(const Sum& sum, const std::vector<std::array<double, 9>>& cells,
                                       double within = 0) {
  const std::size_t n = sum.x.size() / 3, steps = cells.size();
  std::vector<std::array<double, 12>> virial(steps);
  std::vector<std::vector<double>> potential(steps);
  const auto go = [&](auto& plan, const Sum& own, std::size_t step) {
    if (step == 0) return;
    if (sum.options.periodic != farfield::Axes::none) plan.set_cell(cells[step]);
    plan.move(with_lengths(points(own.x), own.lengths));
  };
  Plan one = plan_of(sum);
  for (std::size_t step = 0; step < steps; ++step)
    go(one, sum, step), potential[step] = with_virials(one, sum, virial[step]);
  for (const int p : {1, 3, 6})
    rethrow_any(run_ranks(p, [&](distributed::Communicator& communicator) {
      const auto r = static_cast<std::size_t>(communicator.rank());
      const Cuts cuts = make_cuts(n, p, Sharing::random, fresh_seed() + static_cast<std::uint64_t>(p));
      const Sum own = part_of(sum, cuts, cuts, r);
      distributed::Plan plan(communicator, with_lengths(points(own.x), own.lengths), own.options);
      for (std::size_t step = 0; step < steps; ++step) {
        go(plan, own, step);
        std::array<double, 12> found;
        const std::vector<double> at = with_virials(plan, own, found);
        EXPECT_LE(difference_of(found, virial[step]), within) << "rank " << r << ", step " << step;
        EXPECT_EQ(differing(at, potential[step], 2, cuts, r, 1), 0u);
        EXPECT_TRUE(plan.report().plan.virial);
        EXPECT_EQ(plan.report().plan.gradient, own.options.gradient);
      }
    }));
}

}  // namespace farfield::testing

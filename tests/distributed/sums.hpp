// Sums of any kind, of one plan and over ranks: targets apart or not, softening lengths, dipoles, Hessians, several
// vectors, in both orders and after a move.
#pragma once
#include <gtest/gtest.h>

#include "distributed/clouds.hpp"
#include "distributed/reports.hpp"
#include "distributed/shares.hpp"

namespace farfield::testing {

/// Points with what they carry; empty arrays are not passed.
struct Sum {
  Options options;
  std::vector<double> x, lengths;         ///< sources
  bool apart = false;                     ///< are there targets apart from the sources?
  std::vector<double> y, target_lengths;  ///< targets
  std::vector<double> q, p;               ///< [vectors][sources], [vectors][sources][3]
  std::int64_t vectors = 1;

  /// Random strengths, and dipoles where the options ask for them.
  static Sum of(const std::vector<double>& x, const Options& o, std::int64_t vectors = 1) {
    Sum sum{.options = o, .x = x, .lengths = {}, .y = {}, .target_lengths = {}, .q = {}, .p = {}, .vectors = vectors};
    const std::size_t n = x.size() / 3 * static_cast<std::size_t>(vectors);
    sum.q = strengths_for(n, fresh_seed());
    if (o.dipoles) sum.p = strengths_for(3 * n, fresh_seed() + 1);
    return sum;
  }
  Sum to(const std::vector<double>& targets) const {
    Sum sum = *this;
    sum.y = targets, sum.apart = true;
    return sum;
  }
};

/// Results at targets and at sources, by what they are; arrays that no option asks for are empty.
template <class T>
struct Found {
  std::vector<T> at_targets[3], at_sources[3];
  farfield::Report report;
  bool wanted[3] = {}, wanted_at_sources[3] = {};

  void make(const Options& o, std::size_t targets, std::size_t sources, bool apart) {
    wanted[0] = sums_potential(o), wanted[1] = o.gradient || o.hessian || !sums_potential(o), wanted[2] = o.hessian;
    for (std::size_t k = 0; k < 3; ++k) {
      wanted_at_sources[k] = wanted[k] && apart && o.at_sources;
      at_targets[k].resize(wanted[k] ? width[k] * targets : 0);
      at_sources[k].resize(wanted_at_sources[k] ? width[k] * sources : 0);
    }
  }
  Outputs outputs() {
    Outputs o;
    o.scalar = scalar_of<T>;
    const auto give = [](std::vector<T>& array) { return array.empty() ? nullptr : array.data(); };
    o.potential = give(at_targets[0]), o.gradient = give(at_targets[1]), o.hessian = give(at_targets[2]);
    o.source_potential = give(at_sources[0]), o.source_gradient = give(at_sources[1]);
    o.source_hessian = give(at_sources[2]);
    return o;
  }
  static constexpr std::size_t width[3] = {1, 3, 6};
  static bool sums_potential(const Options& o) {
    return (o.kernel != Kernel::vortex && o.kernel != Kernel::cauchy) || o.stream_function;
  }
};

inline Points with_lengths(Points points, const std::vector<double>& lengths) {
  if (!lengths.empty()) points.softening = lengths.data();
  return points;
}

template <class T>
Found<T> found_by_one(const Sum& s, Plan& plan) {
  Found<T> found;
  const auto v = static_cast<std::size_t>(s.vectors);
  found.make(s.options, (s.apart ? s.y : s.x).size() / 3 * v, s.x.size() / 3 * v, s.apart);
  Strengths q = strengths(s.q.data(), std::ssize(s.x) / 3, s.vectors);
  if (!s.p.empty()) q = with_dipoles(q, s.p.data());
  plan.evaluate(q, found.outputs());
  found.report = plan.report();
  return found;
}
inline Plan plan_of(const Sum& s) {
  const Points x = with_lengths(points(s.x), s.lengths), y = with_lengths(points(s.y), s.target_lengths);
  return s.apart ? Plan(x, y, s.options) : Plan(x, s.options);
}
inline void move(Plan& plan, const Sum& s) {
  const Points x = with_lengths(points(s.x), s.lengths), y = with_lengths(points(s.y), s.target_lengths);
  s.apart ? plan.move(x, y) : plan.move(x);
}

/// Numbers of points [begin, end) in arrays of so many vectors, `width` for each point.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, std::size_t vectors, std::size_t begin, std::size_t end,
                       std::size_t width) {
  std::vector<T> part;
  const std::size_t pitch = all.size() / vectors;
  for (std::size_t v = 0; v < vectors && !all.empty(); ++v)
    part.insert(part.end(), all.begin() + static_cast<std::ptrdiff_t>(v * pitch + width * begin),
                all.begin() + static_cast<std::ptrdiff_t>(v * pitch + width * end));
  return part;
}

/// A rank's part of a sum.
inline Sum part_of(const Sum& s, const Cuts& of_sources, const Cuts& of_targets, std::size_t r) {
  const auto v = static_cast<std::size_t>(s.vectors);
  const auto sources = [&](const std::vector<double>& all, std::size_t vectors, std::size_t width) {
    return part_of(all, vectors, of_sources[r], of_sources[r + 1], width);
  };
  const auto targets = [&](const std::vector<double>& all, std::size_t width) {
    return part_of(all, 1, of_targets[r], of_targets[r + 1], width);
  };
  return {s.options,       sources(s.x, 1, 3),           sources(s.lengths, 1, 1), s.apart,
          targets(s.y, 3), targets(s.target_lengths, 1), sources(s.q, v, 1),       sources(s.p, v, 3),
          s.vectors};
}

/// Those results of a rank that are of points [cuts[r], cuts[r + 1]) of all.
template <class T>
std::size_t differing(const std::vector<T>& own, const std::vector<T>& all, std::size_t vectors, const Cuts& cuts,
                      std::size_t r, std::size_t width) {
  const std::vector<T> part = part_of(all, vectors, cuts[r], cuts[r + 1], width);
  std::size_t count = own.size() != part.size();
  for (std::size_t i = 0; i < std::min(own.size(), part.size()); ++i) count += !(own[i] == part[i]);
  return count;
}

/// The same results where the arrays lie in the owned order, of one vector. `dipoles`: do sources of any rank have
/// some?
template <class T>
void expect_same_in_owned_order(distributed::Plan& plan, const Sum& own, const Found<T>& given, bool dipoles) {
  using distributed::Set;
  if (own.vectors != 1) return;
  const std::vector<double> q = plan.to_owned(own.q), p = dipoles ? plan.to_owned(own.p, 3) : std::vector<double>();
  Found<T> found;
  found.make(own.options, static_cast<std::size_t>(plan.owned_count(Set::targets)), q.size(), own.apart);
  plan.evaluate(p.empty() ? strengths(q) : with_dipoles(strengths(q), p), found.outputs(), distributed::Order::owned);
  for (std::size_t w = 0; w < 3; ++w) {
    const std::size_t width = Found<T>::width[w];
    if (found.wanted[w]) {
      EXPECT_TRUE(plan.to_given(found.at_targets[w], width, Set::targets) == given.at_targets[w]) << w;
    }
    if (found.wanted_at_sources[w]) {
      EXPECT_TRUE(plan.to_given(found.at_sources[w], width) == given.at_sources[w]) << w;
    }
  }
}

using CompareReports = void (*)(const farfield::Report& of_ranks, const farfield::Report& one);

/// The steps are sums of one plan that moves; their results over ranks have the bits and reports of one plan, or
/// reports that `compare` takes for those.
template <class T>
farfield::Report expect_as_one_plan(const std::vector<Sum>& steps, const std::vector<int>& ranks,
                                    Sharing sharing = Sharing::random, CompareReports compare = nullptr) {
  std::vector<Found<T>> one;
  Plan single = plan_of(steps[0]);
  for (const Sum& step : steps) {
    if (&step != &steps[0]) move(single, step);
    one.push_back(found_by_one<T>(step, single));
  }
  for (const int p : ranks)
    rethrow_any(run_ranks(p, [&](distributed::Communicator& communicator) {
      const auto r = static_cast<std::size_t>(communicator.rank());
      std::unique_ptr<distributed::Plan> plan;
      for (std::size_t k = 0; k < steps.size(); ++k) {
        SCOPED_TRACE(std::to_string(p) + " ranks, step " + std::to_string(k));
        const std::uint64_t seed = fresh_seed() + static_cast<std::uint64_t>(p) + k;
        const Cuts of_sources = make_cuts(steps[k].x.size() / 3, p, sharing, seed),
                   of_targets = make_cuts(steps[k].y.size() / 3, p, Sharing::random, seed + 1);
        const Sum own = part_of(steps[k], of_sources, of_targets, r);
        const Points x = with_lengths(points(own.x), own.lengths), y = with_lengths(points(own.y), own.target_lengths);
        if (plan)
          own.apart ? plan->move(x, y) : plan->move(x);
        else
          plan = own.apart ? std::make_unique<distributed::Plan>(communicator, x, y, own.options)
                           : std::make_unique<distributed::Plan>(communicator, x, own.options);
        const auto v = static_cast<std::size_t>(own.vectors);
        Found<T> found;
        found.make(own.options, (own.apart ? own.y : own.x).size() / 3 * v, own.x.size() / 3 * v, own.apart);
        Strengths q = strengths(own.q.data(), std::ssize(own.x) / 3, own.vectors);
        if (!own.p.empty()) q = with_dipoles(q, own.p.data());
        const distributed::Report& report = plan->evaluate(q, found.outputs());
        const Cuts& at = own.apart ? of_targets : of_sources;
        for (std::size_t w = 0; w < 3; ++w) {
          EXPECT_EQ(differing(found.at_targets[w], one[k].at_targets[w], v, at, r, Found<T>::width[w]), 0u) << w;
          EXPECT_EQ(differing(found.at_sources[w], one[k].at_sources[w], v, of_sources, r, Found<T>::width[w]), 0u)
              << w << " at sources";
        }
        // Points of the near plan that lie in one cell of its keys may change places (docs/developer/distributed.md).
        const bool places_change = own.options.periodic != Axes::none && own.options.at_sources;
        if (r == 0 && compare) compare(report.plan, one[k].report);
        if (r == 0 && !compare) expect_same_report_to(places_change ? 1e-2 : 0, report.plan, one[k].report);
        expect_same_in_owned_order(*plan, own, found, !steps[k].p.empty());
      }
    }));
  return one.back().report;
}

}  // namespace farfield::testing

// Targets at which the error of an evaluation is measured by direct sums: half of them where the estimate of
// truncation.hpp expects the error, so that a hundred targets stand for all.
#pragma once
#include <vector>

#include "judge/truncation.hpp"

namespace farfield {

/// A target, and how much its squared error counts in a sum over all targets.
struct DrawnTarget {
  std::int64_t target;
  double times;
};
/// About `most` targets: half of them in proportion to the error that locals and multipoles predict, half anywhere.
/// `multipole_power`: as truncation() left it.
template <class Real>
std::vector<DrawnTarget> draw_targets(const TreeView& tree, const ListsView& lists, const Expansions<Real>& expansions,
                                      const double* const target[3], const double* multipole_power, std::int64_t most,
                                      int threads);

// The parts of `draw_targets`, for those whose targets lie in several places.

/// Where no error is predicted, or as many targets are to be drawn as there are.
std::vector<DrawnTarget> draw_anywhere(std::int64_t count, std::int64_t most);
/// The squared errors predicted at the targets of a tree, in its order.
template <class Real>
std::vector<Truncation> missed_at_targets(const TreeView& tree, const ListsView& lists,
                                          const Expansions<Real>& expansions, const double* const target[3],
                                          const double* multipole_power, int threads);
/// The probability of a target at which `own` is missed; `all`: the sum over all `count` targets.
double chance_of(const Truncation& own, const Truncation& all, double count, int judged);

}  // namespace farfield

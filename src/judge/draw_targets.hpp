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

}  // namespace farfield

// Targets on which an evaluation is measured by direct sums: half of them where the estimate of truncation.hpp says
// that the error sits, so that a hundred stand for all.
#pragma once
#include <vector>

#include "judge/truncation.hpp"

namespace farfield {

/// A target, and how much its squared error counts in a sum over all targets.
struct DrawnTarget {
  std::int64_t target;
  double times;
};
/// About `most` targets: half of them where locals and multipoles say that the error sits, half of them anywhere.
/// `multipole_power`: as truncation() left it.
template <class Real>
std::vector<DrawnTarget> draw_targets(const TreeView& tree, const ListsView& lists, const Expansions<Real>& expansions,
                                      const double* const target[3], const double* multipole_power, std::int64_t most,
                                      int threads);

}  // namespace farfield

// The decision for a kernel that falls off: direct, cutoff, grid, hermite or exponentials (docs/mathematics/gauss.md).
#pragma once
#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// Completes a decision on precision and tolerance. Each method is priced with plan and one evaluation.
Decision choose_pairs(Decision decision, const Options& options, const Geometry& geometry);

/// Is method grid taken, or another that does not look at pairs, however the points crowd? Then that need not be
/// surveyed. `geometry`: without crowding.
bool takes_no_pairs(const Decision& decision, const Options& options, const Geometry& geometry);

}  // namespace farfield

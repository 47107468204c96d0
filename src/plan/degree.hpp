// degree: corrects the degree once the tree is known, by how the points lie in their boxes (placement.hpp).
#pragma once
#include <farfield/report.hpp>

#include "plan/decision.hpp"
#include "plan/placement.hpp"

namespace farfield {

/// Smallest degree whose expected error, potential and gradient alike, stays within the tolerance for strengths of mixed
/// sign, from one below the decision's to highest_degree. Updates the report.
int settle_degree(const Decision& decision, const TreeView& tree, const PlacedPoints& sources,
                  const PlacedPoints& targets, int threads, Report& report);

}  // namespace farfield

// Describe: what the report says of a plan before its tree exists.
#pragma once
#include <cstdint>
#include <farfield/report.hpp>

#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield {

Report describe(const Options& options, const Decision& decision, const Geometry& geometry, int threads);

/// Corrects the reason that `choose` gives for a uniform tree: far from zero its cube is larger than the data's extent,
/// see make_lattice.
void correct_cube(Decision& decision, const Geometry& geometry);

/// After a move that kept the tree.
void note_kept_tree(Report& report, double skin);

/// Leaves of the report what is said of the plan, not of its last evaluation.
void start_evaluation(Report& report, std::int64_t vectors);

}  // namespace farfield

// What has a meaning as a Coulomb sum: one sentence for each choice that has none.
#pragma once
#include <farfield/coulomb.hpp>

namespace farfield {

/// The dielectric constant outside; 0 where it conducts.
double dielectric_outside(const CoulombOptions& options);

/// Of the plan for the field of the charges. Throws Error(usage) for options that Coulomb sums settle themselves.
Options options_for_field(Options options);

/// Throws Error(usage) for options that are no numbers, or have no meaning with these axes.
void require_sense(const CoulombOptions& options, Axes periodic);
/// Could the sum of the charges be one that has no meaning?
bool depends_on_net(const CoulombOptions& options, Axes periodic);
/// Throws Error(input) where charges have no sum, or none that was asked for. `size`: the sum of absolute values.
/// Numbers that are not finite are left to the plan, which names them.
void require_sense(const CoulombOptions& options, Axes periodic, double net, double size);

}  // namespace farfield

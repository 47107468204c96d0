#include "plan/composed/coulomb_sense.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "core/number.hpp"
#include "kernels/traits.hpp"

namespace farfield {

static constexpr double neutral = 1e-9;  // of the sum of |charges|: what plans take for neutral with one or two axes

[[noreturn]] static void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

static int axes_of(Axes periodic) { return std::popcount(static_cast<unsigned>(periodic)); }

double dielectric_outside(const CoulombOptions& o) { return std::isinf(o.surface) ? 0 : o.surface; }

Options options_for_field(Options o) {
  if (std::string(traits(o.kernel).name) != "laplace3d")
    refuse(std::string("Coulomb sums are of 1/r, but the kernel is ") + traits(o.kernel).name +
           "; use kernel laplace3d");
  const auto settled = [](bool changed, const char* name) {
    if (changed) refuse(std::string(name) + " is settled by Coulomb sums themselves; leave it out, or use a Plan");
  };
  settled(o.scale != 1, "scale");
  settled(o.softening != 0, "softening");
  settled(o.hessian, "hessian");
  settled(o.dipoles, "dipoles");
  settled(o.at_sources, "at_sources");
  o.gradient = true;
  return o;
}

void require_sense(const CoulombOptions& o, Axes periodic) {
  if (!(o.surface >= 0))
    refuse("surface is " + number(o.surface) +
           "; give a dielectric constant above 0: 1 is vacuum; 0 or infinity is tin-foil, a medium that conducts");
  if (!std::isfinite(o.coulomb_constant))
    refuse("coulomb_constant is " + number(o.coulomb_constant) + "; give a finite number");
  if (!(o.two_charge_force >= 0) || std::isinf(o.two_charge_force))
    refuse("two_charge_force is " + number(o.two_charge_force) +
           "; give the force of two unit charges 1 Angstrom apart in your units, or 0");
  if (o.two_charge_force > 0 && !(o.coulomb_constant > 0))
    refuse("two_charge_force needs the coulomb_constant of the same units, above 0; set it");
  if (!word_of(o.background)) refuse("background is none of its values; use neutralize or refuse");
  if (dielectric_outside(o) > 0 && axes_of(periodic) < 3)
    refuse("surface needs three periodic axes, and there are " + std::to_string(axes_of(periodic)) + "; leave it out");
}

bool depends_on_net(const CoulombOptions& o, Axes periodic) {
  const int axes = axes_of(periodic);
  return axes > 0 && (axes < 3 || o.background == Background::refuse || dielectric_outside(o) > 0);
}

void require_sense(const CoulombOptions& o, Axes periodic, double net, double size) {
  const int axes = axes_of(periodic);
  if (axes == 0 || !std::isfinite(size) || std::fabs(net) <= neutral * size) return;
  const std::string sum = "the charges add up to " + number(net, 6);
  if (axes < 3)
    throw Error(ErrorCode::input,
                sum + "; with " + std::to_string(axes) +
                    " periodic axes the sum is defined for neutral systems alone; neutralise them, or "
                    "make three axes periodic");
  if (o.background == Background::refuse)
    throw Error(ErrorCode::input, sum + "; neutralise them, or set background to neutralize");
  if (dielectric_outside(o) > 0)
    throw Error(ErrorCode::input, sum +
                                      ", so that their dipole depends on the origin; with a net charge the surface has "
                                      "to be tin-foil");
}

}  // namespace farfield

#include "model/options/validate.hpp"

#include <cmath>
#include <farfield/error.hpp>

#include "core/number.hpp"
#include "core/units.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"

namespace farfield {

static void validate_numbers(const Options& o) {
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::usage, sentence); };
  if (!(o.tolerance > 0 && o.tolerance < 1))
    refuse("tolerance " + number(o.tolerance) + " is not above 0 and below 1; use for example 1e-6");
  if (!std::isfinite(o.scale) || o.scale == 0) refuse("scale " + number(o.scale) + " is not a finite non-zero number");
  if (o.degree < -1 || o.degree > max_degree)
    refuse("degree " + std::to_string(o.degree) + " is outside 0 to " + std::to_string(max_degree));
  if (o.leaf_size < 0) refuse("leaf_size " + std::to_string(o.leaf_size) + " is negative; 0 lets Farfield choose");
  if (o.depth < -1 || o.depth > 10)
    refuse("depth " + std::to_string(o.depth) + " is outside 0 to 10; leave it out for an adaptive tree");
  if (o.densities < 1 || o.densities > most_densities)
    refuse("densities " + std::to_string(o.densities) + " is outside 1 to " + std::to_string(most_densities) +
           "; it is how many vectors of strengths an evaluation carries");
  if (o.tolerance_for == ToleranceFor::gradient && !o.gradient && !o.hessian && !traits(o.kernel).vector.always)
    refuse("the tolerance is for the gradient, which is not asked for; set gradient, or leave tolerance_for out");
  if (o.tolerance_for == ToleranceFor::gradient && traits(o.kernel).bounded)
    refuse(std::string("tolerance_for gradient is not offered for kernel ") + traits(o.kernel).name +
           ", whose errors are relative to the strengths; leave it out");
  if (!(o.skin >= 0) || !std::isfinite(o.skin))
    refuse("skin " + number(o.skin) + " is not a length; use a finite number, or 0 for a new tree after every move");
  if (o.check < 0) refuse("check " + std::to_string(o.check) + " is negative; it counts targets");
  if (!(o.theta >= 0 && o.theta <= 1))
    refuse("theta " + number(o.theta) + " is not above 0 and at most 1; leave it out to let the tolerance decide");
  if (o.theta > 0 && o.method != Method::treecode)
    refuse("theta " + number(o.theta) + " is an angle of method treecode; ask for that method or leave theta out");
  if (o.m2l == M2l::rotation && !traits(o.kernel).rotates)
    refuse(std::string("m2l rotation is not offered for kernel ") + traits(o.kernel).name + "; leave m2l out");
}

static void validate_method(const Options& o) {
  if ((o.method == Method::cutoff || o.method == Method::grid) && !traits(o.kernel).reach)
    throw Error(ErrorCode::usage, std::string("method ") + word_of(o.method) + " is not offered for kernel " +
                                      traits(o.kernel).name + ", which does not vanish far out; use method auto");
  if ((o.method == Method::fmm || o.method == Method::treecode) && !traits(o.kernel).expands)
    throw Error(ErrorCode::usage, std::string("method ") + word_of(o.method) + " is not offered for kernel " +
                                      traits(o.kernel).name +
                                      ", which has no multipole expansions here; use method auto");
  if (o.method == Method::hermite && !traits(o.kernel).has_bandwidth)
    throw Error(ErrorCode::usage, std::string("method hermite sums the Gaussian; with kernel ") +
                                      traits(o.kernel).name + " use method auto");
}

/// Method exponentials: Gaussians on a line.
static void validate_line(const Options& o, const Geometry& g) {
  if (o.method != Method::exponentials) return;
  if (!traits(o.kernel).has_bandwidth)
    throw Error(ErrorCode::usage, std::string("method exponentials sums the Gaussian; with kernel ") +
                                      traits(o.kernel).name + " use method auto");
  int axes = 0;
  for (int axis = 0; axis < 3; ++axis) axes += g.high[axis] > g.low[axis];
  if (axes > 1)
    throw Error(ErrorCode::usage, "method exponentials takes points on a line, but these differ along " +
                                      std::to_string(axes) + " axes; use method auto");
}

bool is_core(SofteningKind kind) { return kind == SofteningKind::algebraic || kind == SofteningKind::gauss; }

/// Where all points coincide there is no extent.
static void validate_lengths(const Options& o, const Geometry& g) {
  if (g.shortest_length < 0x1p-1000)
    throw Error(ErrorCode::usage,
                "softening " + number(std::ldexp(g.shortest_length, -g.exponent)) +
                    " is below 1e-300 of the points' extent, where its inverse is no number; use a longer one, or 0");
  const bool any = g.extent == 0 && o.precision != Precision::single_;
  if (std::ldexp(o.softening, g.exponent) > (any ? 0x1p300 : most_length))
    throw Error(ErrorCode::usage, "softening " + number(o.softening) +
                                      " is more than 1e9 times the points' extent; use shorter ones, or one for all");
}

static void validate_softening(const Options& o, const Geometry& g) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::usage, "softening " + number(o.softening) + why);
  };
  if (!(o.softening >= 0) || !std::isfinite(o.softening))
    refuse(" is not a length; use a finite number, or 0 for none");
  if (o.softening == 0) return;
  if (!traits(o.kernel).softens)
    throw Error(ErrorCode::usage,
                std::string("kernel ") + traits(o.kernel).name + " is not softened; use softening 0 or another kernel");
  if (scaled_softening(o.softening, o.softening_kind, g.exponent, Precision::double_).length < 0x1p-1000)
    refuse(" is below 1e-300 of the points' extent, where its inverse is no number; use a longer one, or 0 for none");
  if (g.lengths) validate_lengths(o, g);
  const std::string kind = std::string(" of kind ") + word_of(o.softening_kind);
  if (g.lengths && is_core(o.softening_kind))
    refuse(kind + " is one length for all points; leave their own lengths out, or use plummer or spline");
  if (o.method == Method::treecode && is_core(o.softening_kind))
    refuse(kind + " is not offered by method treecode; use method fmm or direct");
}

static void validate_bandwidth(const Options& o, const Geometry& g) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::usage, "bandwidth " + number(o.bandwidth) + why);
  };
  const std::string kernel = std::string("kernel ") + traits(o.kernel).name;
  if (!traits(o.kernel).has_bandwidth && o.bandwidth != 0)
    refuse(" is given, but " + kernel + " has none; leave it out");
  if (!traits(o.kernel).has_bandwidth) return;
  if (!(o.bandwidth > 0) || !std::isfinite(o.bandwidth))
    refuse(" is no length above 0; " + kernel + " needs one, its standard deviation");
  const double scaled = std::ldexp(o.bandwidth, g.exponent);
  if (scaled < 0x1p-500)
    refuse(" is below 1e-150 of the points' extent, where its square is no number; use a longer one");
  if (scaled < least_single_bandwidth && o.precision == Precision::single_)
    refuse(" is below 1e-6 of the points' extent, which single precision does not resolve; use precision double");
}

static void validate_core(const Options& o, const Geometry& g) {
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::usage, sentence); };
  const std::string kernel = std::string("kernel ") + traits(o.kernel).name, radius = number(o.core_radius);
  if (o.stream_function && !(traits(o.kernel).vector.always && traits(o.kernel).vector.with_potential))
    refuse(kernel + " has no stream function; leave stream_function out, or use kernel vortex");
  if (o.core == Core::none && o.core_radius == 0) return;
  if (o.core == Core::none) refuse("core_radius " + radius + " is the radius of no core; set core, or leave it out");
  if (!traits(o.kernel).core_reach) refuse(kernel + " has no core; leave core out, or use kernel vortex");
  if (!(o.core_radius > 0) || !std::isfinite(o.core_radius))
    refuse("core radius " + radius + " is not a length; use a finite number above 0, or no core");
  if (g.extent > 0 && std::ldexp(o.core_radius, g.exponent) > 0x1p30)
    refuse("core radius " + radius +
           " is more than 1e9 times the points' extent, so that no two vortices are apart; "
           "use a shorter one");
}

/// A kernel of the plane takes points that share their third coordinate.
static void validate_plane(const Options& o, const Geometry& g) {
  if (traits(o.kernel).decay.axes == 3 || g.low[2] == g.high[2]) return;
  throw Error(ErrorCode::input, std::string("kernel ") + traits(o.kernel).name +
                                    " sums in the plane, but the third coordinates lie between " + number(g.low[2]) +
                                    " and " + number(g.high[2]) +
                                    "; give all points the same one, or use kernel laplace3d");
}

static void validate_screening(const Options& o) {
  if (!(o.kappa >= 0) || !std::isfinite(o.kappa))
    throw Error(ErrorCode::usage,
                "kappa " + number(o.kappa) + " is not the inverse of a length; use a finite number, or 0 for 1/r");
  if (o.kappa > 0 && !traits(o.kernel).screens)
    throw Error(ErrorCode::usage,
                std::string("kernel ") + traits(o.kernel).name + " is not screened; use kappa 0 or kernel yukawa3d");
}

/// A longer softening is divided by a power of two (core/units.hpp), by which terms of charges and of dipoles change
/// differently.
constexpr double most_dipole_length = 0x1p13;

/// Hessians and dipoles.
static void validate_derivatives(const Options& o, const Geometry& g) {
  if (!o.hessian && !o.dipoles) return;
  const std::string asked = o.hessian ? "Hessians" : "dipoles", kernel = traits(o.kernel).name;
  const auto refuse = [&](const std::string& why) { throw Error(ErrorCode::usage, why); };
  if (!traits(o.kernel).differentiates)
    refuse(asked + " of kernel " + kernel + " are not offered; leave them out, or use kernel laplace3d");
  if (o.method == Method::treecode) refuse(asked + " are not offered by method treecode; use method fmm or direct");
  if (g.lengths && o.method != Method::direct)
    refuse(asked + " of points with softening lengths of their own are offered by method direct alone; ask for it");
  if (o.dipoles && std::ldexp(o.softening, g.exponent) > most_dipole_length)
    refuse("dipoles are not offered with softening " + number(o.softening) +
           ", more than 8192 times the points' extent; use a shorter one");
}

void validate(const Options& o, const Geometry& g) {
  validate_numbers(o);
  validate_derivatives(o, g);
  validate_method(o);
  validate_line(o, g);
  validate_plane(o, g);
  validate_screening(o);
  validate_softening(o, g);
  validate_bandwidth(o, g);
  validate_core(o, g);
}

}  // namespace farfield

#include "model/choose.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <utility>

#include "core/number.hpp"
#include "core/units.hpp"
#include "kernels/traits.hpp"
#include "model/cost_model.hpp"
#include "model/error_model.hpp"
#include "model/grid/choose.hpp"
#include "model/options/validate.hpp"
#include "model/pair_terms.hpp"
#include "model/treecode/choose.hpp"
#include "tree/edge_powers.hpp"

namespace farfield {

/// The kernel's parameters in scaled coordinates.
static KernelParameters scaled_parameters(const Options& o, int exponent) {
  KernelParameters parameters = traits(o.kernel).parameters(o);
  parameters.log_unit = exponent * std::log(2.0);
  for (double& length : parameters.length) {
    if (!(length >= 0))
      throw Error(ErrorCode::usage, number(length) + " is not a length that kernel " + traits(o.kernel).name +
                                        " can have; use 0 or more");
    length = std::ldexp(length, exponent);
  }
  parameters.screening = std::ldexp(parameters.screening, -exponent);
  return parameters;
}

/// Does 1/softening, the potential of coincident points, leave the range of single?
static bool softening_needs_double(const Options& o, const Geometry& g) {
  if (g.lengths) return g.shortest_length < 0x1p-100 || std::ldexp(o.softening, g.exponent) > most_length;
  return o.softening > 0 &&
         scaled_softening(o.softening, o.softening_kind, g.exponent, Precision::double_).length < 0x1p-100;
}

/// kappa times the distance of nearest neighbours where points fill space evenly, and no more than that in clusters;
/// targets apart from the sources may lie as far as all points reach.
static double screened_distance(const Decision& d, const Geometry& g) {
  const double points = static_cast<double>(std::max<std::int64_t>(1, g.sources));
  const double kappa = d.parameters.screening > 0 ? d.parameters.screening : 0;
  return kappa * g.extent * (g.alike ? std::cbrt(1 / points) : 1);
}

/// Does exp(-kappa r) lose too many digits in single, where kappa r errs by 4e-8 of itself, or leave its range?
static bool screening_needs_double(const Decision& d, const Options& o) {
  return 4e-8 * d.screened > o.tolerance / 2 || d.screened > 60;
}

static void choose_precision(Decision& d, const Options& o, const Geometry& g) {
  const double single = reachable_tolerance(Precision::single_);
  const double reachable = reachable_tolerance(o.precision == Precision::single_ ? o.precision : Precision::double_);
  const bool inexact = traits(o.kernel).truncates || traits(o.kernel).bounded;
  // direct sums do what they can and warn; those of a bounded kernel are not looked at, so single must suffice
  const bool looked_at = d.method == Method::direct && !(traits(o.kernel).bounded && o.precision == Precision::single_);
  if (o.tolerance < reachable && !looked_at && o.degree < 0 && inexact)
    throw Error(ErrorCode::usage, "tolerance " + number(o.tolerance) + " is below what " +
                                      (o.precision == Precision::single_ ? "single" : "double") +
                                      " precision reaches for these points; ask " + number(reachable) + " or more" +
                                      (o.precision == Precision::single_ ? ", or precision double" : ""));
  d.precision = o.precision;
  if (o.precision != Precision::automatic) return note(d, "precision", word_of(o.precision), "as asked");
  const bool tiny = softening_needs_double(o, g), faint = screening_needs_double(d, o),
             narrow = traits(o.kernel).has_bandwidth && d.parameters.length[0] < least_single_bandwidth;
  d.precision = o.tolerance >= single && !tiny && !faint && !narrow ? Precision::single_ : Precision::double_;
  note(d, "precision", word_of(d.precision),
       d.precision == Precision::single_ ? "its rounding stays below the tolerance"
       : tiny                            ? "1/softening is beyond single"
       : faint                           ? "exp(-kappa r) is beyond single"
       : narrow                          ? "single does not resolve this bandwidth"
                                         : "single ends at " + number(single));
}

/// Memory that the expansions may use, their precision and their backend; no leaf may be narrower than `least_edge`.
struct Budget {
  std::int64_t memory;
  bool shared;  ///< see Machine
  Precision precision;
  Backend backend;
  double least_edge;
};

struct Scheme {
  int degree;
  bool rotation, reduced, fitted, capped;
  double mean, cost;     ///< points per leaf; nanoseconds of a plan and an evaluation
  double tables;         ///< nanoseconds of its translation tables
  bool widened = false;  ///< the cost is that of leaves wider than the best ones
};

/// Largest mean of points per leaf that leaves most pairs far: of 1e4 points of a Plummer model at 1e-12, 0.53 of the
/// pairs are far with 80 leaves, 0.4 with 50; in double a GPU has larger leaves (choose_tree). High degrees gain from
/// larger leaves: 2e4 points at 1e-10 take 0.08 s of one core in 125 leaves, 0.22 in 400; so do few points, 5,000 of a
/// Plummer model at 1e-5 5.0 ms in leaves of 256 at most, 6.0 in those of 138 that 80 leaves allow. How few pairs then
/// carry the error is a matter of chance, which worth_measuring settles.
static double most_leaf_mean(const Geometry& g, Backend backend) {
  const double points = static_cast<double>(g.alike ? g.sources : std::min(g.sources, g.targets));
  const double leaves = backend == Backend::cuda ? 125 : std::clamp(points / 125, 40.0, 80.0);
  return std::max(16.0, points / leaves);
}

/// May dense m2l be fitted to the boxes? Near the end of single, rounding would be taken for what the fit lacks where
/// that is measured; and what a fit gains with more than one derivative is not known.
static bool may_fit(const Options& o, const Budget& budget, bool rotation, bool reduced) {
  const KernelTraits& kernel = traits(o.kernel);
  return budget.backend == Backend::cuda && budget.precision == Precision::single_ && !rotation && !reduced &&
         kernel.scale_invariant && kernel.truncates && kernel.errors->fitted_gain && o.degree < 0 &&
         derivatives_of(o) <= 1 && o.tolerance >= 2 * reachable_tolerance(Precision::single_);
}

/// The cost of one scheme, with the leaf size that the tree will have.
static Scheme price(const Options& o, const Geometry& g, CostConstants c, const Budget& budget, bool rotation,
                    bool reduced) {
  const bool fitted = may_fit(o, budget, rotation, reduced);
  const int degree = o.degree >= 0 ? o.degree : first_degree(o, o.tolerance, reduced, fitted);
  if (fitted) price_fitted(c, degree, judged_from(o) > 0);
  const double asked_mean = static_cast<double>(o.leaf_size) / 1.6;
  Scheme s{degree, rotation, reduced, fitted, false, asked_mean, 0, table_cost(degree, rotation)};
  if (o.leaf_size == 0) {
    const double best = best_leaf_mean(c, g, degree, rotation, reduced), most = most_leaf_mean(g, budget.backend);
    s.capped = best > most;
    s.mean = std::max(std::min(best, most),
                      least_leaf_mean(budget.memory, budget.shared, g, budget.precision, c.coefficients(degree)));
  }
  s.cost = fmm_cost(c, g, degree, rotation, reduced, s.mean);
  if (budget.least_edge > 0) {
    const double narrow =
        std::exchange(s.cost, wide_fmm_cost(c, g, degree, rotation, reduced, s.mean, budget.least_edge));
    s.widened = s.cost > 1.01 * narrow;
  }
  return s;
}

/// The cheaper of dense and rotation unless the options name one. On the CPU, where points are few as a rule, the cost
/// of the tables is included. The reduced stencil must be asked for: at equal error it needs three (at degree 10) to
/// ten (at 30) degrees more, which costs what its fewer translations save.
static Scheme cheapest(const Options& o, const Geometry& g, const CostConstants& c, const Budget& budget) {
  const auto compared = [&](const Scheme& s) { return s.cost + (budget.backend == Backend::cuda ? 0 : s.tables); };
  const bool reduced = o.stencil == Stencil::reduced;
  const Scheme dense = price(o, g, c, budget, false, reduced);
  if (!traits(o.kernel).rotates) return dense;
  const Scheme rotated = price(o, g, c, budget, true, reduced);
  if (o.m2l != M2l::automatic) return o.m2l == M2l::rotation ? rotated : dense;
  return compared(rotated) < compared(dense) ? rotated : dense;
}

static constexpr double enough_boxes = 8;
/// How often boxes along a side are halved from those of which there are 8 to 16, a number that is rounded.
static double halvings_of(double boxes) { return std::max(0.0, std::floor(std::log2(boxes / enough_boxes))); }

/// Boxes along the shortest side of a cell, near to so many, such that each of so many blocks along it is of 2 boxes or
/// 3 there, halved some times; as many as wanted where none are near.
static double boxes_in_blocks(double wanted, int blocks) {
  constexpr double near = 1.25;
  double best = wanted, least = near;
  for (double boxes = 2; boxes * blocks < 2 * near * wanted; boxes *= 2)
    for (const double whole : {boxes * blocks, 1.5 * boxes * blocks}) {
      const double ratio = std::max(whole / wanted, wanted / whole), coarse = whole / std::exp2(halvings_of(whole));
      if (ratio < least && coarse == std::floor(coarse)) best = whole, least = ratio;
    }
  return best;
}

/// Chooses the root edge R = D 2^k / m, D being the extent of the points, such that an evenly filled tree has m 2^j
/// leaves along the extent, of `mean` points each. Returns their mean after rounding m to a whole number. Where leaves
/// of the least edge hold more points than that, the tree has leaves of this edge or little more. Targets apart that
/// fill a smaller box, as the points of a cell among their images, have D instead: no leaf of theirs is then cut by the
/// box's sides. Of 810,000 atoms in a cell of 1:1:10 translations are 16 % fewer by that.
static double choose_root(Decision& d, const Geometry& g, double mean) {
  const double points = static_cast<double>(g.sources + (g.alike ? 0 : g.targets));
  const double cells = std::max(1.0, points / mean), dimension = dimension_of(g);
  const bool wide = d.method == Method::fmm && d.least_edge > 0 && sources_within(g, d.least_edge) > mean;
  const double along =
      wide ? g.extent / d.least_edge : g.grid * std::pow(cells / static_cast<double>(g.occupied), 1 / dimension);
  const double of_targets = g.extent > 0 ? along * target_side(g) / g.extent : 0;
  d.root.at_targets = of_targets >= enough_boxes;
  const double spanned = d.root.at_targets ? of_targets : along;
  const bool in_blocks = d.root.at_targets && g.of_cell && g.blocks > 0 && !wide;
  const double counted = in_blocks ? boxes_in_blocks(spanned, g.blocks) : spanned;
  const double doublings = halvings_of(counted), boxes = counted / std::exp2(doublings);
  d.root.m = std::clamp(static_cast<int>(wide ? std::floor(boxes) : std::round(boxes)), 1, 16);
  d.root.k = 0;
  while ((1 << d.root.k) < d.root.m) ++d.root.k;
  return wide ? mean : mean * std::pow(spanned / (d.root.m * std::exp2(doublings)), dimension);
}

/// The limit of a leaf over the mean: evenly filled boxes must not split by chance. Clustered boxes split into leaves
/// far below the limit, half of the mean with a factor of 1.6 (Plummer, N = 1e5 and 1e6, 1e-6: any limit from 180 to
/// 390 takes as long, 2.2 is between). A GPU loses less with small leaves: in single a factor of 1.9 saves a sixth on
/// Plummer, N = 2^24, degrees 5 and 7, and 1.6 another 1 to 3 % (N = 4e6 and 4e7, degree 4), but on a sphere 2.0
/// instead of 2.5 costs 4 %. At a given degree of 11 and more larger leaves would be faster (Plummer, N = 2^26, degree
/// 11: 138 ms with 96 points at most, 167 with 53), but a tolerance needs a higher degree in them (1e-5: 138 with
/// degree 11, 121 with 10). In double at degree 14 small leaves would make m2l take 3.6 times as long as p2p; where the
/// mean is capped, a factor of 3.5 would leave 0.496 of the pairs far (Plummer, N = 1e4, 1e-13).
static double limit_over_mean(const Decision& d, double dimension, bool capped) {
  const bool cuda = d.backend == Backend::cuda;
  if (dimension > 2.7) return 1.6;
  if (dimension > 1.7) return cuda ? 2.5 : 2.0;
  if (!cuda) return 2.2;
  if (d.precision == Precision::single_) return 1.6;
  return capped ? 2.5 : 3.5;
}

static void choose_tree(Decision& d, const Options& o, const Geometry& g, const Scheme& s) {
  const bool cuda = d.backend == Backend::cuda;
  const double dimension = dimension_of(g), limit = limit_over_mean(d, dimension, s.capped) * s.mean;
  const double whole = choose_root(d, g, s.mean), mean = cuda ? s.mean : std::max(s.mean, whole);
  const double chance = dimension > 1.7 ? mean + 4 * std::sqrt(mean) : 0;
  const std::int64_t all = std::max<std::int64_t>(1, g.sources + g.targets);  // more in a leaf is the same tree
  d.leaf_size = o.leaf_size > 0 ? std::min(o.leaf_size, all) : std::lround(std::max(limit, chance));
  d.depth = o.depth;
  if (o.depth >= 0) {
    d.root = {};
    note(d, "depth", std::to_string(o.depth), "as asked: a uniform tree in the cube of the data's extent");
    return;
  }
  note(d, "leaf size", std::to_string(d.leaf_size),
       o.leaf_size > 0 ? "as asked"
       : s.capped      ? "keeps most pairs far"
                       : "balances near and far field at about " + number(s.mean) + " points per leaf");
  note(d, "root",
       std::to_string(d.root.m) + " boxes along the " +
           (d.root.at_targets ? "shortest side of the targets, halved some times"
                              : "points at level " + std::to_string(d.root.k)),
       "since halving these makes leaves of about that size where points lie evenly");
}

/// Does a treecode move expansions to centres of mass? Those of 1/r in single on a device.
static bool moves_centres(const Decision& d) {
  const KernelTraits& kernel = traits(d.kernel);
  return d.backend == Backend::cuda && d.precision == Precision::single_ && kernel.truncates &&
         kernel.scale_invariant && kernel.decay.axes == 3;
}

/// The tree of a treecode has leaves of about `mean` sources, however few its targets.
static void choose_treecode(Decision& d, const Options& o, const Geometry& g, const TreecodeScheme& s) {
  d.degree = s.degree;
  d.theta = s.theta;
  d.box_error = moves_centres(d) ? s.box_error : 0;
  note(d, "degree", std::to_string(d.degree),
       o.degree >= 0 ? "as asked" : "with that angle cheapest for " + number(o.tolerance));
  note(d, "theta", number(d.theta), o.theta > 0 ? "as asked" : "edge over distance of the boxes that are expanded");
  if (d.box_error > 0) note(d, "acceptance", "by error", "where strengths of 1/r have one sign; by theta elsewhere");
  choose_tree(d, o, g, {s.degree, false, false, false, false, s.mean, s.cost, 0});
}

static void choose_scheme(Decision& d, const Options& o, const Scheme& s) {
  d.degree = s.degree;
  d.settle_degree = o.degree < 0 && traits(d.kernel).truncates;
  d.rotation = s.rotation;
  d.reduced = s.reduced;
  d.fitted = d.coarse_operands = s.fitted;
  d.any_scheme = o.m2l == M2l::automatic && traits(d.kernel).rotates;
  note(d, "degree", std::to_string(d.degree),
       o.degree >= 0 ? "as asked" : "expected to keep strengths of mixed sign within " + number(o.tolerance));
  note(d, "m2l", d.rotation ? "rotation" : "dense", o.m2l != M2l::automatic ? "as asked" : "cheapest at this degree");
  note(d, "stencil", d.reduced ? "reduced" : "full",
       o.stencil != Stencil::automatic ? "as asked" : "needs fewer degrees than the reduced one for the same error");
}

bool take_double_if_free(Decision& d, double in_single, double in_double) {
  if (in_double > std::max(d.backend == Backend::cuda ? 1e5 : 1e4, in_single)) return false;
  take_double(d, "so few pairs that it costs nothing");
  return true;
}

/// Is a treecode worth pricing? That takes half a millisecond, more than all the rest of a small plan.
static bool considers_treecode(const Options& o, const Geometry& g, const CostConstants& c) {
  if (o.method != Method::automatic) return o.method == Method::treecode;
  const bool measured = c.lanes > 0;  // not on devices
  return measured && traits(o.kernel).scale_invariant && may_be_few(g) && o.degree < 0 && o.depth < 0 && !o.hessian &&
         !o.dipoles && !(o.softening > 0 && is_core(o.softening_kind));
}

/// Is a treecode expected to win clearly? Its price is less certain than the others', so that it must be well below
/// them.
static bool takes_treecode(const Geometry& g, const CostConstants& c, const Scheme& s, const TreecodeScheme& treecode,
                           double direct) {
  constexpr double clearly = 0.7;
  if (treecode.mean == 0) return false;
  const double fmm = std::min(s.cost, few_targets_fmm_cost(c, g, s.degree, s.rotation, s.mean)) + s.tables;
  return treecode.cost < clearly * std::min(direct, fmm);
}

/// All methods are priced with plan, tables and one evaluation, since the plan of a one-shot sum serves no other
/// evaluation. On a device, whose tables take longer than such sums and are kept for the plans to come, a tenth of
/// them. `costs`: the cost constants for a precision and a number of terms left out.
template <class Costs>
static void choose_method(Decision& d, const Options& o, const Geometry& g, const Costs& costs, const Scheme& s,
                          const TreecodeScheme& treecode) {
  const double direct = direct_cost(one_by_one(costs(d.precision, 0)), g);  // direct sums leave no terms out
  const bool asked = o.method != Method::automatic;
  const double tables = d.backend == Backend::cuda ? s.tables / 10 : s.tables;
  if (!asked) d.method = direct <= s.cost + tables ? Method::direct : Method::fmm;
  if (!asked && takes_treecode(g, costs(d.precision, 0), s, treecode, direct)) d.method = Method::treecode;
  note(d, "method", word_of(d.method),
       asked                          ? "as asked"
       : d.method == Method::treecode ? "few targets: cheaper than expansions around them"
       : d.method == Method::fmm      ? "cheaper than all pairs"
       : s.widened                    ? "cheaper than expansions, whose leaves this softening or core makes wide"
                                      : "cheaper than expansions for so few points");
  d.seconds = 1e-9 * (d.method == Method::treecode ? treecode.cost : s.cost);
  if (d.expands()) return;
  const auto all_pairs = [&](Precision precision) { return direct_cost(one_by_one(costs(precision, 0)), g); };
  const double exact = all_pairs(Precision::double_);
  if (!asked && o.precision == Precision::automatic) take_double_if_free(d, direct, exact);
  const double pairs = static_cast<double>(g.sources) * static_cast<double>(g.alike ? g.sources : g.targets);
  const double nanoseconds = d.precision == Precision::double_ ? exact : all_pairs(d.precision);
  d.pairs_per_second = pairs > 0 ? 1e9 * o.densities * pairs / nanoseconds : 1e9 / costs(d.precision, 0).pair;
  d.seconds = 1e-9 * nanoseconds;
}

int full_pair_terms(const Decision& d) {
  return cpu::full_terms(d.simd == Simd::avx512, d.precision == Precision::single_);
}

/// The near field of a plan on the CPU is summed as accurately as its tolerance needs, or to the full precision where
/// the caller chose the degree, softens the kernel or asks for a Hessian of dipoles.
static int pair_terms_for(const Decision& d, const Options& o) {
  if (d.backend != Backend::cpu || o.degree >= 0 || !traits(d.kernel).truncates || changes_near_pairs(o) ||
      d.derivatives() == most_derivatives)
    return full_pair_terms(d);
  const double tolerance = traits(d.kernel).screens ? d.tolerance / 2 : d.tolerance;  // exp(-kappa r) errs as kappa r
  return cpu::terms_for(d.simd == Simd::avx512, d.precision == Precision::single_, d.derivatives(), tolerance);
}
/// The same of exponentials. A tenth of the tolerance, largest error: the root mean square is half of that.
static double decay_error_for(const Decision& d, const Options& o) {
  const bool fits = traits(d.kernel).screens && d.backend == Backend::cpu && o.degree < 0;
  return fits ? d.tolerance / 10 : 0;
}

static void note_pair_terms(Decision& d) {
  if (d.backend != Backend::cpu || !traits(d.kernel).truncates) return;
  const bool full = d.pair_terms == full_pair_terms(d);
  const double bits = full ? (d.precision == Precision::single_ ? 24 : 53)
                           : -std::log2(cpu::pair_error(d.simd == Simd::avx512, d.derivatives(), d.pair_terms));
  note(d, "pair arithmetic", number(std::floor(bits)) + " bits",
       full ? std::string("the full precision of ") + word_of(d.precision)
            : std::string("one pair errs by at most a ") + (cpu::pairs_part(d.derivatives()) == 3 ? "third" : "fifth") +
                  " of the tolerance");
}

/// The numbers of sources and of targets of a finer box from which on m2p and p2l are cheaper than p2p. On the CPU
/// (Plummer, N = 1e5, degrees 3, 5, 14, 27): one m2p takes as long as p2p with 63, 150, 240, 445 sources, one p2l as
/// long as p2p with 25, 63, 74, 208 targets.
static void choose_thresholds(Decision& d, const CostConstants& c, double pair) {
  const double count = c.coefficients(d.degree), pairs = count * c.coefficient / pair;
  const bool cuda = d.backend == Backend::cuda;
  d.thresholds.m2p_sources = std::lround(pairs * (cuda ? 0.7 : 1 + 50 / count));
  d.thresholds.p2l_targets = std::lround(pairs * (cuda ? 0.7 : 0.4 + 25 / count));
  // quadrupoles (expansions/laplace_quadrupole.hpp): 43 instructions, a pair 15
  if (d.method == Method::treecode && moves_centres(d) && d.degree == 2) d.thresholds.m2p_sources = 3;
}

/// Divides the tolerance between the softened kernel and the expansions.
static void choose_softening(Decision& d, const Options& o, const Geometry& g) {
  if (!changes_near_pairs(o)) return;
  d.tolerance *= expansion_share(o);
  note(d, d.method == Method::treecode ? "least distance" : "least leaf edge",
       number(std::ldexp(d.least_edge, -g.exponent)),
       o.core == Core::gauss     ? "beyond it vortices are points but for half of the tolerance"
       : o.core == Core::rankine ? "radius of the cores, beyond which vortices are points"
       : reaches_far(o)          ? "beyond it the softened kernel is 1/r but for half of the tolerance"
                                 : "reach of the spline, beyond which the kernel is 1/r");
}

Decision begin_choice(const Options& o, const Geometry& g, const Machine& machine) {
  validate(o, g);
  Decision d;
  d.kernel = o.kernel;
  d.gradient = o.gradient;
  d.hessian = o.hessian;
  d.dipoles = o.dipoles;
  d.potential = sums_potential(o);
  d.apart = !g.alike;
  d.backend = machine.backend;
  d.simd = machine.simd;
  d.softening = o.softening;
  d.lengths = g.lengths;
  d.softening_kind = o.softening_kind;
  d.lacks_beyond = reaches_far(o);
  d.parameters = scaled_parameters(o, g.exponent);
  d.screened = screened_distance(d, g);
  d.method = o.method;
  choose_precision(d, o, g);
  d.tolerance = truncation_share(o.tolerance, d.precision);
  d.skin = std::min(1.0, std::ldexp(o.skin, g.exponent));
  d.judged_from = judged_from(o);
  d.promised = o.degree < 0 && o.theta == 0 && traits(o.kernel).truncates;
  return d;
}

Decision choose(const Options& o, const Geometry& g, const Machine& machine) {
  Decision d = begin_choice(o, g, machine);
  if (!traits(o.kernel).expands) return choose_pairs(std::move(d), o, g);
  if (o.at_sources && !g.alike) d.tolerance /= 2;  // both sets of results keep the promise, each for itself
  const auto costs_of = [&](Backend backend, Precision precision, int terms_left_out) {
    CostConstants c = backend == Backend::cuda
                          ? device_cost_constants(o.kernel, precision, o.gradient)
                          : cost_constants(o.kernel, d.simd, precision, o.gradient, terms_left_out);
    c.pair *= softened_pair_cost(o, backend, precision);
    price_moments(c, o);
    price_densities(c, o, backend, precision, g.lengths);
    return c;
  };
  const auto costs = [&](Precision precision, int terms_left_out) {
    if (machine.backend != Backend::hybrid) return costs_of(machine.backend, precision, terms_left_out);
    CostConstants c = costs_of(Backend::cpu, precision, 0);
    take_near_pairs(c, costs_of(Backend::cuda, precision, 0));
    return c;
  };
  d.pair_terms = pair_terms_for(d, o);
  d.decay_error = decay_error_for(d, o);
  CostConstants c = costs(d.precision, full_pair_terms(d) - d.pair_terms);
  const ExponentialFits fits(d.precision == Precision::single_, d.decay_error);
  if (d.decay_error > 0) price_fits(c, d.kernel, d.parameters.screening, fits);
  d.least_edge = changes_near_pairs(o) ? least_box_edge(o, d.tolerance, g.exponent) : 0;
  d.least_edge += std::min(2 * d.skin, d.least_edge / 4);  // points go no farther than a tenth of a box (drift_within)
  const Scheme s = cheapest(o, g, c, {machine.memory, machine.shared, d.precision, machine.backend, d.least_edge});
  const CostConstants of_all_pairs = machine.backend == Backend::hybrid ? costs_of(Backend::cpu, d.precision, 0) : c;
  d.pairs_per_second = 1e9 * of_all_pairs.shared / of_all_pairs.pair;  // direct sums are the cores' alone
  TreecodeScheme treecode;
  if (considers_treecode(o, g, c))
    treecode = cheapest_treecode(o, g, one_by_one(c),
                                 d.tolerance * expansion_share(o) / screened_growth(d.parameters.screening));
  choose_method(d, o, g, costs, s, treecode);
  if (d.method == Method::direct) return d;
  choose_softening(d, o, g);
  if (d.method == Method::treecode) {
    // its near pairs lie at any distance, where the fits' sums cancel and enlarge the errors of their roots
    d.decay_error = 0;
    choose_treecode(d, o, g, treecode);
  } else {
    choose_scheme(d, o, s);
    choose_tree(d, o, g, s);
  }
  note_pair_terms(d);
  choose_thresholds(d, c, near_pair_cost(c, g, s.mean));
  return d;
}

}  // namespace farfield

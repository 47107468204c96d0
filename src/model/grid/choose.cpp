#include "model/grid/choose.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <string>

#include "core/number.hpp"
#include "model/choose.hpp"
#include "model/grid/price.hpp"

namespace farfield {

static CostConstants pairs_cost(const Decision& d, Precision precision) {
  return d.backend == Backend::cuda ? device_cost_constants(d.kernel, precision, d.gradient)
                                    : cost_constants(d.kernel, d.simd, precision, d.gradient);
}

/// Positions are rounded as parts of a cell's width: matters where the points' extent makes cells wider than the reach.
static bool cells_round_too_coarsely(const Decision& d) {
  const double rounding = d.precision == Precision::single_ ? 0x1p-24 : 0x1p-53;
  return d.cell > d.reach && 4 * rounding * d.cell > 0.1 * d.tolerance * d.parameters.length[0];
}

/// The price of method cutoff, infinite where it is not possible; takes double where single is too coarse.
static double price_cutoff(Decision& cells, const Options& o, const Geometry& g) {
  double near = choose_cutoff(cells, o, g, pairs_cost(cells, cells.precision));
  if (cells_round_too_coarsely(cells) && o.precision == Precision::automatic) {
    take_double(cells, "cells much wider than the bandwidth would round positions too coarsely in single");
    near = choose_cutoff(cells, o, g, pairs_cost(cells, cells.precision));
  }
  if (!cells_round_too_coarsely(cells)) return near;
  if (o.method != Method::cutoff) return INFINITY;
  throw Error(ErrorCode::usage, "bandwidth " + number(o.bandwidth) +
                                    " is so far below the points' extent that the cells of method cutoff would round "
                                    "positions too coarsely; use method direct");
}

static void require_grid(const Decision& d, const Options& o) {
  if (d.method == Method::grid && !(d.spacing > 0))
    throw Error(ErrorCode::usage,
                "method grid reaches neither tolerances of gradients below 1e-10 nor bandwidths far "
                "below the points' extent, but tolerance is " +
                    number(o.tolerance) + " and bandwidth " + number(o.bandwidth) + "; use method auto");
}

static void note_method(Decision& d, const Geometry& g) {
  note(d, "method", word_of(d.method),
       !d.any_method                ? "as asked"
       : d.method == Method::direct ? "cheaper than cells or a grid for so few pairs"
       : d.method == Method::cutoff ? "few pairs are near enough to count"
       : d.method == Method::exponentials
           ? "two sweeps over the points of a line, cheaper than a grid or the pairs that are near enough to count"
           : "cheaper than the pairs that are near enough to count");
  if (d.method == Method::cutoff)
    note(d, "reach", number(std::ldexp(d.reach, -g.exponent)), "pairs farther apart add less than the tolerance");
  if (d.method == Method::grid)
    note(d, "spacing", number(std::ldexp(d.spacing, -g.exponent)),
         "of the grid, by windows " + std::to_string(d.window.width) + " points wide");
}

/// The grid would have more than four places a point. Where there are more points, those of one cell are summed
/// together in less than the price that is known of it: 1e5 points with a bandwidth of 7e-6 of their extent at
/// 1e-3, 3.4 places a point, take 3.3 ms by the grid and 4.3 by exponentials; with 5e-6, 4.8 places, 5.6 and 4.3.
static bool is_sparse(const Decision& d, const Geometry& g) {
  const double points = static_cast<double>(g.sources + (g.alike ? 0 : g.targets));
  return g.extent * std::max(1.0, d.window.spacings) > 4 * d.parameters.length[0] * points;
}

/// Points that crowd have more pairs near than points that fill their boxes evenly, as which they are priced here; a
/// factor of 4 is far more than a sample of them would be wrong. Cells that take over from a grid depend on crowding.
bool takes_no_pairs(const Decision& decision, const Options& o, const Geometry& g) {
  if (!g.alike || (o.method != Method::automatic && o.method != Method::grid)) return false;
  Decision cells = decision, d = decision;
  const double near = price_cutoff(cells, o, g);
  return 4 * choose_grid(d, o, g) < near && whole_grid_fits(d, g);
}

Decision choose_pairs(Decision d, const Options& o, const Geometry& g) {
  Decision cells = d;
  const double near = price_cutoff(cells, o, g);
  d.reach = cells.reach, d.cell = cells.cell;
  const double gridded = choose_grid(d, o, g);
  const bool sweeps = o.method == Method::exponentials || is_sparse(d, g);
  const double swept = sweeps ? exponentials_cost(d, g) : INFINITY;
  double direct = direct_cost(pairs_cost(d, d.precision), g);
  d.any_method = o.method == Method::automatic;
  if (d.any_method)
    d.method = direct <= std::min({near, gridded, swept}) ? Method::direct
               : swept < std::min(near, gridded)          ? Method::exponentials
               : near <= gridded                          ? Method::cutoff
                                                          : Method::grid;
  require_grid(d, o);
  // a grid whose blocks take too much memory gives way to cells
  if (d.method == Method::cutoff || (d.method == Method::grid && d.any_method))
    d.precision = cells.precision, d.choices = cells.choices;
  d.pair_terms = full_pair_terms(d);
  if (d.method == Method::direct && d.any_method && o.precision == Precision::automatic) {
    const double exact = direct_cost(pairs_cost(d, Precision::double_), g);
    if (take_double_if_free(d, direct, exact)) direct = exact;
  }
  note_method(d, g);
  // of Hermite series no more is known than that they are meant to cost less than all pairs
  const bool all = d.method == Method::direct || d.method == Method::hermite;
  d.seconds = 1e-9 * (all                                ? direct
                      : d.method == Method::exponentials ? swept
                      : d.method == Method::cutoff       ? near
                                                         : gridded);
  d.pairs_per_second = 1e9 / pairs_cost(d, d.precision).pair;
  return d;
}

}  // namespace farfield

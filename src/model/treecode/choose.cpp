#include "model/treecode/choose.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/traits.hpp"
#include "model/error_model.hpp"

namespace farfield {

// Measured with strengths of mixed sign on uniform, clustered and spherical clouds of 8,000 points, degrees 2 to 13,
// angles 0.35 to 1, leaves of 24: 0.02 to 0.07 in the place of 0.12, which leaves room for the judge's safety.
double treecode_error(Kernel kernel, int degree, double theta, bool gradient) {
  const bool solid = traits(kernel).decay.axes == 3;
  const double ratio = theta * (solid ? 0.53 + 0.2 * theta * theta * theta : 0.5 + 0.2 * theta * theta * theta);
  return 0.12 * std::pow(ratio, degree + 1) * (gradient ? std::max(1.0, (degree + 1) / 12.0) : 1);
}

/// Content of the set of points nearer than `radius` to a cube of edge `group`, in 1, 2 or 3 dimensions and between.
static double around(double group, double radius, double dimension) {
  constexpr double pi = 3.14159265358979;
  const double line = group + 2 * radius, plane = group * group + 4 * group * radius + pi * radius * radius,
               volume = group * group * group + 6 * group * group * radius + 3 * pi * group * radius * radius +
                        4 * pi / 3 * radius * radius * radius;
  return dimension < 2 ? line * std::pow(plane / line, dimension - 1) : plane * std::pow(volume / plane, dimension - 2);
}

/// Boxes that one row takes, in a tree that is filled evenly.
struct RowLength {
  double accepted = 0, near = 0;
};
static RowLength row_length(double leaves, double group, double theta, double dimension) {
  RowLength row;
  double opened = 1;  // boxes of the level above that are not accepted
  const int levels = static_cast<int>(std::ceil(std::log2(std::max(1.0, leaves)) / dimension));
  for (int level = 1; level <= levels; ++level) {
    const double edge = std::exp2(levels - level), all = std::exp2((levels - level) * -dimension) * leaves;
    const double seen = std::min(all, opened * std::exp2(dimension));
    const double left = std::min(seen, around(group / edge, 1 / theta, dimension));
    row.accepted += seen - left;
    opened = left;
  }
  row.near = opened;
  return row;
}

double treecode_cost(const CostConstants& c, const Geometry& g, const TreecodeScheme& s) {
  const double sources = static_cast<double>(g.sources);
  const double targets = static_cast<double>(g.alike ? g.sources : g.targets);
  const double dimension = dimension_of(g), count = c.coefficients(s.degree), lanes = std::max(1, c.lanes);
  const double leaves = std::max(1.0, sources / s.mean), boxes = leaves / (1 - std::exp2(-dimension));
  const double rows = leaves * (1 - std::exp(-targets / leaves)), of_row = targets / std::max(1.0, rows);
  const RowLength row = row_length(leaves, (of_row - 1) / (of_row + 1), s.theta, dimension);
  const double tiles = lanes * std::ceil(of_row / lanes);
  // the CPU transposes a row's multipoles first; a device reads potential and gradient from one expansion
  const bool device = c.lanes == 0;
  const double of_box =
      device ? 0.45 * count * c.coefficient * of_row : c.coefficients(s.degree + 1) * c.coefficient * (4 + of_row);
  return c.fixed + (sources + (g.alike ? 0 : targets)) * c.point + sources / 2 * count * c.coefficient +
         boxes * (c.box + count * count * c.shift / 2) + rows * (row.near + row.accepted) * c.entry +
         rows * row.near * s.mean * tiles * c.pair + rows * row.accepted * of_box;
}

bool may_be_few(const Geometry& g) { return !g.alike && 8 * g.targets <= g.sources; }

double few_targets_fmm_cost(const CostConstants& c, const Geometry& g, int degree, bool rotation, double mean) {
  const double sources = static_cast<double>(g.sources), targets = static_cast<double>(g.targets);
  const double dimension = dimension_of(g), count = c.coefficients(degree);
  const double leaves = std::max(1.0, sources / mean);
  const double near = std::pow(3, dimension), far = std::pow(6, dimension) - near;
  double translated = 0, boxes = 0;
  for (double of_level = leaves; of_level > std::exp2(dimension); of_level *= std::exp2(-dimension)) {
    translated += std::min(of_level * (1 - std::exp(-targets / of_level)) * far, of_level * of_level);
    boxes += of_level;
  }
  const double rows = leaves * (1 - std::exp(-targets / leaves)), tile = std::max(1, c.lanes) / 2.0;
  const double evaluation = boxes * (c.box + count * count * c.shift / 2) + rows * near * c.entry +
                            near * mean * (targets + rows * tile) * c.pair +
                            translated * translation_cost(c, degree, rotation) +
                            (sources + targets) / 2 * count * c.coefficient;
  return c.fixed + (sources + targets) * c.point + 2 * evaluation;  // 1,000 targets among 1e6 sources
}

/// The largest angle at which a degree keeps the tolerance.
static double theta_for(const Options& o, bool apart, int degree, double tolerance) {
  constexpr double of_apart = 3;  // targets apart have no sources of their own nearby: 1,000 targets among 1e6 sources
  if (apart) tolerance /= of_apart;
  // cores take the close pairs out of the norm: 2,000 vortices with Rankine's, in double, erred by 1.09 times 1e-12
  constexpr double of_cores = 2;
  if (o.core != Core::none) tolerance /= of_cores;
  double low = 0.01, high = 1;
  if (treecode_error(o.kernel, degree, high, o.gradient) <= tolerance) return high;
  for (int k = 0; k < 40; ++k) {
    const double middle = (low + high) / 2;
    (treecode_error(o.kernel, degree, middle, o.gradient) <= tolerance ? low : high) = middle;
  }
  return low;
}

static TreecodeScheme best_leaf(const Geometry& g, const CostConstants& c, TreecodeScheme s, std::int64_t leaf_size) {
  if (leaf_size > 0) {
    s.mean = static_cast<double>(leaf_size) / 1.6;
    s.cost = treecode_cost(c, g, s);
    return s;
  }
  TreecodeScheme best;
  for (s.mean = 8; s.mean < 2048; s.mean *= 1.1) {
    s.cost = treecode_cost(c, g, s);
    if (best.mean == 0 || s.cost < best.cost) best = s;
  }
  return best;
}

/// 99 of 100 targets then err by less than the tolerance (Plummer models, degree 2, 2^20 and 2^24 points).
static double box_error(int degree, double tolerance) {
  return (degree == 1 ? 1.3 : degree == 2 ? 1.12 : 1.6) * tolerance;
}

TreecodeScheme cheapest_treecode(const Options& o, const Geometry& g, const CostConstants& c, double tolerance) {
  constexpr double least = 0.25;  // smaller angles leave most pairs to p2p
  TreecodeScheme best;
  // below degree 4 the powers of an expansion do not yet show how fast they decay (judge/truncation.hpp)
  const int first = o.degree >= 0 ? o.degree : 4, last = o.degree >= 0 ? o.degree : max_degree;
  for (int degree = first; degree <= last; ++degree) {
    TreecodeScheme s;
    s.degree = degree;
    s.theta = o.theta > 0 ? o.theta : theta_for(o, !g.alike, degree, tolerance);
    const bool suffices = o.degree >= 0 || treecode_error(o.kernel, degree, s.theta, o.gradient) <= tolerance;
    if (degree < last && (!suffices || (s.theta < least && o.theta == 0))) continue;
    s = best_leaf(g, c, s, o.leaf_size);
    if (o.degree >= 0 && o.theta == 0) s.box_error = box_error(degree, tolerance);
    if (best.mean == 0 || s.cost < best.cost) best = s;
    if (o.theta > 0 || s.theta >= 1) break;
  }
  return best;
}

}  // namespace farfield

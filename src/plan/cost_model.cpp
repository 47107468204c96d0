#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace farfield {

// Measured with `farfield bench` on one core; ns.
CostConstants cost_constants(Simd simd, Precision precision, bool gradient) {
  const bool single = precision == Precision::single_;
  CostConstants c{};
  switch (simd) {
    case Simd::avx512: c = {0.60, 0.9, 0.045, 1.2}; break;
    case Simd::avx2: c = {1.6, 1.2, 0.10, 2.2}; break;
    default: c = {4.5, 2.5, 0.40, 6.0}; break;
  }
  if (!gradient) c.pair *= 0.65, c.coefficient *= 0.6;
  if (single) c.pair *= 0.5, c.pack *= 0.6, c.multiply *= 0.5, c.coefficient *= 0.5;
  return c;
}

CostConstants device_cost_constants(Precision precision, bool gradient) {
  if (precision == Precision::single_) return {gradient ? 8e-4 : 5e-4, 1e-4, 1e-4, gradient ? 8e-4 : 6e-4, 12};
  return {gradient ? 1.8e-3 : 1.1e-3, 2e-4, 1.8e-4, gradient ? 2.4e-3 : 1.6e-3, 12};
}

double translation_cost(const CostConstants& c, int degree, bool rotation) {
  const double d = degree + 1, count = d * d;
  return c.pack * count + c.multiply * (rotation ? c.turn * (2 * d * d * d + 4 * d * d) : count * count);
}

double dimension_of(const Geometry& g) {
  if (g.occupied_coarse < 1 || g.occupied <= g.occupied_coarse) return 3;
  return std::clamp(std::log2(static_cast<double>(g.occupied) / static_cast<double>(g.occupied_coarse)), 1.0, 3.0);
}

/// Far boxes per box: 6^D - 3^D; the reduced stencil sends 80 of 152 outer ones of eight siblings to the parent.
static double far_boxes(double dimension, bool reduced) {
  return (std::pow(6, dimension) - std::pow(3, dimension)) * (reduced ? 119.0 / 189.0 : 1.0);
}

double fmm_cost(const CostConstants& c, const Geometry& g, int degree, bool rotation, bool reduced, double mean) {
  const double dimension = dimension_of(g), targets = static_cast<double>(g.alike ? g.sources : g.targets);
  const double points = static_cast<double>(g.sources) + (g.alike ? 0.0 : targets);
  const double boxes = points / mean / (1 - std::pow(2, -dimension));
  const double count = (degree + 1.0) * (degree + 1.0);
  const double sources_per_leaf = mean * static_cast<double>(g.sources) / std::max(1.0, points);
  return targets * std::pow(3, dimension) * sources_per_leaf * c.pair +
         boxes * far_boxes(dimension, reduced) * translation_cost(c, degree, rotation) +
         (targets + static_cast<double>(g.sources)) / 2 * count * c.coefficient;
}

double best_leaf_mean(const CostConstants& c, const Geometry& g, int degree, bool rotation, bool reduced) {
  double best = 8, cost = fmm_cost(c, g, degree, rotation, reduced, best);
  for (double mean = 8; mean < 4096; mean *= 1.03) {
    const double candidate = fmm_cost(c, g, degree, rotation, reduced, mean);
    if (candidate < cost) best = mean, cost = candidate;
  }
  return best;
}

}  // namespace farfield

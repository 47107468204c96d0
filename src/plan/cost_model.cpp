#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace farfield {

// Nanoseconds on one core of a 2.6 GHz Xeon with AVX-512: pairs by `cpu_p2p 60000 144` (bench) with a tenth of the
// lanes empty at smaller leaves, the rest by `farfield run` on uniform points, N = 1e5, leaf size 160, degrees 6, 13
// and 24, one thread; seconds per stage over the counts in the report. Only their ratios matter to the choice.
CostConstants cost_constants(Simd simd, Precision precision, bool gradient, int terms_left_out) {
  struct Row {
    double pair_with_gradient, pair, pack, multiply, coefficient;
  };
  constexpr Row rows[3][2] = {{{2.45, 1.90, 1.39, 0.0685, 1.60}, {0.84, 0.59, 0.83, 0.0320, 0.75}},   // baseline
                              {{0.82, 0.63, 0.85, 0.0276, 0.60}, {0.27, 0.18, 0.50, 0.0160, 0.38}},   // avx2
                              {{0.41, 0.30, 1.20, 0.0115, 0.45}, {0.19, 0.13, 0.67, 0.0056, 0.30}}};  // avx512
  constexpr double of_a_term = 0.09;  // 0.05 to 0.13 of a pair's time, by instruction set and precision
  const int level = simd == Simd::avx512 ? 2 : simd == Simd::avx2 ? 1 : 0;
  const Row& row = rows[level][precision == Precision::single_ ? 1 : 0];
  const double pair = gradient ? row.pair_with_gradient : row.pair;
  return {pair * (1 - of_a_term * terms_left_out), row.pack, row.multiply, row.coefficient};
}

// Nanoseconds of one H200 in single: pairs by mean leaf from `gpu_p2p`, translations from `gpu_m2l` at N = 2^24 and 14
// points per leaf (degrees 0 to 2, 8, 11, 13 and more: between and beyond the measured ones), boxes from `gpu_plan`,
// coefficients from `gpu_fmm`; in double from `scripts/gpu bench`, N = 2^22 and 2^24.
static constexpr double tensor_translation[most_tensor_degree + 1] = {0.0019, 0.0019, 0.0019, 0.0019, 0.0062, 0.0104,
                                                                      0.0174, 0.0184, 0.036,  0.0595, 0.0667, 0.085,
                                                                      0.138,  0.17,   0.21,   0.26};

// The same in double, from `gpu_m2l` at N = 2^22 (degrees 9 to 16), 2^21 (18 to 25) and 2^20 (28, 33); degrees between
// follow by (degree + 1)^4. From 16, 24 and 30 on the columns of a parity are split once more.
static constexpr double mirror_translation[most_mirror_degree + 1] = {
    0.42, 0.42, 0.42, 0.42, 0.42, 0.42, 0.5,  0.6,  0.72, 0.85, 1.02, 1.2,  1.42, 1.68, 1.97, 2.25, 4.13,
    4.9,  5.75, 6.5,  7.3,  8.2,  9.3,  10.2, 14.5, 16.2, 19.3, 23,   27.4, 29.5, 41,   45,   49.5, 54.3};

CostConstants device_cost_constants(Precision precision, bool gradient) {
  CostConstants c = precision == Precision::single_
                        ? CostConstants{gradient ? 7e-4 : 4.8e-4, 1e-4, 8.3e-5, 9e-4, 12}
                        : CostConstants{gradient ? 1.6e-3 : 1.15e-3, 2e-4, 1.95e-4, gradient ? 3.3e-3 : 2e-3, 6};
  c.meet = precision == Precision::single_ ? 7e-3 : 6e-3;
  c.box = 1.5;
  if (precision == Precision::single_)
    c.tensor = tensor_translation, c.most_tensor = most_tensor_degree;
  else
    c.tensor = mirror_translation, c.least_tensor = least_mirror_degree, c.most_tensor = most_mirror_degree;
  return c;
}

double translation_cost(const CostConstants& c, int degree, bool rotation) {
  if (c.tensor && !rotation && degree >= c.least_tensor && degree <= c.most_tensor) return c.tensor[degree];
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
  return targets * std::pow(3, dimension) * (sources_per_leaf * c.pair + c.meet) + boxes * c.box +
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

/// Boxes per leaf of the mean that was reckoned with: clustered points fill leaves unevenly, and choose_tree gives them
/// smaller ones. `gpu_fmm --log2n 26,28`, degree 5: uniform 1.3 to 1.4, sphere 1.1, galaxies 1.8, Plummer 2.4.
static double boxes_of_leaf(double dimension) {
  return dimension > 2.7 ? 1 / (1 - std::pow(2, -dimension)) : dimension > 1.7 ? 1.8 : 2.5;
}

// Measured in single with `gpu_fmm --log2n 28,30`: 66 bytes per point (order, coordinates in double, strengths, results
// and their way back) and 700 per box at degree 5, 472 at degree 3 (expansions, their copies for the tensor cores, tree
// and lists). The caller holds positions, strengths and results.
double least_leaf_mean(std::int64_t memory, const Geometry& g, Precision precision, int degree) {
  const double real = precision == Precision::single_ ? 4 : 8, coefficients = (degree + 1.0) * (degree + 1.0);
  const double of_box = coefficients * (real == 4 ? 12 : 24) + 280, of_point = 28 + 9 * real + 8 * real;
  const double points = static_cast<double>(g.sources + (g.alike ? 0 : g.targets));
  const double left = 0.93 * static_cast<double>(memory) - points * of_point;
  if (memory == 0) return 0;
  return left > 0 ? points * of_box * boxes_of_leaf(dimension_of(g)) / left : 4096;
}

double table_cost(int degree) { return 34 * 120 * std::pow(degree + 1, 3); }

}  // namespace farfield

#include "model/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/traits.hpp"

namespace farfield {

// Nanoseconds on one core of an AMD EPYC with AVX-512 (2 MB of L2 for two cores): seconds per stage divided by the
// counts in the report, 2e4 uniform points, leaf sizes 16 to 250, degrees 2 to 32, each instruction set forced; and by
// `cpu_choice` (bench), which compares the choice with all alternatives. Only the ratios of these constants matter to
// the choice.
CostConstants cost_constants(Kernel kernel, Simd simd, Precision precision, bool gradient, int terms_left_out) {
  struct Row {
    double pair_with_gradient, pair, start, pack, multiply, turned, shift, coefficient;
    int lanes;
  };
  constexpr Row rows[3][2] = {{{2.40, 1.87, 20, 0.25, 0.1320, 0.1300, 0.27, 1.05, 2},   // baseline, double
                               {0.80, 0.56, 20, 0.60, 0.0650, 0.0500, 0.14, 0.52, 4}},  // single
                              {{0.84, 0.64, 20, 0.43, 0.0360, 0.0414, 0.08, 0.40, 4},   // avx2
                               {0.30, 0.20, 12, 0.45, 0.0165, 0.0140, 0.05, 0.23, 8}},  //
                              {{0.36, 0.27, 20, 0.50, 0.0160, 0.0231, 0.05, 0.21, 8},   // avx512
                               {0.165, 0.115, 15, 0.30, 0.0090, 0.0155, 0.04, 0.15, 16}}};
  constexpr double of_a_term = 0.09;  // 0.05 to 0.13 of a pair's time, by instruction set and precision
  const int level = simd == Simd::avx512 ? 2 : simd == Simd::avx2 ? 1 : 0;
  const Row& row = rows[level][precision == Precision::single_ ? 1 : 0];
  const double pair = gradient ? row.pair_with_gradient : row.pair;
  CostConstants c{traits(kernel).pair_cost * pair * (1 - of_a_term * terms_left_out), row.pack, row.multiply,
                  row.coefficient};
  c.turn = row.turned / row.multiply;
  c.dense = traits(kernel).factors ? 0.5 : 1;
  c.start = row.start, c.shift = row.shift, c.lanes = row.lanes;
  c.close = precision == Precision::single_ ? 0.7 : 0;
  c.box = 400, c.entry = 30, c.point = 70, c.fixed = 3e5, c.open = true;
  c.coefficients = traits(kernel).coefficients;
  return c;
}

// Nanoseconds of one H200 in single: pairs by mean leaf from `gpu_p2p`, translations from `gpu_m2l` at N = 2^24 and 14
// points per leaf (degrees 0 to 2, 8, 11, 13 and more: inter- and extrapolated), boxes from `gpu_plan`,
// coefficients from `gpu_fmm`; in double from `scripts/gpu bench`, N = 2^22 and 2^24.
static constexpr double tensor_translation[most_tensor_degree + 1] = {0.0019, 0.0019, 0.0019, 0.0019, 0.0062, 0.0104,
                                                                      0.0174, 0.0184, 0.036,  0.0595, 0.0667, 0.085,
                                                                      0.138,  0.17,   0.21,   0.26};

// The same in double, from `gpu_m2l` at N = 2^22 (degrees 9 to 16), 2^21 (18 to 25) and 2^20 (28, 33); degrees between
// follow from these by (degree + 1)^4. From 16, 24 and 30 on the columns of a parity are split once more.
static constexpr double mirror_translation[most_mirror_degree + 1] = {
    0.42, 0.42, 0.42, 0.42, 0.42, 0.42, 0.5,  0.6,  0.72, 0.85, 1.02, 1.2,  1.42, 1.68, 1.97, 2.25, 4.13,
    4.9,  5.75, 6.5,  7.3,  8.2,  9.3,  10.2, 14.5, 16.2, 19.3, 23,   27.4, 29.5, 41,   45,   49.5, 54.3};

/// Expansions of the plane, from `gpu_fmm plane`.
static CostConstants planar_device_constants(Kernel kernel, Precision precision, bool gradient) {
  CostConstants c = precision == Precision::single_ ? CostConstants{gradient ? 7.7e-4 : 5e-4, 0, 8.6e-5, 5e-4, 3}
                                                    : CostConstants{gradient ? 2.5e-3 : 2e-3, 0, 1.5e-4, 1e-3, 2};
  c.dense = 0.5;
  c.meet = 3e-3;
  c.box = 1.5;
  c.coefficients = traits(kernel).coefficients;
  return c;
}

/// Kernels that fall off, whose pairs are one exponential each, from `gpu_gauss`.
static CostConstants falling_device_constants(Kernel kernel, Precision precision, bool gradient) {
  CostConstants c;
  c.pair = precision == Precision::single_ ? (gradient ? 5.5e-4 : 3.7e-4) : gradient ? 3.5e-3 : 3e-3;
  c.coefficients = traits(kernel).coefficients;
  return c;
}

CostConstants device_cost_constants(Kernel kernel, Precision precision, bool gradient) {
  if (traits(kernel).reach) return falling_device_constants(kernel, precision, gradient);
  if (traits(kernel).factors) return planar_device_constants(kernel, precision, gradient);
  CostConstants c = precision == Precision::single_
                        ? CostConstants{gradient ? 7e-4 : 4.8e-4, 1e-4, 8.3e-5, 9e-4, 12}
                        : CostConstants{gradient ? 1.6e-3 : 1.15e-3, 2e-4, 1.95e-4, gradient ? 3.3e-3 : 2e-3, 6};
  c.meet = precision == Precision::single_ ? 7e-3 : 6e-3;
  c.box = 1.5;
  // One H100, moved and summed: 8,000 uniform points take 1.1 ms with expansions in single at 1e-3, 1.3 at 1e-5, in
  // double 3.3 at 1e-6 and 8.6 at 1e-9, by all pairs 0.6; 65,536 at 1e-5 1.6 and 5. Tiles of direct sums of up to
  // 400,000 points have few targets for each source that they read; those of Plummer's model take 2 to 2.9 times as
  // long in single.
  c.fixed = 6e5, c.fixed_by_coefficient = precision == Precision::single_ ? 2.5e3 : 1.5e4;
  if (precision == Precision::single_) c.direct = gradient ? 1.3 : 1.8, c.close = 1.5;
  c.coefficients = traits(kernel).coefficients;
  if (traits(kernel).screens)
    c.pair *= precision == Precision::single_ ? 1.35 : 2;  // p2p of 2^24 and 2^22 uniform points, `gpu_fmm`
  if (!traits(kernel).scale_invariant && precision == Precision::double_) return c;  // no tensor cores there
  if (precision == Precision::single_)
    c.tensor = tensor_translation, c.most_tensor = most_tensor_degree;
  else
    c.tensor = mirror_translation, c.least_tensor = least_mirror_degree, c.most_tensor = most_mirror_degree;
  return c;
}

// p2p of 2e4 uniform points in leaves of 300, AVX-512: 1.05 for Plummer's kernel, 1.12 for a spline of short reach, 1.5
// (double) to 2.2 (single) for one that reaches as far as a leaf.
// Velocities of vortices, baseline, 2e4 points: with Gaussian cores 1.9 (far pairs) to 4 (near ones), with the stream
// function 2.8; with both, 4.5 for Rankine's cores, 5 (far pairs) to 15 (near ones) for Gaussian ones.
// On a device constants of the plane are those of laplace2d: in double a pair of velocities takes half of it, in single
// leaves of about 21 points are best for both (2^24 vortices: 9.3 ms, with 24 to 28 points 10.1 to 12.1).
double softened_pair_cost(const Options& o, Backend backend, Precision precision) {
  if (o.core != Core::none && o.stream_function) return o.core == Core::gauss ? 8 : 4.5;
  if (o.core != Core::none) return o.core == Core::gauss ? 3 : 1.05;
  if (traits(o.kernel).vector.always && backend == Backend::cuda)
    return o.stream_function || precision == Precision::single_ ? 1 : 0.5;
  if (o.stream_function) return 3;
  if (!(o.softening > 0)) return 1;
  if (o.softening_kind == SofteningKind::gauss) return 4;
  if (o.softening_kind == SofteningKind::algebraic) return 2;
  return o.softening_kind == SofteningKind::spline ? 1.4 : 1.05;
}

// Over what charges take with the gradient, by operations in the loops.
void price_moments(CostConstants& c, const Options& o) {
  constexpr double pair[2][2] = {{1, 1.45}, {1.6, 2.3}}, coefficient[2][2] = {{1, 1.3}, {1.4, 1.7}};
  c.pair *= pair[o.hessian][o.dipoles];
  c.coefficient *= coefficient[o.hessian][o.dipoles];
}

// One H200, 2^20 uniform points (`gpu_m2l 20 48 9,10,12,14,9a,9g,...`): 0.70, 0.65, 0.63 and 0.57 of the time at
// degrees 9, 10, 12 and 14 for the gradient, 0.83, 0.75, 0.73 and 0.65 for all.
void price_fitted(CostConstants& c, int degree, bool for_gradient) {
  if (degree >= 9) c.fitted = for_gradient ? 0.70 - 0.026 * (degree - 9) : 0.82 - 0.033 * (degree - 9);
}

// Three densities over one, p2p of 2^20 and 2^22 uniform points on one H200 (`gpu_fmm --densities 3`): 2.05 in single,
// 1.67 in double. On the CPU with gradient 1.9 and 1.6, without 1.3: AVX2, `cpu_p2p`; with AVX-512 by operations 1.8
// and 1.7 with gradient (docs/mathematics/p2p.md).
static double near_pairs_of_three(const Options& o, Backend backend, Precision precision, bool lengths) {
  const bool shares = traits(o.kernel).differentiates && !o.hessian && !o.dipoles && !(o.softening > 0) && !lengths;
  if (!shares) return 3;
  if (backend == Backend::cuda) return precision == Precision::single_ ? 2.05 : 1.67;
  if (!o.gradient) return 1.3;
  return precision == Precision::single_ ? 1.9 : 1.6;
}

void price_densities(CostConstants& c, const Options& o, Backend backend, Precision precision, bool lengths) {
  if (o.densities == 1) return;
  constexpr int together = 3;
  const double of_three = near_pairs_of_three(o, backend, precision, lengths);
  c.densities = o.densities;
  c.shared = o.densities / together * of_three + o.densities % together;
  c.pair *= c.shared, c.meet *= c.shared;
  // In single on a device translations count as near pairs do, and leaves stay: wider ones, as if they took three times
  // as long, lost 13 % at 2^20 and gained 1 % at 2^22.
  c.translations = backend == Backend::cuda && precision == Precision::single_ ? c.shared : c.densities;
  for (double* each : {&c.start, &c.pack, &c.multiply, &c.coefficient, &c.shift}) *each *= c.translations;
  if (backend == Backend::cpu) c.point += 45 * (c.densities - 1);  // gather, scatter, the estimate of the error
}

void take_near_pairs(CostConstants& c, const CostConstants& device) {
  c.pair = nominal_cores * device.pair, c.meet = nominal_cores * device.meet;
  c.shared = device.shared;
}

CostConstants one_by_one(CostConstants c) {
  c.pair *= c.densities / c.shared;
  return c;
}

// Loops of pairs on AVX-512, over those of 1/r: polynomials of degrees (2,1), (3,2), (4,4), (5,5), (6,6) take 1.6, 1.9,
// 2.4, 2.7, 3.0 times as long in single, 1.5, 1.7, 2.1, 2.4, 2.6 in double; with gradient 1.7, 1.9, 2.1, 2.3, 2.5.
void price_fits(CostConstants& c, Kernel kernel, double screening, const ExponentialFits& fits) {
  const double plain = c.pair / traits(kernel).pair_cost;
  c.fits = &fits;
  c.screening = screening;
  c.by_root = 1.25 * plain, c.by_term = 0.12 * plain;
}

double near_pair_cost(const CostConstants& c, const Geometry& g, double mean) {
  if (!c.fits) return c.pair;
  const double points = static_cast<double>(g.sources + (g.alike ? 0 : g.targets));
  const double edge = g.extent * std::pow(std::min(1.0, mean / std::max(1.0, points)), 1 / dimension_of(g));
  const int form = c.fits->form_for(c.screening * 2 * std::sqrt(3.0) * edge);
  if (form == whole_formula) return c.pair;
  return c.by_root + c.by_term * (c.fits->form(form).even + c.fits->form(form).odd);
}

double translation_cost(const CostConstants& c, int degree, bool rotation) {
  if (c.tensor && !rotation && degree >= c.least_tensor && degree <= c.most_tensor)
    return c.translations * c.fitted * c.tensor[degree];
  const double d = degree + 1, count = c.coefficients(degree);
  return c.start + c.pack * count +
         c.multiply * (rotation ? c.turn * (2 * d * d * d + 4 * d * d) : c.dense * count * count);
}

double dimension_of(const Geometry& g) {
  if (g.occupied_coarse < 1 || g.occupied <= g.occupied_coarse) return 3;
  return std::clamp(std::log2(static_cast<double>(g.occupied) / static_cast<double>(g.occupied_coarse)), 1.0, 3.0);
}

/// Mean number of boxes that touch a box, itself included, with `across` boxes along each side; 3^D without a rim, for
/// which `across` is 0.
static double near_boxes(double dimension, double across) {
  return std::pow(3 - (across > 0 ? std::min(2.0, 2 / across) : 0.0), dimension);
}

/// Far boxes per box: 6^D - 3^D without a rim. In the reduced stencil the parent receives 80 of the 152 outer far boxes
/// of eight siblings.
static double far_boxes(double dimension, double across, bool reduced) {
  const double around = across > 0 ? std::max(2.0, 6 - 8 / across) : 6;  // children of the parent's neighbours
  const double far = std::pow(around, dimension) - near_boxes(dimension, across);
  return std::max(0.0, far) * (reduced ? 119.0 / 189.0 : 1.0);
}

/// What trees without a rim have alike, however large their leaves are: asked for hundreds of sizes of leaves, powers
/// would take most of the 30 us that `choose` took.
struct Rimless {
  double leaves_over_boxes, near, far;
  Rimless(double dimension, bool reduced)
      : leaves_over_boxes(1 - std::pow(2, -dimension)),
        near(near_boxes(dimension, 0)),
        far(far_boxes(dimension, 0, reduced)) {}
};

/// Number of m2l translations of an evenly filled tree with `leaves` leaves.
static double translations(const CostConstants& c, double dimension, double leaves, const Rimless& rimless,
                           bool reduced) {
  if (!c.open) return leaves / rimless.leaves_over_boxes * rimless.far;
  double sum = 0;
  for (double boxes = leaves; boxes > std::pow(2, dimension); boxes *= std::pow(2, -dimension))
    sum += boxes * far_boxes(dimension, std::pow(boxes, 1 / dimension), reduced);
  return sum;
}

/// How a tree differs from one that is filled evenly: a dimension, and factors on the counts that follow from it.
struct Filling {
  double dimension;
  double near = 1, entries = 1, far = 1, boxes = 1;  ///< pairs in p2p, entries of near lists, translations, boxes
  double shift = 1;                                  ///< cost of one m2m and l2l
};

/// The leaves of clustered points, whose dimension is that of a curve since finer boxes hold the outskirts' last
/// points, have the neighbours of a volume, but vary in size. Counted in trees of 2,000 to 20,000 points of a Plummer
/// model, leaves of 48 to 384 at most, degrees 3 to 14 (`cpu_choice clouds plummer verbose 1`): far 1.2 to 2.2,
/// entries 3.5 to 5.5, boxes 1.6 to 2.3; the higher the degree, the more small boxes are summed as pairs. Few boxes on
/// each of many levels fill few lanes in m2m and l2l.
static Filling filling_of(const CostConstants& c, double dimension, int degree, double mean) {
  if (!c.open || dimension >= 1.7) return {dimension};
  return {2.7, 5.5 * std::pow(mean, -0.3) * (1 + 0.035 * degree), 4.5, 1.8, 1.9, 1.6};
}

/// The dimension of a filling does not follow from `mean`.
static double filled_dimension(const CostConstants& c, const Geometry& g) {
  return filling_of(c, dimension_of(g), 0, 1).dimension;
}

namespace {

/// fmm_cost for leaves of any size.
class LeafCosts {
 public:
  LeafCosts(const CostConstants& c, const Geometry& g, int degree, bool rotation, bool reduced)
      : c_(c),
        g_(g),
        degree_(degree),
        rotation_(rotation),
        reduced_(reduced),
        dimension_(dimension_of(g)),
        rimless_(filled_dimension(c, g), reduced) {}
  double of(double mean) const;

 private:
  const CostConstants& c_;
  const Geometry& g_;
  int degree_;
  bool rotation_, reduced_;
  double dimension_;
  Rimless rimless_;
};

double LeafCosts::of(double mean) const {
  const CostConstants& c = c_;
  const Filling f = filling_of(c, dimension_, degree_, mean);
  const double targets = static_cast<double>(g_.alike ? g_.sources : g_.targets);
  const double sources = static_cast<double>(g_.sources), points = sources + (g_.alike ? 0.0 : targets);
  const double even = points / mean, leaves = f.boxes * even, boxes = leaves / rimless_.leaves_over_boxes;
  const double count = c.coefficients(degree_);
  const double shift = c.shift * (1 + std::min(1.0, count * count / 4e6));  // their matrix of 32 MB leaves the cache
  const double sources_per_leaf = mean * sources / std::max(1.0, points);
  const double near = c.open ? near_boxes(f.dimension, std::pow(std::max(1.0, even), 1 / f.dimension)) : rimless_.near;
  return c.fixed + count * c.fixed_by_coefficient + points * c.point +
         f.near * near * (targets + leaves * c.lanes / 2) * (sources_per_leaf * near_pair_cost(c, g_, mean) + c.meet) +
         f.entries * near * even * c.entry + boxes * (c.box + f.shift * count * count * shift) +
         f.far * translations(c, f.dimension, even, rimless_, reduced_) * translation_cost(c, degree_, rotation_) +
         ((targets + sources) / 2 + 3 * leaves * c.lanes) * count * c.coefficient;
}

}  // namespace

double fmm_cost(const CostConstants& c, const Geometry& g, int degree, bool rotation, bool reduced, double mean) {
  return LeafCosts(c, g, degree, rotation, reduced).of(mean);
}

double sources_within(const Geometry& g, double edge) {
  const auto sources = static_cast<double>(g.sources);
  const double level = g.extent > 0 ? -std::log2(edge / g.extent) : 0;
  if (!(level > 0)) return sources;
  if (g.crowding[0] == 0) return sources * std::exp2(-level * dimension_of(g));
  const double finest = Geometry::crowding_levels - 1, kept = std::min(level, finest), coarse = std::floor(kept);
  const double a = g.crowding[static_cast<int>(coarse)], b = g.crowding[static_cast<int>(std::min(coarse + 1, finest))];
  return a > 0 && b > 0 ? a * std::pow(b / a, kept - coarse) : a;
}

double wide_fmm_cost(const CostConstants& c, const Geometry& g, int degree, bool rotation, bool reduced, double mean,
                     double least_edge) {
  const double targets = static_cast<double>(g.alike ? g.sources : g.targets), sources = static_cast<double>(g.sources),
               points = sources + (g.alike ? 0.0 : targets), dimension = dimension_of(g);
  if (dimension >= 1.7) mean = std::max(mean, sources_within(g, least_edge) * points / std::max(1.0, sources));
  const Filling f = filling_of(c, dimension, degree, mean);
  const double across = c.open ? std::pow(std::max(1.0, points / mean), 1 / f.dimension) : 0;
  const double counted = f.near * near_boxes(f.dimension, across) * mean * sources / std::max(1.0, points);
  const double near = sources_within(g, 3 * least_edge);  // a leaf and those around it
  return fmm_cost(c, g, degree, rotation, reduced, mean) + targets * std::max(0.0, near - counted) * c.pair;
}

// Direct sums of 1,000 and 5,000 points in single: 0.15 ns a pair in a volume (a pair in 1000 is nearer than 1/16 of
// the extent), 0.19 on a sphere, 0.25 on planes, lines and in clusters.
double direct_cost(const CostConstants& c, const Geometry& g) {
  const double cells = std::pow(static_cast<double>(g.grid), 3), filled = static_cast<double>(g.occupied) / cells;
  const double often_close = std::min(1.0, 0.001 / 0.012 / filled);
  return static_cast<double>(g.sources) * static_cast<double>(g.alike ? g.sources : g.targets) * c.pair * c.direct *
         (1 + c.close * often_close);
}

double best_leaf_mean(const CostConstants& c, const Geometry& g, int degree, bool rotation, bool reduced) {
  const LeafCosts costs(c, g, degree, rotation, reduced);
  double best = 8, cost = costs.of(best);
  for (double mean = 8; mean < 4096; mean *= 1.03) {
    const double candidate = costs.of(mean);
    if (candidate < cost) best = mean, cost = candidate;
  }
  return best;
}

/// Expected boxes divided by (points / assumed mean leaf size): clustered points fill leaves unevenly, and choose_tree
/// gives them smaller ones. `gpu_fmm --log2n 26,28`, degree 5: uniform 1.3 to 1.4, sphere 1.1, galaxies 1.8,
/// Plummer 2.4.
static double boxes_of_leaf(double dimension) {
  return dimension > 2.7 ? 1 / (1 - std::pow(2, -dimension)) : dimension > 1.7 ? 1.8 : 2.5;
}

// Measured in single with `gpu_fmm --log2n 28,30`: 66 bytes per point (order, coordinates in double, strengths, results
// and their way back) and 700 per box at degree 5, 472 at degree 3 (expansions, their copies for the tensor cores, tree
// and lists). The caller holds positions, strengths and results. A rank of several has a box in its own tree and in the
// essential one, and links between these: 200 bytes more (distributed/cuda/room.cu).
double least_leaf_mean(std::int64_t memory, bool shared, const Geometry& g, Precision precision, int coefficients) {
  const double real = precision == Precision::single_ ? 4 : 8;
  const double of_box = coefficients * (real == 4 ? 12 : 24) + (shared ? 480 : 280),
               of_point = 28 + 9 * real + 8 * real;
  const double points = static_cast<double>(g.sources + (g.alike ? 0 : g.targets));
  const double left = 0.93 * static_cast<double>(memory) - points * of_point;
  if (memory == 0) return 0;
  return left > 0 ? points * of_box * boxes_of_leaf(dimension_of(g)) / left : 4096;
}

// Measured on one core of the machine of cost_constants, by `cpu_choice`.
double table_cost(int degree, bool rotation) {
  const double d = degree + 1;
  return rotation ? 720 * d * d * d + 28e3 * d : 160 * d * d * d * d + 40e3 * d;
}

}  // namespace farfield

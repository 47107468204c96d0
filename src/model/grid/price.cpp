#include "model/grid/price.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/traits.hpp"
#include "model/grid/recent.hpp"
#include "tree/grid/blocks.hpp"

namespace farfield {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double most_sorted_cells = 1 << 14;  ///< of the grid, by which points are sorted (backends/cpu/cells)

double side_of(const Geometry& g, int axis) {
  const Scaling scale(g.exponent);
  return scale(g.high[axis]) - scale(g.low[axis]);
}

double targets_of(const Geometry& g) { return static_cast<double>(g.alike ? g.sources : g.targets); }
double points_of(const Geometry& g) { return static_cast<double>(g.sources) + (g.alike ? 0.0 : targets_of(g)); }

/// Occupied ones of boxes of that edge, from how the points fill the survey's grid.
double boxes_with_points(const Geometry& g, double edge) {
  const double along = g.extent > 0 ? g.extent / edge : 0;
  const double counted = static_cast<double>(g.occupied) * std::pow(along / g.grid, dimension_of(g));
  double all = 1;
  for (int axis = 0; axis < 3; ++axis) all *= 1 + side_of(g, axis) / edge;
  return std::clamp(std::min(counted, points_of(g)), 1.0, all);
}

/// Nanoseconds of one core with AVX-512 for one vector of a row of the grid: read, multiply, add, write back.
double vector_step(const Decision& d) { return d.simd == Simd::baseline ? 1.0 : 0.45; }
int lanes_of(const Decision& d) {
  const int doubles = d.simd == Simd::avx512 ? 8 : d.simd == Simd::avx2 ? 4 : 2;
  return d.precision == Precision::single_ ? 2 * doubles : doubles;
}

struct GridPrice {
  double nanoseconds, bytes;
};

/// What plan, spread, convolve and interpolate take on an H200 (`gpu_gauss`) for `points` of the grid in `blocks`
/// blocks, `taps` on either side.
double device_cost(const Decision& d, const Options& o, const Geometry& g, const Window& w, double points,
                   double blocks, double taps) {
  const int axes = axes_of(g);
  const double times = d.precision == Precision::single_ ? 1 : 4, window = std::pow(w.width, axes);
  return 7e5 + 900 * blocks + 0.3 * points_of(g) +
         times * (static_cast<double>(g.sources) * (0.15 + 1.5e-3 * window) +
                  targets_of(g) * (0.1 + (o.gradient ? 1e-3 : 5e-4) * window) + points * axes * (2 * taps + 9) * 3e-4);
}

/// Vectors for each point. Where many lie in a cell of the grid, on a line or in the plane, they are summed by their
/// moments and interpolated by one polynomial; 1e5 points with AVX2 and h = 0.05 of the unit square, spread and
/// interpolate: windows of 7 points 1.94 ms, of 8 points 1.52, of 9 points, two vectors, 3.03.
double vectors_of(const Decision& d, const Options& o, const Geometry& g, const Window& w) {
  const int axes = axes_of(g), side = block_side(axes);
  const double lanes = lanes_of(d), along = 1 + (w.width - 1) / lanes, rows = std::pow(w.width, axes - 1) * along;
  if (axes > 2 || o.gradient) return rows;
  const double terms = 2 - std::log10(d.tolerance), spacing = d.parameters.length[0] / w.spacings;
  double cells = 1, keys = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double length = side_of(g, axis) / spacing;
    if (length > 0) cells *= length + 1, keys *= std::exp2(std::ceil(std::log2(std::max<double>(side, length + 1))));
  }
  if (keys > most_sorted_cells || 8 * cells > static_cast<double>(g.sources)) return rows;
  const double made = 2 * (axes > 1 ? terms * (terms + w.width) : terms) * std::ceil(w.width / lanes);
  return std::pow(terms, axes) / lanes + made * cells / static_cast<double>(g.sources);
}

GridPrice price_of(const Decision& d, const Options& o, const Geometry& g, const Window& w) {
  const int axes = axes_of(g), side = block_side(axes);
  const double spacing = d.parameters.length[0] / w.spacings, real = d.precision == Precision::single_ ? 4 : 8;
  double all = 1, reached = boxes_with_points(g, side * spacing);
  for (int axis = 0; axis < 3; ++axis) {
    const double length = side_of(g, axis) / spacing;
    if (!(length < 0x1p17 * side)) return {infinite, infinite};
    if (length > 0) all *= std::ceil((length + w.width) / side), reached *= 1 + static_cast<double>(w.width) / side;
  }
  const double blocks = std::max(1.0, std::min(all, reached)), points = blocks * std::pow(side, axes);
  const double taps = w.spacings * std::sqrt(-2 * std::log(d.tolerance)) + 3;
  if (d.backend == Backend::cuda) return {device_cost(d, o, g, w, points, blocks, taps), 2 * points * real};
  const double lanes = lanes_of(d);
  const double each = 12.0 * axes + vectors_of(d, o, g, w) * vector_step(d);
  const double whole =
      static_cast<double>(g.sources) * each + targets_of(g) * each * (o.gradient ? 1.6 : 0.8) +
      points * axes * (2 * taps + 9) * 0.45 * vector_step(d) / lanes * (d.simd == Simd::baseline ? 2 : 1);
  return {60 * points_of(g) + 2e5 + 4e3 * blocks + whole, 2 * points * real};
}

}  // namespace

int axes_of(const Geometry& g) {
  int axes = 0;
  for (int axis = 0; axis < 3; ++axis) axes += g.high[axis] > g.low[axis];
  return std::max(1, axes);
}

int line_axis(const Geometry& g) {
  for (int axis = 1; axis < 3; ++axis)
    if (g.high[axis] > g.low[axis]) return axis;
  return 0;
}

/// Sort and four ways over the points, as measured with AVX-512: 27 ns and 1.5 for each wave. Of those 11 and the waves
/// are arithmetic in vectors; of derivatives there are a tenth more. With AVX2, 1e5 points on a Zen 3 at 1e-3, 1e-6,
/// 1e-10 and 1e-12: 8.4, 12.6, 15.3 and 16.4 ms, priced 11.4, 12.3, 13.5 and 14.1.
double exponentials_cost(const Decision& d, const Geometry& g) {
  if (d.backend == Backend::cuda || axes_of(g) > 1) return infinite;
  const double lanes = d.simd == Simd::avx512 ? 8 : d.simd == Simd::avx2 ? 4 : 1.5;
  const double waves = 2 - 0.43 * std::log(d.tolerance), slower = 8 / lanes;
  const double swept = (11 + (d.gradient ? 1.65 : 1.5) * waves) * slower;
  return points_of(g) * (60 + 16 + swept) + 1e5;
}

std::int64_t grid_memory(std::int64_t sources, std::int64_t targets) {
  return (std::int64_t(64) << 20) + 256 * (sources + targets);
}

/// Nanoseconds for cells that hold `held` targets and look at `visited` sources in `rows` rows.
static double cutoff_cost(const Decision& d, const CostConstants& c, double targets, double held, double visited,
                          double rows) {
  if (d.backend == Backend::cuda) {
    constexpr double tile = 128, staged = 0.01;  // as in backends/cuda/cells/stages.hpp; and of one source
    const double tiles = std::ceil(held / tile);
    return targets / held * ((held + 4) * visited * c.pair + tiles * (visited * staged + 0.02 * rows + 2));
  }
  const int tile = lanes_of(d) * (d.simd == Simd::avx512 ? 2 : 1);
  return targets / held * (std::ceil(held / tile) * tile * visited * c.pair + visited * 1.0 + 60 * rows + 300);
}

double choose_cutoff(Decision& d, const Options& o, const Geometry& g, const CostConstants& c) {
  const double bandwidth = d.parameters.length[0], targets = targets_of(g);
  const double longest = std::max(4 * g.extent, 1e-300);  // farther apart there is nothing
  d.reach = std::min(longest, bandwidth * traits(o.kernel).reach(d.tolerance, o.gradient));
  const int axes = axes_of(g);
  double least = infinite;
  for (const int cells : {1, 2, 3, 4}) {  // in one reach
    // a cell's index has 20 bits; where one cell holds all, its width does not matter
    const double width = std::clamp(d.reach / cells, g.extent * 1e-6, std::max(2 * g.extent, 1e-300));
    const double within_corners = axes == 1 ? 1 : axes == 2 ? 0.9 : 0.75;  // left out of the square or cube of cells
    const double visited = sources_within(g, 2 * d.reach + width) * within_corners,
                 held =
                     std::max(1.0, sources_within(g, width) * targets / std::max(1.0, static_cast<double>(g.sources)));
    const double cost = cutoff_cost(d, c, targets, held, visited, std::pow(2 * cells + 1, axes - 1));
    if (cost < least) least = cost, d.cell = width;
  }
  return d.backend == Backend::cuda ? least + 0.3 * points_of(g) + 4e5 : least + 60 * points_of(g) + 1e5;
}

namespace {

struct Convolution {
  std::vector<double> taps;
  double far;  ///< far_value of these
};

Convolution convolution_of(const Decision& d) {
  constexpr double share = 0.02;  // of the tolerance: the window's own error has the rest
  using Arguments = std::tuple<int, double, double, double (*)(double), double>;
  thread_local Recent<Arguments, Convolution> recent;
  const Window& w = d.window;
  const auto transform = traits(d.kernel).transform;
  return recent.get({w.width, w.shape, w.spacings, transform, share * d.tolerance}, [&] {
    std::vector<double> taps = taps_of(w, transform, share * d.tolerance);
    const double far = far_value(w, taps);
    return Convolution{std::move(taps), far};
  });
}

/// The window's taps suffice for pairs of any distance; slopes are ten times as steep as values at most.
bool suffices(const Decision& d, const Options& o) {
  return convolution_of(d).far < (o.gradient ? 0.03 : 0.3) * d.tolerance;
}

}  // namespace

std::vector<double> taps_of(const Decision& d) { return convolution_of(d).taps; }

WindowPolynomials polynomials_of(const Decision& d) {
  // of the tolerance: over all places of a pair the error of windows as polynomials is then still that of the windows
  // (0.55 of 1e-6 for 7 points in the plane, 0.77 for 8; at a share of 1 no more), which slopes have not been seen to
  const double share = d.gradient ? 0.01 : 0.25;
  thread_local Recent<std::tuple<int, double, double, bool>, WindowPolynomials> recent;
  const double error = share * d.tolerance;
  return recent.get({d.window.width, d.window.shape, error, d.gradient},
                    [&] { return polynomials_of(d.window, error, d.gradient); });
}

int reach_in_blocks(const Decision& d, int side) {
  const int taps = static_cast<int>(taps_of(d).size()) - 1;
  return (taps + side - 1) / side;
}

std::int64_t most_grid_blocks(const Geometry& g, const Decision& d) {
  const std::int64_t real = d.precision == Precision::single_ ? 4 : 8;
  return grid_memory(g.sources, g.alike ? 0 : g.targets) / (block_points(axes_of(g)) * real);
}

bool whole_grid_fits(const Decision& d, const Geometry& g) {
  double blocks = 2;  // there are two grids
  for (int axis = 0; axis < 3; ++axis) {
    const double length = side_of(g, axis) / d.spacing;
    if (length > 0) blocks *= length / block_side(axes_of(g)) + 2;
  }
  return blocks < static_cast<double>(most_grid_blocks(g, d));
}

void change_to_cutoff(Decision& d) {
  if (!d.any_method)
    throw Error(ErrorCode::memory,
                "the blocks of the grid would take more memory than method grid may use; use method cutoff, or auto");
  d.method = Method::cutoff;
  std::erase_if(d.choices, [](const Choice& choice) { return choice.name == "spacing"; });
  note(d, "method", "cutoff", "the blocks of a grid would take too much memory");
}

double choose_grid(Decision& d, const Options& o, const Geometry& g) {
  const auto most = static_cast<double>(grid_memory(g.sources, g.alike ? 0 : g.targets));
  struct Candidate {
    Window window;
    GridPrice price;
    bool fits;
  };
  std::vector<Candidate> candidates;
  for (const Window& w : windows_for(d.tolerance, o.gradient, axes_of(g))) {
    const GridPrice price = price_of(d, o, g, w);
    if (price.nanoseconds < infinite) candidates.push_back({w, price, price.bytes <= most});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.fits != b.fits ? a.fits : a.price.nanoseconds < b.price.nanoseconds;
  });
  for (const Candidate& c : candidates) {
    d.window = c.window;
    if (!suffices(d, o)) continue;
    d.spacing = d.parameters.length[0] / c.window.spacings;
    return c.fits ? c.price.nanoseconds : infinite;
  }
  d.window = {};
  return infinite;
}

}  // namespace farfield

// The fast Gaussian transform on a device: a block per box of sources makes its Hermite series, a block per box of
// targets sums what is within the cut-off. Every sum belongs to one thread, in the order of the boxes' keys.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "backends/cuda/hermite/box_sums.hpp"
#include "backends/cuda/hermite/series.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr std::int64_t most_room = std::int64_t(1) << 28;  ///< bytes of the blocks' own series
constexpr int series_blocks = 8;                           ///< of targets per multiprocessor

struct CountSeries {
  CellsView cells;
  std::int64_t many;
  bool any;
  std::int32_t* count;
  __device__ void operator()(std::int64_t c) const {
    count[c] = c < cells.count && any && cells.begin[c + 1] - cells.begin[c] >= many;
  }
};

template <class Real>
__global__ void __launch_bounds__(hermite_threads)
    series_kernel(const __grid_constant__ NearWork<Real> work, const __grid_constant__ HermiteView view) {
  __shared__ HermiteStage stage;
  const std::int64_t box = blockIdx.x, count = view.grid.shape.count();
  if (!view.has_series(box)) return;
  const HermiteBox own(view.grid, view.sources, box);
  double* const to = view.multipole + view.series_before[box] * count;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += hermite_threads) to[i] = 0;
  accumulate_sources<false>(view, work, own.begin, own.end, own.centre, stage, to);
}

template <class Real>
__global__ void __launch_bounds__(hermite_threads)
    target_kernel(const __grid_constant__ NearWork<Real> work, const __grid_constant__ HermiteView view) {
  __shared__ HermiteStage stage;
  double* const room = view.room + 3 * view.grid.shape.count() * blockIdx.x;
  for (std::int64_t box = blockIdx.x; box < view.targets.count; box += gridDim.x)
    TargetBox<Real>(view, work, box, stage, room).sum();
}

}  // namespace

hermite::Grid make_hermite_grid(const Geometry& geometry, double bandwidth, double tolerance, bool gradient) {
  constexpr double most_boxes = (1 << CellLattice::index_bits) - 2;
  const Scaling scale(geometry.exponent);
  double low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) low[axis] = scale(geometry.low[axis]), high[axis] = scale(geometry.high[axis]);
  hermite::Grid grid = hermite::make_grid(low, high, bandwidth, tolerance, gradient, most_boxes);
  std::int64_t most = 0;  // a point on the far side may round into one more box
  for (int a = 0; a < grid.shape.axes; ++a) most = std::max(most, ++grid.boxes[a]);
  const double reach = std::ceil(grid.cutoff * grid.length / grid.side);
  grid.reach = static_cast<int>(std::min(reach, static_cast<double>(most - 1)));
  return grid;
}

HermiteSeries::HermiteSeries(DeviceMemory& memory) : memory_(memory) {
  use_all(memory, series_before_, multipole_, matrix_, room_);
}

std::int64_t HermiteSeries::bytes(std::int64_t sources) {
  constexpr std::int64_t p = hermite::most_terms, one = 8 * p * p * p;
  return sources * (10 * p + 12) + most_room + 4 * one + 17 * 8 * p * p + (1 << 20);
}

void HermiteSeries::build(const hermite::Grid& grid, const CellsView& sources, const CellsView& targets,
                          std::int64_t points) {
  const std::int64_t count = grid.shape.count(), p = grid.shape.p, offsets = 2 * std::int64_t(grid.reach) + 1;
  view_ = {grid, hermite::make_roots<double, hermite::most_terms + 1>(), sources, targets};
  view_.many = hermite::points_for_series(grid.shape);
  DeviceArray<std::int32_t> has(memory_);
  has.resize(sources.count + 1);
  series_before_.resize(sources.count + 1);
  for_each_index(sources.count + 1, CountSeries{sources, view_.many, p > 0, has.data()}, memory_.stream, "series");
  with_temporary(memory_, "series", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, has.data(), series_before_.data(), sources.count + 1,
                                         memory_.stream);
  });
  multipole_.resize(p > 0 ? (points / view_.many + 1) * count : 0);
  std::vector<double> matrices;
  for (std::int64_t i = 0; i < offsets && p > 0; ++i) {
    const std::vector<double> one =
        hermite::to_taylor(grid.shape.p, static_cast<double>(i - grid.reach) * grid.side / grid.length);
    matrices.insert(matrices.end(), one.begin(), one.end());
  }
  upload(matrix_, matrices.data(), static_cast<std::int64_t>(matrices.size()), memory_.stream);
  const std::int64_t fit = std::max<std::int64_t>(1, most_room / (24 * count)),
                     wanted = std::int64_t(series_blocks) * device_limits().multiprocessors;
  view_.blocks = static_cast<int>(std::min({targets.count, fit, wanted}));
  room_.resize(3 * count * view_.blocks);
  view_.series_before = series_before_.data(), view_.multipole = multipole_.data();
  view_.matrix = matrix_.data(), view_.room = room_.data();
}

template <class Real>
void make_hermite_series(const NearWork<Real>& work, const HermiteView& view) {
  if (view.grid.shape.p == 0 || view.sources.count == 0) return;
  series_kernel<<<static_cast<unsigned>(view.sources.count), hermite_threads, 0, work.stream>>>(work, view);
  require_launch("series");
}

template <class Real>
void sum_hermite_series(const NearWork<Real>& work, const HermiteView& view) {
  if (view.blocks == 0) return;
  target_kernel<<<static_cast<unsigned>(view.blocks), hermite_threads, 0, work.stream>>>(work, view);
  require_launch("sums of series");
}

#define FARFIELD_HERMITE(Real)                                                  \
  template void make_hermite_series(const NearWork<Real>&, const HermiteView&); \
  template void sum_hermite_series(const NearWork<Real>&, const HermiteView&);
FARFIELD_HERMITE(float)
FARFIELD_HERMITE(double)

}  // namespace farfield::cuda

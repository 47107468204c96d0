// HermiteSeries: series and tables of the fast Gaussian transform over the boxes of one lattice; and its stages,
// asynchronous launches in the order of NearWork::stream.
#pragma once
#include "backends/cuda/hermite/view.hpp"
#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

/// The grid for points within `geometry`, whose boxes are the cells of lattice_of(geometry, grid.side).
hermite::Grid make_hermite_grid(const Geometry& geometry, double bandwidth, double tolerance, bool gradient);

class HermiteSeries {
 public:
  explicit HermiteSeries(DeviceMemory& memory);
  void build(const hermite::Grid& grid, const CellsView& sources, const CellsView& targets, std::int64_t points);
  const HermiteView& view() const { return view_; }
  /// Upper bound of its memory, whatever the points.
  static std::int64_t bytes(std::int64_t sources);

 private:
  DeviceMemory& memory_;
  DeviceArray<std::int32_t> series_before_;
  DeviceArray<double> multipole_, matrix_, room_;
  HermiteView view_;
};

/// The Hermite series of the boxes that have one.
template <class Real>
void make_hermite_series(const NearWork<Real>& work, const HermiteView& view);
/// Overwrites the results: for each two boxes within the cut-off the cheapest of the four interactions.
template <class Real>
void sum_hermite_series(const NearWork<Real>& work, const HermiteView& view);

}  // namespace farfield::cuda

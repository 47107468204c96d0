#include <vector>

#include "backends/cuda/grid/window.hpp"
#include "model/grid/price.hpp"

namespace farfield::cuda {

template <class Real>
static void upload_as(DeviceArray<Real>& to, const std::vector<double>& from, cudaStream_t stream) {
  const std::vector<Real> rounded(from.begin(), from.end());
  upload(to, rounded.data(), static_cast<std::int64_t>(rounded.size()), stream);
}

template <class Real>
void GridWindow<Real>::make(const Decision& d, cudaStream_t stream) {
  const WindowPolynomials polynomials = polynomials_of(d);
  const std::vector<double> taps = taps_of(d);
  width_ = d.window.width, degree_ = polynomials.degree, taps_ = static_cast<int>(taps.size()) - 1;
  upload_as(value_, polynomials.value, stream);
  upload_as(slope_, polynomials.slope, stream);
  upload_as(tap_, taps, stream);
}

template <class Real>
GridView<Real> GridWindow<Real>::view(const PlacedCells& cells) const {
  GridView<Real> view;
  const int side = block_side(cells.lattice.axes);
  view.lattice = cells.lattice;
  view.width = width_, view.degree = degree_, view.taps = taps_, view.reach = (taps_ + side - 1) / side;
  view.value = value_.data(), view.slope = slope_.data(), view.tap = tap_.data();
  view.sources = cells.sources.view();
  cells.blocks.show(view);
  return view;
}

template class GridWindow<float>;
template class GridWindow<double>;

}  // namespace farfield::cuda

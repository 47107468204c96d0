#include "backends/cpu/grid/window.hpp"

#include <vector>

#include "model/grid/price.hpp"

namespace farfield::cpu {

template <class Real>
static void fill(Array<Real>& to, const std::vector<double>& from, int degree, int width) {
  to.resize((degree + 2) * window_pitch);  // one row more: what is read runs over the end of the last
  for (int d = 0; d <= degree + 1; ++d)
    for (int i = 0; i < window_pitch; ++i) {
      const int k = i - window_padding;
      const bool inside = d <= degree && k >= 0 && k < width;
      to[d * window_pitch + i] = inside ? static_cast<Real>(from[static_cast<std::size_t>(d * width + k)]) : Real(0);
    }
}

template <class Real>
static void turn(Array<Real>& to, const Array<Real>& from, int degree, int width) {
  to.resize(width * terms_pitch);
  for (int k = 0; k < width; ++k)
    for (int d = 0; d < terms_pitch; ++d)
      to[k * terms_pitch + d] = d <= degree ? from[d * window_pitch + window_padding + k] : Real(0);
}

template <class Real>
void GridWindow<Real>::make(const Decision& d) {
  const WindowPolynomials polynomials = polynomials_of(d);
  width_ = d.window.width, degree_ = polynomials.degree;
  fill(value_, polynomials.value, degree_, width_);
  fill(slope_, polynomials.slope, degree_, width_);
  turn(value_terms_, value_, degree_, width_);
  turn(slope_terms_, slope_, degree_, width_);
  const std::vector<double> taps = taps_of(d);
  taps_ = static_cast<int>(taps.size()) - 1;
  tap_.resize(taps_ + 1);
  for (int m = 0; m <= taps_; ++m) tap_[m] = static_cast<Real>(taps[static_cast<std::size_t>(m)]);
}

template <class Real>
GridView<Real> GridWindow<Real>::view(const PlacedCells& cells) const {
  GridView<Real> view;
  const int side = block_side(cells.lattice.axes);
  view.lattice = cells.lattice;
  view.width = width_, view.degree = degree_, view.taps = taps_, view.reach = (taps_ + side - 1) / side;
  view.value = value_.data(), view.slope = slope_.data(), view.tap = tap_.data();
  view.value_terms = value_terms_.data(), view.slope_terms = slope_terms_.data();
  cells.blocks.show(view);
  return view;
}

template class GridWindow<float>;
template class GridWindow<double>;

}  // namespace farfield::cpu

#include "backends/cpu/grid/window.hpp"

#include <tuple>
#include <vector>

#include "model/grid/price.hpp"
#include "model/grid/recent.hpp"

namespace farfield::cpu {

/// Share of the tolerance: the window's own error has the rest (windows_for).
static constexpr double of_polynomials = 0.01;

int reach_in_blocks(const Decision& d, int side) {
  const int taps = static_cast<int>(taps_of(d).size()) - 1;
  return (taps + side - 1) / side;
}

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
void GridWindow<Real>::make(const Decision& d) {
  thread_local Recent<std::tuple<int, double, double, bool>, WindowPolynomials> recent;
  const double error = of_polynomials * d.tolerance;
  const WindowPolynomials& polynomials = recent.get({d.window.width, d.window.shape, error, d.gradient},
                                                    [&] { return polynomials_of(d.window, error, d.gradient); });
  width_ = d.window.width, degree_ = polynomials.degree;
  fill(value_, polynomials.value, degree_, width_);
  fill(slope_, polynomials.slope, degree_, width_);
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
  cells.blocks.show(view);
  return view;
}

template class GridWindow<float>;
template class GridWindow<double>;

}  // namespace farfield::cpu

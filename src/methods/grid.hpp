// The Gaussian, or any kernel that is a product of one smooth function along each axis, by a grid, as a page. S is the
// set of stages that a backend offers.
//
//   K(x - y) = sum over points k, l of the grid of phi(x - k) c(k - l) phi(l - y)
//
//        strengths --spread--> grid --convolve, axis by axis--> grid --interpolate--> targets
//
// phi is a window of w points along each of d axes, c the taps that make up for it twice (model/grid/window.hpp). Only
// blocks of the grid near points are stored. With n sources and targets and g points of the grid: spread and
// interpolate O(n w^d), convolve O(g d taps); no operation depends on how far points lie from each other.
#pragma once
#include <concepts>

namespace farfield {

template <class S>
concept GridStages = requires(S& s, int axis) {
  { s.axes() } -> std::convertible_to<int>;
  s.spread();
  s.convolve(axis);
  s.interpolate();
};

template <GridStages S, class Time>
void grid(S& s, Time&& time) {
  time("spread", [&] { s.spread(); });  // g_l = sum_j q_j phi(l - y_j)
  time("convolve", [&] {
    for (int axis = 0; axis < s.axes(); ++axis) s.convolve(axis);  // g_k = sum_l c(k - l) g_l
  });
  time("interp", [&] { s.interpolate(); });  // u_i = sum_k g_k phi(x_i - k), and its derivative
}

}  // namespace farfield

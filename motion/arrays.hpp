// What the integrator asks of the bodies' arrays, wherever these lie. HostArrays is one answer; arrays in the memory of
// a device are another, and neither Leapfrog nor the diagnostics would change for them.
#pragma once
#include <array>
#include <concepts>
#include <farfield/views.hpp>

namespace farfield::motion {

using Vector = std::array<double, 3>;

/// Sums over all bodies, from which every diagnostic follows.
struct Sums {
  double mass = 0;
  double kinetic = 0;    ///< sum of m v^2 / 2
  double potential = 0;  ///< sum of m u / 2 with the potential u of the last evaluation
  Vector moment{};       ///< sum of m x; over the mass: the centre of mass
  Vector momentum{};     ///< sum of m v
  Vector angular{};      ///< sum of m x cross v, about the origin
};

/// kick(dt): v = v - dt gradient; drift(dt): x = x + dt v. `outputs` is where a plan puts potential and gradient.
/// sums() goes over all arrays: the same bits for any number of threads.
template <class T>
concept Arrays = requires(T arrays, const T& constant, double dt, int threads) {
  { constant.points() } -> std::same_as<Points>;
  { constant.strengths() } -> std::same_as<Strengths>;
  { arrays.outputs() } -> std::same_as<Outputs>;
  arrays.use_threads(threads);
  arrays.kick(dt);
  arrays.drift(dt);
  { constant.sums() } -> std::same_as<Sums>;
};

}  // namespace farfield::motion

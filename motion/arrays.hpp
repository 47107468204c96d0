// What the integrator asks of the bodies' arrays, wherever these lie: HostArrays, and on a device DeviceArrays.
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

constexpr void add(Sums& to, const Sums& more) {
  to.mass += more.mass, to.kinetic += more.kinetic, to.potential += more.potential;
  for (std::size_t c = 0; c < 3; ++c) {
    to.moment[c] += more.moment[c], to.momentum[c] += more.momentum[c], to.angular[c] += more.angular[c];
  }
}

/// What a body of mass m at x with velocity v and potential u adds.
constexpr Sums of_body(const double* x, const double* v, double m, double u) {
  Sums s;
  s.mass = m;
  s.kinetic = 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  s.potential = 0.5 * m * u;
  for (std::size_t c = 0; c < 3; ++c) s.moment[c] = m * x[c], s.momentum[c] = m * v[c];
  s.angular = {m * (x[1] * v[2] - x[2] * v[1]), m * (x[2] * v[0] - x[0] * v[2]), m * (x[0] * v[1] - x[1] * v[0])};
  return s;
}

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

// Clouds of points that trees find hard, each from a seed.
#pragma once
#include <cmath>
#include <farfield/views.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace farfield::test {

using Cloud = std::vector<double>;  // x y z x y z ...

/// Fills n points by calling place(point, index, uniform) with a generator of numbers in [0, 1).
template <class Place>
Cloud make_cloud(std::int64_t n, unsigned seed, const Place& place) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> number(0, 1);
  Cloud cloud(static_cast<std::size_t>(3 * n));
  for (std::int64_t i = 0; i < n; ++i) place(cloud.data() + 3 * i, i, [&] { return number(bits); });
  return cloud;
}

template <class Uniform>
void on_sphere(double* x, const Uniform& u, double radius) {
  const double z = 2 * u() - 1, phi = 6.283185307179586 * u(), s = std::sqrt(1 - z * z);
  x[0] = radius * s * std::cos(phi);
  x[1] = radius * s * std::sin(phi);
  x[2] = radius * z;
}

struct NamedCloud {
  std::string name;
  std::function<Cloud(std::int64_t, unsigned)> make;
};

/// A cloud that places each point on its own.
template <class Place>
NamedCloud named(std::string name, Place place) {
  return {std::move(name), [place](std::int64_t n, unsigned seed) { return make_cloud(n, seed, place); }};
}

inline std::vector<NamedCloud> all_clouds() {
  const auto uniform = [](double* x, std::int64_t, const auto& u) {
    for (int d = 0; d < 3; ++d) x[d] = u();
  };
  std::vector<NamedCloud> clouds;
  clouds.push_back(named("uniform", uniform));
  clouds.push_back(named("sphere", [](double* x, std::int64_t, const auto& u) { on_sphere(x, u, 1); }));
  clouds.push_back(named("plummer", [](double* x, std::int64_t, const auto& u) {
    double radius = 0;
    do radius = 1 / std::sqrt(std::pow(u() + 1e-12, -2.0 / 3) - 1);
    while (!(radius < 100));
    on_sphere(x, u, radius);
  }));
  clouds.push_back(named("line", [](double* x, std::int64_t, const auto& u) { x[0] = x[1] = x[2] = u(); }));
  clouds.push_back(named("axis", [](double* x, std::int64_t, const auto& u) { x[1] = u(); }));
  clouds.push_back(named("plane", [](double* x, std::int64_t, const auto& u) {
    x[0] = u();
    x[1] = u();
    x[2] = 0.5;
  }));
  clouds.push_back(named("two clusters", [=](double* x, std::int64_t i, const auto& u) {
    uniform(x, i, u);
    for (int d = 0; d < 3; ++d) x[d] *= 1e-3;
    if (i % 2) x[0] += 1;
  }));
  clouds.push_back(named("tiny clusters", [=](double* x, std::int64_t i, const auto& u) {
    uniform(x, i, u);
    for (int d = 0; d < 3; ++d) x[d] *= 1e-13;
    if (i % 2) x[0] += 1;
  }));
  clouds.push_back({"lattice", [](std::int64_t n, unsigned seed) {
                      const std::int64_t side = static_cast<std::int64_t>(std::ceil(std::cbrt(static_cast<double>(n))));
                      return make_cloud(n, seed, [side](double* x, std::int64_t i, const auto&) {
                        x[0] = static_cast<double>(i % side) / 8;
                        x[1] = static_cast<double>(i / side % side) / 8;
                        x[2] = static_cast<double>(i / side / side) / 8;
                      });
                    }});
  clouds.push_back({"spiral", [](std::int64_t n, unsigned seed) {
                      return make_cloud(n, seed, [n](double* x, std::int64_t i, const auto&) {
                        const double t = static_cast<double>(i) / static_cast<double>(n);
                        x[0] = t * t * std::cos(60 * t);
                        x[1] = t * t * std::sin(60 * t);
                        x[2] = 0.1 * t;
                      });
                    }});
  clouds.push_back(named("shifted", [=](double* x, std::int64_t i, const auto& u) {
    uniform(x, i, u);
    for (int d = 0; d < 3; ++d) x[d] += 1e6;
  }));
  clouds.push_back(named("coincident", [](double* x, std::int64_t, const auto&) { x[0] = x[1] = x[2] = 0.3; }));
  clouds.push_back(named("coincident groups", [](double* x, std::int64_t i, const auto& u) {
    for (int d = 0; d < 3; ++d) x[d] = i % 3 == 0 ? u() : i % 3 == 1 ? 0.1 : 0.1 + 1e-9;
  }));
  clouds.push_back(named("outlier", [=](double* x, std::int64_t i, const auto& u) {
    uniform(x, i, u);
    if (i == 1) x[0] = 1e12;
  }));
  clouds.push_back(named("outlier beyond", [=](double* x, std::int64_t i, const auto& u) {
    uniform(x, i, u);
    if (i == 0) x[2] = -1e250;
  }));
  return clouds;
}

}  // namespace farfield::test

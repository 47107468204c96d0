// The clouds that accuracy is judged on. Same kind, count, signs and seed: same numbers.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace farfield::testing {

enum class Kind { uniform, sphere, plummer, line, plane, two_clusters, lattice, spiral, shifted, apart, outside };
inline constexpr std::array all_kinds = {Kind::uniform, Kind::sphere,       Kind::plummer, Kind::line,
                                         Kind::plane,   Kind::two_clusters, Kind::lattice, Kind::spiral,
                                         Kind::shifted, Kind::apart,        Kind::outside};

inline const char* name(Kind kind) {
  constexpr const char* names[] = {"uniform", "sphere", "plummer", "line",  "plane",  "two_clusters",
                                   "lattice", "spiral", "shifted", "apart", "outside"};
  return names[static_cast<int>(kind)];
}

enum class Signs { positive, mixed };  ///< strengths in (0, 1) or (-1/2, 1/2)
inline const char* name(Signs signs) { return signs == Signs::positive ? "positive" : "mixed"; }

struct Cloud {
  std::string label;                     ///< unique per content: the oracle remembers by it
  std::vector<double> sources, targets;  ///< interleaved; targets are empty where they are the sources
  std::vector<double> strengths;
  bool apart() const { return !targets.empty(); }
  std::int64_t count() const { return static_cast<std::int64_t>(strengths.size()); }
  const std::vector<double>& where() const { return apart() ? targets : sources; }
};

using Place = std::array<double, 3>;

inline Place on_sphere(Stream& random) {
  const double z = random.between(-1, 1), angle = random.between(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/// Plummer's model of core radius 1, cut off at radius 100: density (1 + r^2)^(-5/2).
inline Place in_plummer(Stream& random) {
  double r = 101;
  while (r > 100) r = 1 / std::sqrt(std::pow(std::max(random.unit(), 1e-15), -2.0 / 3.0) - 1);
  const Place d = on_sphere(random);
  return {r * d[0], r * d[1], r * d[2]};
}

/// Two cubes of edge 1e-3 at distance 1.
inline Place in_two_clusters(Stream& random) {
  const double x = random.unit() < 0.5 ? 0 : 1;
  return {x + random.between(0, 1e-3), random.between(0, 1e-3), random.between(0, 1e-3)};
}

/// Three turns of a thin spiral.
inline Place in_spiral(Stream& random) {
  const double s = random.unit(), angle = 6 * std::numbers::pi * s;
  return {s * std::cos(angle), s * std::sin(angle), random.between(-0.01, 0.01)};
}

inline Place in_lattice(std::int64_t i, std::int64_t n) {
  const auto side = std::max<std::int64_t>(1, std::llround(std::ceil(std::cbrt(static_cast<double>(n)) - 1e-9)));
  return {static_cast<double>(i % side), static_cast<double>(i / side % side), static_cast<double>(i / side / side)};
}

inline Place in_cube(Stream& random, double low, double high) {
  return {random.between(low, high), random.between(low, high), random.between(low, high)};
}

inline Place place(Kind kind, Stream& random, std::int64_t i, std::int64_t n) {
  switch (kind) {
    case Kind::sphere:
      return on_sphere(random);
    case Kind::plummer:
      return in_plummer(random);
    case Kind::line: {
      const double t = random.unit();
      return {t, 0.37 * t, -0.81 * t};
    }
    case Kind::plane:
      return {random.unit(), random.unit(), 0.25};
    case Kind::two_clusters:
      return in_two_clusters(random);
    case Kind::lattice:
      return in_lattice(i, n);
    case Kind::spiral:
      return in_spiral(random);
    case Kind::shifted:
      return in_cube(random, 1e6, 1e6 + 1);
    default:
      return in_cube(random, 0, 1);
  }
}

/// Targets of the kinds that have their own: in the same cube, or in a shell around it that it does not touch.
inline Place target_place(Kind kind, Stream& random) {
  if (kind == Kind::apart) return in_cube(random, 0, 1);
  const Place d = on_sphere(random);
  const double r = random.between(1.5, 3);
  return {0.5 + r * d[0], 0.5 + r * d[1], 0.5 + r * d[2]};
}

inline Cloud make_cloud(Kind kind, std::int64_t n, Signs signs, std::uint64_t seed = 1) {
  Cloud cloud;
  cloud.label = std::string(name(kind)) + "/" + std::to_string(n) + "/" + name(signs) + "/" + std::to_string(seed);
  Stream random(seed);
  const auto put = [](std::vector<double>& to, const Place& p) { to.insert(to.end(), p.begin(), p.end()); };
  for (std::int64_t i = 0; i < n; ++i) put(cloud.sources, place(kind, random, i, n));
  if (kind == Kind::apart || kind == Kind::outside)
    for (std::int64_t i = 0; i < n; ++i) put(cloud.targets, target_place(kind, random));
  const double low = signs == Signs::mixed ? -0.5 : 0;
  for (std::int64_t i = 0; i < n; ++i) cloud.strengths.push_back(random.between(low, low + 1));
  return cloud;
}

inline Cloud with_coincident_points_and_an_outlier() {
  Cloud cloud = make_cloud(Kind::uniform, 5'000, Signs::mixed);
  cloud.label += "/with coincident points and an outlier";
  for (std::size_t i = 0; i < 600; ++i)
    for (std::size_t a = 0; a < 3; ++a) cloud.sources[3 * i + a] = 0.25;
  cloud.sources[6'000] = 1e12;
  return cloud;
}

}  // namespace farfield::testing

// What tests of distributed plans sum: seven clouds, random strengths, seeds that are printed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "support/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {

struct Named {
  const char* name;
  std::vector<double> (*make)(std::size_t count);
};

inline std::vector<double> uniform(std::size_t n) {
  return make_cloud(Kind::uniform, static_cast<std::int64_t>(n), Signs::mixed).sources;
}
inline std::vector<double> sphere(std::size_t n) {
  return make_cloud(Kind::sphere, static_cast<std::int64_t>(n), Signs::mixed).sources;
}
inline std::vector<double> plummer(std::size_t n) {
  return make_cloud(Kind::plummer, static_cast<std::int64_t>(n), Signs::mixed).sources;
}
inline std::vector<double> line(std::size_t n) {
  return make_cloud(Kind::line, static_cast<std::int64_t>(n), Signs::mixed).sources;
}
inline std::vector<double> clusters(std::size_t n) {
  return make_cloud(Kind::two_clusters, static_cast<std::int64_t>(n), Signs::mixed).sources;
}
/// A third of the points at one place, a third in pairs, the rest alone.
inline std::vector<double> coincident(std::size_t n) {
  std::vector<double> x = uniform(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      if (i % 3 == 0) x[3 * i + d] = 0.3;
      if (i % 3 == 1 && i >= 6) x[3 * i + d] = x[3 * (i - i % 6 + 1) + d];
    }
  return x;
}
inline std::vector<double> outlier(std::size_t n) {
  std::vector<double> x = plummer(n);
  x[3 * (n / 2)] = 1e7;
  return x;
}

inline const Named clouds[] = {{"uniform", uniform},   {"sphere", sphere},         {"plummer", plummer}, {"line", line},
                               {"clusters", clusters}, {"coincident", coincident}, {"outlier", outlier}};

inline std::vector<double> strengths_for(std::size_t count, std::uint64_t seed) {
  Stream random(seed);
  std::vector<double> q(count);
  for (double& one : q) one = random.between(-1, 1);
  return q;
}

inline std::uint64_t fresh_seed() {
  static const std::uint64_t seed = std::random_device{}();
  static const bool printed = (std::printf("seed %llu\n", static_cast<unsigned long long>(seed)), true);
  return seed + printed;
}

/// Targets apart from the sources, and strengths of both signs.
inline Cloud cloud_of(const std::vector<double>& sources, const std::vector<double>& targets) {
  Cloud c;
  c.sources = sources, c.targets = targets;
  c.strengths = strengths_for(sources.size() / 3, fresh_seed());
  return c;
}

}  // namespace farfield::testing

// Systems of water that bench/compare/waters.py writes, and the forces that molecules exert on one another.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <farfield/error.hpp>
#include <fstream>
#include <string>
#include <vector>

namespace farfield::bench {

/// A cuboid cell; positions are interleaved, and three atoms that follow one another are a molecule, which is whole.
struct Water {
  std::array<double, 3> lengths{};
  std::vector<double> x, q;
};

/// Of a file of raw doubles: the lengths, then x y z and charge of every atom.
inline Water read_water(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Water water;
  if (!file.read(reinterpret_cast<char*>(water.lengths.data()), sizeof water.lengths))
    throw Error(ErrorCode::input, "no water can be read from " + path);
  for (std::array<double, 4> atom{}; file.read(reinterpret_cast<char*>(atom.data()), sizeof atom);) {
    water.x.insert(water.x.end(), atom.begin(), atom.begin() + 3);
    water.q.push_back(atom[3]);
  }
  if (water.q.empty() || water.q.size() % 3 != 0)
    throw Error(ErrorCode::input, path + " does not hold molecules of three atoms");
  return water;
}

/// Of the gradient of all pairs, what is left without pairs within molecules.
inline std::vector<double> without_molecules(const std::vector<double>& x, const std::vector<double>& q,
                                             std::vector<double> gradient) {
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = i - i % 3; j < i - i % 3 + 3; ++j) {
      if (i == j) continue;
      const double d[3] = {x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]};
      const double r = std::hypot(d[0], d[1], d[2]);
      for (std::size_t a = 0; a < 3; ++a) gradient[3 * i + a] += q[j] * d[a] / (r * r * r);
    }
  return gradient;
}

/// Relative L2 error of the forces between molecules, where pairs within them are taken off exactly.
inline double error_of_forces(const std::vector<double>& x, const std::vector<double>& charges,
                              const std::vector<double>& found, const std::vector<double>& exact) {
  const std::vector<double> net = without_molecules(x, charges, exact);
  double square = 0, size = 0;
  for (std::size_t k = 0; k < net.size(); ++k) {
    const double q = charges[k / 3];
    square += q * q * (found[k] - exact[k]) * (found[k] - exact[k]), size += q * q * net[k] * net[k];
  }
  return std::sqrt(square / size);
}

}  // namespace farfield::bench

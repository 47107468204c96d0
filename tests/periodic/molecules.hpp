// Molecules in periodic cells, and their Coulomb sums pair by pair in long double, bonded pairs left out or scaled.
#pragma once
#include <farfield/coulomb.hpp>
#include <limits>

#include "periodic/cells.hpp"

namespace farfield::testing {

struct Molecules {
  std::vector<Vec> x;
  std::vector<double> q;
  std::vector<std::int64_t> pairs;  ///< two particles each
  std::vector<double> kept;
  Exclusions exclusions() const { return Exclusions::of_pairs(std::ssize(q), pairs, kept); }
};

/// Three atoms each, about 0.3 of `size` apart and neutral, anywhere in nine cells; of each pair `kept` stays, or,
/// where that is negative, any fraction.
inline Molecules molecules(int count, const Rows& cell, double size, double kept, Stream& random) {
  Molecules m;
  for (int i = 0; i < count; ++i) {
    const double at[3] = {random.between(-1, 2), random.between(-1, 2), random.between(-1, 2)};
    const double left = random.between(0.3, 0.7), total = random.between(0.5, 1.5);
    const double charges[3] = {-total, left * total, (1 - left) * total};
    for (const double q : charges) {
      Vec p{};
      for (std::size_t a = 0; a < 3; ++a)
        p[a] = at[0] * cell[0][a] + at[1] * cell[1][a] + at[2] * cell[2][a] + random.between(-0.3, 0.3) * size;
      m.x.push_back({static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])});
      m.q.push_back(q);
    }
    const std::int64_t first = 3 * i;
    for (const auto& [a, b] : {std::pair{0, 1}, {2, 0}, {1, 2}}) {
      m.pairs.insert(m.pairs.end(), {first + a, first + b});
      m.kept.push_back(kept < 0 ? random.unit() : kept);
    }
  }
  return m;
}

/// The shortest of d's images, by a search among many.
inline Vec shortest(const Vec& d, const Rows& cell, const Axes& axes) {
  const auto rows = Ewald::widened(cell);
  int most[3];
  for (int i = 0; i < 3; ++i) most[i] = axes[static_cast<std::size_t>(i)] ? 5 : 0;
  Vec best = d;
  for (int i = -most[0]; i <= most[0]; ++i)
    for (int j = -most[1]; j <= most[1]; ++j)
      for (int k = -most[2]; k <= most[2]; ++k) {
        const Vec image = sum(sum(sum(d, rows[0], i), rows[1], j), rows[2], k);
        if (dot(image, image) < dot(best, best)) best = image;
      }
  return best;
}

inline PeriodicSums sum_molecules(const Molecules& m, const Rows& cell, const Axes& axes) {
  PeriodicSums s = sum_pairs(Ewald(cell, axes), m.x, m.q);
  for (std::size_t k = 0; k < m.kept.size(); ++k) {
    const auto i = static_cast<std::size_t>(m.pairs[2 * k]), j = static_cast<std::size_t>(m.pairs[2 * k + 1]);
    const Vec d = shortest(sum(m.x[i], m.x[j], -1), cell, axes);
    const Real inverse = 1 / std::sqrt(dot(d, d)), less = 1 - m.kept[k];
    const Real energy = less * m.q[i] * m.q[j] * inverse, pull = energy * inverse * inverse;
    s.potential[i] -= less * m.q[j] * inverse, s.potential[j] -= less * m.q[i] * inverse;
    s.force[i] = sum(s.force[i], d, -pull), s.force[j] = sum(s.force[j], d, pull);
    s.energy -= energy;
    add_product(s.virial, d, d, -pull);
  }
  return s;
}

inline double difference_of(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
  return std::sqrt(error / size);
}

struct CoulombErrors {
  double potential = 0, forces = 0, energy = 0, virial = 0;
};
/// Of potential and forces over their L2 norms; of the energy over |q| |potential| / 2, as the promise for the
/// potential implies; of the virial over its own norm.
inline CoulombErrors errors_of(const CoulombSums& found, const PeriodicSums& exact, const std::vector<double>& q,
                               double constant = 1) {
  Real error[3] = {}, size[3] = {}, charge = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Real d = found.potential[i] / constant - exact.potential[i];
    error[0] += d * d, size[0] += exact.potential[i] * exact.potential[i], charge += Real(q[i]) * q[i];
    for (std::size_t a = 0; a < 3; ++a) {
      const Real f = found.forces[3 * i + a] / constant - exact.force[i][a];
      error[1] += f * f, size[1] += exact.force[i][a] * exact.force[i][a];
    }
  }
  for (std::size_t s = 0; s < 6; ++s) {
    const Real w = found.virial[s] / constant - exact.virial[s], times = s < 3 ? 1 : 2;
    error[2] += times * w * w, size[2] += times * exact.virial[s] * exact.virial[s];
  }
  const auto ratio = [&](int part) { return static_cast<double>(std::sqrt(error[part] / size[part])); };
  return {ratio(0), ratio(1),
          static_cast<double>(std::fabs(found.energy / constant - exact.energy) * 2 / std::sqrt(charge * size[0])),
          ratio(2)};
}

}  // namespace farfield::testing

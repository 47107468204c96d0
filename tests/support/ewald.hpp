// The oracle of periodic sums: Ewald's, pair by pair, in long double, for one, two or three periodic axes (rows of the
// cell) and any cell. Slow, and shares nothing with the library. The medium outside conducts (tin-foil); with three
// axes a net charge has its uniform background. With two or one the mean of the potential of a unit charge over planes
// z = const is -2 pi |z| / A, over lines -(2/L) log(rho/L): constants that no neutral set of charges sees.
//
// Two axes: Parry, Surf. Sci. 49 (1975) 433; one axis: the integral over t of exp(-t^2 rho^2 - k^2/(4 t^2)) / t, which
// is an incomplete Bessel function, by quadrature. The results of two values of `split` must agree.
//
// Virials: under a strain e of cell and positions k.r of waves stays, but for 2 (k.e n) (n.r) across a plane or a line,
// n the direction there; |k|^2 loses 2 k.e k, what lies across gains as lengths do.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace farfield::testing {

using Real = long double;
using Vec = std::array<Real, 3>;
using Rows = std::array<std::array<double, 3>, 3>;
using Axes = std::array<bool, 3>;

inline Real dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec sum(const Vec& a, const Vec& b, Real factor = 1) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
/// xx yy zz xy xz yz
using Six = std::array<Real, 6>;
inline constexpr int six_places[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
/// w + factor (a b + b a)/2
inline void add_product(Six& w, const Vec& a, const Vec& b, Real factor) {
  for (int s = 0; s < 6; ++s) {
    const auto [i, j] = six_places[s];
    w[s] += factor * (a[i] * b[j] + a[j] * b[i]) / 2;
  }
}
inline void add_unit(Six& w, Real factor) {
  for (int s = 0; s < 3; ++s) w[s] += factor;
}
inline constexpr Real pi = std::numbers::pi_v<Real>, euler = std::numbers::egamma_v<Real>;

/// The periodic vectors, then unit vectors across them; `dual[i]` . `row[j]` = delta_ij.
struct Lattice {
  Lattice(const std::array<Vec, 3>& cell, const Axes& axes) {
    for (int i = 0; i < 3; ++i)
      if (axes[i]) row[count++] = cell[i];
    if (count == 1) {
      Vec unit{};
      const auto& a = row[0];
      unit[std::fabs(a[0]) < std::fabs(a[1]) ? (std::fabs(a[0]) < std::fabs(a[2]) ? 0 : 2)
                                             : (std::fabs(a[1]) < std::fabs(a[2]) ? 1 : 2)] = 1;
      row[1] = normal(row[0], unit);
    }
    if (count < 3) row[2] = normal(row[0], row[1]);
    const Real triple = dot(row[0], cross(row[1], row[2]));
    for (int i = 0; i < 3; ++i) {
      dual[i] = cross(row[(i + 1) % 3], row[(i + 2) % 3]);
      for (Real& value : dual[i]) value /= triple;
    }
    measure = std::fabs(triple);
  }
  static Vec normal(const Vec& a, const Vec& b) {
    Vec c = cross(a, b);
    const Real length = std::sqrt(dot(c, c));
    for (Real& value : c) value /= length;
    return c;
  }
  /// All whole combinations of `basis` that are shorter than `reach`; `inverse`: its dual basis.
  std::vector<Vec> within(Real reach, const std::array<Vec, 3>& basis, const std::array<Vec, 3>& inverse) const {
    int most[3] = {0, 0, 0};
    for (int i = 0; i < count; ++i) most[i] = static_cast<int>(reach * std::sqrt(dot(inverse[i], inverse[i])) + 1);
    std::vector<Vec> found;
    for (int i = -most[0]; i <= most[0]; ++i)
      for (int j = -most[1]; j <= most[1]; ++j)
        for (int k = -most[2]; k <= most[2]; ++k) {
          const Vec n = sum(sum(sum({0, 0, 0}, basis[0], i), basis[1], j), basis[2], k);
          if (dot(n, n) <= reach * reach) found.push_back(n);
        }
    return found;
  }

  int count = 0;
  std::array<Vec, 3> row, dual;
  Real measure = 0;  ///< volume, area or length
};

/// integral_1^inf exp(-x t - y/t) dt / t and its derivatives by y and x, in v = log t by Gauss and Legendre's rule.
inline std::array<Real, 3> incomplete_bessel(Real x, Real y) {
  constexpr int points = 16;
  static const auto rule = [] {
    std::array<std::array<Real, 2>, points> nodes{};
    for (int i = 0; i < points; ++i) {
      Real z = std::cos(pi * (i + 0.75L) / (points + 0.5L)), slope = 1;
      for (int step = 0; step < 100; ++step) {
        Real p = 1, before = 0;
        for (int n = 1; n <= points; ++n) {
          const Real next = ((2 * n - 1) * z * p - (n - 1) * before) / n;
          before = p, p = next;
        }
        slope = points * (z * p - before) / (z * z - 1);
        z -= p / slope;
      }
      nodes[i] = {z, 2 / ((1 - z * z) * slope * slope)};
    }
    return nodes;
  }();
  const Real end = std::log(48 / x);
  std::array<Real, 3> total{};
  if (end <= 0) return total;
  const int panels = static_cast<int>(end * 2) + 1;
  const Real half = end / (2 * panels);
  for (int panel = 0; panel < panels; ++panel)
    for (const auto& [z, weight] : rule) {
      const Real t = std::exp((2 * panel + 1 + z) * half);
      const Real value = weight * half * std::exp(-x * t - y / t);
      total[0] += value, total[1] -= value / t, total[2] -= value * t;
    }
  return total;
}

/// integral_0^x (1 - exp(-t)) / t dt as a series of positive terms.
inline Real entire_exponential_integral(Real x) {
  if (x > 60) return euler + std::log(x);
  Real term = std::exp(-x), harmonic = 0, total = 0;
  for (int n = 1; n < 300; ++n) {
    term *= x / n, harmonic += Real(1) / n;
    total += term * harmonic;
  }
  return total;
}

class Ewald {
 public:
  struct Value {
    Real u = 0;
    Vec g{};  ///< gradient
    Six w{};  ///< minus the derivative by a strain of the cell and of r
  };
  /// `split`: the alpha of erfc(alpha r)/r in units of 1/the mean distance of images; results do not depend on it.
  Ewald(const std::array<Vec, 3>& cell, const Axes& axes, Real split = 1.8L) : lattice_(cell, axes) {
    if (lattice_.count == 0) return;
    alpha_ = split / std::pow(lattice_.measure, Real(1) / lattice_.count);
    Real half_diagonal = 0;
    for (int i = 0; i < lattice_.count; ++i) half_diagonal += std::sqrt(dot(lattice_.row[i], lattice_.row[i])) / 2;
    images_ = lattice_.within(reach / alpha_ + half_diagonal, lattice_.row, lattice_.dual);
    for (Vec k : lattice_.within(reach * alpha_ / pi, lattice_.dual, lattice_.row)) {
      for (Real& value : k) value *= 2 * pi;
      if (k > Vec{0, 0, 0}) waves_.push_back(k);  // one of k and -k
    }
  }
  Ewald(const Rows& cell, const Axes& axes, Real split = 1.8L) : Ewald(widened(cell), axes, split) {}
  static std::array<Vec, 3> widened(const Rows& cell) {
    std::array<Vec, 3> rows;
    for (int i = 0; i < 3; ++i)
      for (int a = 0; a < 3; ++a) rows[i][a] = cell[i][a];
    return rows;
  }

  /// The potential at r of a unit charge at 0 and of its images; without the image at r, where there is one.
  Value at(Vec r) const {
    for (int i = 0; i < lattice_.count; ++i) r = sum(r, lattice_.row[i], -std::round(dot(r, lattice_.dual[i])));
    Value v;
    if (lattice_.count == 0) {
      if (dot(r, r) > 0) add_radial(r, 1 / std::sqrt(dot(r, r)), -1 / dot(r, r), v);
      return v;
    }
    for (const Vec& n : images_) add_near(sum(r, n), v);
    if (lattice_.count == 3) add_space(r, v);
    if (lattice_.count == 2) add_plane(r, v);
    if (lattice_.count == 1) add_line(r, v);
    return v;
  }

 private:
  static constexpr Real reach = 6.6L;  // exp(-reach^2) = 1e-19

  static void add_radial(const Vec& r, Real value, Real slope, Value& v) {
    const Real length = std::sqrt(dot(r, r));
    v.u += value;
    v.g = sum(v.g, r, slope / length);
    add_product(v.w, r, r, -slope / length);
  }
  void add_near(const Vec& r, Value& v) const {
    const Real square = dot(r, r), length = std::sqrt(square);
    if (square == 0) {
      v.u -= 2 * alpha_ / std::sqrt(pi);
    } else if (length * alpha_ < reach) {
      const Real value = std::erfc(alpha_ * length) / length;
      add_radial(r, value, -(value + 2 * alpha_ / std::sqrt(pi) * std::exp(-alpha_ * alpha_ * square)) / length, v);
    }
  }
  void add_space(const Vec& r, Value& v) const {
    v.u -= pi / (alpha_ * alpha_ * lattice_.measure);
    add_unit(v.w, -pi / (alpha_ * alpha_ * lattice_.measure));
    for (const Vec& k : waves_) {
      const Real square = dot(k, k), phase = dot(k, r);
      const Real weight = 8 * pi / lattice_.measure * std::exp(-square / (4 * alpha_ * alpha_)) / square;
      v.u += weight * std::cos(phase);
      v.g = sum(v.g, k, -weight * std::sin(phase));
      add_unit(v.w, weight * std::cos(phase));
      add_product(v.w, k, k, -2 * weight * std::cos(phase) * (1 / (4 * alpha_ * alpha_) + 1 / square));
    }
  }
  void add_plane(const Vec& r, Value& v) const {
    const Vec& normal = lattice_.row[2];
    const Real z = dot(r, normal), area = lattice_.measure;
    const Real sheet = -2 * std::sqrt(pi) / area *
                       (std::exp(-alpha_ * alpha_ * z * z) / alpha_ + std::sqrt(pi) * z * std::erf(alpha_ * z));
    v.u += sheet;
    v.g = sum(v.g, normal, -2 * pi / area * std::erf(alpha_ * z));
    add_unit(v.w, sheet);
    add_product(v.w, normal, normal, 2 * pi / area * std::erf(alpha_ * z) * z - sheet);
    for (const Vec& k : waves_) {
      const Real length = std::sqrt(dot(k, k)), phase = dot(k, r);
      const Real up = std::exp(length * z) * std::erfc(length / (2 * alpha_) + alpha_ * z);
      const Real down = std::exp(-length * z) * std::erfc(length / (2 * alpha_) - alpha_ * z);
      const Real weight = 2 * pi / (area * length);
      v.u += weight * std::cos(phase) * (up + down);
      v.g = sum(v.g, k, -weight * std::sin(phase) * (up + down));
      v.g = sum(v.g, normal, weight * std::cos(phase) * length * (up - down));
      const Real gauss = std::exp(-length * length / (4 * alpha_ * alpha_) - alpha_ * alpha_ * z * z);
      const Real by_length = z * (up - down) - 2 / (alpha_ * std::sqrt(pi)) * gauss - (up + down) / length;
      add_unit(v.w, weight * std::cos(phase) * (up + down));
      add_product(v.w, normal, normal, -weight * std::cos(phase) * (up + down + z * length * (up - down)));
      add_product(v.w, k, k, weight * std::cos(phase) * by_length / length);
      add_product(v.w, k, normal, 2 * z * weight * std::sin(phase) * (up + down));
    }
  }
  void add_line(const Vec& r, Value& v) const {
    const Real length = lattice_.measure, z = dot(r, lattice_.row[0]) / length;
    const Vec across = sum(r, lattice_.row[0], -z / length);
    const Real square = dot(across, across), y = alpha_ * alpha_ * square;
    const Vec axis = sum({0, 0, 0}, lattice_.row[0], 1 / length);
    const Real mean = (euler + 2 * std::log(alpha_ * length) - entire_exponential_integral(y)) / length;
    v.u += mean;
    if (square > 0) v.g = sum(v.g, across, 2 * std::expm1(-y) / (square * length));
    if (square > 0) add_product(v.w, across, across, -2 * std::expm1(-y) / (square * length));
    add_product(v.w, axis, axis, mean - 2 / length);
    for (const Vec& k : waves_) {
      const auto [value, slope, by_x] = incomplete_bessel(dot(k, k) / (4 * alpha_ * alpha_), y);
      const Real phase = dot(k, r);
      v.u += 2 / length * std::cos(phase) * value;
      v.g = sum(v.g, k, -2 / length * std::sin(phase) * value);
      v.g = sum(v.g, across, 2 / length * std::cos(phase) * slope * 2 * alpha_ * alpha_);
      add_product(v.w, axis, axis, 2 / length * std::cos(phase) * value);
      add_product(v.w, k, k, 2 / length * std::cos(phase) * by_x / (2 * alpha_ * alpha_));
      add_product(v.w, across, across, -2 / length * std::cos(phase) * slope * 2 * alpha_ * alpha_);
      add_product(v.w, across, k, 2 * 2 / length * std::sin(phase) * value);
    }
  }

  Lattice lattice_;
  Real alpha_ = 0;
  std::vector<Vec> images_, waves_;
};

struct PeriodicSums {
  std::vector<Real> potential;
  std::vector<Vec> force;  ///< charge times field
  Real energy = 0;
  Six virial{};
};

inline PeriodicSums sum_pairs(const Ewald& ewald, const std::vector<Vec>& x, const std::vector<double>& q) {
  const std::size_t n = x.size();
  PeriodicSums s{std::vector<Real>(n), std::vector<Vec>(n), 0, {}};
  const auto itself = ewald.at({0, 0, 0});
  std::vector<Ewald::Value> values(n * (n - 1) / 2);
#pragma omp parallel for schedule(dynamic, 4) if (n > 20)
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) values[i * (i - 1) / 2 + j] = ewald.at(sum(x[i], x[j], -1));
  for (std::size_t i = 0; i < n; ++i) {
    s.potential[i] += q[i] * itself.u;
    for (int part = 0; part < 6; ++part) s.virial[part] += q[i] * q[i] * itself.w[part] / 2;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& v = values[i * (i - 1) / 2 + j];
      s.potential[i] += q[j] * v.u;
      s.potential[j] += q[i] * v.u;
      s.force[i] = sum(s.force[i], v.g, -q[i] * q[j]);
      s.force[j] = sum(s.force[j], v.g, q[i] * q[j]);
      for (int part = 0; part < 6; ++part) s.virial[part] += q[i] * q[j] * v.w[part];
    }
  }
  for (std::size_t i = 0; i < n; ++i) s.energy += q[i] * s.potential[i] / 2;
  return s;
}

/// Potential and force of every `step`-th charge alone, from the first on: what all pairs of hundreds would take seconds for.
inline PeriodicSums sum_some(const Ewald& ewald, const std::vector<Vec>& x, const std::vector<double>& q, std::size_t step) {
  const std::size_t count = (x.size() + step - 1) / step;
  PeriodicSums s{std::vector<Real>(count), std::vector<Vec>(count), 0, {}};
#pragma omp parallel for schedule(dynamic)
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto v = ewald.at(sum(x[k * step], x[j], -1));
      s.potential[k] += q[j] * v.u;
      if (j != k * step) s.force[k] = sum(s.force[k], v.g, -q[k * step] * q[j]);
    }
  return s;
}

/// W_ab = -dE/d(strain_ab) of the cell and the positions together, symmetrised: by differences of fourth order, whose
/// error with this step is below 1e-13 of the energy. Order: xx yy zz xy xz yz.
inline Six strain_virial(const Rows& cell, const Axes& axes, const std::vector<Vec>& x, const std::vector<double>& q) {
  constexpr Real step = 2e-4L;
  Six w{};
  for (int part = 0; part < 6; ++part)
    for (const int times : {-2, -1, 1, 2}) {
      const auto strained = [&](Vec v) {
        const auto [a, b] = six_places[part];
        Vec moved = v;
        moved[a] += times * step * v[b] / 2, moved[b] += times * step * v[a] / 2;
        return moved;
      };
      auto rows = Ewald::widened(cell);
      for (Vec& row : rows) row = strained(row);
      std::vector<Vec> points;
      for (const Vec& point : x) points.push_back(strained(point));
      const Real weight = (times > 0 ? 1 : -1) * (times * times == 1 ? 8 : -1) / (12 * step);
      w[part] -= weight * sum_pairs(Ewald(rows, axes), points, q).energy;
    }
  return w;
}

}  // namespace farfield::testing

// The near images pair by pair and the lattice operator for all others are the slow Ewald sum, up to the truncation.
#include "expansions/periodic/lattice_operator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "expansions/laplace_basis.hpp"
#include "periodic/crystals.hpp"

namespace farfield::testing {
namespace {

std::vector<double> regular(int degree, const Vector3& u) {
  std::vector<double> value(static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree)));
  const auto table = LaplaceBasis::recurrence_table(degree);
  LaplaceBasis::columns(degree, table.data(), u[0], u[1], u[2], laplace::StoreFunctions<double>{value.data()});
  return value;
}

struct Trial {
  Rows rows;
  Axes axes;
  double edge;
  std::vector<Vector3> u;  ///< in edges about the root's centre
  std::vector<double> q;
};

/// Charges in the ball of this radius, in edges; their sum is `charge`.
Trial charges(const Rows& rows, const Axes& axes, double edge, double radius, double charge, Stream& random) {
  Trial t{rows, axes, edge, {}, {}};
  while (t.q.size() < 12) {
    Vector3 u;
    for (double& value : u) value = random.between(-radius, radius);
    if (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] > radius * radius) continue;
    t.u.push_back(u);
    t.q.push_back(random.between(-1, 1));
  }
  for (std::size_t i = 1; i < t.q.size(); ++i) t.q[0] -= t.q[i];
  t.q[0] += charge;
  return t;
}

std::vector<Real> slow(const Trial& t) {
  std::vector<Vec> x;
  for (const Vector3& u : t.u) x.push_back({Real(u[0]) * t.edge, Real(u[1]) * t.edge, Real(u[2]) * t.edge});
  return sum_pairs(Ewald(t.rows, t.axes), x, t.q).potential;
}

std::vector<Real> fast(const Trial& t, int degree) {
  const UnitCell cell(t.rows, t.axes);
  const auto near = near_cells(cell, t.edge);
  const LatticeOperator lattice(cell, t.edge, degree, near);
  std::vector<double> multipole(static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree)));
  std::vector<double> local(multipole.size());
  RootMoments moments;
  for (std::size_t j = 0; j < t.q.size(); ++j) {
    const auto r = regular(degree, t.u[j]);
    for (std::size_t i = 0; i < r.size(); ++i) multipole[i] += t.q[j] * r[i];
    for (int a = 0; a < 3; ++a) moments.second += t.q[j] * t.u[j][a] * t.u[j][a];
  }
  const double quadratic = lattice.apply(multipole.data(), moments, local.data());
  std::vector<Real> potential;
  for (std::size_t i = 0; i < t.q.size(); ++i) {
    const Vector3& u = t.u[i];
    const auto r = regular(degree, u);
    Real value = quadratic * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (std::size_t k = 0; k < r.size(); ++k) value += Real(local[k]) * r[k];
    for (const CellIndex& n : near)
      for (std::size_t j = 0; j < t.q.size(); ++j) {
        const Vector3 shift = cell.displacement(n);
        Vec d;
        for (int a = 0; a < 3; ++a) d[a] = Real(u[a]) - t.u[j][a] + Real(shift[a]) / t.edge;
        if (dot(d, d) > 0) value += t.q[j] / std::sqrt(dot(d, d));
      }
    potential.push_back(value / t.edge);
  }
  return potential;
}

/// Largest error of a potential, times the edge over the sum of |q|.
double error(const std::vector<Real>& found, const std::vector<Real>& expected, const Trial& t) {
  Real worst = 0, size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::fabs(found[i] - expected[i]));
  for (const double q : t.q) size += std::fabs(q);
  return static_cast<double>(worst * t.edge / size);
}

/// Charges within a ball of radius s, far images at least d away: the first terms left out are of degree p + 1 on one
/// side, (s / (d - s))^(p+1). Even sums fall in steps of two degrees.
TEST(LatticeOperator, ErrorFallsWithTheDegreeAtThePredictedSlope) {
  constexpr unsigned seed = 2412;
  std::printf("seed %u, ball of 0.4 edges, far images 2 edges away: slope 0.25 a degree\n", seed);
  Stream random(seed);
  for (int axes = 1; axes < 8; ++axes) {
    const Axes periodic = axes_of(axes);
    const Trial t = charges(box(1, 1, 1), periodic, 1, 0.4, 0, random);
    const auto expected = slow(t);
    std::printf("axes %d%d%d:", periodic[0], periodic[1], periodic[2]);
    double errors[3], slope = 0.25;
    for (int i = 0; i < 3; ++i) {
      const int degree = 4 + 6 * i;
      errors[i] = error(fast(t, degree), expected, t);
      std::printf("  p %d %.1e", degree, errors[i]);
      EXPECT_LE(errors[i], 2 * std::pow(slope, degree + 1)) << degree;
    }
    std::printf("\n");
    EXPECT_GT(errors[0], 1e-9);  // the bound is no empty one
    EXPECT_GT(errors[0] / errors[1], 0.2 * std::pow(slope, -6));
  }
}

TEST(LatticeOperator, RandomCellsAndWholeRoots) {
  constexpr unsigned seed = 2413;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int trial = 0; trial < 24; ++trial) {
    const int axes = 1 + trial % 7;
    const Axes periodic = axes_of(axes);
    const double charge = axes == 7 ? 1 : 0;
    Rows rows = random_cell(random, 0.3);
    const double unit = std::pow(10, random.between(-3, 3));
    for (auto& row : rows)
      for (double& value : row) value *= unit;
    const Trial t = charges(rows, periodic, unit * random.between(0.9, 1.3), 0.86, charge, random);
    const auto expected = slow(t);
    const double coarse = error(fast(t, 8), expected, t), fine = error(fast(t, 24), expected, t);
    std::printf("axes %d%d%d edge %.3g: p 8 %.1e, p 24 %.1e\n", periodic[0], periodic[1], periodic[2], t.edge, coarse,
                fine);
    EXPECT_LE(coarse, 3 * std::pow(0.7637, 9)) << trial;
    EXPECT_LE(fine, 0.02 * std::pow(0.7637, 25)) << trial;
  }
}

/// The sums of the strained lattice, whose images are counted as before.
LatticeSums sums_under_strain(const Rows& rows, const Axes& axes, const std::vector<CellIndex>& near, int part,
                              double strain) {
  const auto [a, b] = six_places[part];
  Rows moved = rows;
  for (std::size_t i = 0; i < 3; ++i) moved[i][a] += strain / 2 * rows[i][b], moved[i][b] += strain / 2 * rows[i][a];
  return lattice_sums(UnitCell(moved, axes), 1, 16, near);
}

/// By differences of fourth order, whose error with this step is 1e-10 of the terms.
TEST(LatticeOperator, StrainSlopesAreDerivatives) {
  const unsigned seed = 2415;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int bits = 1; bits < 8; ++bits) {
    const Axes axes = axes_of(bits);
    Rows rows = random_cell(random, 0.2);
    for (std::size_t i = 0; i < 3; ++i)
      for (double& value : rows[i]) value *= 1 + 0.1 * static_cast<double>(i);  // of different lengths, in this order
    const auto near = near_cells(UnitCell(rows, axes), 1);
    const auto slopes = strain_slopes(UnitCell(rows, axes), 1, 16, near);
    constexpr double step = 1e-3;
    for (int part = 0; part < 6; ++part) {
      const auto at = [&](int times) { return sums_under_strain(rows, axes, near, part, times * step); };
      const LatticeSums sums[] = {at(-2), at(-1), at(1), at(2)};
      const auto slope = [&](auto&& value) {
        return (value(sums[0]) - 8 * value(sums[1]) + 8 * value(sums[2]) - value(sums[3])) / (12 * step);
      };
      const LatticeSums& found = slopes[static_cast<std::size_t>(part)];
      double size = 1, error = std::fabs(found.quadratic - slope([](const LatticeSums&s) { return s.quadratic; }));
      for (std::size_t i = 0; i < found.far.size(); ++i) {
        size = std::max(size, std::fabs(found.far[i]));
        error = std::max(error, std::fabs(found.far[i] - slope([&](const LatticeSums& s) { return s.far[i]; })));
      }
      EXPECT_LE(error, 2e-9 * size) << "axes " << bits << ", strain " << part;
    }
  }
}

TEST(LatticeOperator, ReachesRounding) {
  constexpr unsigned seed = 2414;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  const struct {
    Rows rows;
    Axes axes;
    double edge;
  } cases[] = {{box(1, 1, 1), {true, true, true}, 1},  {triclinic, {true, true, true}, 1.2},
               {hexagonal(1), {true, true, false}, 1}, {box(1, 1, 1), {false, false, true}, 1},
               {box(1, 1, 4), {true, true, true}, 1},  {box(4, 4, 1), {true, true, true}, 1},
               {box(1, 8, 1), {true, true, false}, 1}, {box(1, 1, 5), {true, true, true}, 5},
               {box(1, 5, 1), {true, true, false}, 5}, {box(1, 1, 1), {false, false, true}, 4.7}};
  for (const auto& c : cases) {
    const Trial t = charges(c.rows, c.axes, c.edge, 0.4, c.axes == Axes{true, true, true} ? 1 : 0, random);
    const double found = error(fast(t, 28), slow(t), t);
    std::printf("edge %g: %.1e\n", c.edge, found);
    EXPECT_LE(found, 3e-14);
  }
}

/// 1 ms is what a change of the cell may cost in a run of molecular dynamics; busy machines and sanitizers get fifty.
/// Prints what it takes; what a millisecond is depends on the machine.
TEST(LatticeOperator, IsMadeAndApplied) {
  for (const Axes& axes : {Axes{true, true, true}, Axes{true, true, false}, Axes{true, false, false}}) {
    const UnitCell cell(triclinic, axes);
    const auto near = near_cells(cell, 1);
    std::vector<double> multipole(441, 0.1), local(441);
    double make = 1, apply = 1;
    for (int i = 0; i < 5; ++i) {
      using Clock = std::chrono::steady_clock;
      const auto start = Clock::now();
      const LatticeOperator lattice(cell, 1, 20, near);
      const auto made = Clock::now();
      lattice.apply(multipole.data(), {}, local.data());
      make = std::min(make, std::chrono::duration<double>(made - start).count());
      apply = std::min(apply, std::chrono::duration<double>(Clock::now() - made).count());
    }
    std::printf("%d axes, degree 20: tables %.3f ms, apply %.3f ms\n", cell.periodic_count(), 1e3 * make, 1e3 * apply);
    for (const double term : local) EXPECT_TRUE(std::isfinite(term));
  }
}

}  // namespace
}  // namespace farfield::testing

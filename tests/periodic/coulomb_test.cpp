// Coulomb sums of molecules against the slow Ewald sums, pair by pair: exclusions, surfaces, units, runs, refusals.
// FARFIELD_TEST_BACKEND=cuda sums on a device (cuda.coulomb).
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "periodic/molecules.hpp"

namespace farfield::testing {
namespace {

constexpr Axes xyz{true, true, true}, xy{true, true, false}, only_z{false, false, true}, open{false, false, false};

/// Prints and gives the seed of a test.
unsigned new_seed() {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  return seed;
}

Options with_virial(const Rows& cell, const Axes& axes, double tolerance) {
  Options o = in_cell(cell, axes, tolerance);
  o.virial = true;
  return o;
}

struct FourCase {
  Rows cell;
  Axes axes;
  double neutral, charged;
};
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
const std::vector<FourCase> four_cases = {{box(1, 1, 1), xyz, -7.432377394252, -8.0910578333534},
                                          {box(1, 1, 8), xyz, -6.5735951001917, -0.26529618177483},
                                          {box(1, 1, 20), xyz, -6.4672718238217, 6.3992981085046},
                                          {box(8, 8, 1), xyz, -4.8712138863285, -4.7836023660985},
                                          {triclinic, xyz, -8.031924154012, -7.7044136186146},
                                          {hexagonal(1.633), xyz, -8.8121150583802, -7.4757522267951},
                                          {box(1, 1, 1), xy, -6.396389639575, no_number},
                                          {hexagonal(1), xy, -7.81166859328, no_number},
                                          {box(1, 1, 1), only_z, -4.81619010556, no_number},
                                          {box(1, 1, 1), open, -6.046859357648, no_number}};

/// Energies to the digits that are known; energies of charges add up, and the virial's trace is the energy.
TEST(Coulomb, FourChargesInTenCells) {
  constexpr double tolerance = 1e-11, digits = 2e-12;  // of the references
  for (const FourCase& c : four_cases)
    for (const bool charged : {false, true}) {
      const std::vector<double> x = flat(four_x), q = charged ? four_q_charged : four_q;
      const double energy = charged ? c.charged : c.neutral;
      const bool is_long = c.cell[2][2] > 2;  // whose virials take seconds
      const Options o = is_long ? in_cell(c.cell, c.axes, tolerance) : with_virial(c.cell, c.axes, tolerance);
      const auto sum = [&] { return Coulomb(points(x), o).evaluate(q); };
      if (std::isnan(energy)) {
        if (c.axes != open) expect_refusal("the charges add up to 1; with ", sum);
        continue;
      }
      const CoulombSums found = sum();
      EXPECT_NEAR(found.energy, energy, 30 * tolerance + digits * std::fabs(energy));
      EXPECT_NEAR(std::accumulate(found.energies.begin(), found.energies.end(), 0.0), energy, 1e-9);
      EXPECT_NEAR(found.virial[0] + found.virial[1] + found.virial[2], is_long ? 0 : energy, 1e-9);
      EXPECT_NEAR(found.charge, std::accumulate(q.begin(), q.end(), 0.0), 1e-15);
      for (const double component : found.net_force) EXPECT_NEAR(component, 0, 1e-9);
    }
}

/// The promise, with exclusions of every kind: any axes, cells and fractions, long double as the judge.
TEST(Coulomb, KeepsItsPromiseOfFewMolecules) {
  Stream random(new_seed());
  for (int trial = 0; trial < 16; ++trial) {
    const Axes axes = axes_of(trial % 8);
    const Rows cell = random_cell(random, 0.3);
    const Molecules m = molecules(8 + static_cast<int>(random.below(25)), cell, 0.15, trial % 3 == 0 ? 0 : -1, random);
    const PeriodicSums exact = sum_molecules(m, cell, axes);
    const std::vector<double> x = flat(m.x);
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      Coulomb sum(points(x), with_virial(cell, axes, tolerance), {}, m.exclusions());
      const CoulombSums& found = sum.evaluate(m.q);
      const CoulombErrors e = errors_of(found, exact, m.q);
      std::printf("axes %d%d%d, N = %zu: %g: %.2g %.2g, energy %.2g, virial %.2g\n", axes[0], axes[1], axes[2],
                  m.q.size(), tolerance, e.potential, e.forces, e.energy, e.virial);
      // Where a thousandth is left, 1e-10 of it may be beyond what plans promise: then the report says so.
      const bool warned = !found.report.warnings.empty();
      EXPECT_TRUE(!warned || tolerance < 1e-9) << found.report.warnings[0];
      EXPECT_TRUE(e.potential <= tolerance || warned);
      EXPECT_TRUE(e.forces <= tolerance || warned);
      EXPECT_LE(e.energy, tolerance);
      EXPECT_LE(e.virial, 30 * tolerance);  // a bound of its own (docs/mathematics/periodic.md); measured: 2
    }
  }
}

/// Thousands of molecules go through trees; a sum of 1e-11 judges. In single the part that bonds have is taken off in
/// double: either the promise is kept, or the report says that it may not be.
TEST(Coulomb, KeepsItsPromiseOfManyMolecules) {
  Stream random(new_seed());
  for (int trial = 0; trial < 5; ++trial) {
    const Axes axes = axes_of(std::array{7, 3, 4, 0, 7}[static_cast<std::size_t>(trial)]);
    const Rows cell = random_cell(random, 0.2);
    const Molecules m = molecules(1500, cell, 0.03, 0, random);
    const std::vector<double> x = flat(m.x);
    const CoulombSums exact = Coulomb(points(x), in_cell(cell, axes, 1e-11), {}, m.exclusions()).evaluate(m.q);
    for (const Precision precision : {Precision::automatic, Precision::single_})
      for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-7}) {
        if (precision == Precision::single_ && tolerance < 1e-6) continue;
        Options o = in_cell(cell, axes, tolerance);
        o.method = Method::fmm, o.precision = precision;
        Coulomb sum(points(x), o, {}, m.exclusions());
        const CoulombSums& found = sum.evaluate(m.q);
        const double potential = difference_of(found.potential, exact.potential),
                     forces = difference_of(found.forces, exact.forces);
        const bool warned = !found.report.warnings.empty();
        std::printf("axes %d%d%d, %s: %g: %.2g %.2g%s\n", axes[0], axes[1], axes[2], word_of(precision), tolerance,
                    potential, forces, warned ? ", warned" : "");
        EXPECT_TRUE(potential <= tolerance || warned);
        EXPECT_TRUE(forces <= tolerance || warned);
        EXPECT_TRUE(!warned || precision == Precision::single_) << found.report.warnings[0];
      }
  }
}

/// Tight dipoles, whose own pairs are nearly all: the plan that was too loose for the rest is made again, once.
TEST(Coulomb, TheToleranceIsThatOfWhatIsLeft) {
  Molecules m;
  for (const Vec& at : four_x)
    for (const double q : {1.0, -1.0}) {
      m.x.push_back(
          {static_cast<double>(at[0]) + (q > 0 ? 0 : 0.02), static_cast<double>(at[1]), static_cast<double>(at[2])});
      m.q.push_back(q);
    }
  m.pairs = {0, 1, 2, 3, 4, 5, 6, 7}, m.kept = {0, 0, 0, 0};
  const PeriodicSums exact = sum_molecules(m, box(1, 1, 1), xyz);
  const std::vector<double> x = flat(m.x);
  Coulomb sum(points(x), in_cell(box(1, 1, 1), xyz, 1e-6), {}, m.exclusions());
  for (int step = 0; step < 3; ++step) {
    const CoulombErrors e = errors_of(sum.evaluate(m.q), exact, m.q);
    EXPECT_LE(e.potential, 1e-6);
    EXPECT_LE(e.forces, 1e-6);
  }
  std::string asked;
  for (const Choice& choice : sum.report().choices)
    if (choice.name == "tolerance") asked = choice.value;
  ASSERT_FALSE(asked.empty());
  EXPECT_LT(std::stod(asked), 1e-9);
  EXPECT_GT(std::stod(asked), 1e-13);
  EXPECT_EQ(sum.report().tolerance, 1e-6);
}

/// Pairs in any order, twice, and as rows are the same pairs.
TEST(Coulomb, PairsAndRowsAreTheSame) {
  const std::vector<double> x = flat(four_x);
  const auto energy = [&](Exclusions pairs) {
    return Coulomb(points(x), in_cell(triclinic, xyz, 1e-12), {}, std::move(pairs)).evaluate(four_q).energy;
  };
  using List = std::vector<std::int64_t>;
  const std::vector<double> kept{0.25, 0.25}, of_rows{0.25, 0.25};
  const double one = energy(Exclusions::of_pairs(4, List{3, 0}, std::vector<double>{0.25}));
  EXPECT_EQ(one, energy(Exclusions::of_pairs(4, List{0, 3, 3, 0}, kept)));
  EXPECT_EQ(one, energy(Exclusions::of_rows(List{0, 1, 1, 1, 2}, List{3, 0}, of_rows)));
  const Exclusions rows = Exclusions::of_rows(List{0, 2, 3, 4, 4}, List{2, 1, 0, 0});
  EXPECT_EQ(rows.pair_count(), 2);
  EXPECT_EQ(List(rows.others().begin(), rows.others().end()), (List{1, 2, 0, 0}));
  EXPECT_EQ(Exclusions().pair_count() + Exclusions::of_pairs(9, List{}).particle_count(), 0);
}

/// A chain, a ring of four and a lone particle: 1-2, 1-3 and 1-4 by the shortest way.
TEST(Coulomb, PairsOfBonds) {
  using List = std::vector<std::int64_t>;
  const auto pairs_of = [](std::int64_t particles, const List& bonds, const std::array<double, 3>& kept) {
    const Exclusions e = Exclusions::of_bonds(particles, bonds, kept);
    std::vector<std::array<double, 3>> pairs;
    for (std::int64_t i = 0; i < e.particle_count(); ++i)
      for (auto k = static_cast<std::size_t>(e.starts()[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(e.starts()[static_cast<std::size_t>(i) + 1]); ++k)
        if (i < e.others()[k])
          pairs.push_back({static_cast<double>(i), static_cast<double>(e.others()[k]), e.kept()[k]});
    return pairs;
  };
  using Pairs = std::vector<std::array<double, 3>>;
  EXPECT_EQ(
      pairs_of(6, {1, 0, 1, 2, 3, 2, 3, 4}, {0, 0.25, 0.5}),
      (Pairs{
          {0, 1, 0}, {0, 2, .25}, {0, 3, .5}, {1, 2, 0}, {1, 3, .25}, {1, 4, .5}, {2, 3, 0}, {2, 4, .25}, {3, 4, 0}}));
  EXPECT_EQ(pairs_of(4, {0, 1, 1, 2, 2, 3, 3, 0}, {0, 0.25, 0.5}),
            (Pairs{{0, 1, 0}, {0, 2, .25}, {0, 3, 0}, {1, 2, 0}, {1, 3, .25}, {2, 3, 0}}));
  EXPECT_EQ(pairs_of(4, {0, 1, 1, 2, 2, 3}, {0, 1, 1}), (Pairs{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}}));
  expect_refusal("a fraction of 2 is kept", [] { (void)Exclusions::of_bonds(2, List{0, 1}, {0, 2, 0}); });
  expect_refusal("pair 0 names particle 2", [] { (void)Exclusions::of_bonds(2, List{0, 2}); });
}

/// Whole vectors of the cell, a shift of all and the order of particles are matters of taste.
TEST(Coulomb, ChoicesThatMeanNothingChangeNothing) {
  Stream random(new_seed());
  for (const Axes& axes : {xyz, xy, only_z}) {
    const Rows cell = random_cell(random, 0.3);
    Molecules m = molecules(60, cell, 0.1, -1, random);
    const auto o = with_virial(cell, axes, 1e-11);
    const std::vector<double> x = flat(m.x);
    const CoulombSums exact = Coulomb(points(x), o, {}, m.exclusions()).evaluate(m.q);
    std::vector<double> moved(x.size()), charges(m.q.size());
    const std::size_t n = m.q.size();
    for (std::size_t i = 0; i < n; ++i) {  // reversed, each atom somewhere else
      for (std::size_t a = 0; a < 3; ++a) moved[3 * (n - 1 - i) + a] = x[3 * i + a] + 0.3;
      for (std::size_t v = 0; v < 3; ++v) {
        const auto times = axes[v] ? static_cast<double>(random.below(7) - 3) : 0;
        for (std::size_t a = 0; a < 3; ++a) moved[3 * (n - 1 - i) + a] += times * cell[v][a];
      }
      charges[n - 1 - i] = m.q[i];
    }
    for (std::int64_t& end : m.pairs) end = static_cast<std::int64_t>(n) - 1 - end;
    const CoulombSums found = Coulomb(points(moved), o, {}, m.exclusions()).evaluate(charges);
    EXPECT_NEAR(found.energy, exact.energy, 3e-11 * std::fabs(exact.energy));
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(found.potential[n - 1 - i], exact.potential[i], 1e-8) << i;
    for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(found.virial[s], exact.virial[s], 1e-8) << s;
  }
}

TEST(Coulomb, TheSameBitsForAnyNumberOfThreads) {
  Stream random(new_seed());
  const Molecules m = molecules(2000, triclinic, 0.03, -1, random);
  const std::vector<double> x = flat(m.x);
  CoulombSums first;
  for (const int threads : {1, 2, 3}) {
    Options o = with_virial(triclinic, xyz, 1e-5);
    o.threads = threads;
    const CoulombSums found = Coulomb(points(x), o, {.surface = 1}, m.exclusions()).evaluate(m.q);
    if (threads == 1) first = found;
    EXPECT_EQ(found.energy, first.energy);
    EXPECT_EQ(found.forces, first.forces);
    EXPECT_EQ(found.virial, first.virial);
  }
}

/// Beside tin-foil what de Leeuw, Perram and Smith have; energy, potential, forces and virial belong together.
TEST(Coulomb, Surfaces) {
  const std::vector<double> x = flat(four_x);
  std::array<double, 3> moment{};
  for (std::size_t k = 0; k < 12; ++k) moment[k % 3] += four_q[k / 3] * x[k];
  const double square = moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2], volume = 0.99;
  const auto evaluate = [&](double surface, const std::optional<std::array<double, 3>>& dipole) {
    return Coulomb(points(x), with_virial(triclinic, xyz, 1e-11), {.surface = surface}).evaluate(four_q, dipole);
  };
  const CoulombSums tinfoil = evaluate(0, {});
  EXPECT_TRUE(tinfoil.report.warnings.empty());
  EXPECT_EQ(evaluate(std::numeric_limits<double>::infinity(), {}).energy, tinfoil.energy);
  for (const double outside : {1.0, 80.0}) {
    const CoulombSums found = evaluate(outside, moment);
    const double strength = 4 * std::numbers::pi / ((2 * outside + 1) * volume);
    EXPECT_NEAR(found.energy - tinfoil.energy, strength * square / 2, 1e-9);
    EXPECT_NEAR(std::accumulate(found.energies.begin(), found.energies.end(), 0.0), found.energy, 1e-9);
    EXPECT_NEAR(found.virial[0] + found.virial[1] + found.virial[2], found.energy, 1e-9);
    for (std::size_t k = 0; k < 12; ++k)
      EXPECT_NEAR(found.forces[k] - tinfoil.forces[k], -strength * four_q[k / 3] * moment[k % 3], 1e-9);
    EXPECT_NEAR(found.virial[3] - tinfoil.virial[3], -strength * moment[0] * moment[1], 1e-9);
    EXPECT_EQ(found.dipole, moment);
    const CoulombSums guessed = evaluate(outside, {});
    EXPECT_NEAR(guessed.energy, found.energy, 1e-12);
    ASSERT_EQ(guessed.report.warnings.size(), 1u);
    EXPECT_NE(guessed.report.warnings[0].find("whole molecules"), std::string::npos);
  }
}

/// Minus the derivative of the energy by a strain of cell, positions and dipole together, exclusions and surface in it.
TEST(Coulomb, TheVirialIsMinusTheDerivativeByStrain) {
  constexpr double step = 1e-3;
  const std::vector<std::int64_t> pairs{0, 3, 2, 1};
  const std::vector<double> x = flat(four_x), kept{0.25, 0.5};
  for (const bool walls : {false, true}) {
    const Axes axes = walls ? xy : xyz;
    const double surface = walls ? 0 : 3;
    const auto sums_of = [&](const double(&strain)[3][3]) {
      const auto strained = [&](const double* v, double* to) {
        for (int b = 0; b < 3; ++b) to[b] = v[0] * strain[0][b] + v[1] * strain[1][b] + v[2] * strain[2][b];
      };
      Rows rows = triclinic;
      std::vector<double> moved(12);
      for (std::size_t i = 0; i < 3; ++i) strained(triclinic[i].data(), rows[i].data());
      for (std::size_t i = 0; i < 4; ++i) strained(&x[3 * i], &moved[3 * i]);
      return Coulomb(points(moved), with_virial(rows, axes, 1e-12), {.surface = surface},
                     Exclusions::of_pairs(4, pairs, kept))
          .evaluate(four_q);
    };
    const CoulombSums found = sums_of({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    for (std::size_t s = 0; s < 6; ++s) {
      const auto [a, b] = six_places[s];
      double slope = 0;
      for (const int times : {-2, -1, 1, 2}) {
        double strain[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        strain[a][b] += times * step / 2, strain[b][a] += times * step / 2;
        slope += sums_of(strain).energy * (times > 0 ? 1 : -1) * (times * times == 1 ? 8 : -1) / (12 * step);
      }
      EXPECT_NEAR(found.virial[s], -slope, 1e-7)
          << s;  // 1e-12 of the energy over the step, and the step's fourth power
    }
  }
}

TEST(Coulomb, NetForceIsReportedAndRemoved) {
  Stream random(new_seed());
  const Molecules m = molecules(1000, triclinic, 0.03, 0, random);
  const std::vector<double> x = flat(m.x);
  Options o = in_cell(triclinic, xyz, 1e-3);
  o.method = Method::fmm;
  const CoulombSums kept = Coulomb(points(x), o, {.coulomb_constant = 2}, m.exclusions()).evaluate(m.q);
  const CoulombSums removed =
      Coulomb(points(x), o, {.coulomb_constant = 2, .remove_net_force = true}, m.exclusions()).evaluate(m.q);
  EXPECT_EQ(kept.net_force, removed.net_force);
  for (std::size_t a = 0; a < 3; ++a) {
    double sum = 0, left = 0;
    for (std::size_t i = a; i < x.size(); i += 3) sum += kept.forces[i], left += removed.forces[i];
    EXPECT_NEAR(sum, kept.net_force[a], 1e-11 * kept.rms_force);
    EXPECT_GT(std::fabs(sum), 1e-9 * kept.rms_force);  // there is something to remove
    EXPECT_NEAR(left, 0, 1e-10 * kept.rms_force);
    EXPECT_NEAR(kept.forces[a] - removed.forces[a], sum / 3000, 1e-14 * kept.rms_force);
  }
}

/// LAMMPS' accuracy: the rms error of forces over that of two unit charges 1 Angstrom apart.
TEST(Coulomb, AccuracyAsLammpsHasIt) {
  Stream random(new_seed());
  const Rows cell = box(20, 22, 25);  // Angstrom
  const Molecules m = molecules(1000, cell, 1, 0, random);
  const std::vector<double> x = flat(m.x);
  constexpr double constant = 332.06371, force = 332.06371;
  const CoulombOptions real{.coulomb_constant = constant, .two_charge_force = force};
  const CoulombSums exact =
      Coulomb(points(x), in_cell(cell, xyz, 1e-11), {.coulomb_constant = constant}, m.exclusions()).evaluate(m.q);
  for (const double accuracy : {1e-3, 1e-4, 1e-6}) {
    const CoulombSums found = Coulomb(points(x), in_cell(cell, xyz, accuracy), real, m.exclusions()).evaluate(m.q);
    double square = 0;
    for (std::size_t k = 0; k < x.size(); ++k) square += std::pow(found.forces[k] - exact.forces[k], 2);
    const double rms = std::sqrt(square / 3000);
    std::printf("accuracy %g: rms error of forces %.2g of that of two charges\n", accuracy, rms / force);
    EXPECT_LE(rms, accuracy * force);
  }
}

/// One object for all steps: charges, positions, cells, pairs.
TEST(Coulomb, ARun) {
  Stream random(new_seed());
  const Molecules m = molecules(20, box(1, 1, 1), 0.1, 0, random);
  std::vector<double> x = flat(m.x), q = m.q;
  Coulomb sum(points(x), in_cell(box(1, 1, 1), xyz, 1e-9), {.coulomb_constant = 332.06371}, m.exclusions());
  for (int step = 0; step < 5; ++step) {
    Molecules now = m;
    const Rows cell = box(1, 1, 1 + step / 2 / 10.0);
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a) x[3 * i + a] += random.between(-0.01, 0.01), now.x[i][a] = x[3 * i + a];
    if (step == 3) std::swap(now.q[0], now.q[4]), std::swap(now.q[1], now.q[7]);
    if (step == 4) now.pairs.resize(40), now.kept.resize(20);
    step % 2 ? sum.move(points(x)) : sum.move(points(x), {1, 0, 0, 0, 1, 0, 0, 0, cell[2][2]});
    sum.exclude(now.exclusions());
    const CoulombErrors e = errors_of(sum.evaluate(now.q), sum_molecules(now, cell, xyz), now.q, 332.06371);
    EXPECT_LE(e.potential, 1e-9) << step;
    EXPECT_LE(e.forces, 1e-9) << step;
  }
}

TEST(Coulomb, NoneAndOne) {
  const std::vector<double> nothing, at{5, 1, 2}, q{3};
  for (const Axes& axes : {xyz, open}) {
    const auto o = with_virial(box(2, 2, 2), axes, 1e-10);
    Coulomb empty(points(nothing), o, {}, Exclusions::of_pairs(0, {}));
    const CoulombSums& zero = empty.evaluate(nothing);
    EXPECT_EQ(zero.energy, 0);
    EXPECT_TRUE(zero.forces.empty() && zero.potential.empty() && zero.energies.empty());
    const CoulombSums one = Coulomb(points(at), o).evaluate(q);
    EXPECT_NEAR(one.energy, axes == open ? 0 : -2.837297479480620 * 9 / 4, 1e-9);
    for (const double component : one.forces) EXPECT_NEAR(component, 0, 1e-8);
  }
}

/// Two atoms at one place: without a pull either way.
TEST(Coulomb, CoincidentPairs) {
  const std::vector<double> x{.5, .5, .5, .5, .5, .5, .1, .2, .9}, q{1, 1, -2};
  const std::vector<std::int64_t> pairs{0, 1};
  const auto o = in_cell(box(1, 1, 1), xyz, 1e-10);
  EXPECT_EQ(Coulomb(points(x), o, {}, Exclusions::of_pairs(3, pairs)).evaluate(q).energy,
            Coulomb(points(x), o).evaluate(q).energy);
}

TEST(Coulomb, BadPairs) {
  using List = std::vector<std::int64_t>;
  using Fractions = std::vector<double>;
  const auto pairs = [](const char* sentence, const List& list, const Fractions& kept = {}) {
    expect_refusal(sentence, [&] { (void)Exclusions::of_pairs(4, list, kept); });
  };
  const auto rows = [](const char* sentence, const List& starts, const List& others, const Fractions& kept = {}) {
    expect_refusal(sentence, [&] { (void)Exclusions::of_rows(starts, others, kept); });
  };
  pairs("pair 0 names particle 4; there are 4, counted from 0", {0, 4});
  pairs("pair 1 names particle -1", {0, 1, -1, 2});
  pairs("particle 2 with itself", {2, 2});
  pairs("3 numbers are no pairs", {0, 1, 2});
  pairs("of pair 1 a fraction of 1.5 is kept", {0, 1, 2, 3}, {0, 1.5});
  pairs("a fraction of -0.1 is kept", {0, 1}, {-0.1});
  pairs("a fraction of nan is kept", {0, 1}, {no_number});
  pairs("2 fractions are given for 1 pairs", {0, 1}, {0, 0});
  pairs("stands twice, with another keep", {0, 1, 1, 0}, {0, 0.5});
  rows("particle 0 excludes 1, and 1 does not exclude 0; put the pair in both rows", {0, 1, 1, 1, 1}, {1});
  rows("particle 3 excludes 2, and 2 does not exclude 3", {0, 1, 2, 2, 3}, {1, 0, 2});
  rows("another keep", {0, 1, 2, 2, 2}, {1, 0}, {0.5, 0.6});
  rows("stand twice in a row", {0, 2, 4, 4, 4}, {1, 1, 0, 0});
  rows("pair 0 names particle 7", {0, 1, 2, 2, 2}, {7, 0});
  rows("rise from 0 to the number of their elements, 1", {0, 2, 1, 1, 1}, {1});
  rows("rise from 0", {}, {});
  const std::vector<double> x = flat(four_x);
  const Exclusions of_five = Exclusions::of_pairs(5, List{0, 1});
  expect_refusal("exclusions are of 5 particles, but 4 positions were given",
                 [&] { Coulomb(points(x), {}, {}, of_five); });
  Coulomb sum(points(x));
  expect_refusal("exclusions are of 5 particles", [&] { sum.exclude(of_five); });
}

TEST(Coulomb, WhatHasNoMeaning) {
  std::vector<double> x = flat(four_x);
  const Options cube = in_cell(box(1, 1, 1), xyz, 1e-6), slab = in_cell(box(1, 1, 1), xy, 1e-6);
  const auto refused = [&](const char* sentence, const Options& o, const CoulombOptions& more = {},
                           const std::vector<double>& q = four_q) {
    expect_refusal(sentence, [&] { Coulomb(points(x), o, more).evaluate(q); });
    expect_refusal(sentence, [&] { Coulomb::validate(o, more, q); });
  };
  refused("surface needs three periodic axes, and there are 2", slab, {.surface = 1});
  refused("surface needs three periodic axes, and there are 0", {}, {.surface = 80});
  refused("surface is -1", cube, {.surface = -1});
  refused("surface is nan", cube, {.surface = no_number});
  refused("coulomb_constant is nan", cube, {.coulomb_constant = no_number});
  refused("two_charge_force is -2", cube, {.two_charge_force = -2});
  refused("background is none of its values", cube, {.background = static_cast<Background>(9)});
  refused("the charges add up to 1; neutralise them", cube, {.background = Background::refuse}, four_q_charged);
  refused("depends on the origin", cube, {.surface = 1}, four_q_charged);
  refused("with 2 periodic axes", slab, {}, four_q_charged);
  Options o = cube;
  o.cell_y = no_number;
  refused("vector b has a component y that is no finite number", o);
  o.cell_y = 0;
  refused("vector b has length 0", o);
  o = cube, o.cell_y = 0, o.cell_bx = 1;
  refused("the cell's vectors a, b and c lie in one plane", o);
  for (const auto& [name, change] : std::vector<std::pair<const char*, void (*)(Options&)>>{
           {"scale", [](Options& p) { p.scale = 2; }},
           {"softening", [](Options& p) { p.softening = 1; }},
           {"hessian", [](Options& p) { p.hessian = true; }},
           {"dipoles", [](Options& p) { p.dipoles = true; }},
           {"at_sources", [](Options& p) { p.at_sources = true; }},
           {"use kernel laplace3d", [](Options& p) { p.kernel = Kernel::yukawa3d; }}}) {
    Options changed = cube;
    change(changed);
    refused(name, changed);
  }
  Coulomb sum(points(x), cube);
  expect_refusal("3 charges were given for 4 particles", [&] { sum.evaluate(std::vector<double>{1, -1, 0}); });
  expect_refusal("strength 1 of vector 0 is not finite", [&] { sum.evaluate({1, no_number, -1, 0}); });
  expect_refusal("component y of the dipole is no finite number", [&] {
    Coulomb(points(x), cube, {.surface = 1}).evaluate(four_q, std::array{0.0, no_number, 0.0});
  });
  expect_refusal("vector c has length 0", [&] { sum.move(points(x), {1, 0, 0, 0, 1, 0, 0, 0, 0}); });
  EXPECT_NEAR(sum.evaluate(four_q).energy, -7.432377394252, 1e-5);  // as it was
  o = cube, o.tolerance = no_number;
  expect_refusal("tolerance", [&] { Coulomb(points(x), o, {.two_charge_force = 1}); });
  x[4] = no_number;
  expect_refusal("1", [&] { Coulomb(points(x), cube); });
}

}  // namespace
}  // namespace farfield::testing

// Coulomb sums whose charges and results lie in arrays of the caller, and pairs across the border of the cell.
// FARFIELD_TEST_BACKEND=cuda sums on a device (cuda.coulomb).
#include <gtest/gtest.h>

#include "periodic/molecules.hpp"

namespace farfield::testing {
namespace {

Options virial_in(const Rows& cell, double tolerance) {
  Options o = in_cell(cell, {true, true, true}, tolerance);
  o.virial = true;
  return o;
}

/// Of either type, with gaps, or not wanted.
TEST(CoulombArrays, ArraysOfTheCaller) {
  Stream random = fresh_stream();
  const Molecules m = molecules(30, triclinic, 0.1, -1, random);
  const std::vector<double> x = flat(m.x);
  Coulomb sum(points(x), virial_in(triclinic, 1e-8), {.surface = 2, .remove_net_force = true}, m.exclusions());
  const CoulombSums whole = sum.evaluate(m.q, std::array<double, 3>{1, 2, 3});
  std::vector<double> potential(90), forces(270), energies(90), apart;
  for (const double q : m.q) apart.insert(apart.end(), {q, 7});
  Strengths charges = strengths(apart.data(), 90);
  charges.stride = 2, charges.pitch = 0;
  const CoulombSums& rest =
      sum.evaluate(charges, {potential.data(), forces.data(), energies.data()}, std::array<double, 3>{1, 2, 3});
  EXPECT_TRUE(rest.potential.empty() && rest.forces.empty() && rest.energies.empty());
  EXPECT_EQ(potential, whole.potential);
  EXPECT_EQ(forces, whole.forces);
  EXPECT_EQ(energies, whole.energies);
  EXPECT_EQ(rest.energy, whole.energy);
  EXPECT_EQ(rest.virial, whole.virial);
  EXPECT_EQ(rest.net_force, whole.net_force);
  EXPECT_EQ(rest.dipole, whole.dipole);
  std::vector<float> single(270);
  sum.evaluate(strengths(m.q), {nullptr, single.data(), nullptr, Scalar::float32}, std::array<double, 3>{1, 2, 3});
  EXPECT_EQ(single, std::vector<float>(forces.begin(), forces.end()));
  EXPECT_EQ(sum.evaluate(strengths(m.q), {}, std::array<double, 3>{1, 2, 3}).energy, whole.energy);
  expect_refusal("one set of charges without dipoles", [&] { sum.evaluate(strengths(apart, 90, 2), {}); });
  expect_refusal("one set of charges without dipoles", [&] { sum.evaluate(with_dipoles(strengths(m.q), x), {}); });
  expect_refusal("89 charges were given for 90 particles", [&] { sum.evaluate(strengths(m.q.data(), 89), {}); });
  charges.stride = 0;
  expect_refusal("the stride of the strengths is 0", [&] { sum.evaluate(charges, {}); });
}

/// What comes back, where a pair lies across the border: of 1/r at its shortest image nothing is left.
TEST(CoulombArrays, PairsAcrossTheBorder) {
  const std::vector<double> at{0.95, 0.2, 0.3, 1.05, 0.2, 0.3}, far{0.95, 0.2, 0.3, 0.05, 0.2, 0.3}, q{1, -1};
  const auto sums_of = [&](const std::vector<double>& x) {
    return Coulomb(points(x), virial_in(box(1, 1, 1), 1e-11), {},
                   Exclusions::of_pairs(2, std::vector<std::int64_t>{0, 1}))
        .evaluate(q);
  };
  const CoulombSums here = sums_of(at), there = sums_of(far);
  EXPECT_LT(std::fabs(here.energy), 0.1);  // of 1 / 0.1 = 10
  EXPECT_NEAR(here.energy, there.energy, 1e-9);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(here.forces[k], there.forces[k], 1e-8);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(here.virial[k], there.virial[k], 1e-8);
}

/// Of a sum on the CPU; nothing of it is read.
TEST(CoulombArrays, DeviceMemoryIsRefusedOnTheCpu) {
  const std::vector<double> x{0, 0, 0, 0.5, 0.5, 0.5}, q{1, -1};
  Options o = virial_in(box(1, 1, 1), 1e-6);
  o.backend = Backend::cpu;
  Points there = points(x);
  there.space = MemorySpace::device;
  expect_refusal("points are in device memory, but backend cpu was asked for", [&] { Coulomb(there, o); });
  Coulomb sum(points(x), o);
  const double energy = sum.evaluate(q).energy;
  expect_refusal("points are in device memory", [&] { sum.move(there); });
  Strengths charges = strengths(q);
  charges.space = MemorySpace::device;
  expect_refusal("strengths are in device memory, but this plan keeps its arrays on the host",
                 [&] { sum.evaluate(charges, {}); });
  CoulombOutputs outputs;
  outputs.space = MemorySpace::device;
  expect_refusal("results are in device memory", [&] { sum.evaluate(strengths(q), outputs); });
  EXPECT_EQ(sum.evaluate(q).energy, energy);
}

}  // namespace
}  // namespace farfield::testing

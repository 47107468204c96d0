// Two molecules of water in a periodic cube: nm, elementary charges, kJ/mol.
#include <cstdint>
#include <cstdio>
#include <farfield/coulomb.hpp>
#include <vector>

int main() {
  const std::vector<double> x = {0.10, 0.10, 0.10, 0.20, 0.10, 0.10, 0.07, 0.19, 0.10,   // O H H
                                 0.45, 0.10, 0.15, 0.50, 0.18, 0.15, 0.50, 0.02, 0.15};  // O H H
  const std::vector<double> q = {-0.82, 0.41, 0.41, -0.82, 0.41, 0.41};
  const std::vector<std::int64_t> bonds = {0, 1, 0, 2, 3, 4, 3, 5};
  farfield::Options options{.tolerance = 1e-8, .periodic = farfield::Axes::xyz, .cell_x = 1, .cell_y = 1, .cell_z = 1};
  options.virial = true;
  farfield::Coulomb sum(farfield::points(x), options, {.coulomb_constant = 138.93545764438198},
                        farfield::Exclusions::of_bonds(6, bonds));
  const farfield::CoulombSums& sums = sum.evaluate(q);  // sum.move(...) for the next time step
  std::printf("energy %.6f kJ/mol, force on the first atom %.4f %.4f %.4f, trace of the virial %.6f\n", sums.energy,
              sums.forces[0], sums.forces[1], sums.forces[2], sums.virial[0] + sums.virial[1] + sums.virial[2]);
}

// From the field of the charges to results: launches alone, in double. What they add up stays on the device, in one row
// of totals, until all are read at once. Every sum has a fixed order.
#pragma once
#include <farfield/coulomb.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "backends/excluded_pairs.hpp"

namespace farfield::cuda {

/// Places in the row of totals. Those before `of_pairs` are of tin-foil in units of 1/r, the first two with all pairs;
/// the others of the forces in the caller's units.
namespace total {
inline constexpr int potential = 0, field = 1, net_potential = 2, net_forces = 3, charge = 4, energy = 5, dipole = 6,
                     virial = 9, largest_charge = 15, of_pairs = 16;  // norms: their squares
inline constexpr int force = of_pairs, squares = force + 3, all = squares + 1;
}  // namespace total

/// Of `count` molecules' atoms.
struct MoleculeArrays {
  std::int64_t count;
  const double *x, *charge;           ///< (N, 3), (N)
  double *potential, *field;          ///< (N), (N, 3): what the plan gave, then what is made of it
  ExcludedRows<std::uint32_t> pairs;  ///< starts null: none
  double *part, *totals;              ///< room for part_numbers, and the row
};
inline constexpr std::int64_t part_numbers = 1024 * total::of_pairs;

/// The field becomes forces; excluded pairs are taken off these and the potential.
void find_forces(const MoleculeArrays& arrays, const PairImages& images, cudaStream_t stream);

/// Of a medium around a sphere of cells; strength 0: tin-foil.
struct Surface {
  double strength, dipole[3];
  bool finds_dipole;  ///< the one among the totals instead
};
/// Adds the surface, multiplies by the constant and adds up the forces.
void take_units(const MoleculeArrays& arrays, const Surface& surface, double constant, cudaStream_t stream);

/// Writes to arrays in device memory, less an equal share of the net force where that is to be removed.
void write(const MoleculeArrays& arrays, bool remove_net_force, const CoulombOutputs& outputs, cudaStream_t stream);

}  // namespace farfield::cuda

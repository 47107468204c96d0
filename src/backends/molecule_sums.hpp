// MoleculeSums: what a Coulomb sum of molecules has beside its plan, in the memory of a backend: positions, charges,
// the field that the plan gives, and what becomes of that field: forces without excluded pairs, with the surface, in
// the caller's units. What this decides (another tolerance, warnings) is the plan layer's business.
#pragma once
#include <array>
#include <farfield/coulomb.hpp>
#include <optional>

#include "tree/cell/unit_cell.hpp"

namespace farfield {

/// What is to become of the field.
struct MoleculeTask {
  const UnitCell* cell = nullptr;                    ///< null: open space
  int threads = 1;                                   ///< of the host
  double surface = 0;                                ///< 4 pi / ((2 e + 1) V); 0: tin-foil
  std::optional<std::array<double, 3>> dipole = {};  ///< what the surface sees; none: that of the positions
  double constant = 1;                               ///< potentials, forces and energies are multiplied by it
  bool remove_net_force = false;
  bool captured = false;  ///< the call is captured in a CUDA graph: nothing is read back, totals stay unknown
};

/// Of L2 norms: potential and field of all pairs, and what is left without excluded pairs. The rest is in units of 1/r
/// but for net_force and rms_force, which are the caller's, with the surface.
struct MoleculeTotals {
  double potential = 0, field = 0, largest_charge = 0;
  double net_potential = 0, net_forces = 0;
  double charge = 0, energy = 0;   ///< energy: sum of q phi / 2, of tin-foil
  std::array<double, 3> dipole{};  ///< sum of q x
  std::array<double, 3> net_force{};
  double rms_force = 0;
};

class MoleculeSums {
 public:
  virtual ~MoleculeSums() = default;

  /// Reads other positions, which take the place of the present ones when they are accepted.
  virtual Points read(const Points& positions) = 0;
  virtual void accept() = 0;
  /// Those accepted last, for a plan.
  virtual Points positions() const = 0;
  /// Of as many particles as there are, or of none. The pairs stay where they are as long as this or until the next
  /// call.
  virtual void exclude(const Exclusions& pairs) = 0;

  /// Reads charges, one for each position. The view is for a plan.
  virtual Strengths take(const Strengths& charges, const CoulombOutputs& outputs) = 0;
  struct Net {
    double sum, size;  ///< size: sum of absolute values
  };
  /// Of the charges taken.
  virtual Net net() = 0;
  /// Where the plan writes potential and gradient.
  virtual Outputs field() = 0;
  /// Turns the field into results in the caller's arrays. Of the virial excluded pairs are taken off.
  virtual MoleculeTotals finish(const MoleculeTask& task, const CoulombOutputs& outputs,
                                std::array<double, 6>& virial) = 0;
};

}  // namespace farfield

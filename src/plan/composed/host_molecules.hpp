// MoleculeSums in host memory.
#pragma once
#include "backends/molecule_sums.hpp"
#include "plan/repeating/host_arrays.hpp"

namespace farfield {

class HostMolecules : public MoleculeSums {
 public:
  Points read(const Points& positions) override;
  void accept() override;
  Points positions() const override { return positions_.view(); }
  void exclude(const Exclusions& pairs) override { pairs_ = &pairs; }
  Strengths take(const Strengths& charges, const CoulombOutputs& outputs) override;
  Net net() override;
  Outputs field() override;
  MoleculeTotals finish(const MoleculeTask& task, const CoulombOutputs& outputs,
                        std::array<double, 6>& virial) override;

 private:
  void find_forces(const MoleculeTask& task, MoleculeTotals& totals, std::array<double, 6>& virial);
  void sum_charges(MoleculeTotals& totals) const;
  void add_surface(double strength, const std::array<double, 3>& dipole);
  void take_units(const MoleculeTask& task, MoleculeTotals& totals);

  const Exclusions* pairs_ = nullptr;
  HostPoints positions_, next_;
  std::vector<double> flat_;  ///< positions (N, 3)
  std::vector<double> charges_, potential_, gradient_, forces_, energies_;
};

}  // namespace farfield

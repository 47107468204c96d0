// KSpaceFarfield: kspace_style farfield, which sums all Coulomb pairs and their images, near ones included. Bonded
// pairs, which count less (special_bonds), are subtracted by LAMMPS' pair style or by SpecialPairs:
// docs/hosts/lammps.md.
#pragma once
#include <optional>

#include "atoms.hpp"
#include "kspace.h"
#include "solver.hpp"
#include "special_pairs.hpp"

namespace farfield::lammps {

class KSpaceFarfield : public LAMMPS_NS::KSpace {
 public:
  explicit KSpaceFarfield(LAMMPS_NS::LAMMPS* host);

  void settings(int count, char** words) override;
  int modify_param(int count, char** words) override;
  void init() override;
  void setup() override;
  void compute(int eflag, int vflag) override;
  double memory_usage() override;

 private:
  enum class Excluded { nowhere, by_pair_style, here };
  Excluded who_excludes() const;
  void refuse_what_is_not_summed();
  void set_word(const std::string& name, const std::string& value);

  Box box() const;
  void require_no_net_charge_of_few_axes();
  News sum_on_first_rank();
  void say_what_was_chosen();
  void add_forces(double constant);
  void add_energies(double constant);
  void subtract_special_pairs(double constant);

  Options options_;
  std::optional<Solver> solver_;
  Atoms atoms_;
  SpecialPairs special_pairs_;
  Excluded excluded_ = Excluded::nowhere;
  const Sums* sums_ = nullptr;  // on rank 0
  double told_tolerance_ = 0;
};

}  // namespace farfield::lammps

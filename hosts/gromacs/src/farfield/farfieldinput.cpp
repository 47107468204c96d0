#include "gmxpre.h"

#include "farfieldinput.h"

#include <algorithm>

#include "gromacs/mdtypes/inputrec.h"
#include "gromacs/mdtypes/md_enums.h"
#include "gromacs/utility/exceptions.h"

namespace gmx {

namespace {

bool excludesEnergyGroups(const t_inputrec& input) {
  const int pairs = input.opts.ngener * input.opts.ngener;
  return std::any_of(input.opts.egp_flags, input.opts.egp_flags + pairs, [](int flags) { return flags & EGP_EXCL; });
}

void refuse(bool wrong, const char* sentence) {
  if (wrong) GMX_THROW(InconsistentInputError(sentence));
}

}  // namespace

void checkFarfieldInput(const t_inputrec& input) {
  refuse(input.epsilon_r != 1, "coulombtype = FMM by Farfield needs epsilon-r = 1.");
  refuse(input.epsilon_surface != 0, "coulombtype = FMM by Farfield needs epsilon-surface = 0 (tin-foil).");
  refuse(input.ewald_geometry != EwaldGeometry::ThreeD,
         "coulombtype = FMM by Farfield needs ewald-geometry = 3d; for a slab say pbc = xy, which is summed as it is.");
  refuse(EI_TPI(input.eI), "coulombtype = FMM by Farfield does not insert test particles.");
  refuse(excludesEnergyGroups(input), "coulombtype = FMM by Farfield does not know energygrp-excl.");
}

}  // namespace gmx

// clang-format off: in GROMACS this one comes first
#include "gmxpre.h"
// clang-format on

#include "farfieldinput.h"
#include "gromacs/mdtypes/inputrec.h"
#include "gromacs/mdtypes/md_enums.h"
#include "gromacs/pbcutil/pbc.h"
#include "gromacs/utility/exceptions.h"

namespace gmx {

namespace {

void refuse(bool wrong, const char* sentence) {
  if (wrong) GMX_THROW(InconsistentInputError(sentence));
}

}  // namespace

void checkFarfieldInput(const t_inputrec& input) {
  refuse(input.epsilon_r != 1, "coulombtype = FMM by Farfield needs epsilon-r = 1.");
  refuse(input.epsilon_surface != 0, "coulombtype = FMM by Farfield needs epsilon-surface = 0 (tin-foil).");
  refuse(input.ewald_geometry != EwaldGeometry::ThreeD && input.pbcType != PbcType::XY,
         "coulombtype = FMM by Farfield needs pbc = xy for ewald-geometry = 3dc, and sums slabs as they are.");
  refuse(EI_TPI(input.eI), "coulombtype = FMM by Farfield does not insert test particles.");
}

}  // namespace gmx

// Options of an .mdp file that change the Coulomb sum and that Farfield would not see.
#ifndef GMX_FMM_FARFIELD_FARFIELDINPUT_H
#define GMX_FMM_FARFIELD_FARFIELDINPUT_H

struct t_inputrec;

namespace gmx {

/// Throws InconsistentInputError, one sentence, for what would be ignored in silence. init_forcerec() calls it where
/// coulombtype is FMM.
void checkFarfieldInput(const t_inputrec& input);

}  // namespace gmx

#endif

// Options of fmm-backend = farfield in an .mdp file.
#ifndef GMX_FMM_FARFIELD_FARFIELDOPTIONS_H
#define GMX_FMM_FARFIELD_FARFIELDOPTIONS_H

#include "gromacs/fmm/fmmoptions.h"
#include "gromacs/utility/real.h"

namespace gmx {

struct FarfieldOptions : IFmmOptions {
  real tolerance = 1e-3;  ///< fmm-farfield-tolerance: relative L2 error of the Coulomb forces, exclusions applied

  void initMdpOptionsFmm(OptionSectionHandle& section) override;
  void initMdpTransformFmm(IKeyValueTreeTransformRules* rules) override;
  void buildMdpOutputFmm(KeyValueTreeObjectBuilder* builder) const override;
  void validateMdpOptions(WarningHandler* wi) const override;
};

}  // namespace gmx

#endif

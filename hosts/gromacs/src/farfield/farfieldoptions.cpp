// clang-format off: in GROMACS this one comes first
#include "gmxpre.h"
// clang-format on

#include <string>

#include "farfieldoptions.h"
#include "gromacs/fileio/warninp.h"
#include "gromacs/fmm/fmm_mdmodule.h"
#include "gromacs/mdtypes/imdpoptionprovider_helpers.h"
#include "gromacs/options/basicoptions.h"
#include "gromacs/options/optionsection.h"
#include "gromacs/utility/keyvaluetreebuilder.h"
#include "gromacs/utility/keyvaluetreetransform.h"
#include "gromacs/utility/strconvert.h"

namespace gmx {

static const std::string toleranceName = "farfield-tolerance";

void FarfieldOptions::initMdpOptionsFmm(OptionSectionHandle& section) {
  section.addOption(RealOption(toleranceName.c_str()).store(&tolerance));
}

void FarfieldOptions::initMdpTransformFmm(IKeyValueTreeTransformRules* rules) {
  addMdpTransformFromString<real>(rules, &fromStdString<real>, FmmModuleInfo::sc_name, toleranceName);
}

void FarfieldOptions::buildMdpOutputFmm(KeyValueTreeObjectBuilder* builder) const {
  addMdpOutputValue<real>(builder, FmmModuleInfo::sc_name, toleranceName, tolerance);
}

void FarfieldOptions::validateMdpOptions(WarningHandler* wi) const {
  if (!(tolerance > 0 && tolerance < 1)) wi->addError("fmm-farfield-tolerance must lie between 0 and 1.");
}

}  // namespace gmx

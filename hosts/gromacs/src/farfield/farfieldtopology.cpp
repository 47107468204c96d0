// clang-format off: in GROMACS this one comes first
#include "gmxpre.h"
// clang-format on

#include "farfieldtopology.h"
#include "gromacs/topology/topology.h"
#include "gromacs/utility/exceptions.h"
#include "gromacs/utility/listoflists.h"

namespace gmx {

namespace {

/// visit(type, number of the molecule's first atom) for each molecule, in the order of their atoms.
template <class Visit>
void forEachMolecule(const gmx_mtop_t& topology, Visit&& visit) {
  std::int64_t first = 0;
  for (const gmx_molblock_t& block : topology.molblock) {
    const gmx_moltype_t& type = topology.moltype[block.type];
    for (int molecule = 0; molecule < block.nmol; ++molecule, first += type.atoms.nr) visit(type, first);
  }
}

}  // namespace

std::vector<double> chargesOf(const gmx_mtop_t& topology) {
  std::vector<double> charges;
  forEachMolecule(topology, [&](const gmx_moltype_t& type, std::int64_t) {
    for (int i = 0; i < type.atoms.nr; ++i) {
      if (type.atoms.atom[i].qB != type.atoms.atom[i].q)
        GMX_THROW(InconsistentInputError("Farfield does not sum perturbed charges; use PME for this free energy."));
      charges.push_back(type.atoms.atom[i].q);
    }
  });
  return charges;
}

std::vector<std::int64_t> excludedPairsOf(const gmx_mtop_t& topology) {
  if (!topology.intermolecularExclusionGroup.empty())
    GMX_THROW(InconsistentInputError("Farfield does not exclude pairs across molecules, as QM atoms need; use PME."));
  std::vector<std::int64_t> pairs;
  forEachMolecule(topology, [&](const gmx_moltype_t& type, std::int64_t first) {
    for (int i = 0; i < static_cast<int>(type.excls.size()); ++i)
      for (const int j : type.excls[i])
        if (i < j) pairs.insert(pairs.end(), {first + i, first + j});
  });
  return pairs;
}

}  // namespace gmx

// What Farfield has to know of a topology: charges, and the pairs that GROMACS excludes.
#ifndef GMX_FMM_FARFIELD_FARFIELDTOPOLOGY_H
#define GMX_FMM_FARFIELD_FARFIELDTOPOLOGY_H

#include <cstdint>
#include <vector>

struct gmx_mtop_t;

namespace gmx {

/// By global atom number. Throws InconsistentInputError where charges are perturbed (free energies).
std::vector<double> chargesOf(const gmx_mtop_t& topology);

/// i j, i j, ... with i < j, by global atom numbers: all pairs that non-bonded interactions leave out, those of 1-4
/// interactions among them, which GROMACS adds as listed forces. Throws InconsistentInputError where a group of atoms
/// excludes itself across molecules.
std::vector<std::int64_t> excludedPairsOf(const gmx_mtop_t& topology);

}  // namespace gmx

#endif

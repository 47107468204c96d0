#include "special_pairs.hpp"

#include <cmath>

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"

namespace farfield::lammps {

bool SpecialPairs::any() const {
  const double* kept = force->special_coul;
  return atom->molecular != LAMMPS_NS::Atom::ATOMIC && (kept[1] != 1 || kept[2] != 1 || kept[3] != 1);
}

SpecialPairs::Tally SpecialPairs::subtract(double constant, double* each) {
  Tally tally;
  for (int i = 0; i < atom->nlocal; ++i) subtract_of(i, constant, each, tally);
  return tally;
}

/// Every pair is in the lists of both atoms: each takes its own force and half of the rest.
void SpecialPairs::subtract_of(int i, double constant, double* each, Tally& tally) {
  const int* end = atom->nspecial[i];  // of 1-2, of 1-3 and of 1-4 neighbours, one behind the other
  for (int k = 0, kind = 1; k < end[2]; ++k) {
    while (k >= end[kind - 1]) ++kind;
    const auto d = to_image_of(i, atom->special[i][k]);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double other = atom->q[atom->map(atom->special[i][k])];
    const double energy = (force->special_coul[kind] - 1) * constant * atom->q[i] * other / std::sqrt(r2);
    const double pull = energy / r2;
    for (int a = 0; a < 3; ++a) atom->f[i][a] += pull * d[static_cast<std::size_t>(a)];
    if (each) each[i] += 0.5 * energy;
    tally.energy += 0.5 * energy;
    constexpr std::size_t row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    for (std::size_t s = 0; s < 6; ++s) tally.virial[s] += 0.5 * pull * d[row[s]] * d[column[s]];
  }
}

/// From the nearest image of an atom to atom i.
std::array<double, 3> SpecialPairs::to_image_of(int i, LAMMPS_NS::tagint partner) const {
  const int any_image = atom->map(partner);
  if (any_image < 0)
    error->one(FLERR, "Farfield: atom " + std::to_string(partner) + ", a bonded neighbour of atom " +
                          std::to_string(atom->tag[i]) +
                          ", is farther away than atoms are communicated; raise comm_modify cutoff");
  const int j = domain->closest_image(i, any_image);
  const double *from = atom->x[j], *to = atom->x[i];
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

}  // namespace farfield::lammps

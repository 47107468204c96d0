// Sums over the far images of a lattice as an expansion: for a unit charge at 0 in units of an edge a,
//
//   a psi_far(a u) = a (psi(a u) - sum over near images n of 1 / |a u - n|) = sum_i far[i] R_i(u) + quadratic |u|^2,
//
// psi the periodic potential in its conventions (docs/mathematics/periodic.md), R_i of laplace_harmonics.hpp.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "tree/cell/unit_cell.hpp"

namespace farfield {

struct LatticeSums {
  std::vector<double> far;  ///< coefficients of degrees 0 ... order
  double quadratic = 0;     ///< (2 pi / 3) a^3 / V; 0 with one or two periodic axes
  bool even = false;        ///< those of odd degrees are 0: with every near image there is its opposite
};

/// `near`: the images that are left out, 0 among them in any case. The expansion serves |u| <= sqrt 3, all pairs of
/// points of a cube of edge a, where no image that is far comes closer than that.
LatticeSums lattice_sums(const UnitCell& cell, double edge, int order, std::span<const CellIndex> near);

/// Their derivatives where the lattice is strained and charges, edge and the list of near images stay: of the strains
/// xx yy zz xy xz yz, see Strained.
std::array<LatticeSums, 6> strain_slopes(const UnitCell& cell, double edge, int order, std::span<const CellIndex> near);

}  // namespace farfield

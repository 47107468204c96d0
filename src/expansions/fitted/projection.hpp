// Solid harmonics of high degrees, projected in a cube onto those of lower ones.
//
// Over a sphere the R_i are orthogonal, over a cube they are not: high degrees are largest in its corners and look
// alike there. So what a series lacks behind degree d is in good part a combination of the functions that it has. With
// G_ij = int R_i R_j over the cube about the origin of edge 1, the best approximation of R_j by degrees up to d is
//   R_j ~ sum_i P_ij R_i,   P = G_dd^-1 G_d.,   P_ij = delta_ij for j of these degrees.
// Reflections of the axes split the functions into eight classes, within which alone G_ij is not 0.
#pragma once
#include <map>
#include <set>

#include "expansions/tables.hpp"

namespace farfield::laplace {

/// P onto each of `degrees`: rows of degrees up to it, columns of those up to `beyond`. In double: the squares of the
/// singular values of the functions' values span a factor of 1e9 at degree 14, and an error of 1e-7 in P changes no
/// result.
std::map<int, SparseMap> cube_projections(const std::set<int>& degrees, int beyond);

}  // namespace farfield::laplace

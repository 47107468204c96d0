// ExpansionBasis: what a family of expansions offers to the stages, which are templates over it.
//
// Conventions that every basis keeps: expansions live in box units, u = (x - box centre) / a with a the edge of the
// expansion's own box; a multipole is M_i = sum_j q_j R_i(u_j), its potential potential_scale(a) sum_i M_i S_i(u); a
// local expansion's potential is potential_scale(a) sum_i L_i R_i(u). Tables therefore hold for all levels.
// Matrices are column-major: element (out, in) at [in * count + out].
#pragma once
#include <array>
#include <concepts>
#include <vector>

#include "core/hd.hpp"
#include "expansions/tables.hpp"

namespace farfield {

/// A visitor of `columns` that does nothing: `columns` passes R_{n,m} = Q_n C_m and R_{n,-m} = Q_n S_m to it in turn.
struct NullVisitor {
  template <class V>
  FARFIELD_HD void begin(int /*m*/, const V& /*cosine*/, const V& /*sine*/) {}
  template <class V>
  FARFIELD_HD void term(int /*n*/, const V& /*q*/) {}
  FARFIELD_HD void end(int /*m*/) {}
};

/// Per particle, host and device: the recurrence of the regular functions R, and the inversion that turns them into the
/// singular functions S.
template <class Basis, class V>
concept EvaluatesExpansions = requires(int degree, const V* table, V v, V& r, NullVisitor& visitor) {
  Basis::columns(degree, table, v, v, v, visitor);
  Basis::invert(r, r, r, r, v);
};

/// Host: tables of the translations and derivatives. M2m, DenseM2l and RotatedM2l hold what all operators of one degree
/// share; their fill functions write to `out`, rounded to double first. Const functions may run concurrently.
template <class Basis>
concept GeneratesTables = requires(int degree, const double* t, double edge, double* out,
                                   const typename Basis::M2m& m2m, const typename Basis::DenseM2l& dense,
                                   const typename Basis::RotatedM2l& rotated) {
  m2m.fill_columns(degree, out);  ///< columns of the functions of `degree`; out: the whole matrix
  dense.fill(t, edge, out);
  rotated.fill(t, edge, out, out, out, out);  ///< cosine, sine, blocks, shift; their lengths: rotation_sizes
  { Basis::rotation_sizes(degree) } -> std::same_as<RotationSizes>;
  { Basis::recurrence_table(degree) } -> std::same_as<std::vector<double>>;
  { Basis::local_gradient(degree) } -> std::same_as<std::array<SparseMap, 3>>;
  { Basis::multipole_gradient(degree) } -> std::same_as<std::array<SparseMap, 3>>;
  { Basis::symmetry(degree, int{}) } -> std::same_as<Symmetry>;
  { Basis::m2m(degree) } -> std::same_as<std::vector<double>>;
  { Basis::m2l(degree, t, edge) } -> std::same_as<std::vector<double>>;
  { Basis::m2l_rotation(degree, t, edge) } -> std::same_as<RotationOperator>;
};

template <class Basis>
concept ExpansionBasis = EvaluatesExpansions<Basis, double> && EvaluatesExpansions<Basis, float> &&
    GeneratesTables<Basis> && requires(int degree, double edge) {
  { Basis::coefficient_count(degree) } -> std::same_as<int>;
  { Basis::truncates } -> std::convertible_to<bool>;         ///< false: degree 0 is exact, and the only one used
  { Basis::potential_scale(edge) } -> std::same_as<double>;  ///< factor in front of an expansion's sum
  { Basis::l2l_scale } -> std::convertible_to<double>;       ///< l2l = l2l_scale * transpose of m2m
};

}  // namespace farfield

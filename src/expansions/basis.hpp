// ExpansionBasis: what a family of expansions offers to the stages, which are templates over it.
//
// Conventions that every basis keeps: expansions live in box units, u = (x - box centre) / a with a the edge of the
// expansion's own box; a multipole is M_i = sum_j q_j R_i(u_j), its potential potential_scale(a) sum_i M_i S_i(u); a
// local expansion's potential is potential_scale(a) sum_i L_i R_i(u). Tables of a scale-invariant kernel therefore hold
// for all levels; of another kernel R, S and the tables depend on the level (GeneratesTables).
// Matrices are column-major: element (out, in) at [in * count + out].
#pragma once
#include <array>
#include <concepts>
#include <vector>

#include "core/hd.hpp"
#include "expansions/error_curve.hpp"
#include "expansions/tables.hpp"
#include "tree/lattice.hpp"

namespace farfield {

/// A visitor of `columns` that does nothing: `columns` passes R_{n,m} = Q_n C_m and R_{n,-m} = Q_n S_m to it in turn.
struct NullVisitor {
  template <class V>
  FARFIELD_HD void begin(int /*m*/, const V& /*cosine*/, const V& /*sine*/) {}
  template <class V>
  FARFIELD_HD void term(int /*n*/, const V& /*q*/) {}
  FARFIELD_HD void end(int /*m*/) {}
};

/// The singular functions S are the regular ones at an inverted point, times a weight.
template <class Basis, class V>
concept Inverts = requires(V v, V& r) {
  Basis::invert(r, r, r, r, v);
};

/// Per particle, host and device: the recurrences of the regular functions R and of the singular functions S.
template <class Basis, class V>
concept EvaluatesExpansions = requires(int degree, const V* table, V v, NullVisitor& visitor) {
  Basis::columns(degree, table, v, v, v, visitor);
  requires Inverts<Basis, V> || requires { Basis::singular_columns(degree, table, v, v, v, v, visitor); };
};

/// Where coefficients stand, as compile-time arithmetic of host and device: sorted by degree.
template <class Shape>
concept CoefficientShape = requires(int degree, int m, int i) {
  { Shape::count(degree) } -> std::same_as<int>;     ///< coefficients of all degrees up to this one
  { Shape::first(degree) } -> std::same_as<int>;     ///< where those of this degree begin
  { Shape::index(degree, m) } -> std::same_as<int>;  ///< of the functions Q_n C_m (m >= 0) and Q_n S_|m| (m < 0)
  { Shape::degree_of(i) } -> std::same_as<int>;
};

/// Host: tables of the translations and derivatives. M2m and DenseM2l hold what all operators of one degree share;
/// their fill functions write to `out`, rounded to double first. Const functions may run concurrently. Scale: nothing,
/// or, of a kernel with a length, a double: the edge of the level's boxes in that length, infinite where it is so large
/// that expansions are left out.
template <class Basis, class... Scale>
concept GeneratesTables = requires(int degree, const double* t, double edge, double* out, Scale... scale,
                                   const typename Basis::M2m& m2m, const typename Basis::DenseM2l& dense) {
  requires std::constructible_from<typename Basis::M2m, int, Scale...>;
  requires std::constructible_from<typename Basis::DenseM2l, int, Scale...>;
  m2m.fill_columns(degree, out);  ///< columns of the functions of `degree`; out: the whole matrix
  dense.fill(t, edge, out);
  { Basis::recurrence_table(degree, scale...) } -> std::same_as<std::vector<double>>;
  { Basis::local_gradient(degree, scale...) } -> std::same_as<std::array<SparseMap, 3>>;
  { Basis::multipole_gradient(degree, scale...) } -> std::same_as<std::array<SparseMap, 3>>;
  { Basis::m2m(degree, scale...) } -> std::same_as<std::vector<double>>;
  { Basis::m2l(degree, t, edge, scale...) } -> std::same_as<std::vector<double>>;
};

template <class Basis>
concept ExpansionBasis = EvaluatesExpansions<Basis, double> && EvaluatesExpansions<Basis, float> &&
    (GeneratesTables<Basis> ||
     GeneratesTables<Basis, double>)&&CoefficientShape<typename Basis::Shape>&& requires(int degree, double edge) {
  { Basis::coefficient_count(degree) } -> std::same_as<int>;
  { Basis::level_classes(int{}) } -> std::same_as<int>;  ///< sets of tables that a tree of so many levels needs
  { Basis::errors } -> std::convertible_to<const ErrorCurve*>;
  { Basis::decay } -> std::convertible_to<Decay>;
  { Basis::truncates } -> std::convertible_to<bool>;         ///< false: degree 0 is exact, and the only one used
  { Basis::potential_scale(edge) } -> std::same_as<double>;  ///< factor in front of an expansion's sum
  { Basis::l2l_scale } -> std::convertible_to<double>;       ///< l2l = l2l_scale * transpose of m2m
};

// What a basis may offer beside; the code that needs it says so by static_assert.

/// m2l as turns and a translation along z, O(degree^3) numbers and work.
template <class Basis, class... Scale>
concept RotatesAtScale = requires(int degree, const double* t, double edge, double* out, Scale... scale,
                                  const typename Basis::RotatedM2l& rotated) {
  rotated.fill(t, edge, out, out, out, out);  ///< cosine, sine, blocks, shift; their lengths: rotation_sizes
  { Basis::rotation_sizes(degree) } -> std::same_as<RotationSizes>;
  { Basis::m2l_rotation(degree, t, edge, scale...) } -> std::same_as<RotationOperator>;
};
template <class Basis>
concept Rotates = RotatesAtScale<Basis> || RotatesAtScale<Basis, double>;

/// m2l as multiplications of coefficients before and after one matrix, which all offsets share.
template <class Basis>
concept Factors = requires(const double* t, double edge, const typename Basis::FactoredM2l& factored) {
  { factored.shared() } -> std::same_as<std::vector<double>>;
  { factored.factors(t, edge) } -> std::same_as<std::vector<double>>;
};

/// The symmetries of the cube are signed permutations of coefficients: few operators stand for all, and one product
/// serves eight children.
template <class Basis>
concept Reflects = requires(int degree, int id) {
  { Basis::symmetry(degree, id) } -> std::same_as<Symmetry>;
};

/// The kernel is a logarithm, which has no scale of its own: this coefficient belongs to the pair of functions
/// R = -log of the box's edge in the caller's unit of length, S = 1; and of S_0 = R_0(inverted u) + (-log |u| - 1).
template <class Basis>
concept Logarithmic = requires(double v) {
  { Basis::unit_coefficient } -> std::convertible_to<int>;
  Basis::excess(v, v);  ///< -log |u| - 1
};

/// Functions of the plane: two coefficients for each degree n, R_n = power_factor(n) (x + iy)^n as Re and Im, and
/// S_n(u) = R_n(1 / conj u), with m2l in factors and a logarithm.
template <class Basis>
concept InPlane = Factors<Basis> && Logarithmic<Basis> && requires(int n) {
  { Basis::power_factor(n) } -> std::same_as<double>;
};

/// One set of tables, in box units, holds for all levels. Else each level has its own, made for its scale.
template <class Basis>
concept ScaleInvariant = Basis::level_classes(max_levels)
== 1;

/// Takes terms and gives coefficients 0, where a concept needs a caller of fixed_terms or fixed_sum.
struct NullTerms {
  template <class Index, class V>
  FARFIELD_HD void operator()(Index, const V& /*value*/) const {}
  template <class Index>
  FARFIELD_HD float operator()(Index) const {
    return 0;
  }
};

/// Expansions with the degree as a template argument, up to highest_fixed: what keeps them in a GPU's registers.
template <class Basis>
concept FixedDegree = requires(int degree, float v, float* out, const NullTerms& terms) {
  requires Basis::coefficient_count(Basis::highest_fixed)
  > 0;  ///< a constant
  Basis::template fixed_terms<0>(v, v, v, v, terms);
  Basis::template fixed_sum<0, true>(v, v, v, terms, out);
  Basis::template fixed_outer_sum<0, true>(v, v, v, v, terms, out);
  { Basis::term_factors(degree) } -> std::same_as<std::vector<double>>;
  { Basis::sum_factors(degree) } -> std::same_as<std::vector<double>>;
};

}  // namespace farfield

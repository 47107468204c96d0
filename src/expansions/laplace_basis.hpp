// LaplaceBasis: the expansions of 1/r in three dimensions, as the stages use them. Formulas: laplace_harmonics.hpp (per
// particle) and the generators laplace_gradients.hpp, laplace_translations.hpp, laplace_rotation.hpp (tables, host).
#pragma once
#include "expansions/basis.hpp"
#include "expansions/laplace_fixed.hpp"
#include "expansions/laplace_gradients.hpp"
#include "expansions/laplace_harmonics.hpp"
#include "expansions/laplace_rotation.hpp"
#include "expansions/laplace_translations.hpp"

namespace farfield {

struct LaplaceBasis {
  using Shape = SolidShape;
  static constexpr bool truncates = true;
  static constexpr const ErrorCurve* errors = &solid_errors;
  static constexpr Decay decay = solid_decay;
  static constexpr double l2l_scale = 0.5;  ///< 1/a of the parent over 1/a of the child, see laplace::M2m
  FARFIELD_HD static double potential_scale(double edge) { return 1 / edge; }
  FARFIELD_HD static constexpr int coefficient_count(int degree) { return Shape::count(degree); }
  static constexpr int level_classes(int /*levels*/) { return 1; }

  /// [coefficient_count(degree)] factors for `columns`, in double; round them for a backend in single.
  static std::vector<double> recurrence_table(int degree) {
    const auto exact = laplace::recurrence_table<long double>(degree);
    return {exact.begin(), exact.end()};
  }

  /// visit.begin(m, C_m, S_m); visit.term(n, Q) for n = m ... degree; visit.end(m), for m = 0 ... degree:
  /// R_{n,m} = Q C_m, R_{n,-m} = Q S_m (S_0 = 0).
  template <class V, class Real, class Visitor>
  FARFIELD_HD static void columns(int degree, const Real* table, V x, V y, V z, Visitor&& visit) {
    laplace::columns(degree, table, x, y, z, visit);
  }

  /// Degrees 0 to this one have the functions below, with the degree as a template argument. Single precision needs no
  /// more for 1e-5.
  static constexpr int highest_fixed = 15;
  /// Calls add(i, value) for i = Constant<0> ... , where weight R_i(x, y, z) = term_factors[i] value.
  template <int degree, class V, class Add>
  FARFIELD_HD static void fixed_terms(V weight, V x, V y, V z, Add&& add) {
    laplace::monic_terms<degree>(weight, x, y, z, add);
  }
  static std::vector<double> term_factors(int degree) { return laplace::monic_factors(degree); }
  /// out[0] = sum_i L_i R_i(x, y, z) with a(Constant<i>) = sum_factors[i] L_i; with 4 parts out[1 ... 3] are its
  /// derivatives.
  template <int degree, int parts, class V, class Coefficient>
  FARFIELD_HD static void fixed_sum(V x, V y, V z, Coefficient&& a, V out[4]) {
    laplace::rho_sum<degree, parts>(x, y, z, a, out);
  }
  /// The same for sum_i M_i S_i(x, y, z).
  template <int degree, int parts, class V, class Coefficient>
  FARFIELD_HD static void fixed_outer_sum(V x, V y, V z, V inverse_r, Coefficient&& a, V out[4]) {
    laplace::rho_outer_sum<degree, parts>(x, y, z, inverse_r, a, out);
  }
  static std::vector<double> sum_factors(int degree) { return laplace::rho_factors(degree); }

  /// Kelvin's inversion: u becomes u/|u|^2, and then S_i(u) = weight R_i(inverted u).
  template <class V>
  FARFIELD_HD static void invert(V& x, V& y, V& z, V& weight, V inverse_r) {
    const V inverse_square = inverse_r * inverse_r;
    x = x * inverse_square;
    y = y * inverse_square;
    z = z * inverse_square;
    weight = inverse_r;
  }

  static std::array<SparseMap, 3> local_gradient(int degree) { return laplace::local_gradient(degree); }
  static std::array<SparseMap, 3> multipole_gradient(int degree) { return laplace::multipole_gradient(degree); }
  static Symmetry symmetry(int degree, int id) { return laplace::symmetry(degree, id); }

  using M2m = laplace::M2m;
  using DenseM2l = laplace::DenseM2l;
  using RotatedM2l = laplace::RotatedM2l;
  static RotationSizes rotation_sizes(int degree) { return laplace::rotation_sizes(degree); }
  static std::vector<double> m2m(int degree) { return laplace::m2m(degree); }
  static std::vector<double> m2l(int degree, const double t[3], double target_edge) {
    return laplace::m2l(degree, t, target_edge);
  }
  static RotationOperator m2l_rotation(int degree, const double t[3], double target_edge) {
    return laplace::m2l_rotation(degree, t, target_edge);
  }
};

static_assert(ExpansionBasis<LaplaceBasis> && FixedDegree<LaplaceBasis> && Rotates<LaplaceBasis> &&
              Reflects<LaplaceBasis> && ScaleInvariant<LaplaceBasis>);

}  // namespace farfield

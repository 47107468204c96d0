// PlanarBasis: the expansions of -log |x - y| in the plane, as the stages use them. Formulas: planar/harmonics.hpp (per
// particle) and planar/translations.hpp (tables, host).
#pragma once
#include "core/math.hpp"
#include "expansions/basis.hpp"
#include "expansions/planar/harmonics.hpp"
#include "expansions/planar/translations.hpp"

namespace farfield {

struct PlanarBasis {
  using Shape = PlanarShape;
  static constexpr bool truncates = true;
  static constexpr const ErrorCurve* errors = &planar_errors;
  static constexpr Decay decay = planar_decay;
  static constexpr double l2l_scale = 1;
  static constexpr int unit_coefficient = PlanarShape::unit;
  FARFIELD_HD static double potential_scale(double /*edge*/) { return 1; }
  FARFIELD_HD static constexpr int coefficient_count(int degree) { return Shape::count(degree); }
  static constexpr int level_classes(int /*levels*/) { return 1; }

  static std::vector<double> recurrence_table(int degree) { return planar::recurrence_table(degree); }
  template <class V, class Real, class Visitor>
  FARFIELD_HD static void columns(int degree, const Real* table, V x, V y, V /*z*/, Visitor&& visit) {
    planar::columns(degree, table, x, y, visit);
  }

  /// Inversion in the unit circle: then S_i(u) = R_i(inverted u) but for S_0 = logarithm(u).
  template <class V>
  FARFIELD_HD static void invert(V& x, V& y, V& z, V& weight, V /*inverse_r*/) {
    const V r2 = x * x + y * y, zero = V{};
    const V inverse_square = r2 > zero ? Math<V>::inverse(r2) : zero;  // lanes without a point are at the centre
    x = x * inverse_square;
    y = y * inverse_square;
    z = V{};
    weight = V{} + 1;
  }

  /// S_0 - R_0 at u, before u is inverted.
  template <class V>
  FARFIELD_HD static V excess(V x, V y) {
    return Math<V>::constant(-0.5) * Math<V>::log(x * x + y * y) - Math<V>::constant(1);
  }

  static double power_factor(int n) { return static_cast<double>(1 / planar::root(n)); }
  static std::array<SparseMap, 3> local_gradient(int degree) { return planar::local_gradient(degree); }
  static std::array<SparseMap, 3> multipole_gradient(int degree) { return planar::multipole_gradient(degree); }
  static Symmetry symmetry(int degree, int id) { return planar::symmetry(degree, id); }

  using M2m = planar::M2m;
  using DenseM2l = planar::DenseM2l;
  using FactoredM2l = planar::FactoredM2l;
  static std::vector<double> m2m(int degree) {
    std::vector<double> matrix(static_cast<std::size_t>(Shape::count(degree)) * Shape::count(degree));
    const M2m columns(degree);
    for (int k = 0; k <= degree; ++k) columns.fill_columns(k, matrix.data());
    return matrix;
  }
  static std::vector<double> m2l(int degree, const double t[3], double target_edge) {
    std::vector<double> matrix(static_cast<std::size_t>(Shape::count(degree)) * Shape::count(degree));
    DenseM2l(degree).fill(t, target_edge, matrix.data());
    return matrix;
  }
};

static_assert(ExpansionBasis<PlanarBasis> && Reflects<PlanarBasis> && ScaleInvariant<PlanarBasis> &&
              Logarithmic<PlanarBasis> && Factors<PlanarBasis> && InPlane<PlanarBasis>);

}  // namespace farfield

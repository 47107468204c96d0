// BesselBasis: the expansions of exp(-kappa r)/r, as the stages use them. Formulas: bessel/radial.hpp and coaxial.hpp
// (per particle), bessel/translations.hpp (tables, host). Tables of a level depend on lambda = kappa times its edge.
#pragma once
#include "expansions/basis.hpp"
#include "expansions/bessel/coaxial.hpp"
#include "expansions/bessel/translations.hpp"

namespace farfield {

struct BesselBasis {
  using Shape = SolidShape;
  static constexpr bool truncates = true;
  /// Screening takes from every term of 1/r's expansions at least what it takes from a near pair, so the errors stay
  /// below those of 1/r where near pairs carry the result. Where none does, the expansions show it after the evaluation
  /// (judge/truncation.hpp).
  static constexpr const ErrorCurve* errors = &solid_errors;
  static constexpr Decay decay = solid_decay;
  static constexpr double l2l_scale = 0.5;
  FARFIELD_HD static double potential_scale(double edge) { return 1 / edge; }
  FARFIELD_HD static constexpr int coefficient_count(int degree) { return Shape::count(degree); }
  static constexpr int level_classes(int levels) { return levels; }
  template <class Real>
  static constexpr double largest_scale = bessel::largest_scale<Real>;

  static std::vector<double> recurrence_table(int degree, double lambda) {
    return bessel::recurrence_table<double>(degree, lambda);
  }
  template <class V, class Real, class Visitor>
  FARFIELD_HD static void columns(int degree, const Real* table, V x, V y, V z, Visitor&& visit) {
    bessel::columns(degree, table, x, y, z, visit);
  }
  template <class V, class Real, class Visitor>
  FARFIELD_HD static void singular_columns(int degree, const Real* table, V x, V y, V z, V inverse_r, Visitor&& visit) {
    bessel::singular_columns(degree, table, x, y, z, inverse_r, visit);
  }

  static std::array<SparseMap, 3> local_gradient(int degree, double lambda) {
    return bessel::local_gradient(degree, lambda);
  }
  static std::array<SparseMap, 3> multipole_gradient(int degree, double lambda) {
    return bessel::multipole_gradient(degree, lambda);
  }
  static Symmetry symmetry(int degree, int id) { return laplace::symmetry(degree, id); }

  using M2m = bessel::M2m;
  using DenseM2l = bessel::DenseM2l;
  using RotatedM2l = bessel::RotatedM2l;
  static RotationSizes rotation_sizes(int degree) { return laplace::rotation_sizes(degree); }
  static std::vector<double> m2m(int degree, double lambda) {
    std::vector<double> matrix(static_cast<std::size_t>(Shape::count(degree) * Shape::count(degree)));
    const M2m columns(degree, lambda);
    for (int k = 0; k <= degree; ++k) columns.fill_columns(k, matrix.data());
    return matrix;
  }
  static std::vector<double> m2l(int degree, const double t[3], double target_edge, double lambda) {
    std::vector<double> matrix(static_cast<std::size_t>(Shape::count(degree) * Shape::count(degree)));
    DenseM2l(degree, lambda).fill(t, target_edge, matrix.data());
    return matrix;
  }
  static RotationOperator m2l_rotation(int degree, const double t[3], double target_edge, double lambda) {
    RotationOperator op = bessel::sized_operator(degree);
    RotatedM2l(degree, lambda)
        .fill(t, target_edge, op.cosine.data(), op.sine.data(), op.blocks.data(), op.shift.data());
    return op;
  }
};

static_assert(ExpansionBasis<BesselBasis> && Rotates<BesselBasis> && Reflects<BesselBasis> &&
              !ScaleInvariant<BesselBasis>);

}  // namespace farfield

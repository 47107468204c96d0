// OnesBasis: the counting kernel's expansions. One coefficient, every function and operator 1, so that an FMM run
// with strengths 1 counts, exactly, how often each source reaches each target. A counting plan shall have the tree,
// lists and scheme that it would have with solid harmonics, so its shape is theirs, although only degree 0 is ever
// held.
#pragma once
#include "expansions/basis.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield {

struct OnesBasis {
  using Shape = SolidShape;
  static constexpr bool truncates = false;
  static constexpr const ErrorCurve* errors = &solid_errors;
  static constexpr Decay decay = solid_decay;
  static constexpr double l2l_scale = 1;
  FARFIELD_HD static double potential_scale(double /*edge*/) { return 1; }
  FARFIELD_HD static constexpr int coefficient_count(int /*degree*/) { return 1; }
  static constexpr int level_classes(int /*levels*/) { return 1; }
  static std::vector<double> recurrence_table(int /*degree*/) { return {1}; }

  template <class V, class Real, class Visitor>
  FARFIELD_HD static void columns(int /*degree*/, const Real* /*table*/, V /*x*/, V /*y*/, V /*z*/, Visitor&& visit) {
    const V one = V{} + Real(1);
    visit.begin(0, one, V{});
    visit.term(0, one);
    visit.end(0);
  }

  static constexpr int highest_fixed = 0;
  template <int degree, class V, class Add>
  FARFIELD_HD static void fixed_terms(V weight, V /*x*/, V /*y*/, V /*z*/, Add&& add) {
    add(std::integral_constant<int, 0>{}, weight);
  }
  static std::vector<double> term_factors(int /*degree*/) { return {1}; }
  template <int degree, int parts, class V, class Coefficient>
  FARFIELD_HD static void fixed_sum(V /*x*/, V /*y*/, V /*z*/, Coefficient&& a, V out[4]) {
    out[0] = a(std::integral_constant<int, 0>{});
    if constexpr (parts > 1) out[1] = out[2] = out[3] = 0;
  }
  template <int degree, int parts, class V, class Coefficient>
  FARFIELD_HD static void fixed_outer_sum(V x, V y, V z, V /*inverse_r*/, Coefficient&& a, V out[4]) {
    fixed_sum<degree, parts>(x, y, z, a, out);
  }
  static std::vector<double> sum_factors(int /*degree*/) { return {1}; }

  template <class V>
  FARFIELD_HD static void invert(V& /*x*/, V& /*y*/, V& /*z*/, V& weight, V /*inverse_r*/) {
    weight = V{} + 1;
  }

  static std::array<SparseMap, 3> local_gradient(int /*degree*/) { return {no_map(), no_map(), no_map()}; }
  static std::array<SparseMap, 3> multipole_gradient(int degree) { return local_gradient(degree); }
  static Symmetry symmetry(int /*degree*/, int /*id*/) { return {{0}, {1}}; }

  struct M2m {
    explicit M2m(int /*degree*/) {}
    template <class Real>
    void fill_columns(int /*k*/, Real* matrix) const {
      *matrix = 1;
    }
  };
  struct DenseM2l {
    explicit DenseM2l(int /*degree*/) {}
    template <class Real>
    void fill(const double* /*t*/, double /*target_edge*/, Real* matrix) const {
      *matrix = 1;
    }
  };
  struct RotatedM2l {
    explicit RotatedM2l(int /*degree*/) {}
    template <class Real>
    void fill(const double* /*t*/, double /*target_edge*/, Real* cosine, Real* sine, Real* blocks, Real* shift) const {
      *cosine = *blocks = *shift = 1;
      *sine = 0;
    }
  };
  static RotationSizes rotation_sizes(int /*degree*/) { return {1, 1, 1}; }
  static std::vector<double> m2m(int /*degree*/) { return {1}; }
  static std::vector<double> m2l(int /*degree*/, const double* /*t*/, double /*target_edge*/) { return {1}; }
  static RotationOperator m2l_rotation(int /*degree*/, const double* /*t*/, double /*target_edge*/) {
    return {{1}, {0}, {1}, {1}};
  }

 private:
  static SparseMap no_map() { return {1, 1, {0, 0}, {}, {}}; }
};

static_assert(ExpansionBasis<OnesBasis> && FixedDegree<OnesBasis> && Rotates<OnesBasis> && Reflects<OnesBasis> &&
              ScaleInvariant<OnesBasis>);

}  // namespace farfield

// The exponential of a kernel of exp(-rate r)/r (OfDecay) in the near field of a leaf, where no pair is farther apart
// than a reach: exp(-rate r)/r = p(r^2)/r - rate s(r^2), by core/exponential_fit.hpp. The polynomials do not wait for
// the root.
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/work.hpp"
#include "core/exponential_fit.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Calls f(form) with the form as a constant.
template <class Real, int form = whole_formula, class F>
FARFIELD_INLINE void with_decay_form(int asked, F&& f) {
  if constexpr (form < exponential_form_count<Real>) {
    if (asked == form) return f(std::integral_constant<int, form>{});
    with_decay_form<Real, form + 1>(asked, f);
  }
}

/// What the lanes multiply, given r^2 and root = 1/(scale r).
template <class Real, int form>
class Decay {
 public:
  using V = Vec<Real>;
  static constexpr ExponentialForm shape = sizeof(Real) == 4 ? forms_in_single[form] : forms_in_double[form];

  Decay(const ExponentialFit& fit, double rate, double scale)
      : fall_(static_cast<Real>(scale * scale)), fall_slope_(static_cast<Real>(rate * scale * scale * scale)) {
    double power = 1;
    for (int j = 0; j <= shape.even; ++j, power *= rate * rate) {
      even_[j] = number(fit.even[j] * power);
      odd_[j] = number(fit.odd[j] * power * rate / scale);  // 0 behind the degree
    }
  }
  /// exp(-rate r) / (scale r).
  FARFIELD_INLINE V over_distance(V r2, V root) const {
    return root * polynomial<shape.even>(even_, r2) - polynomial<shape.odd>(odd_, r2);
  }
  /// (1 + rate r) scale^2.
  FARFIELD_INLINE V fall(V r2, V root) const { return fall_ + fall_slope_ * (r2 * root); }

 private:
  /// 0 where it does not count beside 1: processors are slow with numbers below the normal ones.
  static Real number(double x) { return std::fabs(x) < 1e-30 ? Real(0) : static_cast<Real>(x); }
  template <int degree>
  static FARFIELD_INLINE V polynomial(const Real* coefficient, V x) {
    V sum = coefficient[degree] * x + coefficient[degree - 1];
#pragma GCC unroll 8
    for (int j = degree - 2; j >= 0; --j) sum = sum * x + coefficient[j];
    return sum;
  }
  Real fall_, fall_slope_, even_[most_fit_degree + 1], odd_[most_fit_degree + 1];
};

struct NoDecay {};
template <class Real, int form>
struct DecayOf {
  using type = Decay<Real, form>;
};
template <class Real>
struct DecayOf<Real, whole_formula> {
  using type = NoDecay;
};

/// The largest distance of a point in a leaf from one in the boxes of its near list, scaled.
inline double near_reach(const TreeView& tree, const ListView& near, BoxId box) {
  double most = 0;
  for (std::int64_t i = near.begin[box]; i < near.begin[box + 1]; ++i) {
    const BoxId source = near.items[i];
    const double half = (tree.lattice.edge(tree.level[box]) + tree.lattice.edge(tree.level[source])) / 2;
    double r2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = std::fabs(displacement_from_centre(tree, source, tree.coordinate(box, axis), axis)) + half;
      r2 += d * d;
    }
    most = r2 > most ? r2 : most;
  }
  return (1 + 1e-6) * std::sqrt(most);
}

}  // namespace farfield::cpu::FARFIELD_ISA

// The exponential of a kernel of exp(-rate r) (OfDecay) in the near field of a leaf, where no pair is farther apart than
// a reach: e^(-rate r) = e^(-rate reach) e^t with t = rate (reach - r), by core/exponential_fit.hpp. All terms are
// positive: rounding is that of e^(-rate r) itself. Per pair it takes degree + squarings + 1 operations.
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

/// What the lanes multiply: of pairs given by r^2 and root = 1/(scale r).
template <class Real, int form>
class Decay {
 public:
  using V = Vec<Real>;
  static constexpr ExponentialForm shape = exponential_forms<Real>[form];

  Decay(const ExponentialFit& fit, double rate, double reach, double scale)
      : reach_(static_cast<Real>(reach / scale)),
        fall_(static_cast<Real>((1 + rate * reach) * scale * scale)),
        fall_slope_(static_cast<Real>(rate * scale * scale * scale)) {
    const double parts = 1 << shape.squarings;
    double factor = std::exp(-rate * reach / parts);
    for (int j = 0; j <= shape.degree; ++j, factor *= rate * scale / parts)
      coefficient_[j] = static_cast<Real>(fit.coefficient[j] * factor);
  }
  /// (reach - r) / scale.
  FARFIELD_INLINE V left(V r2, V root) const { return reach_ - r2 * root; }
  /// exp(-rate r).
  FARFIELD_INLINE V exponential(V left) const {
    V sum = coefficient_[shape.degree] * left + coefficient_[shape.degree - 1];
#pragma GCC unroll 16
    for (int j = shape.degree - 2; j >= 0; --j) sum = sum * left + coefficient_[j];
#pragma GCC unroll 4
    for (int k = 0; k < shape.squarings; ++k) sum = sum * sum;
    return sum;
  }
  /// (1 + rate r) scale^2.
  FARFIELD_INLINE V fall(V left) const { return fall_ - fall_slope_ * left; }

 private:
  Real reach_, fall_, fall_slope_, coefficient_[most_fit_degree + 1];
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
      const double d = std::fabs(tree.coordinate(box, axis) - tree.coordinate(source, axis)) + half;
      r2 += d * d;
    }
    most = r2 > most ? r2 : most;
  }
  return (1 + 1e-6) * std::sqrt(most);
}

}  // namespace farfield::cpu::FARFIELD_ISA

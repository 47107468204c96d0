// Truncation: the error that expansions of some degree leave in one evaluation, estimated from the expansions
// themselves, after the evaluation.
//
// Both kinds of expansions are cut off after degree d. With the power of a degree, p_n = sum_m c_{n,m}^2, and distances
// in edges a of the box, for 1/r (a logarithm in the plane lacks one power of 1/w and of 1/a, and has 2n for 2n+1:
// Decay)
// - a multipole lacks its terms n > d, whose mean square over directions at distance w is p_n w^(-2n-2) / (2n+1) / a^2;
// - a local lacks terms whose mean square at distance r from its centre is p_n r^(2n) / (2n+1) / a^2.
// A derivative takes r^n to terms of degree n-1 whose squares over a sphere add up to n (2n+1) / r^2 times its own, and
// w^-n-1 to those of degree n+1, (n+1) (2n+1) / w^2 times: the gradient's components are harmonic again, which gives
// the Hessian's. p_{d+1} follows from the last four degrees (next_power). The errors of multipoles are summed over the
// far list with the mean over a box full of targets (TailMeans), and over m2p; those of locals over the targets of
// every leaf, and with such a mean of other boxes. Boxes with many of the targets are looked at more closely
// (is_crowded).
//
// So the estimate depends on the strengths, on how the points lie, and on the results of m2l and l2l. Measured on
// random mixtures (tests/support/mixtures.hpp; all degrees, alike and apart): the true error is 0.84 times the estimate
// in the median, in 1 of 100 sums above 3.5 times, more only where a handful of translations carry the error
// (truncation_safety).
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/hd.hpp"
#include "core/results.hpp"
#include "expansions/error_curve.hpp"
#include "expansions/fitted/source_degrees.hpp"
#include "model/decision.hpp"
#include "tree/far.hpp"

namespace farfield {

/// Squared errors, summed over the targets, of potential, gradient and Hessian.
struct Truncation {
  double order[orders] = {};
  FARFIELD_HD Truncation& operator+=(const Truncation& other) {
    for (int k = 0; k < orders; ++k) order[k] += other.order[k];
    return *this;
  }
};

/// Multipoles and locals (a treecode has none: null) of all boxes, `stride` apart, `count(n)` coefficients of degrees 0
/// to n.
template <class Real>
struct Expansions {
  const Real *multipole, *local;
  std::int64_t stride;
  int degree;
  int (*count)(int degree);
  Decay decay;
  double root_scale = 0;  ///< of a kernel with a length: the root's edge in it
  int judged = 2;         ///< orders of results: 3 with the Hessian

  double power(const Real* c, int n) const {
    double sum = 0;
    for (int i = n > 0 ? count(n - 1) : 0; n >= 0 && i < count(n); ++i)
      sum += static_cast<double>(c[i]) * static_cast<double>(c[i]);
    return sum;
  }
};

/// The power of degree d + 1, extrapolated from the sums of the powers of the last two degrees and of the two before:
/// of two each time, since a crystal's even or odd powers may vanish. Per degree the power of a point in a box falls by
/// its squared distance from the centre, 3/4 at most.
FARFIELD_HD double extrapolated_power(double last, double before, int d) {
  if (d < 1 || !(last > 0)) return 0.5 * last;
  double fall = d < 3 || !(before > 0) ? 0.75 : sqrt(last / before);
  fall = fall > 0.75 ? 0.75 : fall < 0.02 ? 0.02 : fall;
  return 0.5 * last * fall * sqrt(fall);
}
template <class Real>
double next_power(const Expansions<Real>& e, const Real* c) {
  const int d = e.degree;
  return extrapolated_power(e.power(c, d) + e.power(c, d - 1), e.power(c, d - 2) + e.power(c, d - 3), d);
}

/// x^n for n >= 0.
FARFIELD_HD double integer_power(double x, int n) {
  double power = 1;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) power *= x;
  return power;
}

/// x for a logarithm, x / a^2 for 1/r.
FARFIELD_HD double over_unit(const Decay& decay, double x, double a) { return decay.steeper ? x / (a * a) : x; }

/// What a screened kernel's radial parts (expansions/bessel/radial.hpp) do to the squares of terms of degree n: by
/// their asymptotic forms for high degrees, uniform in lambda (Abramowitz & Stegun 9.7.7, 9.7.8).
struct Screening {
  double lambda = 0;  ///< 0: none
  double series = 1;  ///< by how much the terms above degree n weigh more than they do for 1/r

  FARFIELD_HD double outer(int n, double w2) const { return lambda > 0 ? series * squared(n, w2, 1) : 1; }
  FARFIELD_HD double inner(int n, double r2) const { return lambda > 0 ? series * squared(n, r2, -1) : 1; }
  /// The square of exp(h lambda) K_n (sign 1) or of exp(-h lambda) I_n (-1).
  FARFIELD_HD double squared(int n, double r2, int sign) const {
    const double corner = 0.8660254037844386, nu = n + 0.5, s = sqrt(nu * nu + lambda * lambda * r2);
    return exp(2 * sign * (corner * lambda - (s - nu) + nu * log((nu + s) / (2 * nu)))) * nu / s;
  }
};

/// Means over a box full of targets, for the terms of degree n = d + 1.
struct TailMeans {
  /// Of w^(-2n-2s) / (2n+s) times `power`, with the first degree that m2l lacks at a distance, which may be lower, and
  /// the power of that degree over that of d + 1.
  struct Outer {
    double mean = 0, power = 1;
    int n = 1;
  };
  int n = 1;
  Decay decay{};
  Outer outer[4][4][4] = {};  ///< by the distance of the boxes along each axis
  double inner = 0;           ///< of r^(2n) / (2n+s)
  Screening screening{};      ///< both times its factors

  FARFIELD_HD const Outer& far(int dx, int dy, int dz) const {
    return outer[dx < 0 ? -dx : dx][dy < 0 ? -dy : dy][dz < 0 ? -dz : dz];
  }
  /// The squared derivative of order k over that of order k-1, where most of either is: at 1.6 edges from a multipole's
  /// centre, at 0.6 from a local's.
  FARFIELD_HD double outer_ratio(int k) const {
    const int own = n + k - 1;
    return (own + decay.steeper) * (2.0 * own + decay.steeper) / (1.6 * 1.6) + of_screening();
  }
  FARFIELD_HD double inner_ratio(int k) const {
    const int own = n - k + 1;
    return own * (2.0 * own + decay.steeper) / (0.6 * 0.6) + of_screening();
  }
  FARFIELD_HD double of_screening() const { return screening.lambda * screening.lambda; }
};
/// Of expansions of `degree`; remembered for the life of the process.
const TailMeans& tail_means(const Decay& decay, int degree);
/// The same where m2l is fitted: at larger distances multipoles lack more (laplace::source_degree), by as much as those
/// of sources at random.
TailMeans tail_means(int degree, Fit fit);

/// The means of each level of a tree.
class LevelMeans {
 public:
  template <class Real>
  LevelMeans(const Expansions<Real>& e, int levels)
      : LevelMeans(e.decay, e.degree, e.root_scale, levels, e.local ? 2 : 0) {}
  /// `first`: the coarsest level that has expansions.
  LevelMeans(const Decay& decay, int degree, double root_scale, int levels, int first);
  const TailMeans& operator[](int level) const { return own_.empty() ? all_ : own_[static_cast<std::size_t>(level)]; }

 private:
  const TailMeans& all_;
  std::vector<TailMeans> own_;
};

/// Squared distance of point i from the centre of a box, in its edges. x[axis][i]: coordinates, arrays as a rule.
template <class Coordinates>
FARFIELD_HD double square_from_centre(const TreeView& tree, BoxId box, const Coordinates& x, std::int64_t i,
                                      double edge, const Decay& decay) {
  double r2 = 0;
  for (int a = 0; a < decay.axes; ++a) {
    const double u = displacement_from_centre(tree, box, x[a][i], a) / edge;
    r2 += u * u;
  }
  return r2;
}

/// Squared error at one target, at the squared distance r2 (in edges a) from the centre of a box, from missing terms of
/// degree n with that power.
FARFIELD_HD Truncation inner_tail(double power, double r2, double a, const TailMeans& of) {
  const int n = of.n, s = of.decay.steeper;
  const double q = over_unit(of.decay, power * integer_power(r2, n - 1), a) * of.screening.inner(n, r2);
  const double potential = q * r2 / (2 * n + s), gradient = q * n / (a * a) + potential * of.of_screening() / (a * a);
  const double hessian = r2 > 0 ? gradient * (n - 1) * (2 * (n - 1) + s) / (r2 * a * a) : 0;
  return {{potential, gradient, hessian}};
}
FARFIELD_HD Truncation outer_tail(double power, double r2, double a, const TailMeans& of) {
  const int n = of.n, s = of.decay.steeper;
  const double falls = integer_power(r2, n + s), q = power / (s ? falls * a * a : falls) * of.screening.outer(n, r2);
  const double potential = q / (2 * n + s),
               gradient = q * (n + s) / (r2 * a * a) + potential * of.of_screening() / (a * a);
  return {{potential, gradient, gradient * (n + 1 + s) * (2 * (n + 1) + s) / (r2 * a * a)}};
}

/// Targets of a box, as one tree over all points numbers them.
struct BoxTargets {
  std::int64_t begin, count, of_tree;
};
FARFIELD_HD BoxTargets targets_in(const TreeView& tree, BoxId box) {
  return {tree.target_begin[box], tree.target_count(box), tree.target_count(0)};
}

/// Do the targets of a box count for much of all errors? Where they crowd in a corner of it, a mean over the box would
/// be too small: 3,500 of 28,000 targets in a cusp erred 2.1 times the estimate.
FARFIELD_HD bool is_crowded(int level, const BoxTargets& targets) {
  return level >= 2 && 16 * targets.count >= targets.of_tree;
}
/// 8 of the targets of such a box, evenly spaced in their order.
inline constexpr int of_crowd = 8;
FARFIELD_HD std::int64_t target_of_crowd(const BoxTargets& targets, int j) {
  return targets.begin + (2 * j + 1) * targets.count / (2 * of_crowd);
}
/// The mean of f(i) over them.
template <class F>
FARFIELD_HD double mean_of_crowd(const BoxTargets& targets, F&& f) {
  double sum = 0;
  for (int j = 0; j < of_crowd; ++j) sum += f(target_of_crowd(targets, j));
  return sum / of_crowd;
}

/// Squared errors at the targets of a far box, at a distance of dx, dy, dz boxes, from the terms that a multipole of
/// power 1 lacks, times the square of the box's edge for 1/r.
template <class Coordinates>
FARFIELD_HD double far_tail(const TreeView& tree, BoxId source, const BoxTargets& targets, int dx, int dy, int dz,
                            const Coordinates& x, const TailMeans& means) {
  const TailMeans::Outer& far = means.far(dx, dy, dz);
  double mean = far.mean;
  if (is_crowded(tree.level[source], targets)) {
    const double a = tree.lattice.edge(tree.level[source]);
    const int n = far.n, s = means.decay.steeper;
    mean = fmax(mean, far.power * mean_of_crowd(targets, [&](std::int64_t i) {
                        const double w2 = square_from_centre(tree, source, x, i, a, means.decay);
                        return means.screening.outer(n, w2) / (integer_power(w2, n + s) * (2 * n + s));
                      }));
  }
  return static_cast<double>(targets.count) * mean;
}

/// Squared errors at the targets of a box that is no leaf from the terms that its local lacks.
template <class Coordinates>
FARFIELD_HD Truncation inner_box_tail(const TreeView& tree, BoxId box, const BoxTargets& targets, double power,
                                      const Coordinates& x, const TailMeans& means) {
  const double a = tree.lattice.edge(tree.level[box]);
  double mean = means.inner;
  if (is_crowded(tree.level[box], targets))
    mean = fmax(mean, mean_of_crowd(targets, [&](std::int64_t i) {
                  const double r2 = square_from_centre(tree, box, x, i, a, means.decay);
                  return means.screening.inner(means.n, r2) * integer_power(r2, means.n) /
                         (2 * means.n + means.decay.steeper);
                }));
  const double potential = over_unit(means.decay, static_cast<double>(targets.count) * power * mean, a);
  Truncation sum{{potential}};
  for (int k = 1; k < orders; ++k) sum.order[k] = sum.order[k - 1] * means.inner_ratio(k) / (a * a);
  return sum;
}

/// Factor on the estimate before it is compared with a tolerance; `translations`: of m2l, m2p and p2l.
double truncation_safety(const Decision& decision, std::int64_t translations);

/// The estimate. `multipole_power`: room for one number per box.
template <class Real>
Truncation truncation(const TreeView& tree, const ListsView& lists, const Expansions<Real>& expansions,
                      const double* const target[3], double* multipole_power, int threads);

}  // namespace farfield

// ErrorCurve: what a basis' expansions err by at each degree, measured. Choice and judgement ask a kernel's traits.
#pragma once

namespace farfield {

/// The terms that expansions lack: those of degree n decay as r^n within a box and as w^-(n + s) outside, s =
/// `steeper`, have the mean square power / (2 n + s) over directions, and the unit of the kernel is that of a
/// length^-s. Along `axes` axes.
struct Decay {
  int steeper, axes;
};
inline constexpr Decay solid_decay{1, 3}, planar_decay{0, 2};

struct TargetKind {
  double count = 0;
  bool remote = false;  ///< away from all sources: their results have no near field
  bool heaped = false;  ///< many points coincide
};

/// `derivatives`: of a pair's potential, in the steepest of what is summed: 1 with the gradient, 2 with the Hessian,
/// one more with dipoles.
struct ErrorCurve {
  /// Before a tree is known: relative L2 error, the largest of the parts', that an FMM of this degree stays below for
  /// strengths of mixed sign on uniform and clustered volumes.
  double (*truncation)(int degree, bool reduced, int derivatives);

  /// This and the next two are null where points that do not stand in planes need the degree of `truncation`.
  /// Errors of one pair of unit charges in boxes with one box between them, in units of 1/edge: root mean square over
  /// random places, and in facing corners (model/placement.hpp).
  double (*typical_pair)(int degree);
  double (*facing_pair)(int degree);

  /// Relative error to expect: its two parts, `typical` and `facing`, with the factors that measurements add.
  double (*expected)(double typical, double facing, int degree, const TargetKind& kind, bool reduced);

  /// Relative error on points that stand in planes along the axes (lattices of 1e3 to 1e5 points, shaken by up to a
  /// tenth of the spacing): facing corners of boxes line up there and a few pairs near the worst place carry the error,
  /// which then falls by only 0.19 decades per degree for solid harmonics.
  double (*crystal)(int degree, bool reduced, int derivatives);

  /// By how much less FittedM2l errs than the series, points lying at random in their boxes; null: there is none.
  double (*fitted_gain)(int degree);

  /// By how much more facing corners may err than typical pairs, since their errors have one sign.
  double (*one_sign_safety)(int degree);
};

extern const ErrorCurve solid_errors;   ///< of solid harmonics
extern const ErrorCurve planar_errors;  ///< of powers of x + iy

}  // namespace farfield

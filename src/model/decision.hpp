// Decision: everything `choose` decides before a tree exists.
#pragma once
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <string>
#include <vector>

#include "core/results.hpp"
#include "kernels/parameters.hpp"
#include "model/grid/window.hpp"
#include "tree/lists.hpp"

namespace farfield {

/// How often a pair's potential is differentiated in the steepest of what is summed: for the results, and once more for
/// dipoles. Of options or a decision.
template <class Asked>
int derivatives_of(const Asked& asked) {
  return (asked.hessian ? 2 : asked.gradient ? 1 : 0) + (asked.dipoles ? 1 : 0);
}

inline constexpr int most_fitted_degree = 15;  ///< that of tensor cores in single

struct Decision {
  Kernel kernel = {};
  Method method = Method::fmm;                                                          ///< never automatic
  bool expands() const { return method == Method::fmm || method == Method::treecode; }  ///< has a tree, expansions
  Precision precision = Precision::double_;
  Backend backend = Backend::cpu;
  Simd simd = Simd::baseline;
  bool gradient = false, potential = true, hessian = false;
  int parts() const { return parts_with(gradient, potential, hessian); }
  bool dipoles = false;  ///< sources may carry them
  int derivatives() const { return derivatives_of(*this); }
  double softening = 0;  ///< in the caller's units
  bool lengths = false;  ///< points have softening lengths of their own; `softening` is the longest
  SofteningKind softening_kind = {};
  bool lacks_beyond = false;    ///< far pairs lack something of the softening or core: reaches_far
  KernelParameters parameters;  ///< scaled
  double screened = 0;          ///< kappa times the distance of the pairs that carry most results
  int degree = 0;
  bool settle_degree = false;  ///< the degree may be corrected once the tree is known
  int least_degree = 0;        ///< what evaluations before a move needed: no correction goes below
  double tolerance = 0;        ///< error budget of truncation: the tolerance minus rounding, in squares
  double skin = 0;             ///< scaled: points that have gone no farther keep their boxes over a move
  int judged_from = 0;         ///< the lowest order of results for which it must be kept: 1 for the gradient alone
  bool promised = false;       ///< the tolerance must be kept; false where the caller chose the degree
  bool apart = false;          ///< targets are a separate set, which may lie away from all sources
  std::int64_t leaf_size = 0;  ///< most sources or targets in a leaf
  bool in_planes = false;      ///< the points stand in planes along the axes, as in a crystal
  RootBoxes root;
  int depth = -1;  ///< uniform tree of this depth; -1: adaptive
  bool rotation = false, reduced = false;
  bool fitted = false;  ///< dense m2l by FittedM2l, unless fits() says no
  /// Errors of lattices have one sign in all boxes: fitted operators may raise them, see fitted_m2l.hpp.
  bool fits() const { return fitted && !in_planes && degree <= most_fitted_degree; }
  bool any_scheme = false;      ///< the caller left the choice of dense or rotation open
  int pair_terms = 0;           ///< terms of p2p's reciprocal square root on the CPU (model/pair_terms.hpp)
  double decay_error = 0;       ///< largest relative error of p2p's exponentials there; 0: that of the precision
  bool exact_operands = false;  ///< m2l in the precision itself, not on 16-bit operands of tensor cores
  /// Of these operands as few are summed in three terms as the tolerance allows, where fits(); else as suit the degree.
  bool coarse_operands = false;
  double least_edge = 0;       ///< scaled: beyond it the softened kernel is 1/r to what the tolerance allows (0: none)
  double reach = 0, cell = 0;  ///< of method cutoff, scaled: pairs farther apart are left out, and the width of a cell
  Window window;               ///< of method grid
  double spacing = 0;          ///< of the grid, scaled
  bool any_method = false;     ///< the caller left the method open
  double theta = 0;            ///< of a treecode (tree/acceptance.hpp)
  double box_error = 0;        ///< of a treecode on a device: see TreecodeScheme (0: by theta alone)
  ListThresholds thresholds;
  double seconds = 0;           ///< expected time of an evaluation, on one core or on the device
  double pairs_per_second = 0;  ///< p2p rate of one core in the cost model
  std::vector<Choice> choices;  ///< for the report
};

/// Says in the report what was chosen, and why; instead of what was said of it before.
inline void note(Decision& d, const char* name, const std::string& value, const std::string& reason) {
  for (Choice& choice : d.choices)
    if (choice.name == name) {
      choice = {name, value, reason};
      return;
    }
  d.choices.push_back({name, value, reason});
}

inline void take_double(Decision& d, const std::string& reason) {
  d.precision = Precision::double_;
  note(d, "precision", "double", reason);
}

}  // namespace farfield

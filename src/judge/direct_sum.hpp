// Direct sums in double at a few targets, from which conditions and measured errors are computed. Each backend has its
// own loop (judge/direct_sums of both); the kernel evaluates a pair.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/math.hpp"
#include "core/results.hpp"
#include "core/units.hpp"
#include "kernels/concept.hpp"

namespace farfield {

/// How often a part stands in the tensor of its order: components off the diagonal of a Hessian twice. Its size is that
/// of the whole symmetric matrix (Frobenius).
FARFIELD_HD constexpr int times_in_tensor(int part) { return part < 7 ? 1 : 2; }

/// Order k has the parts [first_of[k], first_of[k + 1]).
inline constexpr int first_of[orders + 1] = {0, 1, with_gradient, with_hessian};

/// Sums at one target, by the order of the derivative (0 potential, 1 gradient, 2 Hessian), of the absolute values of
/// the terms and of their squares.
struct TermSums {
  double absolute[orders] = {}, square[orders] = {};
  double result[orders] = {};   ///< squares of the sums of the terms themselves; 0: not known
  double lacking[orders] = {};  ///< squares of the sums of DirectSum::missing
};
/// Also the sums of q K and of its derivatives.
struct DirectSum : TermSums {
  double part[most_parts] = {};
  double missing[most_parts] = {};  ///< what 1/r in place of the softened kernel adds beyond DirectInput::softened_to
};

/// The direct sums at targets of these indices.
using SumsAt = std::function<std::vector<DirectSum>(const std::vector<std::int64_t>&)>;

/// Points and strengths of one evaluation in host memory.
struct DirectInput {
  const double* source[3];
  const double* target[3];
  const double* strength;
  std::int64_t sources;
  Softening softening;          ///< scaled like the coordinates
  KernelParameters parameters;  ///< likewise
  /// The caller's indices of sources and targets. Target t >= self_from of the caller is source t - self_from; softened
  /// sums leave that pair out.
  const std::uint32_t *source_order, *target_order;
  std::int64_t self_from = 0;
  double softened_to = INFINITY;  ///< distance beyond which far pairs count as 1/r though the kernel is not
  int threads = 1;
  /// Softening lengths of the points themselves, scaled; of a spline reaches. Null: `softening` for all.
  const double *source_length = nullptr, *target_length = nullptr;
  bool potential = true;         ///< is summed
  const double* dipole[3] = {};  ///< of the sources, scaled like coordinates; null: none
  bool hessian = false;          ///< its sums are wanted, too
};

/// Absolute values of a pair's terms of potential and gradient.
template <class V>
struct PairTerms {
  V potential, gradient;
};
template <class V>
FARFIELD_HD PairTerms<V> terms_of(const V out[4]) {
  return {Math<V>::absolute(out[0]), Math<V>::square_root(out[1] * out[1] + out[2] * out[2] + out[3] * out[3])};
}
template <class K, class V>
FARFIELD_HD PairTerms<V> pair_terms(const K& kernel, V r2, V dx, V dy, V dz, V q) {
  if constexpr (OfInverseDistance<K>) {
    const V inverse = Math<V>::inverse_sqrt(r2), w = Math<V>::absolute(q) * inverse;
    return {w, w * inverse};
  } else {
    V out[4] = {};
    kernel.template pair<4>(r2, dx, dy, dz, q, out);
    return terms_of(out);
  }
}

/// The potential of a unit strength at the softened distance of points that coincide. Not formed from the square of the
/// softening, which may underflow.
template <class K>
FARFIELD_HD double softened_at_no_distance(double softening) {
  double out[1] = {0};
  nearest_pair<K, 1>({}, softening, 0, 0, 1, out);
  return out[0];
}

}  // namespace farfield

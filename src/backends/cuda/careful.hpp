// careful_degree: how carefully close pairs are summed.
#pragma once
#include "backends/cuda/tuning.hpp"
#include "model/decision.hpp"

namespace farfield::cuda {

/// The degree that says how close pairs take the short way (tuning::close_square). A pair that dominates a sum must not
/// err by more than the tolerance leaves; where that is for the gradient alone, degrees are low beside what its near
/// pairs need.
inline int careful_degree(const Decision& d, int degree) {
  return d.promised && d.tolerance < (d.judged_from > 0 ? 1e-4 : 5e-6) ? tuning::most_careful : degree;
}

}  // namespace farfield::cuda

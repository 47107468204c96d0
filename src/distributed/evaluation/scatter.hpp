// Scatter: results in the caller's units and order.
#pragma once
#include "backends/sequence.hpp"
#include "core/results.hpp"
#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

/// `result`: at this rank's own targets, the parts that are summed.
template <class Real>
void scatter_results(RankPlaced& placed, const Decision& decision, const ResultArrays<Real>& result, const OneVector& v,
                     const ResultFactors& factors, const Delivery& delivery);

}  // namespace farfield::distributed

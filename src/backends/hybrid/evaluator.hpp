// Backend hybrid: both halves of a node (Hu, Gumerov & Duraiswami 2011). The near field is summed on a device while the
// far field is summed on the cores; beyond that the device takes the far field of a share of the targets, chosen so
// that both end at the same time.
#pragma once
#include <memory>
#include <optional>

#include "backends/evaluator.hpp"
#include "backends/hybrid/half.hpp"

namespace farfield::hybrid {

/// An evaluator for a decision of method fmm.
std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads, std::unique_ptr<Half> half);

/// For measurements: from now on the device of every plan takes that share of the targets; none: the best one.
void keep_share(std::optional<double> share);

}  // namespace farfield::hybrid

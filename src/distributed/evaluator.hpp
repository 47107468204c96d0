// The evaluator of a distributed plan: the steps of backends/sequence.hpp over the trees of all ranks. What each step
// does is in evaluation/.
#pragma once
#include "backends/evaluator.hpp"
#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

/// Sums by expansions. `placed`: of the decision's backend, without points yet.
std::unique_ptr<Evaluator> make_rank_evaluator(std::shared_ptr<RankPlaced> placed, const Decision& decision,
                                               int threads);
/// The steps alone, on the CPU.
std::unique_ptr<Evaluator> make_host_steps(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads);

}  // namespace farfield::distributed

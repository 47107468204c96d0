// Direct sums (judge/direct_sum.hpp) at a few targets over the sources of all ranks, with the bits that one plan finds:
// the running sums of a target go from rank to rank, while the ranks behind work on the targets before it.
//
// One plan sums blocks of so many sources, from the first one on. Softened sums leave out the source that the target
// itself is; their blocks begin anew behind it, so that every target has its own. A rank sums the blocks that begin
// among its sources; what these lack is in its tail.
#pragma once
#include "distributed/judging/targets.hpp"
#include "distributed/route/tail.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::distributed {

class DirectSums {
 public:
  using AddSums = void (*)(const DirectInput&, const std::int64_t* targets, std::int64_t count, DirectSum* sums);

  DirectSums(Ranks& ranks, const Owned& own);
  /// At targets of these numbers, on all ranks. `input`: of one plan, but for points and selves, with strengths,
  /// dipoles and lengths of this rank's own points, in their order.
  std::vector<DirectSum> at(Ranks& ranks, const std::vector<std::int64_t>& targets, DirectInput input,
                            AddSums add) const;

 private:
  std::vector<std::int64_t> selves(Ranks& ranks, const std::vector<std::int64_t>& targets) const;
  std::vector<DirectInput> blocks(const DirectInput& own, const DirectInput& tail, std::int64_t begin,
                                  std::int64_t end) const;

  const Owned& own_;
  std::int64_t all_;  ///< sources of all ranks
  Tail tail_;
  std::vector<double> last_[3];  ///< coordinates of the tail
  std::vector<std::int64_t>
      source_;  ///< the source that each own target is, or -1; empty where targets are the sources
};

}  // namespace farfield::distributed

// Direct sums (judge/direct_sum.hpp) at a few targets over the sources of all ranks, with the bits that one plan finds:
// the running sums of a target go from rank to rank, while the ranks behind work on the targets before it.
#pragma once
#include "distributed/judging/aligned.hpp"
#include "distributed/judging/targets.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::distributed {

class DirectSums {
 public:
  using AddSums = void (*)(const DirectInput&, const std::int64_t* targets, std::int64_t count, DirectSum* sums);

  DirectSums(Ranks& ranks, const Owned& own);
  /// At targets of these numbers, on all ranks. `input`: of one plan, but for points and strengths; `strengths`: of
  /// this rank's own sources, in their order.
  std::vector<DirectSum> at(Ranks& ranks, const std::vector<std::int64_t>& targets, DirectInput input,
                            const double* strengths, AddSums add) const;

 private:
  const Owned& own_;
  Aligned pieces_;
  std::vector<double> last_[3];  ///< coordinates of the sources of the last piece
};

}  // namespace farfield::distributed

// Judge: norms and estimated errors of one evaluated vector of strengths, found from its results and expansions on a
// side stream, beside the stages that follow (judge/quality.hpp, judge/truncation.hpp).
#pragma once
#include <deque>

#include "backends/cuda/judge/tailed.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"
#include "judge/quality.hpp"
#include "judge/truncation.hpp"

namespace farfield::cuda {

class Judge {
 public:
  explicit Judge(DeviceMemory& memory);

  /// Starts the norms of the results and, with `expansions`, the estimated errors of truncation and of 16-bit operands.
  /// `place`: of the vector among those that are summed together, each of which is judged before the first is asked
  /// for. `rank`: of a rank of a distributed plan, the boxes that it looks at; null: those of the whole tree.
  template <class Real>
  void launch(const Work<Real>& work, bool expansions, int place, SideStream& side, const TailedOfRank* rank = nullptr);
  /// What the last launch of that place found, which must have been waited for; `truncation` without its safety factor.
  struct Found {
    Norms norms;
    Truncation truncation, operands;
  };
  Found result(int place) const;

 private:
  /// What the host reads of a place.
  struct Share {
    explicit Share(int room) : found(room) {}
    PinnedArray<double> found;
    int shares = 0, kept = 0;  ///< how many blocks wrote norms, and tails
    bool with_potential = true;
    BoxId every = 1;  ///< how many boxes each sampled box stands for
  };
  template <class Real, class Tailed>
  int launch_tails(const Work<Real>& work, const Tailed& tailed, Share& share, cudaStream_t stream);
  /// `first`: the coarsest level that has expansions.
  template <class Real>
  void make_level_means(const Work<Real>& work, double root, int first, cudaStream_t stream);
  template <class Real>
  int launch_walks(const Work<Real>& work, Share& share, cudaStream_t stream);

  DeviceMemory& memory_;
  DeviceArray<double> power_, part_;
  DeviceArray<TailMeans> level_means_;  ///< of a kernel with a length, by level
  struct Screened {
    int degree = -1, levels = 0;
    double root = 0;
    bool operator==(const Screened&) const = default;
  } means_of_;                ///< what level_means_ is made for
  std::deque<Share> shares_;  ///< by place; arrays on the device serve one launch after another
};

}  // namespace farfield::cuda

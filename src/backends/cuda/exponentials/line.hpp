// LineSums: Gaussians on a line by decaying waves and two sweeps over the sorted points
// (expansions/exponentials/sum.hpp), method exponentials. Stages are asynchronous launches in the order of the stream.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"
#include "expansions/exponentials/sum.hpp"

namespace farfield::cuda {

struct LineScheme {
  double bandwidth, tolerance;
  bool gradient;
};

/// What the sweeps read and write. Stretches are `steps` points that follow one another, the last one maybe fewer;
/// groups are `together` stretches.
struct LineView {
  exponentials::Sum sum;
  double per_bandwidth = 0;  ///< of differences of coordinates
  std::int64_t points = 0, steps = 1, stretches = 0, together = 1, groups = 0;
  const double *at = nullptr, *strength = nullptr;     ///< of sorted points; strength 0 at targets
  double2 *head[2] = {}, *group_head[2] = {};          ///< [stretches or groups][terms]: by points below, and above
  double *potential = nullptr, *derivative = nullptr;  ///< of sorted points; derivative null: not asked for
};

class LineSums {
 public:
  explicit LineSums(DeviceMemory& memory);
  int axis = 0;  ///< along which the points differ
  /// Sorts coordinates `source` and `target` along the axis, in the plan's order; `targets` < 0: they are the sources.
  void build(const double* source, std::int64_t sources, const double* target, std::int64_t targets,
             const LineScheme& scheme);
  /// Overwrites the results.
  template <class Real>
  void sum(const NearWork<Real>& work);

  /// Upper bound of its memory.
  static std::int64_t bytes(std::int64_t points, bool gradient);

 private:
  void lay_out(std::int64_t points, const LineScheme& scheme);

  DeviceMemory& memory_;
  DeviceArray<double> at_, strength_, sum_[2];
  DeviceArray<double2> head_[2], group_head_[2];
  DeviceArray<std::uint32_t> order_;  ///< a source, or sources + a target; 2^32 points take more than a device has
  std::int64_t sources_ = 0;
  bool alike_ = true;
  LineView view_;
};

/// The launches of the sweeps (sweeps.cu).
void sweep_line(const LineView& view, cudaStream_t stream);

}  // namespace farfield::cuda

// MirrorOperators: what m2l by mirror images needs of a degree: operators, the list of steps, the order of
// coefficients.
#pragma once
#include <memory>

#include "backends/cuda/m2l/mirror/view.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

inline constexpr int mirror_chunk = 8;  ///< coefficients that an instruction multiplies

class MirrorOperators {
 public:
  /// Made on `threads` threads of the host, with the symmetries of these tables.
  MirrorOperators(const TablesView<double>& tables, cudaStream_t stream, int threads);

  const MirrorView& view() const { return view_; }  ///< without rows and multipoles
  std::int64_t held_bytes() const { return 8 * operators_.size() + (1 << 16); }

 private:
  MirrorView view_;
  DeviceArray<double> operators_;
  DeviceArray<MirrorStep> step_;
  DeviceArray<std::int32_t> begin_;
  DeviceArray<std::int16_t> source_, column_;
};

/// Those of this degree on the current device, which all plans of a process share.
std::shared_ptr<const MirrorOperators> shared_mirror_operators(const TablesView<double>& tables, cudaStream_t stream,
                                                               int threads);

}  // namespace farfield::cuda

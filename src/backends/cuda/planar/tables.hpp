// PlanarTables: what the far field of a kernel of the plane multiplies by, for one degree (PlanarView).
#pragma once
#include <farfield/options.hpp>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Real>
class PlanarTables {
 public:
  explicit PlanarTables(DeviceMemory& memory);

  /// Makes the tables on the host and uploads them, if `kernel` is one of the plane and the degree is a new one.
  void build(Kernel kernel, int degree, cudaStream_t stream);
  const PlanarView<Real>& view() const { return view_; }

  /// Upper bound of the bytes after `build`.
  static std::int64_t bytes(int degree);

 private:
  template <class Basis>
  void fill(int degree, cudaStream_t stream);
  const Real* keep(DeviceArray<Real>& array, const std::vector<double>& values, cudaStream_t stream);

  PlanarView<Real> view_;
  std::vector<Real> host_pascal_;
  DeviceArray<Real> power_, pascal_, factors_, shift_, shift_by_row_;
};

}  // namespace farfield::cuda

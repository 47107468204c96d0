// DevicePoints: the caller's points where kernels can read them. Device memory is borrowed as it is, host memory is
// copied once; a caller that keeps the copy from the survey to the build passes `view()` to both.
#pragma once
#include <farfield/views.hpp>

#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

inline std::int64_t size_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }

class DevicePoints {
 public:
  DevicePoints() = default;
  /// Copies in the order of memory.stream; the host's arrays may change when this returns. Device memory must be ready
  /// in the order of that stream and stay valid.
  DevicePoints(const Points& points, DeviceMemory& memory);

  const Points& view() const { return view_; }  ///< in device memory
  std::int64_t count() const { return view_.count; }

 private:
  void copy_block(const Points& points, const unsigned char* first, std::int64_t bytes, cudaStream_t stream);
  void copy_axes(const Points& points, cudaStream_t stream);

  Points view_;
  DeviceArray<unsigned char> copy_;
};

}  // namespace farfield::cuda

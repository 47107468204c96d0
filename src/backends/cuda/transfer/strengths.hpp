// Transfer: strengths into tree order, points into doubles; in either memory. Results go by Scatter.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/evaluator.hpp"
#include "judge/quality.hpp"

namespace farfield::cuda {

/// Strengths in device memory: a view of the caller's, or a copy.
class DeviceStrengths {
 public:
  explicit DeviceStrengths(DeviceMemory& memory) : copy_(memory), found_(memory) {}

  /// Copies host memory, all vectors at once; returns the range of every vector. Waits for the stream. Throws
  /// Error(input) naming the first strength that is not finite.
  std::vector<StrengthRange> read(const Strengths& strengths, cudaStream_t stream);

  /// sorted[i] = strength of sorted source i in `vector` times 2^-exponent.
  template <class Real>
  void gather(std::int64_t vector, const std::uint32_t* order, int exponent, Real* sorted, cudaStream_t stream) const;

  void release() { copy_.release(); }

 private:
  Strengths view_;
  DeviceArray<unsigned char> copy_;
  DeviceArray<unsigned long long> found_;
};

/// xyz[3 i + axis] = coordinate of point i in double; points in either memory. Waits for the stream where they are in
/// host memory.
void interleave(const Points& points, double* xyz, cudaStream_t stream);

}  // namespace farfield::cuda

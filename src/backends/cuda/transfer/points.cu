#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {
namespace {

const unsigned char* bytes_of(const Points& points, std::size_t axis) {
  return static_cast<const unsigned char*>(points.axis[axis]);
}

/// Every stride-th scalar, without gaps.
void pack(unsigned char* to, const unsigned char* from, const Points& points) {
  const std::int64_t size = size_of(points.scalar);
  for (std::int64_t i = 0; i < points.count; ++i)
    std::memcpy(to + i * size, from + i * points.stride * size, static_cast<std::size_t>(size));
}

}  // namespace

/// Interleaved points of a small stride: one copy from the lowest to the highest address.
void DevicePoints::copy_block(const Points& points, const unsigned char* first, std::int64_t bytes,
                              cudaStream_t stream) {
  upload(copy_, first, bytes, stream);
  for (std::size_t d = 0; d < 3; ++d) view_.axis[d] = copy_.data() + (bytes_of(points, d) - first);
}

/// Anything else: an array per axis, packed on the host where there are gaps.
void DevicePoints::copy_axes(const Points& points, cudaStream_t stream) {
  const std::int64_t bytes = points.count * size_of(points.scalar);
  copy_.resize(3 * bytes);
  std::vector<unsigned char> packed(points.stride == 1 ? 0 : static_cast<std::size_t>(bytes));
  for (std::size_t d = 0; d < 3; ++d) {
    const unsigned char* from = bytes_of(points, d);
    if (points.stride != 1) {
      pack(packed.data(), from, points);
      from = packed.data();
    }
    unsigned char* to = copy_.data() + static_cast<std::int64_t>(d) * bytes;
    require(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync of points");
    view_.axis[d] = to;
  }
  view_.stride = 1;
}

DevicePoints::DevicePoints(const Points& points, DeviceMemory& memory) : view_(points), copy_(memory) {
  if (points.space == MemorySpace::device) return;
  view_.space = MemorySpace::device;
  view_.stream = memory.stream;
  if (points.count == 0) return;
  const auto [low, high] =
      std::minmax({bytes_of(points, 0), bytes_of(points, 1), bytes_of(points, 2)}, std::less<const unsigned char*>());
  const std::int64_t size = size_of(points.scalar), record = points.stride * size;
  if (points.stride > 1 && points.stride <= tuning::widest_stride && high - low < record)
    copy_block(points, low, (points.count - 1) * record + (high - low) + size, memory.stream);
  else
    copy_axes(points, memory.stream);
}

}  // namespace farfield::cuda

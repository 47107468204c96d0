#include <cstring>
#include <vector>

#include "backends/cuda/transfer/any_numbers.hpp"
#include "backends/cuda/transfer/points.hpp"

namespace farfield::cuda {

/// Without the gaps between them.
static std::vector<unsigned char> packed(const unsigned char* from, const Strengths& s) {
  const std::int64_t size = size_of(s.scalar);
  std::vector<unsigned char> all(static_cast<std::size_t>(s.count * size));
  for (std::int64_t i = 0; i < s.count; ++i)
    std::memcpy(&all[static_cast<std::size_t>(i * size)], from + i * s.stride * size, static_cast<std::size_t>(size));
  return all;
}

AnyNumbers numbers_on_device(const Strengths& s, std::int64_t vector, DeviceArray<unsigned char>& copy,
                             cudaStream_t stream) {
  const std::int64_t size = size_of(s.scalar), pitch = s.pitch ? s.pitch : s.count * s.stride;
  const auto* const from = static_cast<const unsigned char*>(s.data) + vector * pitch * size;
  const AnyNumbers there{from, s.stride, s.scalar == Scalar::float32};
  if (s.space == MemorySpace::device || s.count == 0) return there;
  if (s.stride == 1)
    upload(copy, from, s.count * size, stream);
  else
    upload(copy, packed(from, s).data(), s.count * size, stream);
  return {copy.data(), 1, there.single};
}

}  // namespace farfield::cuda

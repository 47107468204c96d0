// The stream of a call, from the memory that the caller's arrays are in.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/cuda/runtime/streams.hpp"
#include "backends/sequence.hpp"

namespace farfield::cuda {

/// That of the first array in device memory, else `own`. It waits for the streams of all such arrays.
inline cudaStream_t stream_of_call(const std::vector<CallerMemory>& arrays, cudaStream_t own) {
  const auto on_device = [](const CallerMemory& a) { return a.space == MemorySpace::device; };
  const auto first = std::find_if(arrays.begin(), arrays.end(), on_device);
  const cudaStream_t stream = first == arrays.end() ? own : static_cast<cudaStream_t>(first->stream);
  for (const CallerMemory& a : arrays)
    if (on_device(a)) order(static_cast<cudaStream_t>(a.stream), stream);
  return stream;
}

/// Waits for these and for those of `others` that are there, whatever has become of them.
template <class Others>
void wait_after_failure(std::vector<cudaStream_t> streams, const Others& others) {
  for (const auto& other : others)
    if (other) streams.push_back(*other);
  for (const cudaStream_t stream : streams)
    if (cudaStreamSynchronize(stream) != cudaSuccess) cudaGetLastError();
}

}  // namespace farfield::cuda

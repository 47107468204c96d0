// Arrivals: adds arrays in device memory to arrays of the host.
#pragma once
#include <algorithm>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "core/chunks.hpp"

namespace farfield::hybrid {

/// While the numbers of one chunk are added on the host's threads, those of the next arrive.
template <class Real>
class Arrivals {
 public:
  /// What is copied must have been written: the copies wait for no other stream.
  void add(Real* to, const Real* from, std::int64_t count, int threads) {
    const std::int64_t chunks = chunk_count(count, numbers);
    const auto length = [&](std::int64_t chunk) { return std::min(numbers, count - chunk * numbers); };
    const auto fetch = [&](std::int64_t chunk) {
      cuda::download(landed_[chunk % 2].data(), from + chunk * numbers, length(chunk), stream_[chunk % 2]);
    };
    if (chunks > 0) fetch(0);
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      if (chunk + 1 < chunks) fetch(chunk + 1);  // into the place of the chunk before, which has been added
      cuda::require(cudaStreamSynchronize(stream_[chunk % 2]), "results (cudaStreamSynchronize)");
      const Real* const arrived = landed_[chunk % 2].data();
      Real* const sum = to + chunk * numbers;
      farfield::for_each_index(length(chunk), per_thread, threads, [&](std::int64_t i) { sum[i] += arrived[i]; });
    }
  }

 private:
  static constexpr std::int64_t numbers = 1 << 20, per_thread = 1 << 14;
  cuda::OwnStream stream_[2];
  cuda::PinnedArray<Real> landed_[2] = {cuda::PinnedArray<Real>(numbers), cuda::PinnedArray<Real>(numbers)};
};

}  // namespace farfield::hybrid

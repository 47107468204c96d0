// How many blocks a multiprocessor holds at once, for the second argument of __launch_bounds__. ptxas ignores, with a
// warning, a bound that the architecture's threads per multiprocessor rule out.
#pragma once

namespace farfield::cuda {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr int processor_threads = 1024;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890)
inline constexpr int processor_threads = 1536;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1100
inline constexpr int processor_threads = 1536;
#else
inline constexpr int processor_threads = 2048;
#endif

/// `wanted` blocks, or fewer where a multiprocessor cannot hold so many of `threads` threads.
constexpr int blocks_held(int wanted, int threads) {
  const int most = processor_threads / threads;
  return wanted < most ? wanted : most;
}

}  // namespace farfield::cuda

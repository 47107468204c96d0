// FARFIELD_HD marks a function as callable on host and device. The one header that asks for __CUDACC__.
#pragma once

#if defined(__CUDACC__)
#define FARFIELD_HD __host__ __device__ __forceinline__
#else
#define FARFIELD_HD inline __attribute__((always_inline))
#endif

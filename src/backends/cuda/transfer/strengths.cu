#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/transfer/strengths.hpp"

namespace farfield::cuda {

static std::int64_t pitch_of(const Strengths& s) { return s.pitch ? s.pitch : s.count * s.stride; }
/// found[3 v] = bits of the largest |strength| of vector v, found[3 v + 1] = first index that is not finite,
/// found[3 v + 2] = bits of the smallest that is not 0.
/// Maxima and minima of integers are the same in any order.
template <class T>
__global__ void examine(const T* data, std::int64_t count, std::int64_t stride, std::int64_t pitch,
                        unsigned long long* found) {
  const T* own = data + static_cast<std::int64_t>(blockIdx.y) * pitch;
  unsigned long long largest = 0, bad = ~0ull, least = ~0ull;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += step) {
    const double q = fabs(static_cast<double>(own[i * stride]));
    if (!isfinite(q)) {
      if (static_cast<unsigned long long>(i) < bad) bad = static_cast<unsigned long long>(i);
    } else {
      const auto bits = static_cast<unsigned long long>(__double_as_longlong(q));
      if (bits > largest) largest = bits;
      if (bits > 0 && bits < least) least = bits;
    }
  }
  for (int other = 16; other > 0; other /= 2) {
    const unsigned long long l = __shfl_xor_sync(0xffffffffu, largest, other),
                             b = __shfl_xor_sync(0xffffffffu, bad, other),
                             s = __shfl_xor_sync(0xffffffffu, least, other);
    if (l > largest) largest = l;
    if (b < bad) bad = b;
    if (s < least) least = s;
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(found + 3 * blockIdx.y, largest);
    if (bad != ~0ull) atomicMin(found + 3 * blockIdx.y + 1, bad);
    atomicMin(found + 3 * blockIdx.y + 2, least);
  }
}

__global__ void reset(unsigned long long* found, int vectors) {
  for (int v = static_cast<int>(threadIdx.x); v < vectors; v += static_cast<int>(blockDim.x)) {
    found[3 * v] = 0;
    found[3 * v + 1] = found[3 * v + 2] = ~0ull;
  }
}

static double number_of(unsigned long long bits) {
  double number = 0;
  static_assert(sizeof number == sizeof bits);
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

std::vector<StrengthRange> DeviceStrengths::read(const Strengths& strengths, cudaStream_t stream) {
  view_ = strengths;
  const auto vectors = static_cast<std::size_t>(strengths.vectors);
  std::vector<StrengthRange> ranges(vectors);
  if (strengths.count == 0) return ranges;
  if (strengths.space == MemorySpace::host) {
    const std::int64_t numbers =
        (strengths.vectors - 1) * pitch_of(strengths) + (strengths.count - 1) * strengths.stride + 1;
    upload(copy_, static_cast<const unsigned char*>(strengths.data), numbers * size_of(strengths.scalar), stream);
    view_.data = copy_.data();
  }
  found_.resize(3 * strengths.vectors);
  reset<<<1, block_threads, 0, stream>>>(found_.data(), static_cast<int>(strengths.vectors));
  require_launch("reset");
  const dim3 grid(std::min(512u, blocks_for(strengths.count)), static_cast<unsigned>(strengths.vectors));
  if (strengths.scalar == Scalar::float32)
    examine<<<grid, block_threads, 0, stream>>>(static_cast<const float*>(view_.data), view_.count, view_.stride,
                                                pitch_of(view_), found_.data());
  else
    examine<<<grid, block_threads, 0, stream>>>(static_cast<const double*>(view_.data), view_.count, view_.stride,
                                                pitch_of(view_), found_.data());
  require_launch("examine");
  std::vector<unsigned long long> found(3 * vectors);
  download(found.data(), found_.data(), static_cast<std::int64_t>(found.size()), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (std::size_t v = 0; v < vectors; ++v) {
    if (found[3 * v + 1] != ~0ull)
      throw Error(ErrorCode::input, "strength " + std::to_string(found[3 * v + 1]) + " of vector " + std::to_string(v) +
                                        " is not finite; remove or replace it");
    if (found[3 * v] == 0) continue;
    std::frexp(number_of(found[3 * v]), &ranges[v].exponent);
    ranges[v].least = number_of(found[3 * v + 2]);
  }
  return ranges;
}

template <class T, class Real>
__global__ void gather_kernel(const T* data, std::int64_t count, std::int64_t stride, const std::uint32_t* order,
                              int exponent, Real* sorted) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < count)
    sorted[i] =
        static_cast<Real>(ldexp(static_cast<double>(data[static_cast<std::int64_t>(order[i]) * stride]), -exponent));
}

template <class Real>
void DeviceStrengths::gather(std::int64_t vector, const std::uint32_t* order, int exponent, Real* sorted,
                             cudaStream_t stream) const {
  if (view_.count == 0) return;
  const std::int64_t shift = vector * pitch_of(view_);
  if (view_.scalar == Scalar::float32)
    gather_kernel<<<blocks_for(view_.count), block_threads, 0, stream>>>(
        static_cast<const float*>(view_.data) + shift, view_.count, view_.stride, order, exponent, sorted);
  else
    gather_kernel<<<blocks_for(view_.count), block_threads, 0, stream>>>(
        static_cast<const double*>(view_.data) + shift, view_.count, view_.stride, order, exponent, sorted);
  require_launch("gather_kernel");
}

template <class T>
__global__ void interleave_kernel(const T* x, const T* y, const T* z, std::int64_t count, std::int64_t stride,
                                  double* xyz) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= count) return;
  xyz[3 * i] = static_cast<double>(x[i * stride]);
  xyz[3 * i + 1] = static_cast<double>(y[i * stride]);
  xyz[3 * i + 2] = static_cast<double>(z[i * stride]);
}

void interleave(const Points& p, double* xyz, cudaStream_t stream) {
  if (p.count == 0) return;
  const auto launch = [&](auto scalar) {
    using T = decltype(scalar);
    const T* axis[3] = {static_cast<const T*>(p.axis[0]), static_cast<const T*>(p.axis[1]),
                        static_cast<const T*>(p.axis[2])};
    if (p.space == MemorySpace::device) {
      interleave_kernel<<<blocks_for(p.count), block_threads, 0, stream>>>(axis[0], axis[1], axis[2], p.count, p.stride,
                                                                           xyz);
      return require_launch("interleave_kernel");
    }
    std::vector<double> copy(static_cast<std::size_t>(3 * p.count));
    for (std::int64_t i = 0; i < p.count; ++i)
      for (std::int64_t a = 0; a < 3; ++a)
        copy[static_cast<std::size_t>(3 * i + a)] = static_cast<double>(axis[a][i * p.stride]);
    require(cudaMemcpyAsync(xyz, copy.data(), copy.size() * sizeof(double), cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync to the device");
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  };
  if (p.scalar == Scalar::float32)
    launch(float{});
  else
    launch(double{});
}

template void DeviceStrengths::gather<float>(std::int64_t, const std::uint32_t*, int, float*, cudaStream_t) const;
template void DeviceStrengths::gather<double>(std::int64_t, const std::uint32_t*, int, double*, cudaStream_t) const;

}  // namespace farfield::cuda

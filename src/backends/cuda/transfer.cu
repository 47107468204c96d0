#include "backends/cuda/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace farfield::cuda {

static constexpr int threads = 256;
static unsigned blocks_for(std::int64_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

static std::int64_t pitch_of(const Strengths& s) { return s.pitch ? s.pitch : s.count * s.stride; }
static std::int64_t size_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }

/// found[2 v] = bits of the largest |strength| of vector v, found[2 v + 1] = first index that is not finite.
/// Maxima and minima of integers are the same in any order.
template <class T>
__global__ void examine(const T* data, std::int64_t count, std::int64_t stride, std::int64_t pitch,
                        unsigned long long* found) {
  const T* own = data + static_cast<std::int64_t>(blockIdx.y) * pitch;
  unsigned long long largest = 0, bad = ~0ull;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += step) {
    const double q = fabs(static_cast<double>(own[i * stride]));
    if (!isfinite(q)) {
      if (static_cast<unsigned long long>(i) < bad) bad = static_cast<unsigned long long>(i);
    } else {
      const auto bits = static_cast<unsigned long long>(__double_as_longlong(q));
      if (bits > largest) largest = bits;
    }
  }
  for (int other = 16; other > 0; other /= 2) {
    const unsigned long long l = __shfl_xor_sync(0xffffffffu, largest, other), b = __shfl_xor_sync(0xffffffffu, bad, other);
    if (l > largest) largest = l;
    if (b < bad) bad = b;
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(found + 2 * blockIdx.y, largest);
    if (bad != ~0ull) atomicMin(found + 2 * blockIdx.y + 1, bad);
  }
}

__global__ void reset(unsigned long long* found, int vectors) {
  for (int v = static_cast<int>(threadIdx.x); v < vectors; v += static_cast<int>(blockDim.x)) {
    found[2 * v] = 0;
    found[2 * v + 1] = ~0ull;
  }
}

std::vector<int> DeviceStrengths::read(const Strengths& strengths, cudaStream_t stream) {
  view_ = strengths;
  const auto vectors = static_cast<std::size_t>(strengths.vectors);
  std::vector<int> exponents(vectors, 0);
  if (strengths.count == 0) return exponents;
  if (strengths.space == MemorySpace::host) {
    const std::int64_t numbers = (strengths.vectors - 1) * pitch_of(strengths) + (strengths.count - 1) * strengths.stride + 1;
    upload(copy_, static_cast<const unsigned char*>(strengths.data), numbers * size_of(strengths.scalar), stream);
    view_.data = copy_.data();
  }
  found_.resize(2 * strengths.vectors);
  reset<<<1, threads, 0, stream>>>(found_.data(), static_cast<int>(strengths.vectors));
  require_launch("reset");
  const dim3 grid(std::min(512u, blocks_for(strengths.count)), static_cast<unsigned>(strengths.vectors));
  if (strengths.scalar == Scalar::float32)
    examine<<<grid, threads, 0, stream>>>(static_cast<const float*>(view_.data), view_.count, view_.stride, pitch_of(view_),
                                          found_.data());
  else
    examine<<<grid, threads, 0, stream>>>(static_cast<const double*>(view_.data), view_.count, view_.stride,
                                          pitch_of(view_), found_.data());
  require_launch("examine");
  std::vector<unsigned long long> found(2 * vectors);
  download(found.data(), found_.data(), static_cast<std::int64_t>(found.size()), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (std::size_t v = 0; v < vectors; ++v) {
    if (found[2 * v + 1] != ~0ull)
      throw Error(ErrorCode::input, "strength " + std::to_string(found[2 * v + 1]) + " of vector " + std::to_string(v) +
                                        " is not finite; remove or replace it");
    double largest = 0;
    static_assert(sizeof largest == sizeof found[0]);
    std::copy_n(reinterpret_cast<const unsigned char*>(&found[2 * v]), sizeof largest,
                reinterpret_cast<unsigned char*>(&largest));
    if (largest > 0) std::frexp(largest, &exponents[v]);
  }
  return exponents;
}

template <class T, class Real>
__global__ void gather_kernel(const T* data, std::int64_t count, std::int64_t stride, const std::uint32_t* order,
                              int exponent, Real* sorted) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < count)
    sorted[i] = static_cast<Real>(ldexp(static_cast<double>(data[static_cast<std::int64_t>(order[i]) * stride]), -exponent));
}

template <class Real>
void DeviceStrengths::gather(std::int64_t vector, const std::uint32_t* order, int exponent, Real* sorted,
                             cudaStream_t stream) const {
  if (view_.count == 0) return;
  const std::int64_t shift = vector * pitch_of(view_);
  if (view_.scalar == Scalar::float32)
    gather_kernel<<<blocks_for(view_.count), threads, 0, stream>>>(static_cast<const float*>(view_.data) + shift,
                                                                   view_.count, view_.stride, order, exponent, sorted);
  else
    gather_kernel<<<blocks_for(view_.count), threads, 0, stream>>>(static_cast<const double*>(view_.data) + shift,
                                                                   view_.count, view_.stride, order, exponent, sorted);
  require_launch("gather_kernel");
}

/// The arrays of one set of targets (apart or sources); null where not wanted.
template <class T>
struct Destination {
  T *potential, *gradient;
};

template <class T, class Real>
__global__ void scatter_kernel(SortedResults<Real> r, const std::uint32_t* order, std::int64_t count, std::int64_t split,
                               Destination<T> apart, Destination<T> alike) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t index = order[i];
  const Destination<T>& to = index < split ? apart : alike;
  const std::int64_t at = index < split ? index : index - split;
  if (to.potential) to.potential[at] = static_cast<T>(static_cast<double>(r.potential[i]) * r.potential_factor);
  if (to.gradient)
    for (int axis = 0; axis < 3; ++axis)
      to.gradient[3 * at + axis] = static_cast<T>(static_cast<double>(r.gradient[axis][i]) * r.gradient_factor);
}

/// One of up to four result arrays of the caller, and where the kernel writes it.
struct Target {
  void* caller;
  std::int64_t numbers;
  unsigned char* device = nullptr;
};

template <class Real>
void Scatter::operator()(const SortedResults<Real>& results, std::int64_t vector, const std::uint32_t* order,
                         std::int64_t count, const Delivery& delivery, cudaStream_t stream) {
  if (count == 0) return;
  const Outputs& o = delivery.outputs;
  const std::int64_t size = size_of(o.scalar), apart = delivery.split, alike = count - delivery.split;
  Target targets[4] = {{o.potential, apart}, {o.gradient, 3 * apart}, {o.source_potential, alike}, {o.source_gradient, 3 * alike}};
  std::int64_t bytes = 0;
  for (const Target& t : targets)
    if (t.caller && o.space == MemorySpace::host) bytes += t.numbers * size;
  if (bytes > 0) copy_.resize(bytes);
  bytes = 0;
  for (Target& t : targets) {
    if (!t.caller) continue;
    t.caller = static_cast<unsigned char*>(t.caller) + vector * t.numbers * size;
    t.device = o.space == MemorySpace::host ? copy_.data() + bytes : static_cast<unsigned char*>(t.caller);
    bytes += t.numbers * size;
  }
  const auto launch = [&](auto scalar) {
    using T = decltype(scalar);
    const auto at = [](const Target& t) { return reinterpret_cast<T*>(t.device); };
    scatter_kernel<T><<<blocks_for(count), threads, 0, stream>>>(results, order, count, delivery.split,
                                                                 Destination<T>{at(targets[0]), at(targets[1])},
                                                                 Destination<T>{at(targets[2]), at(targets[3])});
  };
  if (o.scalar == Scalar::float32)
    launch(float{});
  else
    launch(double{});
  require_launch("scatter_kernel");
  if (o.space == MemorySpace::device) return;
  for (const Target& t : targets)
    if (t.caller) download(static_cast<unsigned char*>(t.caller), t.device, t.numbers * size, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

template <class T>
__global__ void interleave_kernel(const T* x, const T* y, const T* z, std::int64_t count, std::int64_t stride, double* xyz) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= count) return;
  xyz[3 * i] = static_cast<double>(x[i * stride]);
  xyz[3 * i + 1] = static_cast<double>(y[i * stride]);
  xyz[3 * i + 2] = static_cast<double>(z[i * stride]);
}

void interleave(const Points& p, double* xyz, cudaStream_t stream) {
  if (p.count == 0) return;
  const auto launch = [&](auto scalar) {
    using T = decltype(scalar);
    const T* axis[3] = {static_cast<const T*>(p.axis[0]), static_cast<const T*>(p.axis[1]), static_cast<const T*>(p.axis[2])};
    if (p.space == MemorySpace::device) {
      interleave_kernel<<<blocks_for(p.count), threads, 0, stream>>>(axis[0], axis[1], axis[2], p.count, p.stride, xyz);
      return require_launch("interleave_kernel");
    }
    std::vector<double> copy(static_cast<std::size_t>(3 * p.count));
    for (std::int64_t i = 0; i < p.count; ++i)
      for (std::int64_t a = 0; a < 3; ++a) copy[static_cast<std::size_t>(3 * i + a)] = static_cast<double>(axis[a][i * p.stride]);
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
template void Scatter::operator()<float>(const SortedResults<float>&, std::int64_t, const std::uint32_t*, std::int64_t,
                                         const Delivery&, cudaStream_t);
template void Scatter::operator()<double>(const SortedResults<double>&, std::int64_t, const std::uint32_t*, std::int64_t,
                                          const Delivery&, cudaStream_t);

}  // namespace farfield::cuda

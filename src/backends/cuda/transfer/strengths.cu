#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/transfer/strengths.hpp"

namespace farfield::cuda {

/// found[3 v] = bits of the largest |strength| of vector v, found[3 v + 1] = first index that is not finite,
/// found[3 v + 2] = bits of the smallest that is not 0.
/// Maxima and minima of integers are the same in any order.
template <class T>
__global__ void examine_kernel(const T* data, std::int64_t count, std::int64_t stride, std::int64_t pitch,
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

/// Scalars from the first that all vectors use to the last.
std::int64_t DeviceStrengths::Numbers::span(const Strengths& s, int of_a_source) const {
  return (s.vectors - 1) * pitch + (s.count - 1) * stride + of_a_source;
}

DeviceStrengths::Numbers DeviceStrengths::numbers(const Strengths& s, int component) {
  if (component == charge) return {s.data, s.stride, s.pitch ? s.pitch : s.count * s.stride};
  const auto* first = static_cast<const unsigned char*>(s.dipoles);
  return {first ? first + (component - 1) * size_of(s.scalar) : nullptr, s.dipole_stride,
          s.dipole_pitch ? s.dipole_pitch : s.count * s.dipole_stride};
}

void DeviceStrengths::keep(const Strengths& strengths, cudaStream_t stream) {
  view_ = strengths;
  if (strengths.space == MemorySpace::device || strengths.count == 0) return;
  const auto copy = [&](int component, int of_a_source, DeviceArray<unsigned char>& to) -> const void* {
    const Numbers from = numbers(strengths, component);
    if (!from.data) return nullptr;
    upload(to, static_cast<const unsigned char*>(from.data),
           from.span(strengths, of_a_source) * size_of(strengths.scalar), stream);
    return to.data();
  };
  view_.data = copy(charge, 1, copy_);
  view_.dipoles = copy(1, 3, dipole_copy_);
}

/// Charges of all vectors, then dipoles of all vectors, whose three components are examined one after another.
void DeviceStrengths::examine(cudaStream_t stream) {
  const dim3 grid(std::min(512u, blocks_for(view_.count)), static_cast<unsigned>(view_.vectors));
  found_.resize(6 * view_.vectors);
  reset<<<1, block_threads, 0, stream>>>(found_.data(), static_cast<int>(2 * view_.vectors));
  require_launch("reset");
  for (int component = charge; component < with_dipole; ++component) {
    const Numbers of = numbers(view_, component);
    if (!of.data) continue;
    unsigned long long* found = found_.data() + (component == charge ? 0 : 3 * view_.vectors);
    if (view_.scalar == Scalar::float32)
      examine_kernel<<<grid, block_threads, 0, stream>>>(static_cast<const float*>(of.data), view_.count, of.stride,
                                                         of.pitch, found);
    else
      examine_kernel<<<grid, block_threads, 0, stream>>>(static_cast<const double*>(of.data), view_.count, of.stride,
                                                         of.pitch, found);
    require_launch("examine");
  }
}

/// A number times 2^exponent, above 0 and finite as the number is.
static double kept_in_range(double x, int exponent) {
  return std::clamp(std::ldexp(x, exponent), std::numeric_limits<double>::denorm_min(),
                    std::numeric_limits<double>::max());
}

/// Widens the range by what was found of charges (`name` strength, `unit` 0) or dipoles of a vector.
static void widen(StrengthRange& range, const unsigned long long* found, const char* name, std::size_t vector,
                  int unit) {
  if (found[1] != ~0ull)
    throw Error(ErrorCode::input, name + (" " + std::to_string(found[1])) + " of vector " + std::to_string(vector) +
                                      " is not finite; remove or replace it");
  if (found[0] == 0) return;
  const bool first = !(range.least > 0);
  int exponent = 0;
  std::frexp(number_of(found[0]), &exponent);
  const double least = kept_in_range(number_of(found[2]), unit);
  range.exponent = first ? exponent + unit : std::max(range.exponent, exponent + unit);
  range.least = first ? least : std::min(range.least, least);
}

std::vector<StrengthRange> DeviceStrengths::read(const Strengths& strengths, int unit, cudaStream_t stream) {
  const auto vectors = static_cast<std::size_t>(strengths.vectors);
  std::vector<StrengthRange> ranges(vectors);
  keep(strengths, stream);
  if (strengths.count == 0) return ranges_ = ranges;
  examine(stream);
  std::vector<unsigned long long> found(6 * vectors);
  download(found.data(), found_.data(), static_cast<std::int64_t>(found.size()), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (std::size_t v = 0; v < vectors; ++v) {
    widen(ranges[v], &found[3 * v], "strength", v, 0);
    widen(ranges[v], &found[3 * (vectors + v)], "dipole", v, unit);
  }
  return ranges_ = ranges;
}

/// Of one vector, what was found of its charges and of its dipoles.
struct CompareRange {
  const unsigned long long *charges, *dipoles;
  int unit, exponent;
  int* other;
  static constexpr int more = 1, less = 4;  ///< powers of two
  __device__ void operator()(std::int64_t) const {
    int now = exponent - less - 1;
    bool finite = true;
    for (const auto* found : {charges, dipoles}) {
      finite = finite && found[1] == ~0ull;
      if (found[0] == 0) continue;
      const int own = ilogb(__longlong_as_double(static_cast<long long>(found[0]))) + 1;
      now = max(now, found == charges ? own : own + unit);
    }
    if (!finite || now > exponent + more || now < exponent - less) *other = 1;
  }
};

std::vector<StrengthRange> DeviceStrengths::watch(const Strengths& strengths, int unit, int* other,
                                                  cudaStream_t stream) {
  if (strengths.vectors != view_.vectors || std::ssize(ranges_) != strengths.vectors ||
      (strengths.dipoles != nullptr) != (view_.dipoles != nullptr))
    throw Error(ErrorCode::usage,
                "as many vectors of strengths as in the last evaluation can be captured in a graph, " +
                    std::to_string(view_.vectors) + "; evaluate such once before the capture");
  keep(strengths, stream);
  if (strengths.count == 0) return ranges_;
  examine(stream);
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const StrengthRange& range = ranges_[static_cast<std::size_t>(v)];
    if (!(range.least > 0)) continue;
    const CompareRange compare{found_.data() + 3 * v, found_.data() + 3 * (strengths.vectors + v), unit, range.exponent,
                               other};
    for_each_index(1, compare, stream, "range of strengths");
  }
  return ranges_;
}

template <class T, class Real>
__global__ void gather_kernel(const T* data, std::int64_t count, std::int64_t stride, const std::uint32_t* order,
                              int exponent, Real* sorted) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t from = order ? order[i] : i;
  sorted[i] = static_cast<Real>(ldexp(static_cast<double>(data[from * stride]), -exponent));
}

template <class Real>
void DeviceStrengths::gather(const Carried& carried, const std::uint32_t* order, std::int64_t count, Real* sorted,
                             cudaStream_t stream) const {
  if (count == 0) return;
  const Numbers of = numbers(view_, carried.component);
  if (!of.data)
    return require(cudaMemsetAsync(sorted, 0, static_cast<std::size_t>(count) * sizeof(Real), stream),
                   "cudaMemsetAsync");
  const std::int64_t shift = carried.vector * of.pitch;
  if (view_.scalar == Scalar::float32)
    gather_kernel<<<blocks_for(count), block_threads, 0, stream>>>(static_cast<const float*>(of.data) + shift, count,
                                                                   of.stride, order, carried.exponent, sorted);
  else
    gather_kernel<<<blocks_for(count), block_threads, 0, stream>>>(static_cast<const double*>(of.data) + shift, count,
                                                                   of.stride, order, carried.exponent, sorted);
  require_launch("gather_kernel");
}

/// The three components of a dipole share a sector of memory: together they take half the time of three launches.
template <class T, class Real>
__global__ void gather_dipoles_kernel(const T* data, std::int64_t count, std::int64_t stride,
                                      const std::uint32_t* order, int exponent, Real* x, Real* y, Real* z) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= count) return;
  const T* own = data + static_cast<std::int64_t>(order[i]) * stride;
  const auto scaled = [&](int axis) { return static_cast<Real>(ldexp(static_cast<double>(own[axis]), -exponent)); };
  x[i] = scaled(0), y[i] = scaled(1), z[i] = scaled(2);
}

template <class Real>
void DeviceStrengths::gather_dipoles(std::int64_t vector, int exponent, const std::uint32_t* order,
                                     const std::array<Real*, 3>& sorted, cudaStream_t stream) const {
  if (view_.count == 0) return;
  const Numbers of = numbers(view_, 1);
  const std::int64_t shift = vector * of.pitch;
  const auto launch = [&](auto scalar) {
    using T = decltype(scalar);
    gather_dipoles_kernel<<<blocks_for(view_.count), block_threads, 0, stream>>>(
        static_cast<const T*>(of.data) + shift, view_.count, of.stride, order, exponent, sorted[0], sorted[1],
        sorted[2]);
  };
  view_.scalar == Scalar::float32 ? launch(float{}) : launch(double{});
  require_launch("gather_dipoles_kernel");
}

template <class T>
__global__ void interleave_kernel(const T* x, const T* y, const T* z, std::int64_t count, std::int64_t stride,
                                  double* xyz) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= count) return;
  xyz[3 * i] = static_cast<double>(x[i * stride]);
  xyz[3 * i + 1] = y ? static_cast<double>(y[i * stride]) : 0;  // points of the plane may lack it
  xyz[3 * i + 2] = z ? static_cast<double>(z[i * stride]) : 0;
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
    const void* from = axis[0];
    std::vector<double> copy;
    if (sizeof(T) < 8 || p.stride != 3 || axis[1] != axis[0] + 1 || axis[2] != axis[0] + 2) {
      copy.reserve(static_cast<std::size_t>(3 * p.count));
      for (std::int64_t i = 0; i < p.count; ++i)
        for (const T* a : axis) copy.push_back(static_cast<double>(a[i * p.stride]));
      from = copy.data();
    }
    require(cudaMemcpyAsync(xyz, from, static_cast<std::size_t>(3 * p.count) * sizeof(double), cudaMemcpyHostToDevice,
                            stream),
            "cudaMemcpyAsync to the device");
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  };
  if (p.scalar == Scalar::float32)
    launch(float{});
  else
    launch(double{});
}

template void DeviceStrengths::gather<float>(const Carried&, const std::uint32_t*, std::int64_t, float*,
                                             cudaStream_t) const;
template void DeviceStrengths::gather<double>(const Carried&, const std::uint32_t*, std::int64_t, double*,
                                              cudaStream_t) const;
template void DeviceStrengths::gather_dipoles<float>(std::int64_t, int, const std::uint32_t*,
                                                     const std::array<float*, 3>&, cudaStream_t) const;
template void DeviceStrengths::gather_dipoles<double>(std::int64_t, int, const std::uint32_t*,
                                                      const std::array<double*, 3>&, cudaStream_t) const;

}  // namespace farfield::cuda

#include "backends/cuda/periodic/block_sums.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "expansions/laplace_harmonics.hpp"

namespace farfield::cuda {
namespace {

constexpr int sum_warps = 4, warp_size = 32, part_threads = sum_warps * warp_size;

/// A few points of one thread, so that what all of a warp share is read or summed less often.
template <int size>
struct Several {
  double value[size] = {};
  __device__ double& operator[](int i) { return value[i]; }
  __device__ double operator[](int i) const { return value[i]; }
};
template <int size, class Combine>
__device__ __forceinline__ Several<size> each(const Combine& combine) {
  Several<size> out;
#pragma unroll
  for (int i = 0; i < size; ++i) out[i] = combine(i);
  return out;
}
template <int size>
__device__ __forceinline__ Several<size> operator*(const Several<size>& a, const Several<size>& b) {
  return each<size>([&](int i) { return a[i] * b[i]; });
}
template <int size>
__device__ __forceinline__ Several<size> operator*(const Several<size>& a, double b) {
  return each<size>([&](int i) { return a[i] * b; });
}
template <int size>
__device__ __forceinline__ Several<size> operator+(const Several<size>& a, const Several<size>& b) {
  return each<size>([&](int i) { return a[i] + b[i]; });
}
template <int size>
__device__ __forceinline__ Several<size> operator+(const Several<size>& a, double b) {
  return each<size>([&](int i) { return a[i] + b; });
}
template <int size>
__device__ __forceinline__ Several<size> operator-(const Several<size>& a, const Several<size>& b) {
  return each<size>([&](int i) { return a[i] - b[i]; });
}
template <int size>
__device__ __forceinline__ double total(const Several<size>& a) {
  double sum = 0;
#pragma unroll
  for (int i = 0; i < size; ++i) sum += a[i];
  return sum;
}

/// The points of a thread in one pass of its part: those beyond the end are its last point, and do not exist.
template <int size>
struct Taken {
  std::uint32_t index[size];
  bool exists[size];
  Several<size> u[3];    ///< from the block's centre, in the field's unit
  Several<size> square;  ///< of the distance from the cell's centre, in its edges
  double v[size][3];     ///< and that itself

  __device__ Taken(const FieldView& f, const OrderedPoints& points, const BlockPart& part, std::int64_t pass) {
    const double* const centre = f.centre + 3 * part.block;
    const double inverse = 1 / f.unit, of_root = 1 / f.root_edge;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const std::int64_t at = part.first + ((pass * size + i) * part_threads + threadIdx.x) * part.step;
      exists[i] = at < part.last;
      index[i] = points.order[exists[i] ? at : part.last - 1];
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const double x = points.axis[axis][index[i] * points.stride];
        u[axis][i] = (x - centre[axis]) * inverse;
        v[i][axis] = (x - f.root_centre[axis]) * of_root;
      }
      square[i] = v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2];
    }
  }
};
__device__ std::int64_t passes_of(const BlockPart& part, int size) {
  const std::int64_t points = (part.last - part.first + part.step - 1) / part.step,
                     pass = std::int64_t(size) * part_threads;
  return (points + pass - 1) / pass;
}

/// M_i += q R_i(u), summed over a warp: one half of it has the cosines' sums, the other the sines'.
template <int size>
struct WarpMoments {
  Several<size> weight;
  double* sum;  ///< of the warp
  Several<size> cosine{}, sine{};
  int order = 0;

  __device__ void begin(int m, const Several<size>& c, const Several<size>& s) {
    order = m, cosine = weight * c, sine = weight * s;
  }
  __device__ void term(int n, const Several<size>& q) {
    const double real = total(q * cosine), imaginary = total(q * sine);
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const bool upper = lane >= warp_size / 2;
    double own = upper ? imaginary : real;
    own += __shfl_xor_sync(~0u, upper ? real : imaginary, warp_size / 2);
    for (int other = warp_size / 4; other > 0; other /= 2) own += __shfl_xor_sync(~0u, own, other);
    if (lane == 0) sum[laplace::index(n, order)] += own;
    if (lane == warp_size / 2 && order > 0) sum[laplace::index(n, -order)] += own;
  }
  __device__ void end(int) {}
};

__global__ void __launch_bounds__(part_threads)
    p2m_parts(FieldView f, OrderedPoints sources, const double* charge, double scale, double* share) {
  constexpr int size = 4;
  extern __shared__ __align__(16) double shared[];
  __shared__ double second[sum_warps];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  double* const own = shared + warp * f.count;
  for (int i = static_cast<int>(threadIdx.x); i < sum_warps * f.count; i += part_threads) shared[i] = 0;
  __syncthreads();
  const BlockPart part = sources.parts[blockIdx.x];
  double squares = 0;
  for (std::int64_t pass = 0; pass < passes_of(part, size); ++pass) {
    const Taken<size> points(f, sources, part, pass);
    const auto weight = each<size>([&](int i) { return points.exists[i] ? scale * charge[points.index[i]] : 0; });
    squares += total(weight * points.square);
    laplace::columns(f.degree, f.recurrence, points.u[0], points.u[1], points.u[2], WarpMoments<size>{weight, own});
  }
  squares = sum_of_warp(squares);
  if (threadIdx.x % warp_size == 0) second[warp] = squares;
  __syncthreads();
  double* const out = share + std::int64_t(blockIdx.x) * (f.count + 1);
  for (int i = static_cast<int>(threadIdx.x); i <= f.count; i += part_threads) {
    double sum = 0;
    for (int w = 0; w < sum_warps; ++w) sum += i < f.count ? shared[w * f.count + i] : second[w];
    out[i] = sum;
  }
}

struct AddShares {
  FieldView f;
  const double* share;
  const std::int32_t* begin;
  bool onto;
  __device__ void operator()(std::int64_t at) const {
    const std::int64_t block = at / (f.count + 1), i = at % (f.count + 1);
    double& to = i < f.count ? f.multipole[block * f.count + i] : f.second[block];
    double sum = onto ? to : 0;
    for (std::int64_t part = begin[block]; part < begin[block + 1]; ++part) sum += share[part * (f.count + 1) + i];
    to = sum;
  }
};

/// Sums of L_i R_i(u) of the potential's coefficients and of its three derivatives', or of the first alone.
template <int size, int sets>
struct SumLocals {
  const double* local;  ///< [coefficient][4]
  Several<size> value[sets] = {};
  Several<size> cosine{}, sine{};
  int order = 0;

  __device__ void begin(int m, const Several<size>& c, const Several<size>& s) { order = m, cosine = c, sine = s; }
  __device__ void term(int n, const Several<size>& q) {
    const double *const plus = local + 4 * laplace::index(n, order), *const minus =
                                                                         local + 4 * laplace::index(n, -order);
    const Several<size> real = q * cosine, imaginary = q * sine;  // 0 where the order is
#pragma unroll
    for (int set = 0; set < sets; ++set) value[set] = value[set] + real * plus[set] + imaginary * minus[set];
  }
  __device__ void end(int) {}
};

/// Of degrees from `lowest` on alone; a derivative's degrees are one lower.
__device__ void copy_locals(const FieldView& f, int block, int lowest, double* shared) {
  const double* const local = f.local + std::int64_t(4) * block * f.count;
  const int lower = 4 * (lowest > 0 ? SolidShape::count(lowest - 1) : 0),
            lower_slopes = 4 * (lowest > 1 ? SolidShape::count(lowest - 2) : 0);
  for (int i = static_cast<int>(threadIdx.x); i < 4 * f.count; i += part_threads)
    shared[i] = i < (i % 4 == 0 ? lower : lower_slopes) ? 0 : local[i];
}

/// Writes the sums of a thread's points.
template <int size, int sets>
__device__ void write_sums(const FieldView& f, const Taken<size>& points, const SumLocals<size, sets>& sum,
                           double* potential, double* gradient) {
  const double charge = *f.charge, inverse = 1 / f.unit, of_root = 1 / f.root_edge;
#pragma unroll
  for (int i = 0; i < size; ++i) {
    if (!points.exists[i]) continue;
    const std::int64_t at = points.index[i];
    if (potential) potential[at] = sum.value[0][i] * inverse + charge * points.square[i] * of_root;
#pragma unroll
    for (int axis = 0; axis + 1 < sets; ++axis)
      gradient[3 * at + axis] =
          sum.value[1 + axis][i] * inverse * inverse + 2 * charge * points.v[i][axis] * of_root * of_root;
  }
}

template <int sets>
__global__ void __launch_bounds__(part_threads)
    l2p_parts(FieldView f, OrderedPoints targets, double* potential, double* gradient) {
  constexpr int size = 2;
  extern __shared__ __align__(16) double local[];
  const BlockPart part = targets.parts[blockIdx.x];
  copy_locals(f, part.block, 0, local);
  __syncthreads();
  for (std::int64_t pass = 0; pass < passes_of(part, size); ++pass) {
    const Taken<size> points(f, targets, part, pass);
    SumLocals<size, sets> sum{local};
    laplace::columns(f.degree, f.recurrence, points.u[0], points.u[1], points.u[2], sum);
    write_sums(f, points, sum, potential, gradient);
  }
}

template <int sets>
__global__ void __launch_bounds__(part_threads) highest_parts(FieldView f, OrderedPoints targets, double* squares) {
  constexpr int size = 2;
  extern __shared__ __align__(16) double local[];
  __shared__ double lane[2][sum_warps];
  const BlockPart part = targets.parts[blockIdx.x];
  copy_locals(f, part.block, f.degree - 1, local);
  __syncthreads();
  const double inverse = 1 / f.unit;
  double square[2] = {};
  for (std::int64_t pass = 0; pass < passes_of(part, size); ++pass) {
    const Taken<size> points(f, targets, part, pass);
    SumLocals<size, sets> sum{local};
    laplace::columns(f.degree, f.recurrence, points.u[0], points.u[1], points.u[2], sum);
#pragma unroll
    for (int i = 0; i < size; ++i)
#pragma unroll
      for (int set = 0; set < sets; ++set) {
        const double value = points.exists[i] ? sum.value[set][i] * inverse * (set > 0 ? inverse : 1) : 0;
        square[set > 0] += value * value;
      }
  }
  for (int k = 0; k < 2; ++k) {
    const double of_warp = sum_of_warp(square[k]);
    if (threadIdx.x % warp_size == 0) lane[k][threadIdx.x / warp_size] = of_warp;
  }
  __syncthreads();
  if (threadIdx.x >= 2) return;
  double sum = 0;
  for (int w = 0; w < sum_warps; ++w) sum += lane[threadIdx.x][w];
  squares[std::int64_t(blockIdx.x) * 2 + threadIdx.x] = sum;
}

LaunchShape shape_of(const FieldView& f, const OrderedPoints& targets) {
  return {dim3(static_cast<unsigned>(targets.part_count)), part_threads,
          4 * static_cast<std::size_t>(f.count) * sizeof(double)};
}

}  // namespace

void p2m_parts_of_blocks(const FieldView& f, const OrderedPoints& sources, const double* charge, double scale,
                         double* share, cudaStream_t stream) {
  if (sources.part_count == 0) return;
  const LaunchShape shape{dim3(static_cast<unsigned>(sources.part_count)), part_threads,
                          sum_warps * static_cast<std::size_t>(f.count) * sizeof(double)};
  launch_kernel("p2m of blocks", p2m_parts, shape, stream, f, sources, charge, scale, share);
}

void add_parts_of_blocks(const FieldView& f, const std::int32_t* begin, const double* share, bool onto,
                         cudaStream_t stream) {
  for_each_index(std::int64_t(f.blocks) * (f.count + 1), AddShares{f, share, begin, onto}, stream, "p2m of blocks");
}

void l2p_blocks(const FieldView& f, const OrderedPoints& targets, double* potential, double* gradient,
                cudaStream_t stream) {
  if (targets.part_count > 0)
    launch_kernel("l2p of blocks", gradient ? l2p_parts<4> : l2p_parts<1>, shape_of(f, targets), stream, f, targets,
                  potential, gradient);
}

void l2p_highest(const FieldView& f, const OrderedPoints& targets, bool gradient, double* squares,
                 cudaStream_t stream) {
  if (targets.part_count > 0)
    launch_kernel("l2p of blocks", gradient ? highest_parts<4> : highest_parts<1>, shape_of(f, targets), stream, f,
                  targets, squares);
}

}  // namespace farfield::cuda

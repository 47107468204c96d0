#include "backends/cuda/periodic/blocks/sums.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "expansions/laplace_harmonics.hpp"
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield::cuda {
namespace {

constexpr int sum_warps = 4, warp_size = 32, part_threads = sum_warps * warp_size;

/// A few points of one thread, so that what all of a warp share is read or summed less often.
template <class Real, int size>
struct Several {
  Real value[size] = {};
  __device__ Real& operator[](int i) { return value[i]; }
  __device__ Real operator[](int i) const { return value[i]; }
};
template <class Real, int size, class Combine>
__device__ __forceinline__ Several<Real, size> each(const Combine& combine) {
  Several<Real, size> out;
#pragma unroll
  for (int i = 0; i < size; ++i) out[i] = combine(i);
  return out;
}
template <class Real, int size>
__device__ __forceinline__ Several<Real, size> operator*(const Several<Real, size>& a, const Several<Real, size>& b) {
  return each<Real, size>([&](int i) { return a[i] * b[i]; });
}
template <class Real, int size>
__device__ __forceinline__ Several<Real, size> operator*(const Several<Real, size>& a, Real b) {
  return each<Real, size>([&](int i) { return a[i] * b; });
}
template <class Real, int size>
__device__ __forceinline__ Several<Real, size> operator+(const Several<Real, size>& a, const Several<Real, size>& b) {
  return each<Real, size>([&](int i) { return a[i] + b[i]; });
}
template <class Real, int size>
__device__ __forceinline__ Several<Real, size> operator+(const Several<Real, size>& a, Real b) {
  return each<Real, size>([&](int i) { return a[i] + b; });
}
template <class Real, int size>
__device__ __forceinline__ Several<Real, size> operator-(const Several<Real, size>& a, const Several<Real, size>& b) {
  return each<Real, size>([&](int i) { return a[i] - b[i]; });
}
template <class Real, int size>
__device__ __forceinline__ Real total(const Several<Real, size>& a) {
  Real sum = 0;
#pragma unroll
  for (int i = 0; i < size; ++i) sum += a[i];
  return sum;
}

/// The points of a thread in one pass of its part: those beyond the end are its last point, and do not exist.
template <class Real, int size>
struct Taken {
  std::uint32_t index[size];
  bool exists[size];
  Several<Real, size> u[3];  ///< from the block's centre, in the field's unit

  __device__ Taken(const FieldView& f, const OrderedPoints& points, const BlockPart& part, std::int64_t pass) {
    const double* const centre = f.centre + 3 * part.block;
    const double inverse = 1 / f.unit;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const std::int64_t at = part.first + ((pass * size + i) * part_threads + threadIdx.x) * part.step;
      exists[i] = at < part.last;
      index[i] = points.order[exists[i] ? at : part.last - 1];
#pragma unroll
      for (int axis = 0; axis < 3; ++axis)
        u[axis][i] = static_cast<Real>((points.axis[axis][index[i] * points.stride] - centre[axis]) * inverse);
    }
  }
};
__device__ std::int64_t passes_of(const BlockPart& part, int size) {
  const std::int64_t points = (part.last - part.first + part.step - 1) / part.step,
                     pass = std::int64_t(size) * part_threads;
  return (points + pass - 1) / pass;
}

/// The points' places from the cell's centre, in its edges.
template <class Real, int size>
struct FromRoot {
  Several<Real, size> v[3];
  __device__ FromRoot(const FieldView& f, const Taken<Real, size>& points, int block) {
    const double of_root = 1 / f.root_edge;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
      v[axis] = points.u[axis] * static_cast<Real>(f.unit * of_root) +
                static_cast<Real>((f.centre[3 * block + axis] - f.root_centre[axis]) * of_root);
  }
  __device__ Several<Real, size> square() const { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }
};

/// What lanes have of two numbers, summed over those so far apart: of `low` for one half of them, of `high` for the
/// half whose lanes have that bit.
template <class Real>
__device__ Real exchanged(Real low, Real high, int distance) {
  const bool upper = threadIdx.x & static_cast<unsigned>(distance);
  return (upper ? high : low) + __shfl_xor_sync(~0u, upper ? low : high, distance);
}

constexpr int moment_group = 16;  ///< terms whose sums are exchanged together

/// M_i += q R_i(u), summed over a warp. Cosines' and sines' sums are exchanged between halves of the warp, these sums
/// with those of the term before between quarters, and so on: after 16 terms each lane has one of 32 sums, for 31
/// exchanges. Each term by itself took 5 for its two, one waiting for the other: 210 us for 1.1e6 points at degree 11
/// on an H200, in double.
template <class Real, int size>
struct WarpMoments {
  using Points = Several<Real, size>;
  Points weight;
  double* sum;  ///< of the warp: [slot]
  Points cosine{}, sine{};
  Real waiting[4] = {};  ///< for the other half of a pair of terms, of two pairs, ...
  int terms = 0;

  __device__ void begin(int, const Points& c, const Points& s) { cosine = weight * c, sine = weight * s; }
  __device__ void term(int, const Points& q) { add(total(q * cosine), total(q * sine)); }
  __device__ void end(int) {}
  __device__ void finish() {
    while (terms % moment_group > 0) add(0, 0);
  }

  __device__ void add(Real real, Real imaginary) { pair<0>(terms++, exchanged(real, imaginary, warp_size / 2)); }
  /// What lanes have of 2^level terms, of which the last is term `at`.
  template <int level>
  __device__ void pair(int at, Real own) {
    if constexpr (1 << level == moment_group)
      sum[at / moment_group * warp_size + static_cast<int>(threadIdx.x) % warp_size] += own;
    else if (at >> level & 1)
      pair<level + 1>(at, exchanged(waiting[level], own, moment_group >> (level + 1)));
    else
      waiting[level] = own;
  }
};
/// Of a warp.
int moment_slots(int degree) { return (convolution::orders(degree) + moment_group - 1) / moment_group * warp_size; }
/// Where the sum of coefficient (n, m) is: terms come order by order, and lanes are told apart by the lowest bit of a
/// term's number first.
__device__ int moment_slot(int degree, int n, int m) {
  const int order = m < 0 ? -m : m, term = order * (degree + 1) - order * (order - 1) / 2 + n - order;
  const unsigned lane = __brev(static_cast<unsigned>(term % moment_group)) >> 28;
  return term / moment_group * warp_size + (m < 0 ? warp_size / 2 : 0) + static_cast<int>(lane);
}

constexpr int p2m_size = 4;

/// The points of a pass in the type of the results, as p2m of the tree's boxes; parts are added up in double.
template <class Real>
__global__ void __launch_bounds__(part_threads)
    p2m_parts(FieldView f, OrderedPoints sources, const double* charge, double scale, int slots, double* share) {
  extern __shared__ __align__(16) double shared[];
  __shared__ double second[sum_warps];
  Real* const recurrence = reinterpret_cast<Real*>(shared + sum_warps * slots);
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  for (int i = static_cast<int>(threadIdx.x); i < sum_warps * slots; i += part_threads) shared[i] = 0;
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += part_threads)
    recurrence[i] = static_cast<Real>(f.recurrence[i]);
  __syncthreads();
  const BlockPart part = sources.parts[blockIdx.x];
  double squares = 0;
  for (std::int64_t pass = 0; pass < passes_of(part, p2m_size); ++pass) {
    const Taken<Real, p2m_size> points(f, sources, part, pass);
    WarpMoments<Real, p2m_size> moments{each<Real, p2m_size>([&](int i) {
                                          return points.exists[i] ? static_cast<Real>(scale * charge[points.index[i]])
                                                                  : 0;
                                        }),
                                        shared + warp * slots};
    squares += total(moments.weight * FromRoot<Real, p2m_size>(f, points, part.block).square());
    laplace::columns(f.degree, static_cast<const Real*>(recurrence), points.u[0], points.u[1], points.u[2], moments);
    moments.finish();
  }
  squares = sum_of_warp(squares);
  if (threadIdx.x % warp_size == 0) second[warp] = squares;
  __syncthreads();
  double* const out = share + std::int64_t(blockIdx.x) * (f.count + 1);
  for (int i = static_cast<int>(threadIdx.x); i <= f.count; i += part_threads) {
    const int n = SolidShape::degree_of(i), slot = moment_slot(f.degree, n, i - SolidShape::index(n, 0));
    double sum = 0;
    for (int w = 0; w < sum_warps; ++w) sum += i < f.count ? shared[w * slots + slot] : second[w];
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

/// Of a block in shared memory: the recurrence's factors, and local expansions over the field's unit, whose
/// coefficients are no larger than the potentials they give: a float has room for them where it has for these.
template <class Real>
struct SharedLocals {
  Real *local, *recurrence;  ///< local: [coefficient][4]
  /// Of degrees from `lowest` on alone; a derivative's degrees are one lower.
  __device__ SharedLocals(const FieldView& f, int block, int lowest, double* shared)
      : local(reinterpret_cast<Real*>(shared)), recurrence(local + 4 * f.count) {
    const double* const given = f.local + std::int64_t(4) * block * f.count;
    const double inverse = 1 / f.unit;
    const int lower = 4 * (lowest > 0 ? SolidShape::count(lowest - 1) : 0),
              lower_slopes = 4 * (lowest > 1 ? SolidShape::count(lowest - 2) : 0);
    for (int i = static_cast<int>(threadIdx.x); i < 4 * f.count; i += part_threads)
      local[i] = i < (i % 4 == 0 ? lower : lower_slopes) ? 0 : static_cast<Real>(given[i] * inverse);
    for (int i = static_cast<int>(threadIdx.x); i < f.count; i += part_threads)
      recurrence[i] = static_cast<Real>(f.recurrence[i]);
    __syncthreads();
  }
};

/// Sums of L_i R_i(u) of the potential's coefficients and of its three derivatives', or of the first alone.
template <class Real, int size, int sets>
struct SumLocals {
  using Points = Several<Real, size>;
  const Real* local;                                           ///< [coefficient][4]
  Points value[sets] = {}, plus[sets] = {}, minus[sets] = {};  ///< plus, minus: of an order, those of L_(n,+-m) Q_n
  Points cosine{}, sine{};
  int order = 0;

  __device__ void begin(int m, const Points& c, const Points& s) {
    order = m, cosine = c, sine = s;
#pragma unroll
    for (int set = 0; set < sets; ++set) plus[set] = minus[set] = {};
  }
  __device__ void term(int n, const Points& q) {
    const Real *const upper = local + 4 * laplace::index(n, order), *const lower =
                                                                        local + 4 * laplace::index(n, -order);
#pragma unroll
    for (int set = 0; set < sets; ++set) {
      plus[set] = plus[set] + q * upper[set];
      minus[set] = minus[set] + q * lower[set];
    }
  }
  /// The sine is 0 where the order is.
  __device__ void end(int) {
#pragma unroll
    for (int set = 0; set < sets; ++set) value[set] = value[set] + plus[set] * cosine + minus[set] * sine;
  }
};
template <int sets, class Real, int size>
__device__ SumLocals<Real, size, sets> sum_locals(const FieldView& f, const SharedLocals<Real>& shared,
                                                  const Taken<Real, size>& points) {
  SumLocals<Real, size, sets> sum{shared.local};
  laplace::columns(f.degree, shared.recurrence, points.u[0], points.u[1], points.u[2], sum);
  return sum;
}

constexpr int l2p_size = 2;

/// Far images' fields are smooth and small beside the near ones': where results are floats, so is all of it.
template <class Real, int sets>
__global__ void __launch_bounds__(part_threads)
    l2p_parts(FieldView f, OrderedPoints targets, Real* potential, Real* gradient) {
  extern __shared__ __align__(16) double shared[];
  const BlockPart part = targets.parts[blockIdx.x];
  const SharedLocals<Real> locals(f, part.block, 0, shared);
  const Real inverse = static_cast<Real>(1 / f.unit), charge = static_cast<Real>(*f.charge / f.root_edge),
             slope = static_cast<Real>(2 * *f.charge / f.root_edge / f.root_edge);
  for (std::int64_t pass = 0; pass < passes_of(part, l2p_size); ++pass) {
    const Taken<Real, l2p_size> points(f, targets, part, pass);
    const auto sum = sum_locals<sets>(f, locals, points);
    const FromRoot<Real, l2p_size> from_root(f, points, part.block);
    const auto square = from_root.square();
#pragma unroll
    for (int i = 0; i < l2p_size; ++i) {
      if (!points.exists[i]) continue;
      const std::int64_t at = points.index[i];
      if (potential) potential[at] = sum.value[0][i] + charge * square[i];
#pragma unroll
      for (int axis = 0; axis + 1 < sets; ++axis)
        gradient[3 * at + axis] = sum.value[1 + axis][i] * inverse + slope * from_root.v[axis][i];
    }
  }
}

template <int sets>
__global__ void __launch_bounds__(part_threads) highest_parts(FieldView f, OrderedPoints targets, double* squares) {
  extern __shared__ __align__(16) double shared[];
  __shared__ double lane[2][sum_warps];
  const BlockPart part = targets.parts[blockIdx.x];
  const SharedLocals<double> locals(f, part.block, f.degree - 1, shared);
  const double inverse = 1 / f.unit;
  double square[2] = {};
  for (std::int64_t pass = 0; pass < passes_of(part, l2p_size); ++pass) {
    const Taken<double, l2p_size> points(f, targets, part, pass);
    const auto sum = sum_locals<sets>(f, locals, points);
#pragma unroll
    for (int i = 0; i < l2p_size; ++i)
#pragma unroll
      for (int set = 0; set < sets; ++set) {
        const double value = points.exists[i] ? sum.value[set][i] * (set > 0 ? inverse : 1) : 0;
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

template <class Real>
LaunchShape shape_of(const FieldView& f, const OrderedPoints& targets) {
  return {dim3(static_cast<unsigned>(targets.part_count)), part_threads,
          5 * static_cast<std::size_t>(f.count) * sizeof(Real)};
}
template <class Real>
void launch_l2p(const FieldView& f, const OrderedPoints& targets, void* potential, void* gradient,
                cudaStream_t stream) {
  launch_kernel("l2p of blocks", gradient ? l2p_parts<Real, 4> : l2p_parts<Real, 1>, shape_of<Real>(f, targets), stream,
                f, targets, static_cast<Real*>(potential), static_cast<Real*>(gradient));
}

}  // namespace

void p2m_parts_of_blocks(const FieldView& f, const OrderedPoints& sources, const SourceCharges& charges, double* share,
                         cudaStream_t stream) {
  if (sources.part_count == 0) return;
  const bool single = charges.scalar == Scalar::float32;
  const int slots = moment_slots(f.degree);
  const std::size_t bytes = static_cast<std::size_t>(sum_warps * slots) * sizeof(double) +
                            static_cast<std::size_t>(f.count * size_of(charges.scalar));
  launch_kernel("p2m of blocks", single ? p2m_parts<float> : p2m_parts<double>,
                {dim3(static_cast<unsigned>(sources.part_count)), part_threads, bytes}, stream, f, sources,
                charges.charge, charges.scale, slots, share);
}

void add_parts_of_blocks(const FieldView& f, const std::int32_t* begin, const double* share, bool onto,
                         cudaStream_t stream) {
  for_each_index(std::int64_t(f.blocks) * (f.count + 1), AddShares{f, share, begin, onto}, stream, "p2m of blocks");
}

void l2p_blocks(const FieldView& f, const OrderedPoints& targets, const BlockResults& to, cudaStream_t stream) {
  if (targets.part_count == 0) return;
  const auto launch = to.scalar == Scalar::float32 ? launch_l2p<float> : launch_l2p<double>;
  launch(f, targets, to.potential, to.gradient, stream);
}

void l2p_highest(const FieldView& f, const OrderedPoints& targets, bool gradient, double* squares,
                 cudaStream_t stream) {
  if (targets.part_count > 0)
    launch_kernel("l2p of blocks", gradient ? highest_parts<4> : highest_parts<1>, shape_of<double>(f, targets), stream,
                  f, targets, squares);
}

}  // namespace farfield::cuda

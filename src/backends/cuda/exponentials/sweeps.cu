// Gaussians on a line: two sweeps over sorted points, as on the CPU (backends/cpu/exponentials/sweep.cpp). A warp takes
// a stretch, a lane a wave: its head is the sum of the strengths that were passed, decayed to a place, the anchor.
// Where points are dense the anchor stays for up to 1/decay, and each of them is taken back to it: no error grows with
// the number of points. Stretches are first summed each by itself, then heads are carried over the stretches of a
// group, over the groups, and over the stretches again; then results are made. Sums have one order, whatever the
// device.
#include "backends/cuda/exponentials/line.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr int warp = 32;
constexpr double vanished = 100;  ///< e^-100 of a strength is nothing: longer gaps count as that
static_assert(exponentials::most_terms <= warp);

__device__ double2 times(double2 a, double2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

/// A lane's wave: exp(-(decay + i frequency) t), and its weights. Lanes behind the last wave have no weight.
struct OwnWave {
  double decay, frequency, real = 0, imag = 0, slope_real = 0, slope_imag = 0;
  int lane;
  bool exists;

  __device__ explicit OwnWave(const exponentials::Sum& sum)
      : decay(sum.decay), lane(static_cast<int>(threadIdx.x)), exists(lane < sum.terms) {
    frequency = exists ? sum.step * (lane + 0.5) : 0.0;
    if (!exists) return;
    real = sum.real[lane], imag = sum.imag[lane];
    slope_real = sum.slope_real[lane], slope_imag = sum.slope_imag[lane];
  }
  /// Over a distance d >= 0; `size`: the absolute value.
  __device__ double2 over(double d, double& size) const {
    d = fmin(d, vanished / decay);
    double sine, cosine;
    sincos(frequency * d, &sine, &cosine);
    size = exp(-decay * d);
    return {size * cosine, -size * sine};
  }
  __device__ double2 over(double d) const {
    double size;
    return over(d, size);
  }
  __device__ double2 read(const double2* heads, std::int64_t element, int terms) const {
    return exists ? heads[element * terms + lane] : double2{0, 0};
  }
  __device__ void write(double2* heads, std::int64_t element, int terms, double2 head) const {
    if (exists) heads[element * terms + lane] = head;
  }
};

/// Points that a warp takes at a time, and what each wave gives to each of them.
struct Staged {
  double at[warp], strength[warp];
};
template <bool slopes>
struct Given {
  double value[warp][warp + 1], slope[slopes ? warp : 1][warp + 1];
};

/// Adds what was passed to the results of the points in stage, the first of which is `first`, in the way's direction.
template <int way, bool slopes>
__device__ void deliver(const LineView& v, const Given<slopes>& given, std::int64_t first, int count, double strength) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane >= count) return;
  double u = 0, g = 0;
  for (int k = 0; k < v.sum.terms; ++k) {
    u += given.value[lane][k];
    if constexpr (slopes) g += given.slope[lane][k];
  }
  const std::int64_t i = first + way * lane;
  v.potential[i] = way > 0 ? strength + u : v.potential[i] + u;
  if constexpr (slopes) v.derivative[i] = way > 0 ? g : v.derivative[i] - g;
}

/// One way over a stretch of `count` points from `begin` on. Returns the head with all that was passed, `to_the_end` at
/// the last point. give(i, there) is called with the head at point i of those that are staged, before it is passed, and
/// done(first, now) when all of them have been.
template <int way, bool to_the_end, class Give, class Done>
__device__ double2 sweep(const LineView& v, const OwnWave& own, std::int64_t begin, int count, double2 head,
                         Staged& stage, const Give& give, const Done& done) {
  const double towards = way * v.per_bandwidth, longest = 1 / v.sum.decay;
  const std::int64_t start = way > 0 ? begin : begin + count - 1;
  double anchor = v.at[start];
  for (int from = 0; from < count; from += warp) {
    const int now = min(warp, count - from);
    const std::int64_t first = start + way * static_cast<std::int64_t>(from), mine = first + way * own.lane;
    __syncwarp();
    if (own.lane < now) stage.at[own.lane] = v.at[mine], stage.strength[own.lane] = v.strength[mine];
    __syncwarp();
    for (int i = 0; i < now; ++i) {
      const double x = stage.at[i], q = stage.strength[i], d = (x - anchor) * towards;
      double size;
      const double2 e = own.over(d, size), there = times(head, e);
      give(i, there);
      if (d > longest || (to_the_end && from + i == count - 1)) {
        head = {there.x + q, there.y};
        anchor = x;
      } else {
        const double back = q / (size * size);
        head.x += back * e.x, head.y -= back * e.y;
      }
    }
    __syncwarp();
    done(first, now);
  }
  return head;
}

__device__ int count_of(const LineView& v, std::int64_t begin) {
  return static_cast<int>(min(v.steps, v.points - begin));
}

/// What each stretch adds, of both sides.
__global__ void __launch_bounds__(warp) add_up_kernel(const __grid_constant__ LineView v) {
  __shared__ Staged stage;
  const OwnWave own(v.sum);
  const std::int64_t stretch = blockIdx.x, begin = stretch * v.steps;
  const int side = static_cast<int>(blockIdx.y), count = count_of(v, begin);
  const auto give = [](int, double2) {};
  const auto done = [](std::int64_t, int) {};
  const double2 head = side == 0 ? sweep<1, true>(v, own, begin, count, {0, 0}, stage, give, done)
                                 : sweep<-1, true>(v, own, begin, count, {0, 0}, stage, give, done);
  own.write(v.head[side], stretch, v.sum.terms, head);
}

/// The coordinate where stretches first ... last - 1 begin or end.
__device__ double end_of(const LineView& v, std::int64_t first, std::int64_t last, bool end) {
  return v.at[end ? min(last * v.steps, v.points) - 1 : first * v.steps];
}

/// Carries what has been passed over `count` elements from the side's beginning on, each of `size` stretches but the
/// last one; element n of them is the n-th from `first` on, or, of the other side, from the end of these. Returns what
/// has been passed at their end. `replace`: heads become what has been passed where they begin.
template <bool replace>
__device__ double2 carry(const LineView& v, const OwnWave& own, int side, std::int64_t first, std::int64_t count,
                         std::int64_t size, double2* heads, double2 passed) {
  const bool back = side != 0;
  double before = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t p = first + (back ? count - 1 - n : n), last = min((p + 1) * size, v.stretches);
    const double begin = end_of(v, p * size, last, back), end = end_of(v, p * size, last, !back);
    const double gap = n == 0 ? 0 : fabs(begin - before);
    passed = times(passed, own.over(gap * v.per_bandwidth));
    const double2 added = own.read(heads, p, v.sum.terms);
    if constexpr (replace) own.write(heads, p, v.sum.terms, passed);
    passed = times(passed, own.over(fabs(end - begin) * v.per_bandwidth));
    passed.x += added.x, passed.y += added.y;
    before = end;
  }
  return passed;
}

/// What each group adds.
__global__ void __launch_bounds__(warp) carry_in_groups_kernel(const __grid_constant__ LineView v) {
  const OwnWave own(v.sum);
  const std::int64_t group = blockIdx.x, first = group * v.together;
  const int side = static_cast<int>(blockIdx.y);
  const double2 added =
      carry<false>(v, own, side, first, min(v.together, v.stretches - first), 1, v.head[side], {0, 0});
  own.write(v.group_head[side], group, v.sum.terms, added);
}

__global__ void __launch_bounds__(warp) carry_over_groups_kernel(const __grid_constant__ LineView v) {
  const OwnWave own(v.sum);
  const int side = static_cast<int>(blockIdx.y);
  carry<true>(v, own, side, 0, v.groups, v.together, v.group_head[side], {0, 0});
}

__global__ void __launch_bounds__(warp) carry_to_stretches_kernel(const __grid_constant__ LineView v) {
  const OwnWave own(v.sum);
  const std::int64_t group = blockIdx.x, first = group * v.together;
  const int side = static_cast<int>(blockIdx.y);
  carry<true>(v, own, side, first, min(v.together, v.stretches - first), 1, v.head[side],
              own.read(v.group_head[side], group, v.sum.terms));
}

template <bool slopes>
__global__ void __launch_bounds__(warp) results_kernel(const __grid_constant__ LineView v) {
  __shared__ Staged stage;
  __shared__ Given<slopes> given;
  const OwnWave own(v.sum);
  const std::int64_t stretch = blockIdx.x, begin = stretch * v.steps;
  const int count = count_of(v, begin);
  const auto give = [&](int i, double2 there) {
    given.value[i][own.lane] = own.real * there.x - own.imag * there.y;
    if constexpr (slopes) given.slope[i][own.lane] = own.slope_real * there.x - own.slope_imag * there.y;
  };
  sweep<1, false>(v, own, begin, count, own.read(v.head[0], stretch, v.sum.terms), stage, give,
                  [&](std::int64_t first, int now) { deliver<1>(v, given, first, now, stage.strength[own.lane]); });
  sweep<-1, false>(v, own, begin, count, own.read(v.head[1], stretch, v.sum.terms), stage, give,
                   [&](std::int64_t first, int now) { deliver<-1>(v, given, first, now, 0); });
}

}  // namespace

void sweep_line(const LineView& v, cudaStream_t stream) {
  const dim3 stretches(static_cast<unsigned>(v.stretches), 2), groups(static_cast<unsigned>(v.groups), 2);
  add_up_kernel<<<stretches, warp, 0, stream>>>(v);
  require_launch("add_up_kernel");
  carry_in_groups_kernel<<<groups, warp, 0, stream>>>(v);
  require_launch("carry_in_groups_kernel");
  carry_over_groups_kernel<<<dim3(1, 2), warp, 0, stream>>>(v);
  require_launch("carry_over_groups_kernel");
  carry_to_stretches_kernel<<<groups, warp, 0, stream>>>(v);
  require_launch("carry_to_stretches_kernel");
  const auto results = v.derivative ? results_kernel<true> : results_kernel<false>;
  results<<<static_cast<unsigned>(v.stretches), warp, 0, stream>>>(v);
  require_launch("results_kernel");
}

}  // namespace farfield::cuda

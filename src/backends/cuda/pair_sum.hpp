// Pair sums of a tile of targets with ranges of sources: the inner loop of p2p and of the direct sum.
//
// A block holds up to `threads * tile` targets in registers, `tile` per thread; where there are fewer, several groups
// of threads hold the same targets and share the sources, and their sums meet in shared memory. Sources are staged
// there in chunks. In single, coordinates are relative to a frame (a box near both points), subtracted in double and
// rounded; pairs closer than 1/16 of the frame, where that rounding would show, are differenced again in double. In
// double the frame is the identity and only pairs at (almost) no distance take the slow path. So the fast path needs no
// guard against zero.
//
// `softened` adds the square of Work::softening to that of the distance; pairs at no distance are the slow path's:
// there a point meets itself, and a tiny softening's square underflows or the cube of its inverse overflows.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

__device__ inline float approximate_inverse_sqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // 1 ulp
  return y;
}
/// A seed of 20 bits and one step that cubes its error: 1e-15 where x is above 1e-300.
__device__ inline double approximate_inverse_sqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x * y, y, 1.0);
  return fma(fma(e, 0.375, 0.5), y * e, y);
}

template <class Real>
struct PairShape;
template <>
struct PairShape<float> {
  static constexpr int tile = 4, threads = 128, chunk = 1024;
  static constexpr float close = 1.0f / 256;
};
template <>
struct PairShape<double> {
  static constexpr int tile = 2, threads = 128, chunk = 512;
  static constexpr double close = 1e-280;
};

/// Coordinates are (x - centre) * factor; factor is a power of two, about one over the frame's size.
struct PairFrame {
  double centre[3] = {0, 0, 0}, factor = 1;
};

template <class Real>
struct alignas(16) Staged {
  Real x, y, z, q;
};

template <class Kernel, class Real, bool with_gradient, bool softened = false>
class PairSum {
  using Shape = PairShape<Real>;
  static constexpr int n = Shape::tile, threads = Shape::threads, chunk = Shape::chunk;

 public:
  /// What a block needs of shared memory.
  struct Shared {
    Staged<Real> source[chunk];
    std::uint32_t index[chunk];
  };
  static constexpr int most_targets = n * threads;

  /// Targets first ... first + count of the work.
  __device__ PairSum(const Work<Real>& work, const PairFrame& frame, Shared& shared, std::int64_t first, int count)
      : work_(work), frame_(frame), shared_(shared), first_(first), count_(count) {
    units_ = (count + n - 1) / n;
    groups_ = threads / units_;
    // Fewer groups may waste fewer lanes: units * groups close under whole warps.
    int best = -1, wanted = groups_;
    for (int g = groups_; g >= 1 && g >= groups_ - 3; --g) {
      const int used = g * units_, share = used * 1024 / ((used + 31) / 32 * 32);
      if (share > best) best = share, wanted = g;
    }
    groups_ = wanted;
    if constexpr (softened) softening2_ = static_cast<Real>(softening() * softening());
    group_ = static_cast<int>(threadIdx.x) / units_;
    unit_ = static_cast<int>(threadIdx.x) % units_;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const std::int64_t t = target(i);
      x_[i] = place(work.target[0][t], 0);
      y_[i] = place(work.target[1][t], 1);
      z_[i] = place(work.target[2][t], 2);
      u_[i] = gx_[i] = gy_[i] = gz_[i] = 0;
    }
  }

  /// Adds sources [begin, end) to what is staged, and sums whenever that is full. By all threads.
  __device__ void add(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t room = chunk - staged_, here = end - begin < room ? end - begin : room;
      for (int i = static_cast<int>(threadIdx.x); i < here; i += threads) stage(staged_ + i, begin + i);
      staged_ += static_cast<int>(here);
      begin += here;
      if (staged_ == chunk) flush();
    }
  }

  /// Sums what is left and adds (or, `overwrite`, stores) the results. By all threads.
  __device__ void finish(bool overwrite) {
    flush();
    combine(overwrite);
  }

  /// One source into a place of the staging memory; for callers that stage by themselves.
  __device__ void stage(int at, std::int64_t s) {
    shared_.source[at] = {place(work_.source[0][s], 0), place(work_.source[1][s], 1), place(work_.source[2][s], 2),
                          work_.strength[s]};
    shared_.index[at] = static_cast<std::uint32_t>(s);
  }

 private:
  __device__ std::int64_t target(int i) const {
    const int own = unit_ + i * units_;
    return first_ + (own < count_ ? own : count_ - 1);
  }
  __device__ Real place(double x, int axis) const {
    if constexpr (sizeof(Real) == 8)
      return x;
    else
      return static_cast<Real>((x - frame_.centre[axis]) * frame_.factor);
  }

  __device__ void flush() {
    if (staged_ == 0) return;
    // Sources are dealt to the groups four at a time; the last round is filled up with far ones of strength zero.
    const int round = 4 * groups_, rounds = (staged_ + round - 1) / round;
    const int filled = rounds * round < chunk ? rounds * round : chunk;
    for (int i = staged_ + static_cast<int>(threadIdx.x); i < filled; i += threads) {
      shared_.source[i] = {Real(1e15), Real(1e15), Real(1e15), 0};
      shared_.index[i] = 0xffffffffu;
    }
    __syncthreads();
    if (group_ < groups_) {
      Real u[n] = {}, gx[n] = {}, gy[n] = {}, gz[n] = {};
      for (int r = 4 * group_; r < filled; r += round)
#pragma unroll
        for (int j = 0; j < 4; ++j) interact(r + j, u, gx, gy, gz);
#pragma unroll
      for (int i = 0; i < n; ++i) {  // partial sums of a chunk keep single's rounding low
        u_[i] += u[i];
        if (with_gradient) gx_[i] += gx[i], gy_[i] += gy[i], gz_[i] += gz[i];
      }
    }
    __syncthreads();
    staged_ = 0;
  }

  __device__ void interact(int j, Real (&u)[n], Real (&gx)[n], Real (&gy)[n], Real (&gz)[n]) {
    const Staged<Real> s = shared_.source[j];
    Real dx[n], dy[n], dz[n], r2[n], inverse[n], least;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      dx[i] = x_[i] - s.x, dy[i] = y_[i] - s.y, dz[i] = z_[i] - s.z;
      r2[i] = dx[i] * dx[i] + dy[i] * dy[i] + dz[i] * dz[i];
      inverse[i] = approximate_inverse_sqrt(softened ? r2[i] + softening2_ : r2[i]);
      least = i == 0 ? r2[0] : (r2[i] < least ? r2[i] : least);
    }
    if (Kernel::softens && least < Shape::close) {  // a constant kernel does not mind the distance
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (r2[i] < Shape::close) {
          add_close(j, i, s.q);
          dx[i] = dy[i] = dz[i] = inverse[i] = 0;
        }
    }
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if constexpr (with_gradient)
        Kernel::gradient(inverse[i], s.q, dx[i], dy[i], dz[i], u[i], gx[i], gy[i], gz[i]);
      else
        Kernel::potential(inverse[i], s.q, u[i]);
    }
  }

  /// A close pair from the exact coordinates; nothing where the points coincide. It goes to the total at once: in a
  /// partial sum of single precision its size would swallow the many small terms that follow.
  __device__ __forceinline__ void add_close(int j, int i, Real q) {
    const std::int64_t t = target(i);
    const std::uint32_t s = shared_.index[j];
    if (work_.alike && s == static_cast<std::uint32_t>(t)) return;
    const double x = (work_.target[0][t] - work_.source[0][s]) * frame_.factor;
    const double y = (work_.target[1][t] - work_.source[1][s]) * frame_.factor;
    const double z = (work_.target[2][t] - work_.source[2][s]) * frame_.factor;
    const double r2 = x * x + y * y + z * z;
    if (!(r2 > 0)) {  // potential alone: a tiny softening's cube overflows, and 0 times that is no gradient
      if constexpr (softened) Kernel::potential(inverse_at_no_distance(j, t), q, u_[i]);
      return;
    }
    const double softening2 = softened ? softening() * softening() : 0.0;
    const Real inverse = static_cast<Real>(1 / sqrt(r2 + softening2));
    if constexpr (with_gradient)
      Kernel::gradient(inverse, q, static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z), u_[i], gx_[i],
                       gy_[i], gz_[i]);
    else
      Kernel::potential(inverse, q, u_[i]);
  }

  /// 1/softening, but 0 where a point meets itself.
  __device__ Real inverse_at_no_distance(int j, std::int64_t t) const {
    if (t == static_cast<std::int64_t>(shared_.index[j]) + work_.self_from) return 0;
    return static_cast<Real>(1 / softening());
  }

  __device__ double softening() const { return work_.softening * frame_.factor; }

  __device__ void deliver(Real* out, std::int64_t t, Real value, bool overwrite) const {
    out[t] = overwrite ? value : out[t] + value;
  }

  __device__ void combine(bool overwrite) {
    static_assert(sizeof(Staged<Real>) * chunk >= sizeof(Staged<Real>) * threads * n,
                  "the sums take the sources' place");
    __syncthreads();
    if (group_ < groups_)
#pragma unroll
      for (int i = 0; i < n; ++i) shared_.source[(group_ * n + i) * units_ + unit_] = {u_[i], gx_[i], gy_[i], gz_[i]};
    __syncthreads();
    const double scale = Kernel::Basis::potential_scale(1 / frame_.factor);
    const Real to_potential = static_cast<Real>(scale), to_gradient = static_cast<Real>(scale * frame_.factor);
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads) {
      Staged<Real> sum = shared_.source[i];
      for (int g = 1; g < groups_; ++g) {
        const Staged<Real> part = shared_.source[g * n * units_ + i];
        sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.q += part.q;
      }
      deliver(work_.potential, first_ + i, sum.x * to_potential, overwrite);
      if constexpr (with_gradient) {
        deliver(work_.gradient[0], first_ + i, sum.y * to_gradient, overwrite);
        deliver(work_.gradient[1], first_ + i, sum.z * to_gradient, overwrite);
        deliver(work_.gradient[2], first_ + i, sum.q * to_gradient, overwrite);
      }
    }
  }

  const Work<Real>& work_;
  const PairFrame frame_;
  Shared& shared_;
  std::int64_t first_;
  int count_, units_, groups_, group_, unit_, staged_ = 0;
  Real x_[n], y_[n], z_[n], u_[n], gx_[n], gy_[n], gz_[n], softening2_ = 0;
};

/// Frame for pairs near `centre` within about `size`: the identity in double.
template <class Real>
__device__ PairFrame make_frame(const double centre[3], double size) {
  PairFrame frame;
  if constexpr (sizeof(Real) == 4) {
    for (int a = 0; a < 3; ++a) frame.centre[a] = centre[a];
    frame.factor = ldexp(1.0, -ilogb(size));
  }
  return frame;
}

/// Targets of one PairTile.
template <class Real>
inline constexpr int p2p_tile = PairShape<Real>::tile* PairShape<Real>::threads;

}  // namespace farfield::cuda

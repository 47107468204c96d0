// Staging: sources from the tree's arrays into the frame of some targets and into a block's shared memory, where p2p,
// the direct sum and the treecode read them. A source is an index, or a LeafSource.
#pragma once
#include "backends/cuda/work.hpp"
#include "core/results.hpp"
#include "tree/displacement.hpp"

namespace farfield::cuda {

/// Coordinates are displacement(x, centre) * factor; the factor is one over the frame's size. In shared memory: one
/// thread makes the frame.
template <class Real>
struct PairFrame {
  double centre[3], factor;
  PartScales<Real> scale;
};

/// Frame for pairs near `centre` within about `size`: the identity in double.
template <class Kernel, class Real>
__device__ PairFrame<Real> make_frame(double x, double y, double z, double size) {
  if constexpr (sizeof(Real) == 8) size = 1;
  const double factor = 1 / size;
  return {{x, y, z}, factor, part_scales<typename Kernel::Basis, Real>(size, factor)};
}

template <class Real>
struct alignas(16) Staged {
  Real x, y, z, q;
};

/// A source from shared memory by the widest loads; the compiler alone would load the strength separately.
__device__ inline Staged<float> load(const Staged<float>& s) {
  const float4 v = *reinterpret_cast<const float4*>(&s);
  return {v.x, v.y, v.z, v.w};
}
__device__ inline Staged<double> load(const Staged<double>& s) {
  const double2 v = *reinterpret_cast<const double2*>(&s), w = *(reinterpret_cast<const double2*>(&s) + 1);
  return {v.x, v.y, w.x, w.y};
}

/// A source's strengths in the densities behind the first, staged beside it.
template <class Real, int densities>
struct alignas((densities - 1) * sizeof(Real)) Further {
  Real q[densities - 1];
};
template <class Real>
struct Further<Real, 1> {};

template <class Real, int densities>
__device__ Real strength_of(const Staged<Real>& s, [[maybe_unused]] const Further<Real, densities>& further,
                            [[maybe_unused]] int density) {
  if constexpr (densities > 1)
    if (density > 0) return further.q[density - 1];
  return s.q;
}

/// A source far from everything and without strength: fills up a round.
template <class Real>
__device__ Staged<Real> no_source() {
  return {Real(1e15), Real(1e15), Real(1e15), 0};
}

template <class Real>
__device__ Real place(double x, const PairFrame<Real>& frame, int axis) {
  if constexpr (sizeof(Real) == 8)
    return x;
  else
    return static_cast<Real>(displacement(x, frame.centre[axis]) * frame.factor);
}

/// Place `index` of NearWork::in_leaf, `by` from where it lies in a frame.
struct alignas(16) LeafSource {
  std::uint32_t index;
  float by[3];
};

__device__ inline std::uint32_t number_of(std::uint32_t source) { return source; }
__device__ inline std::uint32_t number_of(const LeafSource& source) { return source.index; }

/// Source s of a leaf, or of the leaf at home that this is an image of. Leaves' centres are subtracted in double: where
/// they are of one size their places differ by whole edges, and nothing is rounded but the place in the leaf.
__device__ inline LeafSource leaf_source(const TreeView& tree, BoxId leaf, std::uint32_t s,
                                         const PairFrame<float>& frame) {
  LeafSource source{s, {}};
  for (int axis = 0; axis < 3; ++axis) source.by[axis] = place<float>(tree.coordinate(leaf, axis), frame, axis);
  return source;
}

/// What is read of a source, and where it then lies in a frame.
template <class Real, class Source>
struct Loaded {
  double x[3];
  Real q;
  __device__ void load(const NearWork<Real>& work, std::uint32_t s) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) x[axis] = __ldg(work.source[axis] + s);
    q = __ldg(work.strength + s);
  }
  __device__ Staged<Real> in(const PairFrame<Real>& frame, std::uint32_t) const {
    return {place<Real>(x[0], frame, 0), place<Real>(x[1], frame, 1), place<Real>(x[2], frame, 2), q};
  }
};
template <class Real>
struct Loaded<Real, LeafSource> {
  float4 at;
  __device__ void load(const NearWork<Real>& work, const LeafSource& s) { at = __ldg(work.in_leaf + s.index); }
  __device__ Staged<Real> in(const PairFrame<Real>& frame, const LeafSource& s) const {
    const float factor = static_cast<float>(frame.factor);
    return {fmaf(at.x, factor, s.by[0]), fmaf(at.y, factor, s.by[1]), fmaf(at.z, factor, s.by[2]), at.w};
  }
};

/// A predicated store to shared memory: the compiler would move the loads of the stored values behind a branch.
__device__ inline void store_if(bool wanted, Staged<float>* to, const Staged<float>& s) {
  asm volatile("{.reg .pred p; setp.ne.b32 p, %0, 0; @p st.shared.v4.f32 [%1], {%2, %3, %4, %5};}" ::"r"(int(wanted)),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "f"(s.x), "f"(s.y), "f"(s.z), "f"(s.q)
               : "memory");
}
__device__ inline void store_if(bool wanted, Staged<double>* to, const Staged<double>& s) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %0, 0; @p st.shared.v2.f64 [%1], {%2, %3}; @p st.shared.v2.f64 [%1 + 16], {%4, "
      "%5};}" ::"r"(int(wanted)),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "d"(s.x), "d"(s.y), "d"(s.z), "d"(s.q)
      : "memory");
}

/// A step of stage_sources: `batch` sources per thread, `first` and every threads-th after it. The first half of them
/// exists for every thread; beyond the last source, the last one is loaded again.
template <int threads, int batch, class Real, class SourceOf, class Store>
__device__ __forceinline__ void stage_batch(const NearWork<Real>& work, const PairFrame<Real>& frame, int first,
                                            int count, const SourceOf& source_of, const Store& store) {
  using Source = decltype(source_of(first));
  Source source[batch];
  Loaded<Real, Source> loaded[batch];
#pragma unroll
  for (int b = 0; b < batch; ++b) {
    source[b] = source_of(min(first + b * threads, count - 1));
    loaded[b].load(work, source[b]);
  }
#pragma unroll
  for (int b = 0; b < batch; ++b)
    store(first + b * threads, b < batch / 2 || first + b * threads < count, loaded[b].in(frame, source[b]),
          number_of(source[b]));
}

/// Calls store(i, i < count, source, its index) for all i < count and some larger i, divided among the threads of a
/// block; source_of(i), an index or a LeafSource, may read shared memory. A thread handles up to `most` sources at a
/// time (1, 2 or 4, as the registers allow), with all look-ups and loads before the first store: a look-up behind a
/// store to shared memory waits, and a thread would wait for memory once per source.
template <int threads, int most, class Real, class SourceOf, class Store>
__device__ __forceinline__ void stage_sources(const NearWork<Real>& work, const PairFrame<Real>& frame, int count,
                                              const SourceOf& source_of, const Store& store) {
  for (int from = 0; from < count;) {
    const int first = from + static_cast<int>(threadIdx.x), left = count - from;
    if (most == 4 && left > 2 * threads) {
      stage_batch<threads, 4>(work, frame, first, count, source_of, store);
      from += 4 * threads;
    } else if (most > 1 && left > threads) {
      stage_batch<threads, 2>(work, frame, first, count, source_of, store);
      from += 2 * threads;
    } else {
      stage_batch<threads, 1>(work, frame, first, count, source_of, store);
      from += threads;
    }
  }
}

}  // namespace farfield::cuda

// What a block of l2l keeps of its parents in shared memory, sorted by the parities of octants.hpp.
#pragma once
#include "backends/cuda/far/octants.hpp"

namespace farfield::cuda {

/// OctantView's lists in shared memory.
struct ByParity {
  std::int16_t *index, *begin;
  unsigned char* parity;
};

__device__ inline void load_lists(const OctantView& octants, int count, const ByParity& by) {
  const int begins = 8 * (SolidShape::degree_of(count - 1) + 2);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    by.index[i] = octants.index[i];
    by.parity[i] = octants.parity[i];
  }
  for (int i = static_cast<int>(threadIdx.x); i < begins; i += static_cast<int>(blockDim.x))
    by.begin[i] = octants.begin[i];
}

/// The parents' locals into shared memory, [group][coefficient][parent of the group], coefficients in that order too.
template <class Real>
__device__ void load_parents(const Work<Real>& work, const Siblings<Real>& siblings, int groups, int count,
                             const ByParity& by, Parents<Real>* local) {
  constexpr int size = Parents<Real>::size;
  for (int place = static_cast<int>(threadIdx.x); place < groups * count * size;
       place += static_cast<int>(blockDim.x)) {
    const int i = by.index[place / size % count], p = place / size / count * size + place % size;
    const BoxId parent = siblings.parent[p];
    reinterpret_cast<Real*>(local)[place] =
        parent == no_box ? 0 : work.local[static_cast<std::int64_t>(parent) * work.tables.stride + i];
  }
}

/// Address of coefficient i of a box: one multiply-add from an address that all boxes share.
template <class Real>
__device__ Real* coefficient_of(const Work<Real>& work, int stride, BoxId box, int i) {
  const std::int64_t bytes = stride * static_cast<std::int64_t>(sizeof(Real));
  return reinterpret_cast<Real*>(reinterpret_cast<char*>(work.local + i) + box * bytes);
}

}  // namespace farfield::cuda

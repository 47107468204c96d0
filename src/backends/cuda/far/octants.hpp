// m2m and l2l between a parent and its eight children, by the reflections that relate the octants.
//
// The matrix of octant o is P_o A P_o; A is the matrix of octant 7, P_o a diagonal of signs. Coefficient i keeps or
// changes its sign under the reflection of each axis: three bits c(i), so that entry i of P_o is (-1)^(bits common to
// c(i) and 7 - o). Hence
//   m2m  M(j)   = sum_i A(j, i) H_{c(i) ^ c(j)}(i),        H_w(i) = sum_o (-1)^(w & 7-o) M_o(i)
//   l2l  L_o(i) = sum_k (-1)^(7-o & (k ^ c(i))) S_k(i),    S_k(i) = sum_{j: c(j) = k} A^T(i, j) L(j)
// H and the sum over k are Walsh-Hadamard transforms of eight numbers: 24 additions. One product with A serves eight
// children, and what remains is reading and writing the coefficients. A maps no degree to a lower one, so half of the
// products are left out. With eight matrices per parent (product.cu) the work was sixteen times as much.
#pragma once
#include <algorithm>
#include <type_traits>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"
#include "backends/cuda/work.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {

/// One number each of as many parents as fill 16 bytes: a thread sums them together.
template <class Real>
struct alignas(16) Parents {
  static constexpr int size = 16 / static_cast<int>(sizeof(Real));
  Real value[size];
};

inline constexpr int most_degrees = 180;  ///< up to which 16 bits hold the index of a coefficient

/// The parities c(i) of one set of tables, made on the device (Work::octants).
class Octants {
 public:
  explicit Octants(DeviceMemory& memory) : parity_(memory), index_(memory), begin_(memory) {}
  template <class Real>
  void build(const TablesView<Real>& tables, cudaStream_t stream);
  OctantView view() const { return {parity_.data(), index_.data(), begin_.data()}; }

 private:
  DeviceArray<std::uint8_t> parity_;
  DeviceArray<std::int16_t> index_, begin_;
};

/// x[w] = sum_k (-1)^(bits of w & k) x[k], times sign[b] for every bit b of w where there are signs.
template <class Real>
__device__ void walsh_hadamard(Real x[8], const Real* sign = nullptr) {
#pragma unroll
  for (int bit = 0; bit < 3; ++bit)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (!(k >> bit & 1)) {
        const Real a = x[k], b = x[k | 1 << bit];
        x[k] = a + b;
        x[k | 1 << bit] = sign ? (a - b) * sign[bit] : a - b;
      }
}

/// The matrix of octant 7 among the eight of m2m or l2l: element (in, out) at [in * pitch + out].
template <class Real>
const Real* octant_matrix(const TablesView<Real>& tables, const Operators<Real>& operators) {
  return operators.matrix + static_cast<std::int64_t>(7) * tables.stride * tables.pitch;
}

/// Calls f(integral_constant<count>) for the counts of low degrees in single, where index arithmetic would cost as much
/// as the sums; else f(integral_constant<0>): any count.
template <class Real, int degree = 0, class F>
void with_fixed_count(int count, F&& f) {
  constexpr int own = SolidShape::count(degree);
  if constexpr (sizeof(Real) == 4 && own < tuning::octant_threads) {
    if (count == own) return f(std::integral_constant<int, own>{});
    return with_fixed_count<Real, degree + 1>(count, f);
  } else {
    f(std::integral_constant<int, 0>{});
  }
}

/// Boxes that one block looks through for parents.
inline constexpr int most_boxes = tuning::octant_threads;

/// The parents among a block's boxes (`all`), and one batch of these with its children; no_box where there is none.
template <class Real>
struct Siblings {
  int parents;
  BoxId all[most_boxes];
  BoxId parent[tuning::octant_groups * Parents<Real>::size];
  BoxId child[8][tuning::octant_groups * Parents<Real>::size];
};

/// What a block looks through: of the places of a level, which end before `last`, the next `count` from `first` on,
/// every step-th.
struct PlacesOfBlock {
  BoxId first, step, last;
  int count;

  __device__ bool any() const { return first < last; }
  /// To those behind what all blocks have looked through.
  __device__ void advance() { first += static_cast<BoxId>(gridDim.x) * count; }
};

/// Those of the boxes there, wanted_at(place) or no_box, that are no leaves, in order; by all threads, of which each
/// looks at one. The finest levels of an adaptive tree hold few parents among many leaves: only the parents are work.
template <class Real, class WantedAt>
__device__ void find_parents(const TreeView& tree, const PlacesOfBlock& places, const WantedAt& wanted_at,
                             Siblings<Real>& siblings) {
  __shared__ int found[32];  // by each warp of the block
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const BoxId place = places.first + thread * places.step,
              own = thread < places.count && place < places.last ? wanted_at(place) : no_box;
  const bool parent = own != no_box && !tree.is_leaf(own);
  const unsigned among = __ballot_sync(0xffffffffu, parent);
  if (lane == 0) found[thread / 32] = __popc(among);
  __syncthreads();
  int at = __popc(among & ((1u << lane) - 1u));
  for (int w = 0; w < thread / 32; ++w) at += found[w];
  if (parent) siblings.all[at] = own;
  if (thread == static_cast<int>(blockDim.x) - 1) siblings.parents = at + parent;
  __syncthreads();
}

/// The batch of parents from number `from` on, at most `groups` groups; returns how many groups there are. For a child
/// that exists stands taken(child), which may be no_box.
template <class Real, class Taken>
__device__ int find_children(const TreeView& tree, int from, int groups, const Taken& taken, Siblings<Real>& siblings) {
  constexpr int size = Parents<Real>::size;
  const int left = (siblings.parents - from + size - 1) / size, now = left < groups ? left : groups;
  for (int i = static_cast<int>(threadIdx.x); i < 8 * now * size; i += static_cast<int>(blockDim.x)) {
    const int p = i / 8, octant = i % 8;
    const BoxId parent = from + p < siblings.parents ? siblings.all[from + p] : no_box;
    const BoxId child = parent == no_box ? no_box : tree.child(parent, octant);
    siblings.child[octant][p] = child == no_box ? no_box : taken(child);
    if (octant == 0) siblings.parent[p] = parent;
  }
  __syncthreads();
  return now;
}

/// Eight numbers per coefficient and parent in shared memory: [k][group][coefficient][parent of the group], an odd
/// number of 16-byte words per k, so that threads with eight different k access different banks.
template <class Real>
struct EightFold {
  Parents<Real>* at;
  int count, pitch;
  __host__ __device__ static int pitch_of(int groups, int count) { return groups * count | 1; }
  __device__ Parents<Real>& operator()(int k, int group, int i) const { return at[k * pitch + group * count + i]; }
  /// Number `place` of those of one k: coefficient place / size % count of parent place % size.
  __device__ Real& number(int k, int place) const { return reinterpret_cast<Real*>(at + k * pitch)[place]; }
};

}  // namespace farfield::cuda

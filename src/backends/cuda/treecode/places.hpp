// What walks read: of every box its place, three loads of 16 bytes, and of every group of targets its stretch. Both lie
// behind a header in the memory that TreeWork::centre points to.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// A box as a walk sees it. Its expansion is evaluated at targets at a distance of at least `least`, and of at least
/// `weight` times the stretch of their group, from `centre`.
struct alignas(16) BoxPlace {
  double centre[3];  ///< of the expansion, scaled
  float least;       ///< infinite where the box has too few sources
  float weight;      ///< 0: `least` alone counts
  BoxId first_child;
  std::int32_t children;  ///< 0: a leaf, or not worth dividing
  std::uint32_t source_begin, sources;
};
static_assert(sizeof(BoxPlace) == 3 * sizeof(float4));

struct alignas(16) WalkHeader {
  float box_error;         ///< see TreecodeScheme; 0: boxes are accepted by their angle
  int moved;               ///< are expansions about centres of mass where these lie in their boxes?
  int positive, negative;  ///< has any strength this sign?

  __device__ bool one_sign() const { return !(positive && negative); }
  __device__ bool by_error() const { return box_error > 0 && moved && one_sign(); }
};
static_assert(sizeof(WalkHeader) == sizeof(float4));

struct Walks {
  WalkHeader* header;
  BoxPlace* place;  ///< [boxes]
  float* stretch;   ///< [targets], of a group at its first target, where boxes are accepted by error
};
/// The size of that memory.
inline std::int64_t walk_memory(std::int64_t boxes, std::int64_t targets) { return 1 + 3 * boxes + (targets + 3) / 4; }
inline __host__ __device__ Walks walks_in(float4* memory, BoxId boxes) {
  return {reinterpret_cast<WalkHeader*>(memory), reinterpret_cast<BoxPlace*>(memory + 1),
          reinterpret_cast<float*>(memory + 1 + 3 * static_cast<std::int64_t>(boxes))};
}
inline __host__ __device__ Walks walks_of(const TreeWork& work) {
  return walks_in(const_cast<float4*>(work.centre), work.tree.boxes);
}

__device__ inline BoxPlace read(const BoxPlace* from) {
  const auto* words = reinterpret_cast<const int4*>(from);
  const int4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
  return {{__hiloint2double(a.y, a.x), __hiloint2double(a.w, a.z), __hiloint2double(b.y, b.x)},
          __int_as_float(b.z),
          __int_as_float(b.w),
          c.x,
          c.y,
          static_cast<std::uint32_t>(c.z),
          static_cast<std::uint32_t>(c.w)};
}

/// Writes header and places, of expansions about the centres of their boxes, into `memory`.
void lay_places(const TreeWork& work, float4* memory, double box_error);
/// Writes which signs the strengths have.
template <class Real>
void find_signs(const NearWork<Real>& work);
/// Writes the stretch of every group: with it an accepted box errs by at most about `box_error` of the acceleration
/// there, which is that of the boxes' masses.
template <class Real>
void measure_groups(const Work<Real>& work);

/// A multipole of degree d, of mass m, about the centre of mass of a box of edge a errs by about m l^(d+1) / r^(d+3),
/// l = 0.7 a (measured: docs/mathematics/treecode.md). That is a share `error` of the acceleration g from
/// r = (m l^(d+1))^(1/(d+3)) (error g)^(-1/(d+3)) on, weight times stretch.
__device__ inline float weight_of(int degree, float mass, float edge) {
  return mass > 0 ? exp2f((log2f(mass) + static_cast<float>(degree + 1) * log2f(0.7f * edge)) /
                          static_cast<float>(degree + 3))
                  : 0.0f;
}
__device__ inline float stretch_of(int degree, float error) {
  return error > 0 && error < INFINITY ? exp2f(-log2f(error) / static_cast<float>(degree + 3)) : 0.0f;
}

}  // namespace farfield::cuda

// What walks read: of every box its place, three loads of 16 bytes, and of every group of targets its stretch. Both lie
// behind a header in the memory that TreeWork::centre points to.
#pragma once
#include "backends/cuda/work.hpp"
#include "tree/expandable.hpp"

namespace farfield::cuda {

/// A box as a walk sees it. Its expansion is evaluated at targets at a distance of at least `least`, and of at least
/// `weight` times the stretch of their group, from `centre`.
struct alignas(16) BoxPlace {
  double centre[3];         ///< of the expansion, scaled
  float least;              ///< infinite where the box has too few sources
  float weight;             ///< 0: `least` alone counts
  float mass, mass_weight;  ///< the sum of its strengths, and what `weight` is for this sum alone
  std::uint32_t first;      ///< child; or source of a box that is not divided: a leaf, or one with few sources
  std::uint32_t count;      ///< of children, maybe with the bit `nothing`; of sources, with the bit `undivided`

  static constexpr std::uint32_t undivided = 1u << 31;
  static constexpr std::uint32_t nothing = 1u << 30;  ///< it has no expansion (tree/expandable.hpp)
  __host__ __device__ bool divided() const { return !(count & undivided); }
  __host__ __device__ bool gives_nothing() const { return (count & (undivided | nothing)) == nothing; }
  /// Of a box that is not divided.
  __host__ __device__ std::uint32_t sources() const { return count & ~undivided; }
};
static_assert(sizeof(BoxPlace) == 3 * sizeof(float4));

struct alignas(16) WalkHeader {
  float box_error;         ///< see TreecodeScheme; 0: boxes are accepted by their angle
  int moved;               ///< degree of expansions about centres of mass, where these lie in their boxes; or 0
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
          __int_as_float(c.x),
          __int_as_float(c.y),
          static_cast<std::uint32_t>(c.z),
          static_cast<std::uint32_t>(c.w)};
}

/// Writes header and places, of expansions about the centres of their boxes, into `memory`.
void lay_places(const TreeWork& work, float4* memory, double box_error, const Expandable& expandable);
/// Writes which signs the strengths have.
template <class Real>
void find_signs(const NearWork<Real>& work);
/// Writes the stretch of every group: with it an accepted box errs by at most about `box_error` of the acceleration
/// there, which is that of the boxes' masses. Of lengths that vary the softening is the longest: that makes no
/// acceleration larger than it is.
void measure_groups(const TreeWork& work, int degree, const Softening& softening);

/// The distance from which on all of a box of that edge is farther than `reach`; from a point at most `moved` edges
/// beside its centre. `axes`: of the kernel.
__device__ inline double least_beyond(double reach, double edge, double moved, int axes) {
  return reach + ((axes == 3 ? 0.8660254037844387 : 0.7071067811865476) + moved) * edge;
}
/// The same of the rule's reach. 0: the kernel is that of the expansions everywhere.
__device__ inline double least_beyond_reach(const Acceptance& rule, double edge, double moved) {
  return rule.reach > 0 ? least_beyond(rule.reach, edge, moved, rule.axes) : 0;
}

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
/// The mass alone (degree 1: there is no dipole) suffices where it errs by less than this share of what a box may.
inline constexpr float mass_share = 0.3f;
__device__ inline float mass_weight_of(float mass, float edge) { return weight_of(1, mass / mass_share, edge); }
/// From the stretch for `degree` that for degree 1; infinite where there is none.
__device__ inline float mass_stretch_of(int degree, float stretch) {
  return stretch > 0 ? exp2f(log2f(stretch) * static_cast<float>(degree + 3) / 4) : INFINITY;
}

}  // namespace farfield::cuda

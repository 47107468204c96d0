// A trial: one level of boxes with multipole moments of random charges, in the layouts that the variants read, and the
// variants themselves. Each adds to the local moments, which `clear` zeroes; single precision, as in the paper.
//
// The paper's kernels share data with the host by Unified Memory; here they are plain device arrays, since copies are
// no part of what figures 15, 16 and 18 time. They add up with atomics, as the paper does: the library never would.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "grid.hpp"
#include "moments.hpp"

namespace farfield::lab {

/// What a kernel gets.
struct Level {
  int degree, width;           ///< boxes along an axis: 2^depth
  int boxes, groups;           ///< width^3, and an eighth of it: sources of one octant
  const float2* multipole;     ///< [boxes][triangle(degree)]
  const float2* operators;     ///< [343][triangle(2 degree)]; those of neighbours are not read
  float2* local;               ///< [boxes][triangle(degree)]
  const float2* multipole_of;  ///< variant 3: [triangle(degree)][8 octants][groups], threads along the last
  float2* local_of;            ///< variant 3: the same layout
  const float2* reference;     ///< variant 3: [56][triangle(2 degree)], offsets of the octant of positive coordinates
};

/// Variant 3's four kinds of operator groups (eq. 27): how many transformations share one reference operator.
struct SymmetryGroup {
  int reference;           ///< which of the 56
  std::vector<int> flips;  ///< 1, 2, 4 or 8 of: bit 0 mirrors x, bit 1 y, bit 2 z of the reference's offset
};
/// The groups of sources in `octant` of their parent with `size` transformations each: 7, 21, 21, 7 for 1, 2, 4, 8.
std::vector<SymmetryGroup> symmetry_groups(int octant, int size);
/// Offsets of the 56 references, source minus target.
std::vector<Offset> references();

class Trial {
 public:
  Trial(int depth, int degree, std::uint64_t seed);

  void clear();
  void naive();       ///< variant 1, listing 4
  void dynamic();     ///< variant 2, listings 5-7, with kernels launched by kernels
  void children();    ///< the blocks of variant 2's child kernels in one grid that the host launches
  void launches();    ///< variant 2 with child kernels that do nothing: what launching alone takes
  void persistent();  ///< variant 2's modern equivalent: resident blocks walk over what the child kernels do
  void symmetric();   ///< variant 3, listings 8-9
  void apart();       ///< variant 3 without its symmetry: every operator by itself
  /// Figure 21: the transformations in groups of 2^kind alone, applied together or every operator by itself.
  template <int kind>
  void group();
  template <int kind>
  void group_apart();
  /// Figure 15's bounds: the number of operations of `transformations`, without the algorithm.
  void memory_bound();
  void compute_bound();

  /// [boxes][triangle] local moments in lexicographic order of boxes, of variants 1 and 2 or of variant 3.
  std::vector<float2> locals() const;
  std::vector<float2> symmetric_locals() const;

  /// Eq. 15 in double for one box, from the rounded numbers that the device holds, and the terms' absolute sums; of
  /// the transformations in groups of 2^kind alone, or of all.
  static constexpr int all_kinds = -1;
  Moments exact(int box, std::vector<double>& size, int kind = all_kinds) const;

  std::int64_t transformations() const { return std::int64_t(interactions) * level_.boxes; }
  /// Complex products of one transformation: (p+1)(p+2)/2 targets of (p+1)^2 terms.
  std::int64_t products() const {
    return std::int64_t(triangle(level_.degree)) * (level_.degree + 1) * (level_.degree + 1);
  }
  const Level& level() const { return level_; }

 private:
  void make_operators();
  void make_multipoles(std::uint64_t seed);
  void make_groups();
  void fill_rings();
  using Launch = void (Trial::*)(int octant, cudaStream_t stream);
  template <int kind, int size>
  void launch_groups(int octant, cudaStream_t stream);
  void over_octants(std::initializer_list<Launch> launches);

  Level level_;
  std::vector<float2> host_multipole_, host_operators_;
  cuda::DeviceArray<float2> multipole_, operators_, local_, multipole_of_, local_of_, reference_, ring_;
  cuda::DeviceArray<std::int32_t> target_[4];  ///< by log2 of the group's size: [octant][group][flip][groups]
  cuda::DeviceArray<std::int32_t> group_[4];   ///< [octant][group][1 + size]: reference, flips
  cuda::DeviceArray<std::int32_t> single_[4];  ///< [octant][group][flip][2]: the same transformations one by one
};

/// Number of the box at (x, y, z) in variant 3's order: octant, then parents lexicographically.
int presorted(int x, int y, int z, int width);

}  // namespace farfield::lab

// Tuning of the CUDA backend: the numbers that change how long stages take, not what they compute (but for the order of
// some sums). Where a comment gives figures, they are of one H200, the only GPU that these numbers were chosen on:
// measure here first on another one. Sizes that follow from warps, layouts or accuracy stand where they are used, and
// the tiles of matrix products beside the instances that they name (m2l/product.cu, m2l/tensor/mma.cu and wgmma.cu).
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/least_square.hpp"

namespace farfield::cuda::tuning {

template <class Real>
inline constexpr bool single = sizeof(Real) == 4;

// ---- evaluation ----

/// Most boxes of a tree whose near and far field run at the same time. In such trees many of the far field's launches
/// leave most of the device idle: running both at once saves up to a tenth of the time of 2^20 uniform points, a
/// quarter of that of 2^16. In larger trees the two fields only hinder each other: up to 4 % slower.
inline constexpr std::int64_t most_boxes_beside = 1 << 19;
/// Of so many boxes, in single from this degree on of fewer, p2p of such trees begins with m2l. One H100, evaluations
/// in single: 2^19 and 2^20 points, uniform and Plummer, 0.86 to 0.98 of the time at degrees 10, 11 and 14; 81,000
/// atoms of water at degree 14 0.68 ms for 0.74. In smaller trees p2p is the longer one: 2^14 points up to 7 % slower.
inline constexpr int late_p2p_degree = 11;
inline constexpr std::int64_t late_p2p_boxes = 1 << 15, late_p2p_boxes_of_high_degrees = 1 << 12;
/// In double in cells, whose images are sources alone. One H100, when blocks of m2l took ten times as long: 81,000
/// atoms of water at degrees 16 and 17 3.27 and 3.63 ms for 3.96 and 4.29, 1.1e6 20.9 for 20.7; 2^15 ... 2^18 points in
/// open space 2 to 4 % slower. Today, on an H200, 1.83 ms at degree 16; not measured without.
constexpr bool is_p2p_late_in_double(std::int64_t boxes, std::int64_t sources, std::int64_t targets) {
  return sources >= 2 * targets && boxes >= 1 << 10 && boxes < 1 << 13;
}

// ---- boxes, lists ----

inline constexpr int most_counted = 256;  ///< points of a box whose octants are counted; in larger ones, searched for
/// Blocks per multiprocessor that divide boxes. Bound by latency: eight are worth 32 bytes on the stack.
inline constexpr int dividing_blocks = 8;
/// Boxes that one warp looks through for those whose children get colleagues: most boxes of large levels are leaves.
constexpr int boxes_per_warp(std::int64_t boxes) { return boxes < 1 << 18 ? 1 : 8; }
inline constexpr int most_open = 192;  ///< boxes side by side in lists; trees of Plummer models and spheres open 100

// ---- far field ----

/// Warps of a block of p2m, p2l, l2p and m2p with a warp per box; fewer where shared memory is small.
inline constexpr int box_warps = 4;
/// Warps of a block of m2p in single, and blocks, that share a leaf. One H200, 2^17 points of a sphere at degree 4: a
/// warp 0.44 ms, four 0.13, eight 0.08, four blocks of four 0.07; 2^24 points 0.64, 0.72 and 0.88. Drop of 1e6 atoms at
/// degree 12 0.70, 0.28, 0.20 and 0.14.
inline constexpr int m2p_warps = 4;
constexpr unsigned m2p_blocks(std::int64_t boxes) { return boxes < 1 << 17 ? 4 : 1; }
/// Blocks per multiprocessor below which blocks look at fewer boxes for those that have list entries.
inline constexpr int looking_blocks = 16;
/// Lanes that share a leaf in p2m, by the mean number of its sources.
inline constexpr double p2m_two_lanes = 12, p2m_four_lanes = 40;
inline constexpr int l2p_threads = 128;
/// Targets per leaf, in the mean, above which a block of l2p serves 8 leaves instead of 32: one H200, 810,000 targets
/// at degree 12, 50 a leaf 59 us for 67, 40 66 for 67, 32 65 for 65, 24 76 for 68.
inline constexpr double l2p_large_leaf = 36;
/// The same where there are fewer blocks of 32 leaves for each multiprocessor: one H100, 81,000 atoms of water at
/// degree 14 23 us for 50, 65,536 uniform points at degree 5 8 us for 12.
inline constexpr int l2p_blocks = 4;

/// Leaves of so many points in the mean get all warps of a block in p2m and l2p of any degree, in trees of at most so
/// many boxes per multiprocessor.
inline constexpr double any_degree_large_leaf = 64;
inline constexpr std::int64_t any_degree_few_boxes = 32;

/// Most blocks per multiprocessor of m2m and l2l of few parents; it holds two or three at once. More parents are many:
/// a block of theirs reads a parent's children once, not once for each range of coefficients.
inline constexpr int few_parents_blocks = 4;
/// Up to so many coefficients a thread of the ordinary l2l does not wait for long; m2m's up to octant_threads.
inline constexpr int few_l2l_coefficients = 50;
inline constexpr int octant_threads = 128;  ///< of a block of m2m and l2l up to as many coefficients; beyond, twice
/// Of the block that each multiprocessor has for many parents where the matrix fills its shared memory, at most.
inline constexpr int many_octant_threads = 704;
inline constexpr int octant_groups = 16;  ///< of parents that such a block processes at a time, at most
/// Blocks per multiprocessor below which such blocks have fewer boxes.
inline constexpr int octant_blocks = 8;
/// A matrix of at most this size is copied to shared memory: the loads of the copy overlap. Otherwise a block with few
/// boxes would wait for each load.
inline constexpr std::size_t most_staged_bytes = 20 << 10;
/// Blocks per multiprocessor for which the compiler saves registers. Shared memory has room for about ten of m2m.
/// Without this bound the compiler made room for sixteen: it used 32 registers, and two of a thread's four loads of the
/// matrix waited for the other two.
inline constexpr int m2m_blocks = 10, l2l_blocks = 8;

// ---- m2l ----

inline constexpr int rotation_threads = 256;
/// Tiles of 128 rows per multiprocessor below which products use small tiles.
inline constexpr int product_tiles = 2;
/// Tensor cores, single: tiles have 256 rows up to so many columns, where so many per multiprocessor remain. From half
/// a wave on, since p2p fills the rest: one H200, steps of 1.1e6 and 810,000 atoms of water at degree 12 2.12 and 1.73
/// ms, of which m2l has 1.1 waves, with 3 in its place 2.17 and 1.77.
inline constexpr int most_tall_columns = 176;
inline constexpr double tall_tiles = 0.5;
inline constexpr int least_columns_of_one = 104;  ///< of tiles by one child, where wider ones would do
/// Threads that copy beside those that multiply. A second warpgroup that copies saves a tenth of the time with 128
/// columns and a twentieth with 176; wider tiles leave it no registers.
constexpr int copying_threads(int columns, int terms) { return columns <= 176 && terms == 1 ? 256 : 128; }
inline constexpr int mirror_stages = 2;  ///< tensor cores, double: steps whose sources are being copied
inline constexpr int mirror_ahead = 8;   ///< steps whose operators are on their way to the second-level cache

// ---- near field ----

/// Squared distance, in edges of a leaf, below which a pair is close: the differences of its coordinates are then taken
/// in double. In single, coordinates are rounded to 2^-24 of the edge, and pairs at 1/16, 1/32, 1/64 of the edge bring
/// a relative error of about 6e-7, 2e-6, 5e-6 into gradients of strengths of both signs; truncation errs 10 times as
/// much up to degrees 11 and 5. Where leaves have 40 points or lie on a surface, 1/16 makes p2p take 1.1 to 1.4 times
/// as long as 1/32.
template <class Real>
constexpr Real close_square(int degree) {
  if constexpr (single<Real>)
    return Real(1) / static_cast<Real>(degree <= 5 ? 64 * 64 : degree <= 11 ? 32 * 32 : 16 * 16);
  else
    return least_square<double>;
}
inline constexpr int most_careful = 1 << 10;  ///< a degree, for sums whose error nothing else bounds

/// Threads of a tile's block. Small leaves need many small blocks, since most blocks still wait for their data when
/// they start: 64 threads give 1.5 times the rate of 128 at a mean of 8 to 16 points, 1.1 at 32, and 0.96 at 64.
inline constexpr int narrow_tile = 64, wide_tile = 128;
/// Narrow tiles serve up to this many sources per leaf, in the tree's mean (bench/gpu_p2p).
template <class Real>
inline constexpr int narrow_mean = single<Real> ? 56 : 32;
/// Targets that a thread of a tile holds, sources that it stages at a time.
template <class Real>
inline constexpr int targets_per_thread = single<Real> ? 4 : 2;
template <class Real>
inline constexpr int staged_per_thread = single<Real> ? 8 : 4;
/// In single five, of narrow tiles with gradients of plain charges, for leaves of about so many points in the tree's
/// mean: 41 make 11 fours, of which 64 threads hold five times, and 9 fives, which they hold seven times. One H200,
/// 1.1e6 atoms of water: p2p takes 1.05 ms for 1.11. Where no fewer lanes are idle fives take 1.05 times as long.
inline constexpr int five = 5;
constexpr bool has_fives(double mean) { return mean > 38.5 && mean < 45.5; }
/// Threads of tiles per multiprocessor for which registers must suffice.
template <class Real>
inline constexpr int tile_residents = single<Real> ? 768 : 640;
/// Of potential and gradient of plain charges in single: 96 registers in place of 80. One H200, 1e12 pairs a second of
/// 24, 48, 96 and 256 points per leaf: 1.09, 1.32, 1.41, 1.52 for 1.07, 1.27, 1.37, 1.46 (bench/gpu_p2p).
inline constexpr int gradient_residents = 640;

/// The same for sums with dipoles or Hessians, whose ten sums of a target would not stay in so few registers.
template <class Real>
constexpr int moment_residents(int parts) {
  return parts <= 4 ? tile_residents<Real> : single<Real> ? 640 : 512;
}

inline constexpr int family_leaf = 64;  ///< most targets of a leaf in a family
/// Families serve up to this many targets per leaf, in the family's mean (bench/gpu_p2p).
template <class Real>
inline constexpr int family_mean = single<Real> ? 28 : 20;
/// No families where the tree's mean exceeds theirs by this factor: there are few then, and their launch is a handful
/// of long blocks (0.1 of 0.8 ms at 2^20 points, 32 per leaf).
inline constexpr double few_families = 1.1;
/// Most targets of a lane. In double, where a pair takes longer, two are enough to hide the other instructions.
template <class Real>
inline constexpr int targets_per_lane = single<Real> ? 4 : 2;
/// Sources that a family's block stages at a time: in single as many as shared memory allows with six blocks per
/// multiprocessor. (2^24 uniform points of 23 per leaf, a sphere of 21: p2p takes 1.07 times as long with 1280 or
/// 2048. Room for 2048 with six blocks, from sums delivered in two halves, costs 3 % at 16 and 24 per leaf.)
template <class Real>
inline constexpr int family_room = single<Real> ? 1792 : 1024;
/// Blocks of families per multiprocessor for which registers must suffice.
template <class Real>
inline constexpr int family_blocks = single<Real> ? 6 : 5;
/// See gradient_residents: of 8, 16, 20 and 26 points per leaf 0.60, 1.07, 1.17 and 1.28 for 0.61, 1.05, 1.15 and 1.24.
inline constexpr int gradient_family_blocks = 5;

/// Number of blocks, each of which processes a share of `most` tiles or families. Many more blocks would cost more to
/// start where few have work; fewer blocks would leave some with more work than others.
constexpr std::int64_t p2p_blocks(std::int64_t most, std::int64_t multiprocessors) {
  const std::int64_t blocks = 128 * multiprocessors > most / 16 ? 128 * multiprocessors : most / 16;
  return most < blocks ? most : blocks;
}

/// Of a block of the direct sum: its targets share its staged sources, and there are many of both.
inline constexpr int direct_threads = 128;
/// Blocks per multiprocessor below which those of the direct sum have fewer targets, but no fewer than 32: full blocks
/// would leave multiprocessors idle or, in single, waiting for a few slow tiles: tiles that reach from the core of a
/// cluster to its outskirts have many close pairs. 2^19 points, 8 and 48 blocks: uniform 1.59 and 1.42, Plummer 0.40
/// and 0.85e12 pairs per second.
template <class Real>
inline constexpr int direct_blocks = single<Real> ? 48 : 8;
inline constexpr int fewest_direct_targets = 32;

// ---- judge ----

inline constexpr int condition_threads = 128, condition_blocks = 660;  ///< five per multiprocessor
inline constexpr int norm_threads = 256, norm_blocks = 1056;           ///< eight per multiprocessor
inline constexpr int tail_blocks = 1024;
inline constexpr int tail_boxes = 1 << 13;  ///< most that are looked at, two per warp: 65,536 took 0.5 ms
inline constexpr int count_threads = 128, count_blocks = 16;  ///< the latter per multiprocessor, at most
inline constexpr int count_ahead = 4;                         ///< look-ups of a lane that are under way at a time
inline constexpr int direct_sum_threads = 128, direct_sum_shares = 64;  ///< a block per target and share of the sources

// ---- transfer, survey ----

inline constexpr int widest_stride = 4;              ///< of host points that are copied with what lies between them
inline constexpr int least_group_shift = 18;         ///< log2 of the places of a group: 4 MB of records with gradient
inline constexpr int most_record_groups = 256;       ///< more make the runs that a block writes too short
inline constexpr std::int64_t slab_bytes = 1 << 30;  ///< of records dealt out at a time: bounds the memory
inline constexpr std::int64_t spread_at_once = 20 * (1 << 20);  ///< bytes of records that need no groups
/// Most slabs. Every slab reads all results: 2^27 results took 13.7 ms in eight slabs, 8.4 in two.
inline constexpr int most_slabs = 8;
inline constexpr int survey_blocks = 1024;  ///< per set of points, at most

}  // namespace farfield::cuda::tuning

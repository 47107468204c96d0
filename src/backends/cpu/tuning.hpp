// Tuning of the CPU backend: the numbers that change how long stages take, not what they compute (but for the order of
// some sums). They are the same at every vector level; caches and figures in comments are those of x86-64 servers with
// AVX-512 (docs/performance.md names the machine; nanoseconds per step are in model/cost_model.cpp). Sizes that follow
// from registers or accuracy stand where they are used.
#pragma once
#include <cstdint>

namespace farfield::cpu::tuning {

// ---- what a thread takes at a time, so that threads end together and rarely ask for more ----

inline constexpr std::int64_t points_per_chunk = 1 << 14;  ///< keys, sorted coordinates
inline constexpr std::int64_t surveyed_per_chunk = 1 << 15;
inline constexpr std::int64_t items_per_chunk = 1 << 16;  ///< copies of sorted items
inline constexpr std::int64_t divided_per_chunk = 64;     ///< boxes that are divided
inline constexpr std::int64_t stored_per_chunk = 1024;    ///< boxes that are written to the tree
inline constexpr std::int64_t found_per_chunk = 256;      ///< boxes whose colleagues are looked up
inline constexpr std::int64_t listed_per_chunk = 128;     ///< boxes whose lists are made
inline constexpr int leaves_taken = 8;                    ///< leaves of p2m, p2l, l2p, m2p and p2p
inline constexpr int m2m_parents = 64, l2l_children = 256;
inline constexpr int m2l_boxes = 128;  ///< about 77 translations per offset: panels lose 5 % to unfilled lanes
inline constexpr std::int64_t direct_targets = 256;
inline constexpr std::int64_t gridded_together = 4096;  ///< points of a block that are spread or interpolated
inline constexpr std::int64_t softened_targets = 1024;  ///< of a leaf, in a softened p2p

// ---- sorting ----

/// Bits of a pass. Three passes for first keys, two for later ones; 1024 streams of writes fit a second-level cache.
inline constexpr int digit_bits = 10;
inline constexpr std::int64_t sorted_by_std = 512;        ///< up to here faster than clearing three histograms
inline constexpr std::int64_t fewest_per_thread = 4096;   ///< items
inline constexpr std::int64_t sorted_together = 1 << 16;  ///< ranges from this size on are sorted by all threads

// ---- pairs ----

/// Sources that are summed at a time: 64 KiB in single, 128 in double, a part of the second-level cache.
inline constexpr std::int64_t pair_sources = 4096;
inline constexpr std::int64_t checked_sources = 512;  ///< the same for measured errors
inline constexpr std::int64_t fewest_in_heap =
    300;  ///< more than usual leaves hold, so that their results keep every bit
/// The guarded short way is left after so many sources with pairs that are too near, if they are so large a part.
inline constexpr std::int64_t fewest_left_out = 16, left_out_part = 8;

// ---- tables ----

/// Most bytes of the tables that are kept for later plans. In double, tables by rotation of degree 44 (tolerances of
/// 1e-12 or so) take 58 MB; dense ones of degree 13, 11 MB.
template <class Real>
inline constexpr std::int64_t most_kept_bytes = sizeof(Real) == 8 ? 64 << 20 : 16 << 20;

}  // namespace farfield::cpu::tuning

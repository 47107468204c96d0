// Pieces: how many of the points each rank is to own.
#pragma once
#include <cstdint>
#include <farfield/distributed.hpp>
#include <span>
#include <vector>

namespace farfield::distributed {

struct Pieces {
  std::vector<double> begin;       ///< points before each rank's piece, as nearly as boxes allow; [ranks + 1]
  std::vector<std::int64_t> most;  ///< points that a rank takes, boxes or not; [ranks]

  double of(std::size_t rank) const { return begin[rank + 1] - begin[rank]; }
  int ranks() const { return static_cast<int>(most.size()); }
  /// Of the boxes that are cut: a twentieth of the smallest piece, but a twentieth of a mean one's at the least.
  std::int64_t points_per_box() const;
};

/// Throws Error(usage) for a speed that is none, and a negative most_points.
void require_sound(const Capacity& capacity);

/// In proportion to speed; what would be too much for a rank the others take. None: all are alike. Throws Error(memory)
/// where all together take fewer.
Pieces pieces_of(std::int64_t points, std::span<const Capacity> capacities, int ranks);

}  // namespace farfield::distributed

// Cuts: which rank owns which of the boxes at the top of the tree, in Morton order. The same on all ranks.
#pragma once
#include <cstdint>
#include <vector>

namespace farfield::distributed {

using Numbers = std::vector<std::int64_t>;

/// Pieces of about equal numbers of points; `points`: of each box.
std::vector<int> owners_by_count(const Numbers& points, int ranks);

/// Pieces whose points are where they are held already, as far as no border between two ranks lies further than a
/// twentieth of a share from where it would divide all points equally. `held`: [ranks][boxes], points of each rank.
std::vector<int> owners_that_hold(const Numbers& held, int ranks);

}  // namespace farfield::distributed

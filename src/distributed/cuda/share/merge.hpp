// Merge: the essential tree in device memory, put together without a sort (share/merge.hpp). On each level boxes of
// lower ranks come before those of higher ones, and a shared box stands behind those of its first rank, so that a box's
// number follows from its place among those of its rank.
#pragma once
#include "distributed/cuda/share/essential.hpp"

namespace farfield::distributed {

/// Where sources of others come to lie among the own ones.
struct GhostPlaces {
  OnDevice<std::uint32_t> gaps_before;  ///< [received + 2], see CountGaps
  std::int64_t own_gap = 0;             ///< is there one before the own sources?
};

/// Makes room for the sources of share.essential. The own ones are to be written from share.first on before merge().
GhostPlaces make_room(DeviceShare& share, const Halos& received, int rank, farfield::cuda::DeviceMemory& memory);

/// Makes share.essential but for its lists and for targets apart from the sources, and what share.receives says of it.
void merge(DeviceShare& share, const Halos& received, const GhostPlaces& places, int rank,
           farfield::cuda::DeviceMemory& memory);

}  // namespace farfield::distributed

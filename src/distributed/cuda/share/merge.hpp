// Merge: the essential tree in device memory, put together without a sort (share/merge.hpp). On each level boxes of
// lower ranks come before those of higher ones, and a shared box stands behind those of its first rank, so that a box's
// number follows from its place among those of its rank.
#pragma once
#include "distributed/cuda/share/essential.hpp"

namespace farfield::distributed {

/// Makes room for the sources of share.essential, of which the own ones are to be written from share.first on; their
/// place among those of others follows from counts. Returns whether a gap is before them.
bool make_room(DeviceShare& share, const Halos& received, int rank);

/// Makes share.essential but for its lists and for targets apart from the sources, and what share.receives says of it.
/// The own sources are there. `own_gap`: of make_room.
void merge(DeviceShare& share, const Halos& received, bool own_gap, int rank, farfield::cuda::DeviceMemory& memory);

}  // namespace farfield::distributed

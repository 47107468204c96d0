// The top: the boxes that several ranks share, with their children.
#pragma once
#include "distributed/share/share.hpp"

namespace farfield::distributed {

Top make_top(const Partition& partition, const Owned& own, int rank);

}  // namespace farfield::distributed

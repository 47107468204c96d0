// The top: the boxes that several ranks share, with their children.
#pragma once
#include "distributed/share/share.hpp"

namespace farfield::distributed {

/// All but Top::own.
Top make_top(const Partition& partition);

}  // namespace farfield::distributed

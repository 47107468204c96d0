// Drawing: points drawn from those of all ranks, the same that one plan over them draws (tree/crowding.hpp).
#pragma once
#include "distributed/partition/partition.hpp"
#include "plan/backends.hpp"

namespace farfield::distributed {

/// At this scaling; `given` must outlive what is returned, which all ranks call together.
DrawPoints drawing(Ranks& ranks, const Given& given, int exponent);

}  // namespace farfield::distributed

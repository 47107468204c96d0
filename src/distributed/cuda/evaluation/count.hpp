// Counts of what was built, over all ranks: the numbers of one tree.
#pragma once
#include <farfield/report.hpp>

#include "backends/cuda/judge/accounts.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// All ranks call it; waits for the side stream.
void count_over_ranks(DevicePlaced& placed, const Decision& decision, farfield::cuda::SideStream& side,
                      farfield::Report& report);

}  // namespace farfield::distributed

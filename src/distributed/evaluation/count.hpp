// Counts of what was built, over all ranks: the numbers of one tree.
#pragma once
#include <farfield/report.hpp>

#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

void count_over_ranks(const RankPlaced& placed, const Decision& decision, farfield::Report& report);

}  // namespace farfield::distributed

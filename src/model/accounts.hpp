// Accounts: what a tree and its lists mean in boxes, pairs and flops, for the report. Host arrays only.
#pragma once
#include <farfield/report.hpp>

#include "model/decision.hpp"
#include "tree/lists.hpp"

namespace farfield {

/// Fills boxes, leaves, list entries, near_pairs and far_fraction of the report.
void count_work(const TreeView& tree, const ListsView& lists, const Decision& decision, Report& report);

/// Flops of one evaluation of a stage, from the counts in the report; 0 for stages that do none.
double stage_flops(const std::string& stage, const Report& report);

}  // namespace farfield

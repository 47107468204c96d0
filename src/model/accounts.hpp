// Accounts: boxes, pairs and flops of a tree and its lists, counted for the report. Host arrays only.
#pragma once
#include <farfield/report.hpp>

#include "model/decision.hpp"
#include "tree/lists.hpp"

namespace farfield {

/// Fills boxes, leaves, list entries, near_pairs and far_fraction of the report.
void count_work(const TreeView& tree, const ListsView& lists, const Decision& decision, Report& report);

/// Flops of one evaluation of a stage, from the counts in the report; 0 for stages that are not counted.
double stage_flops(const std::string& stage, const Report& report);

}  // namespace farfield

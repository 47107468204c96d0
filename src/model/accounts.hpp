// Accounts: boxes, pairs and flops of a tree and its lists, counted for the report. Host arrays only.
#pragma once
#include <farfield/report.hpp>
#include <vector>

#include "model/decision.hpp"
#include "tree/lists.hpp"

namespace farfield {

/// Fills boxes, leaves, list entries, near_pairs and far_fraction of the report.
void count_work(const TreeView& tree, const ListsView& lists, const Decision& decision, Report& report);
/// The same of some of the boxes of a tree, of which others belong to other processes; not far_fraction.
void count_work_of(const std::vector<BoxId>& boxes, const TreeView& tree, const ListsView& lists,
                   const Decision& decision, Report& report);
/// Do points that coincide contribute to each other?
bool counts_coincident(const Decision& decision);
/// From sources, targets and near_pairs.
double far_fraction(const Report& report);

/// Flops of one evaluation of a stage, from the counts in the report; 0 for stages that are not counted.
double stage_flops(const std::string& stage, const Report& report);

}  // namespace farfield

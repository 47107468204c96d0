// Accounts: what a tree on the device means in boxes and pairs, and direct sums at a few targets, for the report.
#pragma once
#include <farfield/report.hpp>
#include <vector>

#include "backends/cuda/array.hpp"
#include "backends/cuda/work.hpp"
#include "plan/check.hpp"
#include "plan/decision.hpp"

namespace farfield::cuda {

/// As farfield::count_work. Waits for the stream.
void count_work(const TreeView& tree, const ListsView& lists, const Decision& decision, DeviceMemory& memory,
                Report& report);

/// Sums in double at the targets of that index in tree order. Waits for the stream.
template <class Real>
std::vector<DirectSum> direct_sums(const Work<Real>& work, std::int64_t sources,
                                   const std::vector<std::int64_t>& targets, Kernel kernel, DeviceMemory& memory);

}  // namespace farfield::cuda

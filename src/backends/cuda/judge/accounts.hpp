// Accounts: what a tree on the device means in boxes and pairs, and direct sums at a few targets, for the report.
#pragma once
#include <farfield/report.hpp>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"
#include "judge/check.hpp"

namespace farfield::cuda {

/// Counts what farfield::count_work counts, beside other work.
class Accounts {
 public:
  explicit Accounts(DeviceMemory& memory) : memory_(memory), totals_(memory), found_(kinds) {}

  void launch(const TreeView& tree, const ListsView& lists, bool reduced, SideStream& side);
  /// What the last launch found, which must have been waited for.
  void write(const TreeView& tree, Report& report) const;
  /// The same at once, for the full stencil.
  void count(const TreeView& tree, const ListsView& lists, Report& report);

 private:
  static constexpr int kinds = 6;
  DeviceMemory& memory_;
  DeviceArray<unsigned long long> totals_;
  PinnedArray<unsigned long long> found_;
};

/// Sums in double at the targets of that index in tree order. Waits for the stream.
template <class Real>
std::vector<DirectSum> direct_sums(const Work<Real>& work, std::int64_t sources,
                                   const std::vector<std::int64_t>& targets, Kernel kernel, DeviceMemory& memory);

}  // namespace farfield::cuda

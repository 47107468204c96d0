// Accounts: what a tree on the device means in boxes and pairs, for the report.
#pragma once
#include <farfield/report.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"

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

}  // namespace farfield::cuda

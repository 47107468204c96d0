// Accounts: counts the boxes and pairs of a tree on the device, for the report.
#pragma once
#include <farfield/report.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// The counts of farfield::count_work, made beside other work on the device.
class Accounts {
 public:
  explicit Accounts(DeviceMemory& memory) : memory_(memory), sources_(memory), totals_(memory), found_(kinds) {}

  void launch(const TreeView& tree, const ListsView& lists, bool reduced, SideStream& side);
  /// Writes the counts of the last launch, which must have been waited for.
  void write(const TreeView& tree, Report& report);
  /// Launches, waits and writes at once, for the full stencil.
  void count(const TreeView& tree, const ListsView& lists, Report& report);

 private:
  static constexpr int kinds = 6;
  DeviceMemory& memory_;
  DeviceArray<std::uint32_t> sources_;  ///< [boxes]
  DeviceArray<unsigned long long> totals_;
  PinnedArray<unsigned long long> found_;
};

}  // namespace farfield::cuda

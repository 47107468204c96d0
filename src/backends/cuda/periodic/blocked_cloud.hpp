// BlockedCloud: points of a periodic cell in device memory, moved into it and in the order of its blocks.
#pragma once
#include <farfield/views.hpp>

#include "backends/cuda/periodic/blocks/parts.hpp"
#include "backends/other_points.hpp"

namespace farfield::cuda {

class BlockedCloud {
 public:
  explicit BlockedCloud(DeviceMemory& memory) : memory_(memory), source_parts_(memory), target_parts_(memory) {
    use_all(memory, at_, placed_, followed_, order_, block_, sample_, flag_);
  }

  /// Reads `first` and, behind them, `second` (null: none) and moves them into the cell.
  void read(const CellView& cell, const Points& first, const Points* second);
  /// The least and the largest coordinate along vector i of the cell, of points that are numbers; infinite if none are.
  FractionRange range(const CellView& cell, int i) const;
  /// Sorts by blocks. `samples`: of about so many points of all there are parts of their own.
  void place(const BlockView& blocks, std::int64_t samples, const OtherPoints& others);
  /// Are all coordinates numbers? From place() on.
  bool numbers() const { return numbers_; }

  /// Reads points that are those placed, moved: to their images near to where they were then. `beyond` on the device
  /// becomes 1 where one is farther than `reach` from there; `keep_followed` takes their places. The points that
  /// place() sorted are `first` and, behind them, `second`.
  void follow(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond);
  void keep_followed();
  /// The same for a graph: places become the new ones wherever those are; keep_places, with its stream, comes first.
  void follow_in_place(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond);
  void keep_places(cudaStream_t stream);

  std::int64_t count() const { return count_; }
  /// Interleaved: kernels read them in any order, and a point alone costs whole sectors of memory.
  const double* at() const { return at_.data(); }
  const std::uint32_t* order() const { return order_.data(); }
  /// [point], in the caller's order.
  const std::uint32_t* block() const { return block_.data(); }
  /// [block], where it begins in the order.
  const std::vector<std::uint32_t>& begin() const { return begin_; }
  /// [rank][block]: points of all.
  const std::vector<std::int64_t>& counts_of_all() const { return counts_of_all_; }
  OrderedPoints as_sources() const { return in_order(source_parts_.parts()); }
  OrderedPoints as_targets() const { return in_order(target_parts_.parts()); }
  OrderedPoints sample() const { return in_order(sample_); }
  std::int64_t sampled() const { return sampled_; }  ///< of all
  /// [block], where its parts begin in as_sources().
  const std::int32_t* part_begin() const { return source_parts_.begin(); }

 private:
  OrderedPoints in_order(const DeviceArray<BlockPart>& parts) const {
    return {{at(), at() + 1, at() + 2}, 3, order(), parts.data(), static_cast<int>(parts.size())};
  }
  template <class Body>
  void for_each_set(const Points& first, const Points* second, const Body& body);
  void bring(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond,
             DeviceArray<double>& to);
  void sort(const BlockView& blocks, int count);
  std::vector<std::int64_t> count_first() const;
  void take_sample(std::int64_t samples, const OtherPoints& others);

  DeviceMemory& memory_;
  std::int64_t count_ = 0, sampled_ = 0;
  std::int64_t first_ = 0;  ///< of those, how many came first in read()
  DeviceArray<double> at_;
  DeviceArray<double> placed_, followed_;  ///< where they were in place(), once they have moved since; and to be
  DeviceArray<std::uint32_t> order_, block_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::int64_t> counts_of_all_;
  BlockParts source_parts_, target_parts_;
  DeviceArray<BlockPart> sample_;
  DeviceArray<int> flag_;  ///< 1: some coordinate is no number
  bool numbers_ = true;
};

}  // namespace farfield::cuda

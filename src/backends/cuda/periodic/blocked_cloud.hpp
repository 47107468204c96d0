// BlockedCloud: points of a periodic cell in device memory, moved into it and in the order of its blocks.
#pragma once
#include <farfield/views.hpp>

#include "backends/cuda/periodic/block_sums.hpp"

namespace farfield::cuda {

class BlockedCloud {
 public:
  explicit BlockedCloud(DeviceMemory& memory) : memory_(memory) {
    use_all(memory, axis_[0], axis_[1], axis_[2], order_, source_parts_, target_parts_, part_begin_, sample_);
    for (int d = 0; d < 3; ++d) use_all(memory, placed_[d], followed_[d]);
  }

  /// Reads `first` and, behind them, `second` (null: none) and moves them into the cell.
  void read(const CellView& cell, const Points& first, const Points* second);
  /// The least and the largest coordinate along vector i of the cell, of points that are numbers; infinite if none are.
  FractionRange range(const CellView& cell, int i) const;
  /// Sorts by blocks. `samples`: of about so many points there are parts of their own.
  void place(const BlockView& blocks, std::int64_t samples);

  /// Reads points that are those placed, moved: to their images near to where they were then. `beyond` on the device
  /// becomes 1 where one is farther than `reach` from there; `keep_followed` takes their places. The points that
  /// place() sorted are `first` and, behind them, `second`.
  void follow(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond);
  void keep_followed();
  /// The same for a graph: places become the new ones wherever those are; keep_places, with its stream, comes first.
  void follow_in_place(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond);
  void keep_places(cudaStream_t stream);

  std::int64_t count() const { return count_; }
  const double* axis(int i) const { return axis_[i].data(); }
  const std::uint32_t* order() const { return order_.data(); }
  /// [block], where it begins in the order.
  const std::vector<std::uint32_t>& begin() const { return begin_; }
  OrderedPoints as_sources() const { return parts_of(source_parts_); }
  OrderedPoints as_targets() const { return parts_of(target_parts_); }
  OrderedPoints sample() const { return parts_of(sample_); }
  std::int64_t sampled() const { return sampled_; }
  /// [block], where its parts begin in as_sources().
  const std::int32_t* part_begin() const { return part_begin_.data(); }

 private:
  OrderedPoints parts_of(const DeviceArray<BlockPart>& parts) const {
    return {{axis(0), axis(1), axis(2)}, order(), parts.data(), static_cast<int>(parts.size())};
  }
  template <class Body>
  void for_each_set(const Points& first, const Points* second, const Body& body);
  void bring(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond,
             DeviceArray<double> (&to)[3]);
  void sort(const BlockView& blocks, int count);
  std::vector<BlockPart> parts(std::int64_t of_part, std::vector<std::int32_t>& begin) const;
  void make_parts();
  void make_sample(std::int64_t samples);

  DeviceMemory& memory_;
  std::int64_t count_ = 0, sampled_ = 0;
  DeviceArray<double> axis_[3];
  DeviceArray<double> placed_[3], followed_[3];  ///< where they were in place(), once they have moved since; and to be
  DeviceArray<std::uint32_t> order_;
  std::vector<std::uint32_t> begin_;
  DeviceArray<BlockPart> source_parts_, target_parts_, sample_;
  DeviceArray<std::int32_t> part_begin_;
};

}  // namespace farfield::cuda

// Points in the order of the blocks of a cell, and these as the stages of a backend take them.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "expansions/periodic/blocks/stages.hpp"
#include "tree/cell/block_grid.hpp"

namespace farfield {

/// Points in the order of their blocks, in parts that threads take; coordinates are the caller's. With a `grain` they
/// are in pieces of so many each, in the caller's order, and each piece in the order of its blocks.
struct BlockedPoints {
  struct Part {
    int block;
    std::int64_t first, last;  ///< of `order`
  };
  std::vector<std::uint32_t> order;
  std::vector<Part> parts;
  const double* axis[3] = {};

  BlockedPoints() = default;
  BlockedPoints(const BlockGrid& grid, const double* x, const double* y, const double* z, std::int64_t count,
                std::int64_t grain = std::numeric_limits<std::int64_t>::max());
  Vector3 place(std::uint32_t i) const { return {axis[0][i], axis[1][i], axis[2][i]}; }
};

/// A part, a few points at a time; lanes beyond the last point repeat it.
class PartRows {
 public:
  static constexpr std::int64_t most = 32 * block_lanes;
  PartRows(const BlockedPoints& points, const BlockedPoints::Part& part, const Vector3& centre, double unit)
      : points_(points), part_(part), centre_(centre), inverse_(1 / unit), next_(part.first), count_(0) {}
  /// Takes the next points; false: there are no more.
  bool take();
  std::int64_t count() const { return count_; }  ///< of points
  std::int64_t rows() const { return (count_ + block_lanes - 1) / block_lanes; }
  std::uint32_t point(std::int64_t k) const { return points_.order[static_cast<std::size_t>(next_ - count_ + k)]; }
  BlockRows view(int degree, const std::vector<double>& recurrence) const {
    return {degree, recurrence.data(), rows(), {u_[0], u_[1], u_[2]}};
  }

 private:
  const BlockedPoints& points_;
  const BlockedPoints::Part& part_;
  Vector3 centre_;
  double inverse_;
  std::int64_t next_, count_;
  double u_[3][most];
};

}  // namespace farfield

#include "expansions/periodic/blocks/points.hpp"

#include <algorithm>

namespace farfield {

static constexpr std::int64_t part_size = 8192;

BlockedPoints::BlockedPoints(const BlockGrid& grid, const double* x, const double* y, const double* z,
                             std::int64_t count, std::int64_t grain)
    : order(static_cast<std::size_t>(count)), axis{x, y, z} {
  const std::int64_t blocks = grid.blocks(), pieces = count > 0 ? (count - 1) / grain + 1 : 0;
  std::vector<std::int64_t> begin(static_cast<std::size_t>(pieces * blocks) + 1);
  std::vector<std::int32_t> bin(order.size());
  const BlockView places = grid.view();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double point[3] = {x[i], y[i], z[i]};
    bin[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / grain * blocks + places.block_of(point));
    ++begin[static_cast<std::size_t>(bin[i]) + 1];
  }
  for (std::size_t b = 1; b < begin.size(); ++b) begin[b] += begin[b - 1];
  for (std::size_t b = 0; b + 1 < begin.size(); ++b)
    for (std::int64_t at = begin[b]; at < begin[b + 1]; at += part_size)
      parts.push_back({static_cast<int>(b) % grid.blocks(), at, std::min(at + part_size, begin[b + 1])});
  for (std::size_t i = 0; i < order.size(); ++i)
    order[static_cast<std::size_t>(begin[static_cast<std::size_t>(bin[i])]++)] = static_cast<std::uint32_t>(i);
}

bool PartRows::take() {
  count_ = std::min(most, part_.last - next_);
  next_ += count_;
  for (std::int64_t k = 0; k < rows() * block_lanes; ++k) {
    const Vector3 x = points_.place(point(std::min(k, count_ - 1)));
    for (std::size_t axis = 0; axis < 3; ++axis) u_[axis][k] = (x[axis] - centre_[axis]) * inverse_;
  }
  return count_ > 0;
}

}  // namespace farfield

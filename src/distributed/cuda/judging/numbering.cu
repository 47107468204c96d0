#include "distributed/cuda/judging/numbering.hpp"

namespace farfield::distributed {

BoxNumbering::BoxNumbering(const DevicePlaced& placed) : placed_(placed), begin_{0}, place_{0} {
  const int own = placed.ranks->rank();
  const std::vector<BoxRun>& mine = placed.on_device->mine_runs;
  for (int level = 0; level < placed.levels_of_all; ++level) {
    std::int64_t next = begin_.back();
    for (int rank = 0; rank < placed.ranks->size(); ++rank) {
      if (rank == own && !mine.empty()) view_.shift[level] = next - mine[static_cast<std::size_t>(level)].begin;
      next += count(rank, level);
    }
    begin_.push_back(next), place_.push_back(place_.back() + count(own, level));
  }
}

std::int64_t BoxNumbering::count(int rank, int level) const {
  return placed_.boxes_of_ranks[static_cast<std::size_t>(rank * (max_levels + 1) + level)];
}

std::int64_t BoxNumbering::of_shared(int level, int first_rank) const {
  std::int64_t number = level_begin(level) - 1;
  for (int rank = 0; rank <= first_rank; ++rank) number += count(rank, level);
  return number;
}

std::vector<BoxId> BoxNumbering::every(std::int64_t stride) const {
  std::vector<BoxId> boxes;
  const std::vector<BoxRun>& mine = placed_.on_device->mine_runs;
  for (int level = 0; level < levels() && !mine.empty(); ++level) {
    const BoxRun& run = mine[static_cast<std::size_t>(level)];
    const std::int64_t first = view_.shift[level] + run.begin;
    for (std::int64_t i = (stride - first % stride) % stride; i < run.count; i += stride)
      boxes.push_back(static_cast<BoxId>(run.begin + i));
  }
  return boxes;
}

}  // namespace farfield::distributed

#include <algorithm>
#include <farfield/error.hpp>
#include <limits>

#include "distributed/cuda/share/numbers.hpp"

namespace farfield::distributed {
namespace {

/// The shared box whose first owner a rank is, on a level; -1: none.
std::vector<int> shared_behind(const Partition& partition, std::size_t ranks) {
  std::vector<int> behind((max_levels + 1) * ranks, -1);
  for (std::size_t b = 0; b < partition.boxes.size(); ++b)
    if (const CoarseBox& box = partition.boxes[b]; box.shared())
      behind[static_cast<std::size_t>(box.level) * ranks + static_cast<std::size_t>(box.first_rank)] =
          static_cast<int>(b);
  return behind;
}

/// Numbers one level after the other, on each the boxes of one rank after the other.
class Numbering {
 public:
  Numbering(BoxNumbers& to, const DeviceShare& share, const OwnLevels& own, const Halos& received, int rank)
      : to_(to),
        share_(share),
        own_(own),
        received_(received),
        rank_(static_cast<std::size_t>(rank)),
        ranks_(share.partition.ranges.size()),
        behind_(shared_behind(share.partition, ranks_)),
        place_(ranks_, 0) {}
  void run();

 private:
  void add_level(int level);
  void add_boxes(int level, std::size_t rank);
  void add_shared(int level, std::size_t rank);
  void add_own(int level, BoxId begin, BoxId count);

  BoxNumbers& to_;
  const DeviceShare& share_;
  const OwnLevels& own_;
  const Halos& received_;
  std::size_t rank_, ranks_;
  std::vector<int> behind_;
  std::vector<std::int64_t> place_;  ///< [ranks]: boxes of coarser levels that came from them
};

void Numbering::add_own(int level, BoxId begin, BoxId count) {
  const std::size_t at = static_cast<std::size_t>(level) * ranks_ + rank_;
  const BoxId back = to_.back[at], front = to_.front[at];
  const auto has_first_target = [&](BoxId number) {
    if (number == no_box) return 0;
    const auto found = std::find(to_.shared.begin(), to_.shared.end(), number);
    const Held& held = share_.partition.boxes[static_cast<std::size_t>(found - to_.shared.begin())].targets;
    const std::int64_t first = held.begin - share_.first_target;
    return static_cast<int>(held.count > 0 && first >= 0 && first < share_.own.target_points().count);
  };
  to_.mine.push_back({begin, count + (back != no_box)});
  const int lead = has_first_target(front);
  to_.summed.push_back({begin - lead, lead + count + has_first_target(back)});
}

void Numbering::add_shared(int level, std::size_t rank) {
  const int box = behind_[static_cast<std::size_t>(level) * ranks_ + rank];
  if (box < 0) return;
  const auto number = static_cast<BoxId>(to_.boxes++);
  to_.shared[static_cast<std::size_t>(box)] = number;
  const CoarseBox& shared = share_.partition.boxes[static_cast<std::size_t>(box)];
  const auto row = static_cast<std::size_t>(level) * ranks_;
  for (auto r = static_cast<std::size_t>(shared.first_rank); r <= static_cast<std::size_t>(shared.last_rank); ++r)
    (r == rank ? to_.back : to_.front)[row + r] = number;
}

void Numbering::add_boxes(int level, std::size_t rank) {
  const bool is_own = rank == rank_;
  const std::int64_t count = is_own ? own_.count(level) : received_.levels[rank][static_cast<std::size_t>(level)];
  const std::int64_t place = is_own ? own_.first(level) : place_[rank];
  const auto begin = static_cast<BoxId>(to_.boxes);
  to_.offset[static_cast<std::size_t>(level) * ranks_ + rank] = static_cast<BoxId>(to_.boxes - place);
  to_.boxes += count, place_[rank] += count;
  add_shared(level, rank);
  if (is_own) add_own(level, begin, static_cast<BoxId>(count));
}

void Numbering::add_level(int level) {
  to_.level_begin[level] = static_cast<BoxId>(to_.boxes);
  for (std::size_t rank = 0; rank < ranks_; ++rank) add_boxes(level, rank);
  if (to_.boxes > std::numeric_limits<BoxId>::max())
    throw Error(ErrorCode::usage, "the tree has more than 2^31 boxes; use larger leaves");
  if (to_.boxes > to_.level_begin[level]) to_.levels = level + 1;
}

void Numbering::run() {
  for (auto* table : {&to_.offset, &to_.front, &to_.back}) table->assign((max_levels + 1) * ranks_, no_box);
  to_.shared.assign(share_.partition.boxes.size(), no_box);
  for (int level = 0; level <= max_levels; ++level) add_level(level);
  to_.level_begin[max_levels + 1] = static_cast<BoxId>(to_.boxes);
}

}  // namespace

BoxNumbers::BoxNumbers(const DeviceShare& share, const OwnLevels& own, const Halos& received, int rank) {
  Numbering(*this, share, own, received, rank).run();
}

}  // namespace farfield::distributed

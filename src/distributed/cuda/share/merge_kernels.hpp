// The kernels that put the essential tree together; merge.cu launches them.
#pragma once
#include "distributed/cuda/share/numbers.hpp"
#include "distributed/cuda/share/places.hpp"

namespace farfield::distributed {

/// The sources that came from others and the own ones, in the order of one tree over all points. Between those that do
/// not follow one another there lies an element that belongs to no box (share/merge.cpp).
struct Gaps {
  const PointRow* rows;
  std::int64_t received, from_lower;  ///< points, and those of lower ranks
  std::int64_t own, first_source;     ///< own points, and the number of the first

  /// Is there one before a received point?
  __device__ bool before(std::int64_t i) const {
    if (i == from_lower && own > 0) return rows[i].number != first_source + own;
    return i > 0 && rows[i].number != rows[i - 1].number + 1;
  }
  __device__ bool before_own() const {
    return own > 0 && from_lower > 0 && rows[from_lower - 1].number + 1 != first_source;
  }
};

struct CountGaps {
  Gaps gaps;
  std::uint32_t* count;  // [received + 2]: before each, before the own ones, and 0
  __device__ void operator()(std::int64_t i) const {
    count[i] = i < gaps.received ? gaps.before(i) : i == gaps.received && gaps.before_own();
  }
};

/// What lies around the own points: gaps, which hold a number, too, and what is behind the last point.
struct FillAround {
  std::int64_t ordered, first, own;
  double* axis[3];
  std::uint32_t* order;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t at = i < first ? i : i + own;
    if (at < ordered) order[at] = 0;
    for (int d = 0; d < 3; ++d) axis[d][at] = own > 0 ? axis[d][first] : 0;
  }
};

struct PlacePoint {
  const PointRow* rows;
  std::int64_t from_lower, shift;    // elements that the own points take, with the gap before them
  const std::uint32_t* gaps_before;  // a point's own gap is among those before the next one
  std::uint32_t* place;
  double* axis[3];
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t at = i + gaps_before[i + 1] + (i >= from_lower ? shift : 0);
    place[i] = static_cast<std::uint32_t>(at);
    for (int d = 0; d < 3; ++d) axis[d][at] = rows[i].x[d];
  }
};

struct RepeatLast {
  std::int64_t count;
  double* axis[3];
  std::uint32_t* order;
  __device__ void operator()(std::int64_t i) const {
    order[count + i] = order[count - 1];
    for (int d = 0; d < 3; ++d) axis[d][count + i] = axis[d][count - 1];
  }
};

/// A box of the essential tree. `own`: in the own tree, from which it has its targets.
struct EssentialBox {
  double centre[3];
  Held sources, targets;  ///< the first of `sources` in the essential tree; `targets`: of all ranks
  std::int32_t level, octant;
  BoxId number, parent, own, top;
};

/// The arrays of the essential tree.
struct EssentialArrays {
  std::int64_t boxes;
  std::int8_t* level;
  double* centre;
  BoxId *parent, *first_child;
  std::uint8_t *child_mask, *octant;
  std::int64_t *source_begin, *source_end, *target_begin, *target_end;
  BoxId *from_own, *from_top;
  Held* held;
  TreeView own;
  std::int64_t first_target;

  __device__ void store(const EssentialBox& box) const {
    const BoxId n = box.number;
    level[n] = static_cast<std::int8_t>(box.level);
    for (int axis = 0; axis < 3; ++axis) centre[axis * boxes + n] = box.centre[axis];
    parent[n] = box.parent, first_child[n] = no_box, child_mask[n] = 0;
    octant[n] = static_cast<std::uint8_t>(box.octant);
    source_begin[n] = box.sources.begin, source_end[n] = box.sources.begin + box.sources.count;
    target_begin[n] = box.own == no_box ? 0 : first_target + own.target_begin[box.own];
    target_end[n] = box.own == no_box ? 0 : first_target + own.target_end[box.own];
    from_own[n] = box.top == no_box ? box.own : no_box, from_top[n] = box.top;
    held[n] = box.targets;
  }
};

struct StoreShared {
  EssentialArrays arrays;
  const EssentialBox* shared;
  __device__ void operator()(std::int64_t i) const { arrays.store(shared[i]); }
};

/// Own boxes that are not shared.
struct StoreOwn {
  EssentialArrays arrays;
  NumbersView numbers;
  OwnLevels levels;
  int rank;
  std::int64_t first, first_of_all;  // own sources and targets: in the essential tree, in one tree over all points
  __device__ void operator()(std::int64_t i) const {
    const TreeView& own = arrays.own;
    const BoxId box = static_cast<BoxId>(i);
    const int level = own.level[box];
    if (levels.shared(box, level)) return;
    const std::int64_t sources = own.source_count(box);
    arrays.store({{own.coordinate(box, 0), own.coordinate(box, 1), own.coordinate(box, 2)},
                  {sources > 0 ? first + own.source_begin[box] : 0, sources},
                  {first_of_all + own.target_begin[box], own.target_count(box)},
                  level,
                  own.octant[box],
                  numbers.of(level, rank, box),
                  box == 0 ? no_box : numbers.of_parent(level - 1, rank, parent_of(box, level - 1)),
                  box,
                  no_box});
  }

 private:
  __device__ BoxId parent_of(BoxId box, int level) const {
    const BoxId parent = arrays.own.parent[box];
    if (levels.is_front(parent, level)) return BoxRow::front;
    return levels.is_back(parent, level) ? static_cast<BoxId>(BoxRow::back) : parent;
  }
};

struct StoreGhost {
  EssentialArrays arrays;
  NumbersView numbers;
  const BoxRow* rows;
  const PointRow* points;
  const std::int64_t *box_begin, *point_begin;  // [ranks + 1]
  const std::uint32_t* place;                   // of points
  std::uint32_t* with_multipole;                // [boxes + 1]
  BoxId* number;
  std::int64_t ghosts;
  __device__ void operator()(std::int64_t i) const {
    with_multipole[i] = 0;
    if (i == ghosts) return;
    const BoxRow& row = rows[i];
    int r = 0;
    while (i >= box_begin[r + 1]) ++r;
    number[i] = numbers.of(row.level, r, i - box_begin[r]);
    with_multipole[i] = has_multipole(row.sources.count, row.level);
    arrays.store({{row.centre[0], row.centre[1], row.centre[2]},
                  {row.with_points ? place_of(row.sources.begin, r) : 0, row.sources.count},
                  row.targets,
                  row.level,
                  row.octant,
                  number[i],
                  numbers.of_parent(row.level - 1, r, row.parent),
                  no_box,
                  no_box});
  }

 private:
  __device__ std::int64_t place_of(std::int64_t source, int r) const {
    std::int64_t low = point_begin[r], high = point_begin[r + 1];
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (points[middle].number <= source ? low : high) = middle;
    }
    return place[low];
  }
};

struct TakeNumbers {
  const std::uint32_t* before;
  const BoxId* number;
  BoxId* taken;
  __device__ void operator()(std::int64_t i) const {
    if (before[i + 1] > before[i]) taken[before[i]] = number[i];
  }
};

/// Children that are here follow one another; the first tells their parent.
struct LinkChildren {
  EssentialArrays arrays;
  __device__ void operator()(std::int64_t i) const {
    const BoxId parent = arrays.parent[i];
    if (parent == no_box || (i > 0 && arrays.parent[i - 1] == parent)) return;
    unsigned mask = 0;
    for (std::int64_t child = i; child < arrays.boxes && arrays.parent[child] == parent; ++child)
      mask |= 1u << arrays.octant[child];
    arrays.first_child[parent] = static_cast<BoxId>(i);
    arrays.child_mask[parent] = static_cast<std::uint8_t>(mask);
  }
};

/// Boxes of runs, of which each level has one.
struct FillRuns {
  BoxRun runs[max_levels + 1];
  BoxId before[max_levels + 2];  // places before a run's
  BoxId* boxes;
  explicit FillRuns(const std::vector<BoxRun>& of_levels) {
    before[0] = 0;
    for (int level = 0; level <= max_levels; ++level) {
      runs[level] = of_levels[static_cast<std::size_t>(level)];
      before[level + 1] = before[level] + runs[level].count;
    }
  }
  __device__ void operator()(std::int64_t i) const {
    int level = 0;
    while (i >= before[level + 1]) ++level;
    boxes[i] = runs[level].begin + static_cast<BoxId>(i) - before[level];
  }
};

}  // namespace farfield::distributed

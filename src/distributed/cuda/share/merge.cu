#include <algorithm>

#include "distributed/cuda/share/merge.hpp"
#include "distributed/cuda/share/merge_kernels.hpp"

namespace farfield::distributed {

using farfield::cuda::DeviceMemory;
using farfield::cuda::download;
using farfield::cuda::for_each_index;
using farfield::cuda::require;
using farfield::cuda::upload;

namespace {

/// Kernels of families of leaves also read the places, the first ones, of leaves whose points are not here.
constexpr std::int64_t least_places = 4096;

Gaps gaps_of(const DeviceShare& share, const Halos& received, int rank) {
  return {received.points.data(), received.point_begin.back(), received.point_begin[static_cast<std::size_t>(rank)],
          share.own.sources.count, share.first_source};
}

class Merger {
 public:
  Merger(DeviceShare& share, const Halos& received, int rank, DeviceMemory& memory)
      : share_(share),
        received_(received),
        rank_(rank),
        memory_(memory),
        levels_(own_levels(share, rank)),
        numbers_(share, levels_, received, rank) {}
  void run(bool own_gap);

 private:
  void place_points(bool own_gap);
  void resize();
  EssentialArrays arrays();
  std::vector<EssentialBox> shared_boxes() const;
  BoxId own_of(const CoarseBox& shared) const;
  void store_shared();
  void store_own_and_ghosts();
  void store_ghosts(const NumbersView& numbers);
  void fill(OnDevice<BoxId>& boxes, const std::vector<BoxRun>& runs);

  DeviceShare& share_;
  const Halos& received_;
  int rank_;
  DeviceMemory& memory_;
  OwnLevels levels_;
  BoxNumbers numbers_;
};

void Merger::run(bool own_gap) {
  place_points(own_gap);
  resize();
  store_shared();
  store_own_and_ghosts();
  for_each_index(share_.essential.tree.boxes, LinkChildren{arrays()}, memory_.stream, "children");
  share_.mine_runs = numbers_.mine;
  fill(share_.mine, numbers_.mine);
  fill(share_.summed, numbers_.summed);
}

void Merger::place_points(bool own_gap) {
  farfield::cuda::SortedPoints& to = share_.essential.sources;
  const std::int64_t own = share_.own.sources.count;
  double* const x[3] = {to.axis[0].data(), to.axis[1].data(), to.axis[2].data()};
  for_each_index(to.axis[0].size() - own,
                 FillAround{to.order.size(), share_.first, own, {x[0], x[1], x[2]}, to.order.data()}, memory_.stream,
                 "gaps");
  const Gaps gaps = gaps_of(share_, received_, rank_);
  OnDevice<std::uint32_t> gaps_before(memory_);
  gaps_before.resize(gaps.received + 2);
  for_each_index(gaps_before.size(), CountGaps{gaps, gaps_before.data()}, memory_.stream, "gaps");
  sum_before(gaps_before, memory_);
  share_.receives.points.resize(gaps.received);
  for_each_index(gaps.received,
                 PlacePoint{gaps.rows,
                            gaps.from_lower,
                            own + own_gap,
                            gaps_before.data(),
                            share_.receives.points.data(),
                            {x[0], x[1], x[2]}},
                 memory_.stream, "points of others");
  for_each_index(to.count > 0 ? padding : 0, RepeatLast{to.count, {x[0], x[1], x[2]}, to.order.data()}, memory_.stream,
                 "padding");
}

void Merger::resize() {
  Tree<OnDevice>& tree = share_.essential.tree;
  tree.lattice = share_.partition.lattice;
  tree.resize(static_cast<BoxId>(numbers_.boxes), 2);
  tree.levels = numbers_.levels;
  std::copy(std::begin(numbers_.level_begin), std::end(numbers_.level_begin), tree.level_begin);
  share_.from_own.resize(numbers_.boxes), share_.from_top.resize(numbers_.boxes), share_.held.resize(numbers_.boxes);
}

EssentialArrays Merger::arrays() {
  Tree<OnDevice>& tree = share_.essential.tree;
  return {tree.boxes,
          tree.level.data(),
          tree.centre.data(),
          tree.parent.data(),
          tree.first_child.data(),
          tree.child_mask.data(),
          tree.octant.data(),
          tree.source_begin.data(),
          tree.source_end.data(),
          tree.target_begin.data(),
          tree.target_end.data(),
          share_.from_own.data(),
          share_.from_top.data(),
          share_.held.data(),
          share_.own.tree.view(),
          share_.own.alike ? share_.first : 0};
}

/// A shared box in the own tree, if it is there.
BoxId Merger::own_of(const CoarseBox& shared) const {
  if (rank_ < shared.first_rank || rank_ > shared.last_rank) return no_box;
  return rank_ == shared.first_rank ? levels_.begin[shared.level + 1] - 1 : levels_.begin[shared.level];
}

std::vector<EssentialBox> Merger::shared_boxes() const {
  const Top& top = share_.top;
  std::vector<EssentialBox> boxes;
  for (BoxId b = 0; b < top.tree.boxes; ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (!top.shared[i]) continue;
    const CoarseBox& box = share_.partition.boxes[top.coarse[i]];
    const BoxId parent = top.tree.parent[b];
    EssentialBox made{{},
                      {0, box.sources.count},
                      box.targets,
                      box.level,
                      top.tree.octant[b],
                      numbers_.shared[top.coarse[i]],
                      no_box,
                      own_of(box),
                      b};
    if (parent != no_box) made.parent = numbers_.shared[top.coarse[static_cast<std::size_t>(parent)]];
    for (int axis = 0; axis < 3; ++axis) made.centre[axis] = top.tree.centre[axis * std::int64_t(top.tree.boxes) + b];
    boxes.push_back(made);
  }
  return boxes;
}

void Merger::store_shared() {
  const std::vector<EssentialBox> shared = shared_boxes();
  for (const EssentialBox& box : shared) share_.shared.push_back({box.number, box.top, box.own});
  std::sort(share_.shared.begin(), share_.shared.end(),
            [](const SharedPlace& a, const SharedPlace& b) { return a.essential < b.essential; });
  OnDevice<EssentialBox> boxes(memory_);
  upload(boxes, shared.data(), std::ssize(shared), memory_.stream);
  for_each_index(boxes.size(), StoreShared{arrays(), boxes.data()}, memory_.stream, "shared boxes");
}

void Merger::store_own_and_ghosts() {
  std::vector<BoxId> tables = numbers_.offset;
  for (const std::vector<BoxId>* more : {&numbers_.front, &numbers_.back})
    tables.insert(tables.end(), more->begin(), more->end());
  OnDevice<BoxId> on_device(memory_);
  upload(on_device, tables.data(), std::ssize(tables), memory_.stream);
  const std::int64_t size = std::ssize(numbers_.offset);
  const NumbersView numbers{on_device.data(), on_device.data() + size, on_device.data() + 2 * size,
                            static_cast<int>(share_.partition.ranges.size())};
  for_each_index(share_.own.tree.boxes, StoreOwn{arrays(), numbers, levels_, rank_, share_.first, share_.first_target},
                 memory_.stream, "own boxes");
  store_ghosts(numbers);
}

void Merger::store_ghosts(const NumbersView& numbers) {
  const std::int64_t ghosts = received_.boxes.size();
  Begins begins = received_.box_begin;
  begins.insert(begins.end(), received_.point_begin.begin(), received_.point_begin.end());
  OnDevice<std::int64_t> begin(memory_);
  OnDevice<std::uint32_t> with_multipole(memory_);
  OnDevice<BoxId> number(memory_);
  upload(begin, begins.data(), std::ssize(begins), memory_.stream);
  with_multipole.resize(ghosts + 1), number.resize(ghosts);
  for_each_index(ghosts + 1,
                 StoreGhost{arrays(), numbers, received_.boxes.data(), received_.points.data(), begin.data(),
                            begin.data() + std::ssize(received_.box_begin), share_.receives.points.data(),
                            with_multipole.data(), number.data(), ghosts},
                 memory_.stream, "boxes of others");
  sum_before(with_multipole, memory_);
  share_.receives.boxes.resize(share_.receives.box_begin.back());
  for_each_index(ghosts, TakeNumbers{with_multipole.data(), number.data(), share_.receives.boxes.data()},
                 memory_.stream, "boxes with multipoles");
}

void Merger::fill(OnDevice<BoxId>& boxes, const std::vector<BoxRun>& runs) {
  FillRuns fill(runs);
  boxes.resize(fill.before[max_levels + 1]);
  fill.boxes = boxes.data();
  for_each_index(boxes.size(), fill, memory_.stream, "runs of boxes");
}

}  // namespace

/// Counts what Gaps asks, from each rank's first and last point and the gaps between.
bool make_room(DeviceShare& share, const Halos& received, int rank) {
  if (share.own.tree.boxes == 0) return false;
  const auto own_rank = static_cast<std::size_t>(rank);
  const Begins& begin = received.point_begin;
  const std::int64_t own = share.own.sources.count;
  std::int64_t gaps = 0, next = -1;  // next: the number behind the last point; -1: there is none yet
  bool own_gap = false;
  for (std::size_t r = 0; r < received.runs.size(); ++r) {
    const PointRuns& run = received.runs[r];
    if (r == own_rank && own > 0) {
      own_gap = next >= 0 && next != share.first_source;
      gaps += own_gap, next = share.first_source + own;
      share.first = begin[r] + gaps;
    } else if (begin[r + 1] > begin[r]) {
      gaps += run.gaps + (next >= 0 && next != run.first), next = run.last + 1;
    }
  }
  share.ghosts = begin.back();
  farfield::cuda::SortedPoints& sources = share.essential.sources;
  sources.resize(share.ghosts + own + gaps);
  for (OnDevice<double>& axis : sources.axis) axis.resize(std::max(axis.size(), least_places));
  return own_gap;
}

void merge(DeviceShare& share, const Halos& received, bool own_gap, int rank, DeviceMemory& memory) {
  if (share.own.tree.boxes > 0) Merger(share, received, rank, memory).run(own_gap);
}

}  // namespace farfield::distributed

#include <algorithm>
#include <numeric>

#include "backends/cuda/lists/lists.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "distributed/cuda/share.hpp"
#include "distributed/cuda/share/merge.hpp"
#include "distributed/cuda/share/own_points.hpp"
#include "distributed/cuda/share/route.hpp"
#include "distributed/cuda/transport.hpp"
#include "distributed/share/top.hpp"

namespace farfield::distributed {

using farfield::cuda::DeviceMemory;
using farfield::cuda::DevicePoints;
using farfield::cuda::download;
using farfield::cuda::gather;
using farfield::cuda::gather_at;
using farfield::cuda::require;
using farfield::cuda::upload;

namespace {

/// Makes a share; every step is one of all ranks.
class Maker {
 public:
  Maker(Ranks& ranks, Transport& transport, const Geometry& geometry, const Decision& decision, DeviceMemory& memory,
        const ShareSteps& steps)
      : ranks_(ranks), transport_(transport), geometry_(geometry), decision_(decision), memory_(memory), steps_(steps) {
    share_.use(memory);
  }
  DeviceShare run(const Given& given);

 private:
  void done(const char* part) const {
    if (steps_.mark) steps_.mark(part);
  }
  void partition(const Given& given);
  void build_own(const Given& given);
  void place_targets();
  void build_essential();
  Halos exchange_counts(const Halos& needed);
  void exchange(const Halos& needed, Halos& received);
  void build_lists();
  void upload_top();

  Ranks& ranks_;
  Transport& transport_;
  const Geometry& geometry_;
  const Decision& decision_;
  DeviceMemory& memory_;
  const ShareSteps& steps_;
  DeviceShare share_;
  OwnedPoints arrived_[2]{{OnDevice<unsigned char>(memory_), {}}, {OnDevice<unsigned char>(memory_), {}}};
  std::unique_ptr<farfield::cuda::KeyedTree> own_points_;
  Begins sources_;  ///< where those of each rank begin in the order of one tree over all points
};

/// Who owns what, and the ways there.
void Maker::partition(const Given& given) {
  DeviceOwnPoints points(given.sources, given.targets, geometry_.exponent, make_lattice(geometry_, decision_.root),
                         memory_, steps_.meanwhile);
  share_.partition = divide(ranks_, points, given, geometry_, decision_);
  done("partition");
  const Partition& made = share_.partition;
  share_.source_route = make_device_route(ranks_, points, 0, made.passed_to[0], made.boxes, memory_);
  sources_ = made.firsts(&CoarseBox::sources);
  const auto rank = static_cast<std::size_t>(ranks_.rank());
  share_.first_source = sources_[rank];
  share_.first_target = made.firsts(&CoarseBox::targets)[rank];
  if (!given.targets) return;
  std::vector<std::int64_t> apart = made.passed_to[1];  // the targets end with the sources, or have none of them
  for (std::size_t r = 0; r < apart.size() && given.at_sources; ++r) apart[r] -= made.passed_to[0][r];
  share_.target_route_apart = make_device_route(ranks_, points, 1, apart, made.boxes, memory_);
}

/// Brings the points to their owners and builds the tree over those of this rank.
void Maker::build_own(const Given& given) {
  const bool single = share_.source_route.single && (!given.targets || share_.target_route_apart.single);
  arrived_[0] = owned_points(transport_, share_.source_route, given.sources, nullptr, single, memory_);
  if (given.targets)
    arrived_[1] = owned_points(transport_, share_.target_route_apart, *given.targets,
                               given.at_sources ? &arrived_[0].view : nullptr, single, memory_);
  done("redistribution");
  own_points_ = std::make_unique<farfield::cuda::KeyedTree>(distributed::build_own(
      share_, arrived_[0].view, given.targets ? &arrived_[1].view : nullptr, geometry_, decision_, memory_));
}

/// The own sources go to their place among those of others at once, while the ranks meet for the exchange.
void Maker::build_essential() {
  const Halos needed = needed_by_others(share_, ranks_.rank(), decision_.thresholds.m2p_sources,
                                        share_.own.alike ? sources_ : Begins(), own_points_->sources(), memory_);
  Halos received = exchange_counts(needed);
  const bool own_gap = make_room(share_, received, ranks_.rank());
  done("needs");
  gather_at(share_.essential.sources, share_.first, own_points_->sources(), memory_.stream);
  own_points_.reset();
  for (OwnedPoints& points : arrived_) points.rows.release();
  done("gather");
  exchange(needed, received);
  done("ghosts");
  merge(share_, received, own_gap, ranks_.rank(), memory_);
  done("essential");
}

/// Targets apart from the sources: the rank's own and, for vectors that reach beyond a leaf, the first ones behind them
/// (place_targets in share/share.cpp).
void Maker::place_targets() {
  struct Target {
    std::int64_t number;
    double x[3];
  };
  farfield::cuda::SortedPoints& own = share_.essential.targets;
  gather(own, own_points_->targets(), memory_.stream);
  double first[3][padding], behind[3][padding];
  const std::int64_t count = std::min(own.count, padding);
  for (int axis = 0; axis < 3; ++axis) {
    download(first[axis], own.axis[axis].data(), count, memory_.stream);
    download(behind[axis], own.axis[axis].data() + own.count, padding, memory_.stream);
  }
  require(cudaStreamSynchronize(memory_.stream), "first targets");
  std::vector<Target> mine;
  for (std::int64_t i = 0; i < count; ++i)
    mine.push_back({share_.first_target + i, {first[0][i], first[1][i], first[2][i]}});
  for (const Target& other : ranks_.gather_all(mine))
    for (std::int64_t i = other.number - share_.first_target - own.count; i >= 0 && i < padding; ++i)
      for (int axis = 0; axis < 3 && own.count > 0; ++axis) behind[axis][i] = other.x[axis];
  for (int axis = 0; axis < 3; ++axis)
    require(cudaMemcpyAsync(own.axis[axis].data() + own.count, behind[axis], sizeof behind[axis],
                            cudaMemcpyHostToDevice, memory_.stream),
            "cudaMemcpyAsync of targets");
}

/// What each rank sends to each, in one message.
Halos Maker::exchange_counts(const Halos& needed) {
  const auto ranks = static_cast<std::size_t>(ranks_.size());
  constexpr std::size_t levels = max_levels + 1, width = levels + 5;
  std::vector<std::int64_t> sent;
  for (std::size_t r = 0; r < ranks; ++r) {
    const PointRuns& run = needed.runs[r];
    sent.insert(sent.end(), needed.levels[r].begin(), needed.levels[r].end());
    sent.insert(sent.end(), {share_.sends.box_begin[r + 1] - share_.sends.box_begin[r],
                             needed.point_begin[r + 1] - needed.point_begin[r], run.first, run.last, run.gaps});
  }
  const std::vector<std::int64_t> came = ranks_.exchange_numbers(sent, width);
  Halos received{OnDevice<BoxRow>(memory_), OnDevice<PointRow>(memory_), {}, {}, {}, {}};
  std::vector<std::int64_t> boxes, multipoles, points;
  for (auto row = came.begin(); row != came.end(); row += width) {
    const auto rest = row + levels;
    received.levels.emplace_back(row, rest);
    boxes.push_back(std::accumulate(row, rest, std::int64_t(0)));
    multipoles.push_back(rest[0]), points.push_back(rest[1]);
    received.runs.push_back({rest[2], rest[3], rest[4]});
  }
  received.box_begin = begins_of(boxes), received.point_begin = begins_of(points);
  share_.receives.box_begin = begins_of(multipoles), share_.receives.point_begin = received.point_begin;
  return received;
}

void Maker::exchange(const Halos& needed, Halos& received) {
  received.boxes.resize(received.box_begin.back()), received.points.resize(received.point_begin.back());
  transport_.exchange(
      {{needed.boxes.data(), needed.box_begin, received.boxes.data(), received.box_begin, sizeof(BoxRow)},
       {needed.points.data(), needed.point_begin, received.points.data(), received.point_begin, sizeof(PointRow)}},
      memory_.stream);
}

void Maker::build_lists() {
  farfield::cuda::CudaTree& built = share_.essential;
  if (built.tree.boxes == 0) return;
  farfield::cuda::Neighbourhood neighbourhood(memory_);
  const farfield::cuda::Around around = neighbourhood.find(built.tree, decision_.thresholds, memory_.stream);
  farfield::cuda::build_lists(built.lists, built.tree.view(), around, memory_);
}

/// The boxes of the top without points.
void Maker::upload_top() {
  const Tree<Array>& from = share_.top.tree;
  Tree<OnDevice>& to = share_.top_tree.tree;
  const auto copy_array = [&](auto& array, const auto& host) {
    upload(array, host.data(), host.size(), memory_.stream);
  };
  to.lattice = from.lattice, to.boxes = from.boxes, to.levels = from.levels;
  std::copy(std::begin(from.level_begin), std::end(from.level_begin), to.level_begin);
  copy_array(to.level, from.level), copy_array(to.centre, from.centre);
  copy_array(to.parent, from.parent), copy_array(to.first_child, from.first_child);
  copy_array(to.child_mask, from.child_mask), copy_array(to.octant, from.octant);
  copy_array(to.source_begin, from.source_begin), copy_array(to.source_end, from.source_end);
}

DeviceShare Maker::run(const Given& given) {
  done("");
  partition(given);
  build_own(given);
  done("tree");
  share_.top = make_top(share_.partition);
  share_.essential.alike = share_.own.alike;
  if (!share_.own.alike) place_targets();
  build_essential();
  build_lists();
  upload_top();  // for evaluations; while the device makes lists
  done("lists");
  return std::move(share_);
}

}  // namespace

DeviceShare make_device_share(Ranks& ranks, Transport& transport, const Given& given, const Geometry& geometry,
                              const Decision& decision, DeviceMemory& memory, const ShareSteps& steps) {
  const DevicePoints sources(given.sources, memory);
  const DevicePoints targets = given.targets ? DevicePoints(*given.targets, memory) : DevicePoints();
  Given on_device = given;
  on_device.sources = sources.view();
  if (given.targets) on_device.targets = &targets.view();
  return Maker(ranks, transport, geometry, decision, memory, steps).run(on_device);
}

}  // namespace farfield::distributed

#include <cub/device/device_scan.cuh>

#include "backends/cuda/boxes/choose_numbers.hpp"
#include "backends/cuda/boxes/images/sources_at_home.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"

namespace farfield::cuda {
namespace {

/// held[leaf]: are its sources its targets themselves?
struct FindHeld {
  TreeView tree;
  FollowedImages followed;
  const std::uint32_t* order;  ///< of targets
  std::uint8_t* held;
  __device__ void operator()(std::int64_t i) const {
    const auto box = static_cast<BoxId>(i);
    held[i] = tree.is_leaf(box) && tree.target_count(box) == tree.source_count(box) && holds_its_targets(box);
  }
  __device__ bool holds_its_targets(BoxId leaf) const {
    bool all = true;
    for (std::int64_t k = 0; k < tree.target_count(leaf) && all; ++k) all = holds(leaf, k);
    return all;
  }
  /// Is target k a source? The k-th, most likely.
  __device__ bool holds(BoxId leaf, std::int64_t k) const {
    const std::uint32_t point = order[tree.target_begin[leaf] + k];
    const std::int64_t count = tree.source_count(leaf);
    bool found = false;
    for (std::int64_t j = 0; j < count && !found; ++j) {
      const std::int64_t s = tree.source_begin[leaf] + (k + j < count ? k + j : k + j - count);
      found = followed.point[s] == point && followed.at_home(s);
    }
    return found;
  }
};

/// paired[box]: is it, or an image of it, in a near list without being a leaf? Boxes of few sources are.
struct FindPaired {
  TreeView tree;
  ListView near;
  const BoxId* home;
  std::uint8_t* paired;
  __device__ void operator()(std::int64_t i) const {
    for (std::int64_t k = near.begin[i]; k < near.begin[i + 1]; ++k) {
      const BoxId box = near.items[k];
      if (!tree.is_leaf(box)) paired[box_at_home(home, box)] = 1;
    }
  }
};

/// Which boxes' sources have places of their own: at(box) stands for the others.
struct HasPlaces {
  TreeView tree;
  const BoxId* home;
  const std::uint8_t *held, *paired;
  __device__ BoxId at(BoxId box) const { return box_at_home(home, box); }
  __device__ bool operator()(BoxId box) const {
    return tree.is_leaf(box) ? tree.source_count(box) > 0 && !held[at(box)] : paired[box] != 0;
  }
};

/// Behind the last a 0, so that their sum is an offset, too.
struct CountPlaces {
  TreeView tree;
  const BoxId* box;
  std::int64_t boxes;
  std::int64_t* offset;
  __device__ void operator()(std::int64_t i) const { offset[i] = i < boxes ? tree.source_count(box[i]) : 0; }
};

struct FillPlaces {
  TreeView tree;
  const BoxId* box;
  const std::int64_t* offset;
  std::uint32_t* source;
  BoxId* about;
  __device__ void operator()(std::int64_t i) const {
    for (std::int64_t k = 0; k < tree.source_count(box[i]); ++k) {
      source[offset[i] + k] = static_cast<std::uint32_t>(tree.source_begin[box[i]] + k);
      about[offset[i] + k] = box[i];
    }
  }
};
struct FindRanges {
  HasPlaces has_places;
  std::int64_t targets;
  const BoxId* box;  ///< those that have places of their own
  std::int64_t boxes;
  const std::int64_t* offset;
  std::int64_t *begin, *end;
  __device__ void operator()(std::int64_t i) const {
    const TreeView& tree = has_places.tree;
    const auto own = static_cast<BoxId>(i);
    const BoxId at = has_places.at(own), with = tree.is_leaf(own) ? own : at;
    begin[i] = has_places(with) ? targets + offset[count_below(box, boxes, with)] : tree.target_begin[at];
    end[i] = begin[i] + tree.source_count(own);
  }
};

/// Where points are now; the padding repeats the last place.
struct CopyPlaces {
  const std::uint32_t *order, *apart, *point;  ///< of targets; of sources, and which point each source is
  const double *target[3], *source[3];
  std::int64_t targets, count;
  std::uint32_t* point_of;
  double* axis[3];
  __device__ void operator()(std::int64_t at) const {
    const std::int64_t i = min(at, count - 1), s = i < targets ? i : apart[i - targets];
    for (int d = 0; d < 3; ++d) axis[d][at] = i < targets ? target[d][s] : source[d][s];
    point_of[at] = i < targets ? order[s] : point[s];
  }
};

}  // namespace

void SourcesAtHome::forget() {
  begin_.release(), end_.release(), apart_.release(), about_.release(), order_.release(), in_leaf_.release();
  for (DeviceArray<double>& x : axis_) x.release();
  count_ = aparts_ = 0;
}

void SourcesAtHome::find(const CudaTree& built, const FollowedImages& images, const BoxId* home) {
  forget();
  if (built.alike || built.targets.count == 0) return;
  const TreeView tree = built.tree.view();
  DeviceArray<std::uint8_t> held(memory_), paired(memory_);
  held.resize(tree.boxes), paired.resize(tree.boxes);
  require(cudaMemsetAsync(paired.data(), 0, static_cast<std::size_t>(tree.boxes), memory_.stream), "cudaMemsetAsync");
  for_each_index(tree.boxes, FindHeld{tree, images, built.targets.order.data(), held.data()}, memory_.stream,
                 "sources at home");
  for_each_index(tree.boxes, FindPaired{tree, built.lists.view().near, home, paired.data()}, memory_.stream,
                 "boxes of pairs");
  const HasPlaces has_places{tree, home, held.data(), paired.data()};
  DeviceArray<BoxId> box(memory_);
  DeviceArray<std::int64_t> offset(memory_);
  const std::int64_t boxes = choose_numbers(tree.boxes, has_places, box, memory_, "boxes apart");
  find_apart(tree, built.targets.count, box.data(), boxes, offset);
  begin_.resize(tree.boxes), end_.resize(tree.boxes);
  for_each_index(
      tree.boxes,
      FindRanges{has_places, built.targets.count, box.data(), boxes, offset.data(), begin_.data(), end_.data()},
      memory_.stream, "sources at home");
  copy_places(built, images);
  require(cudaStreamSynchronize(memory_.stream), "sources at home");
}

/// The sources of these boxes, one after the other; where each box's begin.
void SourcesAtHome::find_apart(const TreeView& tree, std::int64_t targets, const BoxId* box, std::int64_t boxes,
                               DeviceArray<std::int64_t>& offset) {
  offset.resize(boxes + 1);
  for_each_index(boxes + 1, CountPlaces{tree, box, boxes, offset.data()}, memory_.stream, "sources apart");
  with_temporary(memory_, "sources apart", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, offset.data(), offset.data(), boxes + 1, memory_.stream);
  });
  download(&aparts_, offset.data() + boxes, 1, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "sources apart");
  apart_.resize(aparts_), about_.resize(targets + aparts_);
  for_each_index(boxes, FillPlaces{tree, box, offset.data(), apart_.data(), about_.data() + targets}, memory_.stream,
                 "sources apart");
  for_each_index(tree.boxes, LeafOfPoints{tree, tree.target_begin, tree.target_end, about_.data()}, memory_.stream,
                 "leaves of targets");
}

void SourcesAtHome::copy_places(const CudaTree& built, const FollowedImages& images) {
  const SortedPoints &targets = built.targets, &sources = built.sources;
  count_ = targets.count + aparts_;
  for (DeviceArray<double>& x : axis_) x.resize(count_ + padding);
  order_.resize(count_ + padding), in_leaf_.resize(count_ + padding);
  const CopyPlaces copy{targets.order.data(),
                        apart_.data(),
                        images.point,
                        {targets.axis[0].data(), targets.axis[1].data(), targets.axis[2].data()},
                        {sources.axis[0].data(), sources.axis[1].data(), sources.axis[2].data()},
                        targets.count,
                        count_,
                        order_.data(),
                        {axis(0), axis(1), axis(2)}};
  for_each_index(count_ + padding, copy, memory_.stream, "places at home");
}

}  // namespace farfield::cuda

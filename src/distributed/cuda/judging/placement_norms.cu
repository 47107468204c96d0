// What leaves tell: the size of results for random strengths, at the same sample of targets as by one plan, and how
// points stand in them. One look by each rank, one collective.
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/cuda/judging/children.hpp"
#include "distributed/cuda/judging/placement.hpp"
#include "distributed/cuda/judging/planes.hpp"

namespace farfield::distributed {
namespace {

struct IsTargetLeaf {
  TreeView tree;
  __device__ bool operator()(BoxId box) const { return tree.is_leaf(box) && tree.target_count(box) > 0; }
};

/// Where boxes of each level begin among ascending ones.
struct FindLevels {
  const BoxId* box;
  const int* count;
  const BoxId* level_begin;
  int* place;
  __device__ void operator()(std::int64_t l) const {
    int low = 0, high = *count;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (box[middle] < level_begin[l])
        low = middle + 1;
      else
        high = middle;
    }
    place[l] = low;
  }
};

/// The leaves of a rank that hold targets, and where those of each level begin; [levels + 1].
std::vector<int> find_leaves(OnDevice<BoxId>& leaf, const TreeView& tree, int levels,
                             farfield::cuda::DeviceMemory& memory) {
  const cudaStream_t stream = memory.stream;
  std::vector<int> places(static_cast<std::size_t>(levels) + 1, 0);
  if (tree.boxes == 0) return places;
  OnDevice<int> count(memory), place(memory);
  OnDevice<BoxId> begin(memory);
  leaf.resize(tree.boxes), count.resize(1), place.resize(tree.levels + 1);
  farfield::cuda::with_temporary(memory, "leaves with targets", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<BoxId>(0), leaf.data(), count.data(),
                                 tree.boxes, IsTargetLeaf{tree}, stream);
  });
  farfield::cuda::upload(begin, tree.level_begin, tree.levels + 1, stream);
  farfield::cuda::for_each_index(tree.levels + 1, FindLevels{leaf.data(), count.data(), begin.data(), place.data()},
                                 stream, "places of levels");
  const std::vector<int> found = downloaded(place.data(), place.size(), stream);
  std::fill(places.begin(), places.end(), found.back());
  std::copy(found.begin(), found.end(), places.begin());
  return places;
}

}  // namespace

/// Targets are sampled in every so many-th of the leaves that hold some, numbered as in one tree: by level, those of a
/// level rank by rank.
struct DevicePlacement::Samples {
  std::int64_t count = 0;            ///< of all ranks
  std::vector<std::int64_t> own;     ///< those in leaves of this rank
  OnDevice<BoxId> leaf;              ///< all leaves of this rank that hold targets
  std::vector<std::uint32_t> place;  ///< of the sampled ones among these
};

DevicePlacement::Samples DevicePlacement::sample() const {
  Samples found;
  found.leaf.use(placed_.memory);
  const std::vector<int> place = find_leaves(found.leaf, essential_, levels(), placed_.memory);
  const std::size_t levels = place.size() - 1, rank = static_cast<std::size_t>(placed_.ranks->rank());
  std::vector<std::int64_t> own, first;
  for (std::size_t l = 0; l < levels; ++l) own.push_back(place[l + 1] - place[l]);
  const std::vector<std::int64_t> all = placed_.ranks->all_gather(own.data(), levels);
  std::int64_t leaves = 0;
  for (std::size_t l = 0; l < levels; ++l)
    for (std::size_t i = l; i < all.size(); i += levels) {
      if (i / levels == rank) first.push_back(leaves);
      leaves += all[i];
    }
  const std::int64_t step = std::max<std::int64_t>(1, leaves / farfield::cuda::norm_samples);
  found.count = (leaves + step - 1) / step;
  for (std::size_t l = 0; l < levels; ++l)
    for (std::int64_t s = (first[l] + step - 1) / step; s * step < first[l] + own[l]; ++s)
      found.own.push_back(s), found.place.push_back(static_cast<std::uint32_t>(place[l] + s * step - first[l]));
  return found;
}

namespace {

constexpr int numbers_of_sample = farfield::cuda::norm_shares * 3;

}  // namespace

/// Those of each of the samples, of other ranks 0. Waits for the stream.
std::vector<double> DevicePlacement::norms_at(const Samples& samples) const {
  const ChildrenOfOthers children(placed_);
  std::vector<double> sums(static_cast<std::size_t>(numbers_of_sample * samples.count), 0);
  const std::int64_t own = std::ssize(samples.own);
  if (own == 0) return sums;
  OnDevice<std::uint32_t> at(placed_.memory);
  OnDevice<BoxId> leaf(placed_.memory);
  OnDevice<double> norm(placed_.memory);
  constexpr int shares = farfield::cuda::norm_shares;
  farfield::cuda::upload(at, samples.place.data(), own, stream_);
  leaf.resize(own), norm.resize(own * shares * 3);
  farfield::cuda::for_each_index(own, Take<BoxId>{samples.leaf.data(), at.data(), leaf.data()}, stream_,
                                 "sampled leaves");
  farfield::cuda::sum_norms_at(essential_, placed_.on_device->essential.lists.view(), sources(), targets_of_rank(),
                               {leaf.data(), static_cast<int>(own), softening_,
                                reinterpret_cast<double(*)[shares][3]>(norm.data()), children.view()},
                               stream_);
  const std::vector<double> of_shares = downloaded(norm.data(), norm.size(), stream_);
  for (std::size_t i = 0; i < of_shares.size(); ++i)
    sums[static_cast<std::size_t>(numbers_of_sample * samples.own[i / numbers_of_sample]) + i % numbers_of_sample] =
        of_shares[i];
  return sums;
}

namespace {

/// Sums of 1/r^4 within leaves among every so many-th box of the whole tree, and how many targets these hold.
class InLeaves {
 public:
  InLeaves(farfield::cuda::DeviceMemory& memory, double softening) : memory_(memory), softening_(softening) {}
  void launch(const std::vector<BoxId>& boxes, const TreeView& tree, const PlacedPoints& sources,
              const PlacedPoints& targets) {
    const std::int64_t count = std::ssize(boxes);
    if (count == 0) return;
    farfield::cuda::upload(box_, boxes.data(), count, memory_.stream);
    parts_.resize(2 * count), sum_.resize(2);
    farfield::cuda::sum_in_leaves(tree, sources, targets,
                                  {box_.data(), static_cast<int>(count), softening_, parts_.data(), sum_.data()},
                                  memory_.stream);
  }
  /// Waits.
  std::vector<double> sums() const {
    return sum_.empty() ? std::vector<double>(2, 0) : downloaded(sum_.data(), 2, memory_.stream);
  }

 private:
  farfield::cuda::DeviceMemory& memory_;
  double softening_;
  OnDevice<BoxId> box_{memory_};
  OnDevice<double> parts_{memory_}, sum_{memory_};
};

}  // namespace

PlacedPoints DevicePlacement::own_sources() const {
  const DeviceShare& share = *placed_.on_device;
  const auto& x = share.essential.sources.axis;
  const TreeView own = share.own.tree.view();
  return {{x[0].data() + share.first, x[1].data() + share.first, x[2].data() + share.first},
          own.source_begin,
          own.source_end};
}

/// All kernels are launched before the first result is waited for, and all ranks' numbers come in one collective.
DevicePlacement::Found DevicePlacement::look() {
  farfield::cuda::DeviceSums part(placed_.on_device->own.tree.view(), own_sources(), softening_, placed_.memory,
                                  near_stream_, far_stream_);
  InLeaves in_leaves(placed_.memory, softening_);
  Planes planes(placed_, numbering_);
  part.look_at_part();
  planes.launch(essential_, sources(), softening_ > 0);
  Samples samples;
  std::vector<double> own;
  if (!planes_alone_) {
    const std::int64_t stride = farfield::cuda::own_leaf_stride(placed_.geometry.targets, softening_ > 0);
    in_leaves.launch(numbering_.every(stride), essential_, sources(), targets_of_rank());
    samples = sample();
    own = norms_at(samples);
  }
  for (const double sum : in_leaves.sums()) own.push_back(sum);
  own.push_back(static_cast<double>(part.of_part().largest_leaf));
  const std::size_t largest = own.size() - 1;
  for (const double number : planes.numbers()) own.push_back(number);
  const std::vector<double> all = placed_.ranks->all_gather(own.data(), own.size());
  std::vector<double> sum(largest, 0);
  Found found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t at = i % own.size();
    if (at < largest) sum[at] += all[i];
    if (at == largest) found.largest_leaf = std::max(found.largest_leaf, static_cast<std::int64_t>(all[i]));
  }
  found.in_planes = Planes::among(all, own.size(), largest + 1, own.size());
  found.norms = norms_of(sum, samples.count);
  return found;
}

/// `sums`: those of each sample, then two of what is within leaves: its mean over targets is added.
ResultNorms DevicePlacement::norms_of(const std::vector<double>& sums, std::int64_t samples) const {
  if (samples == 0) return {};
  double sum[3] = {0, 0, 0};
  const auto within = static_cast<std::size_t>(numbers_of_sample * samples);
  for (std::size_t i = 0; i < within; ++i) sum[i % 3] += sums[i] / static_cast<double>(samples);
  const double in_leaves = sums[within + 1] > 0 ? sums[within] / sums[within + 1] : 0;
  ResultNorms mean{{sum[0], sum[1] + in_leaves}};
  if (mean.order[1] > 0) mean.near_share = 1 - sum[2] / mean.order[1];
  return mean;
}

const DevicePlacement::Found& DevicePlacement::found() { return found_ ? *found_ : found_.emplace(look()); }

}  // namespace farfield::distributed

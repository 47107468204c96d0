// The size of results for random strengths, at the same sample of targets as by one plan.
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/cuda/judging/placement.hpp"

namespace farfield::distributed {
namespace {

struct IsTargetLeaf {
  TreeView tree;
  __device__ bool operator()(BoxId box) const { return tree.is_leaf(box) && tree.target_count(box) > 0; }
};

/// The leaves of a rank that hold targets, and how many of them each level has, on all ranks.
struct TargetLeaves {
  OnDevice<BoxId> leaf;
  std::vector<int> place;            ///< [levels + 1]: of the first leaf of each level among the rank's own
  std::vector<std::int64_t> number;  ///< [levels]: of that leaf among those of all ranks
  std::int64_t of_all = 0;
};

void find_own(TargetLeaves& found, const TreeView& tree, int levels, farfield::cuda::DeviceMemory& memory) {
  const cudaStream_t stream = memory.stream;
  found.leaf.use(memory);
  found.place.assign(static_cast<std::size_t>(levels) + 1, 0);
  if (tree.boxes == 0) return;
  OnDevice<int> count(memory);
  found.leaf.resize(tree.boxes), count.resize(1);
  farfield::cuda::with_temporary(memory, "leaves with targets", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<BoxId>(0), found.leaf.data(), count.data(),
                                 tree.boxes, IsTargetLeaf{tree}, stream);
  });
  found.place = places_of_levels(found.leaf.data(), downloaded(count.data(), 1, stream)[0], tree, levels, memory);
}

/// Leaves are numbered as in one tree: by level, those of a level rank by rank.
void number(TargetLeaves& found, Ranks& ranks) {
  const std::size_t levels = found.place.size() - 1;
  std::vector<std::int64_t> own;
  for (std::size_t l = 0; l < levels; ++l) own.push_back(found.place[l + 1] - found.place[l]);
  const std::vector<std::int64_t> all = ranks.all_gather(own.data(), levels);
  for (std::size_t l = 0; l < levels; ++l)
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks.size()); ++r) {
      if (r == static_cast<std::size_t>(ranks.rank())) found.number.push_back(found.of_all);
      found.of_all += all[r * levels + l];
    }
}

}  // namespace

/// Three sums for each of the samples, those of other ranks 0.
std::vector<double> DevicePlacement::norms_at_own_samples(std::int64_t& samples) {
  TargetLeaves found;
  find_own(found, essential_, levels(), placed_.memory);
  number(found, *placed_.ranks);
  const std::int64_t step = std::max<std::int64_t>(1, found.of_all / farfield::cuda::norm_samples);
  samples = (found.of_all + step - 1) / step;
  std::vector<std::int64_t> sample;
  std::vector<std::uint32_t> place;
  for (std::size_t l = 0; l < found.number.size(); ++l) {
    const std::int64_t first = found.number[l], count = found.place[l + 1] - found.place[l];
    for (std::int64_t s = (first + step - 1) / step; s * step < first + count; ++s)
      sample.push_back(s), place.push_back(static_cast<std::uint32_t>(found.place[l] + s * step - first));
  }
  std::vector<double> sums(static_cast<std::size_t>(3 * samples), 0);
  if (sample.empty()) return sums;
  farfield::cuda::DeviceMemory& memory = placed_.memory;
  OnDevice<std::uint32_t> at(memory);
  OnDevice<BoxId> leaf(memory);
  OnDevice<double> norm(memory);
  const std::int64_t own = std::ssize(sample);
  constexpr int shares = farfield::cuda::norm_shares;
  farfield::cuda::upload(at, place.data(), own, stream_);
  leaf.resize(own), norm.resize(own * shares * 3);
  farfield::cuda::for_each_index(own, Take<BoxId>{found.leaf.data(), at.data(), leaf.data()}, stream_,
                                 "sampled leaves");
  farfield::cuda::sum_norms_at(
      essential_, placed_.on_device->essential.lists.view(), sources(), targets_of_rank(),
      {leaf.data(), static_cast<int>(own), reinterpret_cast<double(*)[shares][3]>(norm.data())}, stream_);
  const std::vector<double> of_shares = downloaded(norm.data(), norm.size(), stream_);
  for (std::size_t i = 0; i < of_shares.size(); ++i)
    sums[static_cast<std::size_t>(3 * sample[i / (shares * 3)]) + i % 3] += of_shares[i];
  return sums;
}

namespace {

/// Every so many-th box of the whole tree.
struct IsEvery {
  TreeView tree;
  BoxNumbers number;
  std::uint32_t stride;
  __device__ bool operator()(int place) const { return number.at(tree, place) % stride == 0; }
};
struct BoxAt {
  const BoxId* mine;
  const int* place;
  BoxId* box;
  __device__ void operator()(std::int64_t k) const { box[k] = mine[place[k]]; }
};

}  // namespace

/// The mean over targets of sum 1/r^4 within their leaves.
double DevicePlacement::mean_in_leaves() {
  farfield::cuda::DeviceMemory& memory = placed_.memory;
  const BoxNumbers number = numbering_.view();
  std::vector<double> sums(2, 0);
  if (number.count > 0) {
    const auto stride = static_cast<std::uint32_t>(farfield::cuda::own_leaf_stride(placed_.geometry.targets, false));
    OnDevice<int> place(memory), found(memory);
    place.resize(number.count), found.resize(1);
    farfield::cuda::with_temporary(memory, "sampled boxes", [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<int>(0), place.data(), found.data(),
                                   number.count, IsEvery{essential_, number, stride}, stream_);
    });
    const int count = downloaded(found.data(), 1, stream_)[0];
    OnDevice<BoxId> box(memory);
    OnDevice<double> parts(memory), sum(memory);
    box.resize(count), parts.resize(2 * count), sum.resize(2);
    farfield::cuda::require(cudaMemsetAsync(sum.data(), 0, 2 * sizeof(double), stream_), "cudaMemsetAsync");
    farfield::cuda::for_each_index(count, BoxAt{number.mine, place.data(), box.data()}, stream_, "sampled boxes");
    farfield::cuda::sum_in_leaves(essential_, sources(), targets_of_rank(), box.data(), count, parts.data(), sum.data(),
                                  stream_);
    sums = downloaded(sum.data(), 2, stream_);
  }
  placed_.ranks->add(sums);
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

ResultNorms DevicePlacement::norms() {
  std::int64_t samples = 0;
  std::vector<double> at = norms_at_own_samples(samples);
  if (samples == 0) return {};
  placed_.ranks->add(at);
  double sum[3] = {0, 0, 0};
  for (std::size_t i = 0; i < at.size(); ++i) sum[i % 3] += at[i] / static_cast<double>(samples);
  ResultNorms mean{{sum[0], sum[1] + mean_in_leaves()}};
  if (mean.order[1] > 0) mean.near_share = 1 - sum[2] / mean.order[1];
  return mean;
}

}  // namespace farfield::distributed

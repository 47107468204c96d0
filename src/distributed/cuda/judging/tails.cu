#include <algorithm>

#include "backends/cuda/tuning.hpp"
#include "distributed/cuda/judging/numbering.hpp"
#include "distributed/cuda/judging/tails.hpp"

namespace farfield::distributed {
namespace {

const CoarseBox& coarse_of(const DeviceShare& share, const SharedPlace& place) {
  return share.partition.boxes[share.top.coarse[static_cast<std::size_t>(place.top)]];
}

/// Does the rank own the first target of a shared box?
bool begins_here(const DevicePlaced& placed, const Held& targets) {
  const std::int64_t i = targets.begin - placed.on_device->first_target;
  return targets.count > 0 && i >= 0 && i < placed.own_targets();
}

/// Every so many-th box of all ranks, those of this rank, ascending. BoxNumbering has a shared box at its first rank,
/// which may have no targets in it. Merged: to sort 4,000 that ascend with a low one behind them took 0.3 ms.
std::vector<BoxId> boxes_to_look_at(const DevicePlaced& placed, BoxId every) {
  const BoxNumbering numbering(placed);
  const DeviceShare& share = *placed.on_device;
  std::vector<BoxId> boxes = numbering.every(every), shared, begun;
  for (const SharedPlace& place : share.shared) {
    const CoarseBox& box = coarse_of(share, place);
    shared.push_back(place.essential);
    if (numbering.of_shared(box.level, box.first_rank) % every == 0 && begins_here(placed, box.targets))
      begun.push_back(place.essential);
  }
  std::erase_if(boxes, [&](BoxId box) { return std::binary_search(shared.begin(), shared.end(), box); });
  std::sort(begun.begin(), begun.end());
  std::vector<BoxId> all(boxes.size() + begun.size());
  std::merge(boxes.begin(), boxes.end(), begun.begin(), begun.end(), all.begin());
  return all;
}

}  // namespace

std::vector<std::int64_t> targets_of_shared_crowds(const DevicePlaced& placed) {
  const DeviceShare& share = *placed.on_device;
  std::vector<std::int64_t> numbers;
  for (std::size_t b = 0; b < share.top.shared.size(); ++b) {
    const CoarseBox& box = share.partition.boxes[share.top.coarse[b]];
    const BoxTargets targets{box.targets.begin, box.targets.count, placed.geometry.targets};
    if (!share.top.shared[b] || !is_crowded(box.level, targets)) continue;
    for (int j = 0; j < of_crowd; ++j) numbers.push_back(target_of_crowd(targets, j));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void TailsOfRank::place(const DevicePlaced& placed, const std::vector<std::int64_t>& crowds, const Sample& sample,
                        std::int64_t before) {
  const DeviceShare& share = *placed.on_device;
  const cudaStream_t stream = placed.memory.stream;
  constexpr std::int64_t most = farfield::cuda::tuning::tail_boxes;
  const auto every = static_cast<BoxId>(std::max<std::int64_t>(1, (placed.boxes_of_all + most - 1) / most));
  const std::vector<BoxId> boxes = boxes_to_look_at(placed, every);
  farfield::cuda::upload(box_, boxes.data(), std::ssize(boxes), stream);
  farfield::cuda::upload(number_, crowds.data(), std::ssize(crowds), stream);
  const auto& x = share.essential.target_points().axis;
  const std::int64_t first = placed.first_target();
  static_assert(sizeof(Held) == sizeof(std::int64_t[2]) && offsetof(Held, count) == sizeof(std::int64_t));
  view_ = {every,
           box_.data(),
           box_.size(),
           reinterpret_cast<const std::int64_t(*)[2]>(share.held.data()),
           placed.geometry.targets,
           {{x[0].data() + first, x[1].data() + first, x[2].data() + first},
            share.first_target,
            placed.own_targets(),
            number_.data(),
            sample.coordinates(0) + before,
            number_.size(),
            sample.count()}};
}

}  // namespace farfield::distributed

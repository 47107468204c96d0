#include <algorithm>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/judging/numbering.hpp"

namespace farfield::distributed {
namespace {

struct FindLevels {
  const BoxId* box;
  int count;
  const BoxId* level_begin;
  int* place;
  __device__ void operator()(std::int64_t l) const {
    int low = 0, high = count;
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

}  // namespace

std::vector<int> places_of_levels(const BoxId* boxes, int count, const TreeView& tree, int levels,
                                  farfield::cuda::DeviceMemory& memory) {
  std::vector<int> places(static_cast<std::size_t>(levels) + 1, count);
  if (tree.boxes == 0) return places;
  OnDevice<BoxId> begin(memory);
  OnDevice<int> place(memory);
  const int own = std::min(levels, tree.levels);
  place.resize(own + 1);
  farfield::cuda::upload(begin, tree.level_begin, own + 1, memory.stream);
  farfield::cuda::for_each_index(own + 1, FindLevels{boxes, count, begin.data(), place.data()}, memory.stream,
                                 "places of levels");
  const std::vector<int> found = downloaded(place.data(), place.size(), memory.stream);
  std::copy(found.begin(), found.end(), places.begin());
  return places;
}

BoxNumbering::BoxNumbering(DevicePlaced& placed) : begin_{0}, offset_(placed.memory) {
  const DeviceShare& share = *placed.on_device;
  const auto count = static_cast<int>(share.mine.size());
  const int levels = placed.levels_of_all;
  place_ = places_of_levels(share.mine.data(), count, share.essential.tree.view(), levels, placed.memory);
  std::vector<std::int64_t> own, offset;
  for (int l = 0; l < levels; ++l) own.push_back(end(l) - first(l));
  const std::vector<std::int64_t> all = placed.ranks->all_gather(own.data(), own.size());
  const auto rank = static_cast<std::size_t>(placed.ranks->rank());
  for (std::size_t l = 0; l < own.size(); ++l) {
    std::int64_t next = begin_.back();
    for (std::size_t r = 0; r * own.size() < all.size(); ++r) {
      if (r == rank) offset.push_back(next - place_[l]);
      next += all[r * own.size() + l];
    }
    begin_.push_back(next);
  }
  farfield::cuda::upload(offset_, offset.data(), std::ssize(offset), placed.memory.stream);
  view_ = {share.mine.data(), count, offset_.data()};
}

}  // namespace farfield::distributed

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/share/own_points.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

using farfield::cuda::block_threads;
using farfield::cuda::DeviceMemory;
using farfield::cuda::download;
using farfield::cuda::for_each_index;
using farfield::cuda::require;
using farfield::cuda::upload;

namespace {

constexpr std::uint32_t no_point = 0xffffffffu;

/// Counts points by the children of their boxes. Few counters are in the memory of a block, so that points that follow
/// one another in space do not wait for one another.
template <class Read>
struct CountChildren {
  Read read;
  Lattice lattice;
  int level;
  std::int64_t points;
  const std::int32_t* first_child;  // [codes]: code of the first child of a box that is divided, else -1
  std::uint32_t base, counters;
  bool in_block;
  std::uint32_t *code, *count;

  __device__ void operator()(std::uint32_t* of_block) const {
    for (std::uint32_t c = threadIdx.x; in_block && c < counters; c += block_threads) of_block[c] = 0;
    __syncthreads();
    for (std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x; i < points;
         i += std::int64_t(gridDim.x) * block_threads)
      add(i, of_block);
    __syncthreads();
    for (std::uint32_t c = threadIdx.x; in_block && c < counters; c += block_threads)
      if (of_block[c] > 0) atomicAdd(count + c, of_block[c]);
  }

 private:
  __device__ void add(std::int64_t i, std::uint32_t* of_block) const {
    const std::int32_t first = first_child[code[i]];
    if (first < 0) return;
    std::uint32_t child = static_cast<std::uint32_t>(first);
    for (int axis = 0; axis < 3; ++axis)
      child += static_cast<std::uint32_t>(lattice.index(read(i, axis), axis) >> (lattice.depth - level - 1) & 1)
               << axis;
    code[i] = child;
    if (in_block)
      atomicAdd(of_block + (child - base), 1u);
    else
      atomicAdd(count + (child - base), 1u);
  }
};

template <class Read>
__global__ void __launch_bounds__(block_threads)
    count_children_kernel(const __grid_constant__ CountChildren<Read> count) {
  extern __shared__ std::uint32_t counts_of_block[];
  count(counts_of_block);
}

/// The box of a point among those whose bounds are wanted, or -1.
struct PlaceOf {
  const std::uint32_t* code;
  std::uint32_t base;
  const std::int32_t* place;  // [boxes of the last count]
  __device__ std::int32_t operator()(std::int64_t i) const { return code[i] < base ? -1 : place[(code[i] - base) / 8]; }
};

/// Some point of each box.
struct PickPoint {
  PlaceOf place_of;
  std::uint32_t* picked;
  __device__ void operator()(std::int64_t i) const {
    const std::int32_t place = place_of(i);
    if (place >= 0 && i < picked[place]) atomicMin(picked + place, static_cast<std::uint32_t>(i));
  }
};

struct ComparePoint {
  PlaceOf place_of;
  AnyReader read;
  const std::uint32_t* picked;
  std::uint32_t* apart;  // is a point elsewhere than the one that was picked?
  double* x;             // of that one
  __device__ void operator()(std::int64_t i) const {
    const std::int32_t place = place_of(i);
    if (place < 0 || (apart[place] && i != picked[place])) return;
    for (int axis = 0; axis < 3; ++axis) {
      if (read(i, axis) != read(picked[place], axis)) apart[place] = 1;
      if (i == picked[place]) x[3 * place + axis] = read(i, axis);
    }
  }
};

struct OwnerOf {
  const std::uint32_t *code, *owner;
  std::uint32_t* to;
  __device__ void operator()(std::int64_t i) const { to[i] = owner[code[i]]; }
};

}  // namespace

DeviceOwnPoints::DeviceOwnPoints(const Points& sources, const Points* targets, int exponent, const Lattice& lattice,
                                 DeviceMemory& memory)
    : lattice_(lattice), memory_(memory), box_{0} {
  for (const Points* points : {&sources, targets}) {
    if (!points) continue;
    if (points->count > most_points)
      throw Error(ErrorCode::usage, std::to_string(points->count) +
                                        " points are more than the 4294967294 that one rank can pass; use more ranks");
    Set set{*points, Scaling(exponent), OnDevice<std::uint32_t>(memory)};
    set.code.resize(points->count);
    if (points->count > 0)
      require(cudaMemsetAsync(set.code.data(), 0, static_cast<std::size_t>(points->count) * sizeof(std::uint32_t),
                              memory.stream),
              "cudaMemsetAsync");
    sets_.push_back(std::move(set));
  }
}

void DeviceOwnPoints::count(Set& set, int level, const std::int32_t* first_child, std::uint32_t* counts) {
  if (set.points.count == 0) return;
  const auto counters = static_cast<std::uint32_t>(8 * counted_);
  const farfield::cuda::DeviceLimits& limits = farfield::cuda::device_limits();
  const std::size_t bytes = counters * sizeof(std::uint32_t);
  const bool in_block = bytes <= static_cast<std::size_t>(limits.shared_bytes) / 4;
  const std::int64_t blocks =
      std::min<std::int64_t>((set.points.count + block_threads - 1) / block_threads, 8 * limits.multiprocessors);
  with_reader(set.points, set.scale, [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    const CountChildren<Read> count{
        read,     lattice_,        level, set.points.count, first_child, static_cast<std::uint32_t>(base_), counters,
        in_block, set.code.data(), counts};
    farfield::cuda::launch_kernel("points of coarse boxes", count_children_kernel<Read>,
                                  {static_cast<unsigned>(blocks), block_threads, in_block ? bytes : 0}, memory_.stream,
                                  count);
  });
}

Numbers DeviceOwnPoints::count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) {
  base_ = box_.size(), counted_ = dividing.size();
  std::vector<std::int32_t> first_of_box(boxes.size(), -1), first_of_code;
  for (std::size_t k = 0; k < dividing.size(); ++k)
    first_of_box[static_cast<std::size_t>(dividing[k])] = static_cast<std::int32_t>(base_ + 8 * k);
  for (const int box : box_) first_of_code.push_back(first_of_box[static_cast<std::size_t>(box)]);
  for (const std::int64_t box : dividing) box_.insert(box_.end(), 8, static_cast<int>(box));

  OnDevice<std::int32_t> first_child(memory_);
  upload(first_child, first_of_code.data(), std::ssize(first_of_code), memory_.stream);
  std::vector<std::uint32_t> counts(8 * counted_ * sets_.size(), 0);
  OnDevice<std::uint32_t> counters(memory_);
  upload(counters, counts.data(), std::ssize(counts), memory_.stream);
  const int level = boxes[static_cast<std::size_t>(dividing[0])].level;
  for (std::size_t s = 0; s < sets_.size(); ++s)
    count(sets_[s], level, first_child.data(), counters.data() + 8 * counted_ * s);
  download(counts.data(), counters.data(), std::ssize(counts), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points of coarse boxes");
  return {counts.begin(), counts.end()};
}

std::vector<double> DeviceOwnPoints::bounds(const Numbers& places) {
  std::vector<std::int32_t> place_of(counted_, -1);
  for (std::size_t k = 0; k < places.size(); ++k)
    place_of[static_cast<std::size_t>(places[k])] = static_cast<std::int32_t>(k);
  OnDevice<std::int32_t> place(memory_);
  upload(place, place_of.data(), std::ssize(place_of), memory_.stream);
  std::vector<double> bounds(6 * places.size(), std::numeric_limits<double>::infinity());
  for (const Set& set : sets_) add_bounds(set, place.data(), places.size(), bounds);
  return bounds;
}

/// The bounds of points that coincide are one of them; those of others do not count.
void DeviceOwnPoints::add_bounds(const Set& set, const std::int32_t* place, std::size_t places,
                                 std::vector<double>& bounds) {
  std::vector<std::uint32_t> pick(places, no_point), apart(places, 0);
  std::vector<double> x(3 * places, 0);
  OnDevice<std::uint32_t> picked(memory_), elsewhere(memory_);
  OnDevice<double> at(memory_);
  upload(picked, pick.data(), std::ssize(pick), memory_.stream);
  upload(elsewhere, apart.data(), std::ssize(apart), memory_.stream);
  at.resize(std::ssize(x));
  const PlaceOf place_of{set.code.data(), static_cast<std::uint32_t>(base_), place};
  for_each_index(set.points.count, PickPoint{place_of, picked.data()}, memory_.stream, "a point of a box");
  for_each_index(set.points.count,
                 ComparePoint{place_of, AnyReader(set.points, set.scale), picked.data(), elsewhere.data(), at.data()},
                 memory_.stream, "points that coincide");
  download(pick.data(), picked.data(), std::ssize(pick), memory_.stream);
  download(apart.data(), elsewhere.data(), std::ssize(apart), memory_.stream);
  download(x.data(), at.data(), std::ssize(x), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points that coincide");
  for (std::size_t k = 0; k < places; ++k)
    for (std::size_t axis = 0; axis < 3 && pick[k] != no_point; ++axis) {
      double* bound = &bounds[6 * k + 2 * axis];
      const double low = x[3 * k + axis], infinity = std::numeric_limits<double>::infinity();
      bound[0] = std::min(bound[0], apart[k] ? -infinity : low);
      bound[1] = std::min(bound[1], apart[k] ? -infinity : -low);
    }
}

void DeviceOwnPoints::add_child(std::size_t place, int octant) {
  box_[base_ + 8 * place + static_cast<std::size_t>(octant)] = boxes_++;
}

OnDevice<std::uint32_t> DeviceOwnPoints::owners(int set, std::int64_t count,
                                                const std::vector<CoarseBox>& boxes) const {
  std::vector<std::uint32_t> owner_of_code;
  for (const int box : box_)
    owner_of_code.push_back(static_cast<std::uint32_t>(boxes[static_cast<std::size_t>(box)].first_rank));
  OnDevice<std::uint32_t> owner(memory_), owners(memory_);
  upload(owner, owner_of_code.data(), std::ssize(owner_of_code), memory_.stream);
  owners.resize(count);
  for_each_index(count, OwnerOf{sets_[static_cast<std::size_t>(set)].code.data(), owner.data(), owners.data()},
                 memory_.stream, "owners");
  return owners;
}

}  // namespace farfield::distributed

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
/// So many levels are counted at once, by the boxes below them: almost always these are divided.
constexpr int most_cell_levels = 3;

/// Counts points by the descendants of their boxes some levels below. Few counters are in the memory of a block, so
/// that points that follow one another in space do not wait for one another.
template <class Read>
struct CountChildren {
  Read read;
  Lattice lattice;
  int level, below;
  std::int64_t points;
  const std::int32_t* first_child;  // [codes]: code of the first child of a box that is divided, else -1; null: 0
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
    const std::int32_t first = first_child ? first_child[code[i]] : 0;
    if (first < 0) return;
    std::uint32_t child = static_cast<std::uint32_t>(first);
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t index = lattice.index(read(i, axis), axis) >> (lattice.depth - level - below);
      for (int l = 0; l < below; ++l) child += static_cast<std::uint32_t>(index >> l & 1) << (3 * l + axis);
    }
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
  const std::int32_t* place;  // [codes]
  __device__ std::int32_t operator()(std::int64_t i) const { return place[code[i]]; }
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

}  // namespace

/// Which child of its ancestor of a level is a cell in?
int DeviceOwnPoints::octant_of_cell(std::size_t cell, int level) const {
  return static_cast<int>(cell >> 3 * (cell_levels_ - 1 - level) & 7);
}

DeviceOwnPoints::DeviceOwnPoints(const Points& sources, const Points* targets, int exponent, const Lattice& lattice,
                                 DeviceMemory& memory)
    : lattice_(lattice),
      memory_(memory),
      cell_levels_(std::min(most_cell_levels, lattice.depth)),
      box_(std::size_t(1) << 3 * cell_levels_, 0) {
  for (const Points* points : {&sources, targets}) {
    if (!points) continue;
    if (points->count > most_points)
      throw Error(ErrorCode::usage, std::to_string(points->count) +
                                        " points are more than the 4294967294 that one rank can pass; use more ranks");
    sets_.push_back({*points, Scaling(exponent), OnDevice<std::uint32_t>(memory)});
    sets_.back().code.resize(points->count);
  }
  in_cells_ = count(0, cell_levels_, nullptr, 0, box_.size());
}

void DeviceOwnPoints::count(Set& set, int level, int below, const std::int32_t* first_child, std::size_t base,
                            std::size_t counters, std::uint32_t* counts) {
  if (set.points.count == 0) return;
  const farfield::cuda::DeviceLimits& limits = farfield::cuda::device_limits();
  const std::size_t bytes = counters * sizeof(std::uint32_t);
  const bool in_block = bytes <= static_cast<std::size_t>(limits.shared_bytes) / 4;
  const std::int64_t blocks =
      std::min<std::int64_t>((set.points.count + block_threads - 1) / block_threads, 8 * limits.multiprocessors);
  with_reader(set.points, set.scale, [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    const CountChildren<Read> count{read,
                                    lattice_,
                                    level,
                                    below,
                                    set.points.count,
                                    first_child,
                                    static_cast<std::uint32_t>(base),
                                    static_cast<std::uint32_t>(counters),
                                    in_block,
                                    set.code.data(),
                                    counts};
    farfield::cuda::launch_kernel("points of coarse boxes", count_children_kernel<Read>,
                                  {static_cast<unsigned>(blocks), block_threads, in_block ? bytes : 0}, memory_.stream,
                                  count);
  });
}

/// Of all sets: [sets][counters].
Numbers DeviceOwnPoints::count(int level, int below, const std::int32_t* first_child, std::size_t base,
                               std::size_t counters) {
  std::vector<std::uint32_t> counts(counters * sets_.size(), 0);
  OnDevice<std::uint32_t> on_device(memory_);
  upload(on_device, counts.data(), std::ssize(counts), memory_.stream);
  for (std::size_t s = 0; s < sets_.size(); ++s)
    count(sets_[s], level, below, first_child, base, counters, on_device.data() + counters * s);
  download(counts.data(), on_device.data(), std::ssize(counts), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points of coarse boxes");
  return {counts.begin(), counts.end()};
}

/// Some number for every code, from one for each box.
OnDevice<std::int32_t> DeviceOwnPoints::of_codes(const std::vector<std::int32_t>& of_boxes) const {
  std::vector<std::int32_t> of_codes;
  for (const int box : box_) of_codes.push_back(of_boxes[static_cast<std::size_t>(box)]);
  OnDevice<std::int32_t> on_device(memory_);
  upload(on_device, of_codes.data(), std::ssize(of_codes), memory_.stream);
  return on_device;
}

Numbers DeviceOwnPoints::count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) {
  level_ = boxes[static_cast<std::size_t>(dividing[0])].level, dividing_ = dividing;
  std::vector<std::int32_t> place(static_cast<std::size_t>(boxes_), -1);
  for (std::size_t k = 0; k < dividing.size(); ++k)
    place[static_cast<std::size_t>(dividing[k])] = static_cast<std::int32_t>(k);
  if (level_ < cell_levels_) return sum_cells(place);
  base_ = box_.size();
  for (std::int32_t& one : place)
    if (one >= 0) one = static_cast<std::int32_t>(base_) + 8 * one;
  const OnDevice<std::int32_t> first_child = of_codes(place);
  for (const std::int64_t box : dividing) box_.insert(box_.end(), 8, static_cast<int>(box));
  return count(level_, 1, first_child.data(), base_, 8 * dividing.size());
}

/// The same from the counts of cells; `place`: of boxes to be divided, or -1.
Numbers DeviceOwnPoints::sum_cells(const std::vector<std::int32_t>& place) const {
  const std::size_t of_set = 8 * dividing_.size();
  Numbers counts(of_set * sets_.size(), 0);
  const std::size_t cells = box_.size();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::int32_t k = place[static_cast<std::size_t>(box_[cell])];
    if (k < 0) continue;
    for (std::size_t s = 0; s < sets_.size(); ++s)
      counts[s * of_set + 8 * static_cast<std::size_t>(k) + static_cast<std::size_t>(octant_of_cell(cell, level_))] +=
          in_cells_[s * cells + cell];
  }
  return counts;
}

std::vector<double> DeviceOwnPoints::bounds(const Numbers& places) {
  std::vector<std::int32_t> place(static_cast<std::size_t>(boxes_), -1);
  for (std::size_t k = 0; k < places.size(); ++k)
    place[static_cast<std::size_t>(dividing_[static_cast<std::size_t>(places[k])])] = static_cast<std::int32_t>(k);
  const OnDevice<std::int32_t> of_code = of_codes(place);
  std::vector<double> bounds(6 * places.size(), std::numeric_limits<double>::infinity());
  for (const Set& set : sets_) add_bounds(set, of_code.data(), places.size(), bounds);
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
  upload(at, x.data(), std::ssize(x), memory_.stream);
  const PlaceOf place_of{set.code.data(), place};
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
  const int child = boxes_++;
  if (level_ >= cell_levels_) {
    box_[base_ + 8 * place + static_cast<std::size_t>(octant)] = child;
    return;
  }
  for (std::size_t cell = 0; cell < box_.size(); ++cell)
    if (box_[cell] == dividing_[place] && octant_of_cell(cell, level_) == octant) box_[cell] = child;
}

Owners DeviceOwnPoints::owners(std::size_t set, const std::vector<CoarseBox>& boxes) const {
  std::vector<std::int32_t> owner_of_box;
  for (const CoarseBox& box : boxes) owner_of_box.push_back(box.first_rank);
  return {sets_[set].code.data(), of_codes(owner_of_box)};
}

}  // namespace farfield::distributed

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <farfield/error.hpp>
#include <string>
#include <type_traits>

#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/cells/cells.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "tree/grid/sort_keys.hpp"

namespace farfield::cuda {
namespace {

template <class Read, class Key>
struct MakeCellKey {
  Read read;
  CellSortKeys keys;
  Key* key;
  std::uint32_t* index;
  __device__ void operator()(std::int64_t i) const {
    double x[3];
    read.read(i, x);
    key[i] = static_cast<Key>(keys(x));
    index[i] = static_cast<std::uint32_t>(i);
  }
};

struct MakeOrderedItem {
  const std::uint32_t* index;
  Item* items;
  __device__ void operator()(std::int64_t i) const { items[i] = make_item(0, index[i]); }
};

/// Is a point the first of its cell?
template <class Key>
struct BeginsCell {
  const Key* key;
  int fine_bits;
  __device__ bool operator()(std::int64_t i) const { return i == 0 || key[i] >> fine_bits != key[i - 1] >> fine_bits; }
};

struct NameCell {
  CellsView cells;
  CellLattice lattice;
  const double* axis[3];
  std::int64_t points;
  CellKey* key;
  std::int64_t* begin;
  __device__ void operator()(std::int64_t c) const {
    if (c == cells.count) {
      begin[c] = points;
      return;
    }
    const std::int64_t i = begin[c];
    const double x[3] = {axis[0][i], axis[1][i], axis[2][i]};
    key[c] = key_of_cell(lattice, x);
  }
};

template <class Key>
void sort_as(Cloud& cloud, Cells& cells, const CellSortKeys& keys, std::int64_t* found, DeviceMemory& memory) {
  const std::int64_t count = cloud.count();
  DeviceArray<Key> key[2] = {DeviceArray<Key>(memory), DeviceArray<Key>(memory)};
  DeviceArray<std::uint32_t> index[2] = {DeviceArray<std::uint32_t>(memory), DeviceArray<std::uint32_t>(memory)};
  for (int half = 0; half < 2; ++half) key[half].resize(count), index[half].resize(count);
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for_each_index(count,
                   MakeCellKey<std::remove_cvref_t<decltype(read)>, Key>{read, keys, key[0].data(), index[0].data()},
                   memory.stream, "keys of cells");
  });
  cub::DoubleBuffer<Key> sorted(key[0].data(), key[1].data());
  cub::DoubleBuffer<std::uint32_t> order(index[0].data(), index[1].data());
  if (keys.all() > 0)
    with_temporary(memory, "sort by cells", [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, sorted, order, count, 0, keys.all(), memory.stream);
    });
  cloud.items.resize(count);
  for_each_index(count, MakeOrderedItem{order.Current(), cloud.items.data()}, memory.stream, "items of cells");
  cells.begin.resize(count + 1);
  with_temporary(memory, "cells", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<std::int64_t>(0), cells.begin.data(),
                                 found, count, BeginsCell<Key>{sorted.Current(), keys.fine_bits()}, memory.stream);
  });
}

}  // namespace

void sort_by_cells(SortedPoints& sorted, Cells& cells, const Points& points, const Geometry& geometry,
                   const CellLattice& lattice, std::int64_t* found, DeviceMemory& memory) {
  const DevicePoints copy(points, memory);
  Cloud cloud{copy.view(), Scaling(geometry.exponent), {}, DeviceArray<Item>(memory), DeviceArray<Item>(memory)};
  if (cloud.count() == 0) {
    cells.begin.resize(1);
    require(cudaMemsetAsync(found, 0, sizeof *found, memory.stream), "cudaMemsetAsync");
  } else {
    if (cloud.count() > most_points)
      throw Error(ErrorCode::usage, std::to_string(cloud.count()) +
                                        " points are more than the 4294967294 that one plan on a device can hold; "
                                        "use fewer sources or targets per plan");
    const CellSortKeys keys(lattice, geometry);
    (keys.all() <= 32 ? sort_as<std::uint32_t> : sort_as<std::uint64_t>)(cloud, cells, keys, found, memory);
  }
  gather(sorted, cloud, memory.stream);
}

void name_cells(Cells& cells, const SortedPoints& sorted, const CellLattice& lattice, cudaStream_t stream) {
  cells.key.resize(cells.count);
  for_each_index(cells.count + 1,
                 NameCell{cells.view(),
                          lattice,
                          {sorted.axis[0].data(), sorted.axis[1].data(), sorted.axis[2].data()},
                          sorted.count,
                          cells.key.data(),
                          cells.begin.data()},
                 stream, "cells");
}

}  // namespace farfield::cuda

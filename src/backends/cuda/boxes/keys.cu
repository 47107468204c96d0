#include <algorithm>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <farfield/error.hpp>
#include <string>
#include <type_traits>

#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"
#include "model/cost_model.hpp"

namespace farfield::cuda {
namespace {

template <class Read>
struct MakeItem {
  Read read;
  Lattice lattice;
  KeyLayout layout;
  Item* items;
  std::uint8_t* upper;  // null: items hold whole keys
  __device__ void operator()(std::int64_t i) const {
    double x[3];
    read.read(i, x);
    const std::uint64_t key = morton_key(lattice, x, 0, layout);
    items[i] = make_item(key, static_cast<std::uint32_t>(i), layout);
    if (upper) upper[i] = static_cast<std::uint8_t>(key >> KeyParts::lower_bits);
  }
};

/// Keys of selected items: range number above new Morton key, so that one sort serves all ranges. A block per tile.
template <class Read, class Key>
struct MakeRangeKeys {
  static constexpr int tile = 4 * block_threads;

  Read read;
  Lattice lattice;
  KeyLayout layout;
  int level;
  Ranges ranges;
  const Item* items;
  Key* keys;
  std::uint32_t* indices;

  /// A tile has few ranges: two warps search all ranges for those at its ends, then its threads search between these.
  __device__ void operator()() const {
    __shared__ std::int64_t range_at[2];
    const std::int64_t begin = std::int64_t(blockIdx.x) * tile,
                       last = (begin + tile < ranges.selected ? begin + tile : ranges.selected) - 1;
    const int warp = static_cast<int>(threadIdx.x / 32);
    if (warp < 2) {
      const std::int64_t found = range_for_warp(ranges.offset, ranges.ranges, warp == 0 ? begin : last);
      if (threadIdx.x % 32 == 0) range_at[warp] = found;
    }
    __syncthreads();
    for (std::int64_t i = begin + threadIdx.x; i <= last; i += block_threads)
      make(i, range_between(ranges.offset, range_at[0], range_at[1] + 1, i));
  }

 private:
  __device__ void make(std::int64_t i, std::int64_t range) const {
    const std::uint32_t index = index_of(items[i + ranges.skipped[range]], layout);
    double x[3];
    read.read(index, x);
    keys[i] = static_cast<Key>(range) << layout.levels(level).bits() |
              static_cast<Key>(morton_key(lattice, x, level, layout));
    indices[i] = index;
  }
};

template <class Read, class Key>
__global__ void __launch_bounds__(block_threads)
    make_range_keys_kernel(const __grid_constant__ MakeRangeKeys<Read, Key> make) {
  make();
}

template <class Key>
struct PutBack {
  Ranges ranges;
  KeyLayout layout;
  int key_bits;
  const Key* keys;
  const std::uint32_t* indices;
  Item* items;
  __device__ void operator()(std::int64_t i) const {
    const std::uint32_t key = static_cast<std::uint32_t>(keys[i]) & ((1u << key_bits) - 1);
    items[i + ranges.skipped[keys[i] >> key_bits]] = make_item(key, indices[i], layout);
  }
};

int bits_below(std::int64_t count) {
  int bits = 0;
  while (count > std::int64_t(1) << bits) ++bits;
  return bits;
}

template <class Key>
void make_range_keys(const Cloud& cloud, const Ranges& ranges, int level, Key* keys, std::uint32_t* indices,
                     cudaStream_t stream) {
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    using Make = MakeRangeKeys<std::remove_cvref_t<decltype(read)>, Key>;
    const std::int64_t blocks = (ranges.selected + Make::tile - 1) / Make::tile;
    make_range_keys_kernel<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(
        Make{read, cloud.lattice, cloud.layout, level, ranges, cloud.items.data(), keys, indices});
    require_launch("new keys");
  });
}

template <class Key>
void renew_keys_as(Cloud& cloud, const Ranges& ranges, int level, int bits, DeviceMemory& memory) {
  const std::int64_t count = ranges.selected;
  DeviceArray<Key> keys[2] = {DeviceArray<Key>(memory), DeviceArray<Key>(memory)};
  DeviceArray<std::uint32_t> indices[2] = {DeviceArray<std::uint32_t>(memory), DeviceArray<std::uint32_t>(memory)};
  for (int half = 0; half < 2; ++half) {
    keys[half].resize(count);
    indices[half].resize(count);
  }
  make_range_keys(cloud, ranges, level, keys[0].data(), indices[0].data(), memory.stream);
  cub::DoubleBuffer<Key> sorted_keys(keys[0].data(), keys[1].data());
  cub::DoubleBuffer<std::uint32_t> sorted_indices(indices[0].data(), indices[1].data());
  with_temporary(memory, "sort of new keys", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, sorted_keys, sorted_indices, count, 0, bits,
                                           memory.stream);
  });
  for_each_index(count,
                 PutBack<Key>{ranges, cloud.layout, cloud.layout.levels(level).bits(), sorted_keys.Current(),
                              sorted_indices.Current(), cloud.items.data()},
                 memory.stream, "new items");
}

}  // namespace

/// Twelve levels take a fifth pass of the sort (0.5 ms for 2^26 points, H200). For surfaces they save new keys and a
/// second sort (5 ms), where most boxes on the tenth level would be divided and few on the twelfth: 2^26 points on a
/// sphere. Clouds with a dense core, whose dimension here is 1.3 to 1.6 (2^24 to 2^28 points of a Plummer model), need
/// new keys beyond twelve levels, too, and their tree then takes 7 ms more (2^28 points on each of two H200). Ranks
/// decide alike, from the geometry of all points, and whether items are in parts changes nothing of their order.
KeyLayout layout_of_keys(const Geometry& geometry, std::int64_t leaf_size, std::int64_t most) {
  KeyLayout deep{12};
  deep.in_parts = most > std::int64_t(1) << deep.index_bits();
  const std::int64_t points = std::max(geometry.sources, geometry.targets);
  const double dimension = dimension_of(geometry);
  if (dimension < 1.85 || dimension > 2.5) return {};
  const double finer = std::exp2(KeyLayout().first) / geometry.grid;
  const double cells = static_cast<double>(geometry.occupied) * std::pow(finer, dimension);
  return static_cast<double>(points) > cells * static_cast<double>(leaf_size) / 2 ? deep : KeyLayout();
}

void make_items(Cloud& cloud, DeviceMemory& memory) {
  if (cloud.count() > most_points)
    throw Error(ErrorCode::usage, std::to_string(cloud.count()) +
                                      " points are more than the 4294967294 that one plan on a device can hold; "
                                      "use fewer sources or targets per plan");
  cloud.items.resize(cloud.count());
  cloud.scratch.resize(cloud.count());
  if (cloud.layout.in_parts) {
    use_all(memory, cloud.upper);
    cloud.upper.resize(cloud.count());
  }
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for_each_index(cloud.count(),
                   MakeItem<std::remove_cvref_t<decltype(read)>>{read, cloud.lattice, cloud.layout, cloud.items.data(),
                                                                 cloud.upper.data()},
                   memory.stream, "keys");
  });
}

/// Keys of 32 bits wherever range and key fit them: four passes of 16 bytes an item instead of five to eight of 24.
void renew_keys(Cloud& cloud, const Ranges& ranges, int level, DeviceMemory& memory) {
  if (ranges.selected == 0) return;
  const int bits = cloud.layout.levels(level).bits() + bits_below(ranges.ranges);
  const auto renew = bits <= 32 ? renew_keys_as<std::uint32_t> : renew_keys_as<std::uint64_t>;
  renew(cloud, ranges, level, bits, memory);
}

}  // namespace farfield::cuda

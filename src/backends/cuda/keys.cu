#include <cub/device/device_radix_sort.cuh>
#include <farfield/error.hpp>
#include <string>
#include <type_traits>

#include "backends/cuda/keys.hpp"
#include "backends/cuda/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr int key_bits = 3 * levels_per_key;

template <class Read>
struct MakeItem {
  Read read;
  Lattice lattice;
  Item* items;
  __device__ void operator()(std::int64_t i) const {
    double x[3];
    read.read(i, x);
    items[i] = make_item(morton_key(lattice, x, 0), static_cast<std::uint32_t>(i));
  }
};

/// Where a selected item stands among all items.
struct Place {
  Ranges ranges;
  __device__ std::int64_t range_of(std::int64_t i) const {
    std::int64_t low = 0, high = ranges.ranges;  // offset[low] <= i < offset[high]
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (ranges.offset[middle] <= i ? low : high) = middle;
    }
    return low;
  }
  __device__ std::int64_t position(std::int64_t range, std::int64_t i) const {
    return ranges.begin[range] + (i - ranges.offset[range]);
  }
};

/// Selected items with their range above the new key: one sort keeps ranges apart.
struct MakeRangeKey {
  AnyReader read;
  Lattice lattice;
  int level;
  Place place;
  const Item* items;
  std::uint64_t* keys;
  std::uint32_t* indices;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t range = place.range_of(i);
    const std::uint32_t index = index_of(items[place.position(range, i)]);
    double x[3];
    read.read(index, x);
    keys[i] = static_cast<std::uint64_t>(range) << key_bits | morton_key(lattice, x, level);
    indices[i] = index;
  }
};

struct PutBack {
  Place place;
  const std::uint64_t* keys;
  const std::uint32_t* indices;
  Item* items;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t range = static_cast<std::int64_t>(keys[i] >> key_bits);
    const std::uint32_t key = static_cast<std::uint32_t>(keys[i]) & ((1u << key_bits) - 1);
    items[place.position(range, i)] = make_item(key, indices[i]);
  }
};

int bits_below(std::int64_t count) {
  int bits = 0;
  while (count > std::int64_t(1) << bits) ++bits;
  return bits;
}

}  // namespace

void make_items(Cloud& cloud, DeviceMemory& memory) {
  if (cloud.count() > most_points)
    throw Error(ErrorCode::usage, std::to_string(cloud.count()) +
                                      " points are more than the 4294967294 that one plan on a device can hold; "
                                      "use fewer sources or targets per plan");
  cloud.items.resize(cloud.count());
  cloud.scratch.resize(cloud.count());
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for_each_index(cloud.count(),
                   MakeItem<std::remove_cvref_t<decltype(read)>>{read, cloud.lattice, cloud.items.data()},
                   memory.stream, "keys");
  });
}

void renew_keys(Cloud& cloud, const Ranges& ranges, int level, DeviceMemory& memory) {
  const std::int64_t count = ranges.selected;
  if (count == 0) return;
  DeviceArray<std::uint64_t> keys[2] = {DeviceArray<std::uint64_t>(memory), DeviceArray<std::uint64_t>(memory)};
  DeviceArray<std::uint32_t> indices[2] = {DeviceArray<std::uint32_t>(memory), DeviceArray<std::uint32_t>(memory)};
  for (int half = 0; half < 2; ++half) {
    keys[half].resize(count);
    indices[half].resize(count);
  }
  const Place place{ranges};
  for_each_index(
      count,
      MakeRangeKey{cloud.reader(), cloud.lattice, level, place, cloud.items.data(), keys[0].data(), indices[0].data()},
      memory.stream, "new keys");
  cub::DoubleBuffer<std::uint64_t> sorted_keys(keys[0].data(), keys[1].data());
  cub::DoubleBuffer<std::uint32_t> sorted_indices(indices[0].data(), indices[1].data());
  with_temporary(memory, "sort of new keys", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, sorted_keys, sorted_indices, count, 0,
                                           key_bits + bits_below(ranges.ranges), memory.stream);
  });
  for_each_index(count, PutBack{place, sorted_keys.Current(), sorted_indices.Current(), cloud.items.data()},
                 memory.stream, "new items");
}

}  // namespace farfield::cuda

#include <cub/device/device_radix_sort.cuh>

#include "backends/cuda/boxes/key_parts.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"

namespace farfield::cuda {
namespace {

/// Where the items begin whose upper bits are i or more.
struct FindPart {
  const std::uint8_t* upper;  // ascending
  std::int64_t items;
  std::int64_t* begin;
  __device__ void operator()(std::int64_t i) const {
    begin[i] = count_below(upper, items, static_cast<std::uint8_t>(i));
  }
};

/// One pass of the sort; leaves the items in `items`.
KeyParts sort_by_upper_bits(DeviceArray<Item>& items, DeviceArray<Item>& scratch, DeviceArray<std::uint8_t>& upper,
                            DeviceMemory& memory) {
  const std::int64_t count = items.size();
  DeviceArray<std::uint8_t> sorted(memory);
  sorted.resize(count);
  with_temporary(memory, "sort by upper bits", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, upper.data(), sorted.data(), items.data(), scratch.data(),
                                           count, 0, KeyParts::upper_bits, memory.stream);
  });
  items.swap(scratch);
  upper.release();
  KeyParts parts;
  DeviceArray<std::int64_t> begin(memory);
  begin.resize(KeyParts::parts + 1);
  for_each_index(KeyParts::parts + 1, FindPart{sorted.data(), count, begin.data()}, memory.stream, "parts of keys");
  download(parts.begin, begin.data(), KeyParts::parts + 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "parts of keys");
  return parts;
}

}  // namespace

KeyParts sort_in_parts(DeviceArray<Item>& items, DeviceArray<Item>& scratch, DeviceArray<std::uint8_t>& upper,
                       DeviceMemory& memory) {
  const KeyParts parts = sort_by_upper_bits(items, scratch, upper, memory);
  DeviceArray<unsigned char> temporary(memory);
  for (int part = 0; part < KeyParts::parts; ++part) {
    const std::int64_t begin = parts.begin[part], count = parts.begin[part + 1] - begin;
    if (count < 2) continue;
    cub::DoubleBuffer<Item> buffer(items.data() + begin, scratch.data() + begin);
    with_temporary(temporary, "sort of a part", [&](void* room, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(room, bytes, buffer, count, KeyParts::lower_bits, 64, memory.stream);
    });
    if (buffer.Current() != items.data() + begin)
      require(cudaMemcpyAsync(items.data() + begin, buffer.Current(), static_cast<std::size_t>(count) * sizeof(Item),
                              cudaMemcpyDeviceToDevice, memory.stream),
              "a sorted part");
  }
  return parts;
}

}  // namespace farfield::cuda

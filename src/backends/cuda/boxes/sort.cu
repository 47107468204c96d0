#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

#include "backends/cuda/boxes/sort.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

struct TakeIndex {
  const Item* items;
  KeyLayout layout;
  std::uint32_t* order;
  __device__ void operator()(std::int64_t i) const { order[i] = index_of(items[i], layout); }
};

template <class Read>
struct Gather {
  Read read;
  const Item* items;  // null: the caller's order
  KeyLayout layout;
  std::int64_t count;
  double* axis[3];
  std::uint32_t* order;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t at = i < count ? i : count - 1;  // -1: there are no points
    const std::uint32_t index = at < 0 ? 0 : items ? index_of(items[at], layout) : static_cast<std::uint32_t>(at);
    order[i] = index;
    for (int d = 0; d < 3; ++d) axis[d][i] = at < 0 ? 0 : read(index, d);
  }
};

}  // namespace

void sort_items(Cloud& cloud, DeviceMemory& memory) {
  if (cloud.layout.in_parts) {
    cloud.parts = sort_in_parts(cloud.items, cloud.scratch, cloud.upper, memory);
    return;
  }
  if (cloud.count() < 2) return;
  cub::DoubleBuffer<Item> items(cloud.items.data(), cloud.scratch.data());
  with_temporary(memory, "sort", [&](void* temporary, std::size_t& bytes) {
    const int first = cloud.layout.index_bits();
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, items, cloud.count(), first,
                                          first + cloud.layout.levels(0).bits(), memory.stream);
  });
  if (items.Current() != cloud.items.data()) cloud.items.swap(cloud.scratch);
}

void order_along_curve(DeviceArray<std::uint32_t>& order, Cloud& cloud, DeviceMemory& memory) {
  make_items(cloud, memory);
  sort_items(cloud, memory);
  order.resize(cloud.count());
  for_each_index(cloud.count(), TakeIndex{cloud.items.data(), cloud.layout, order.data()}, memory.stream,
                 "order_along_curve");
  cloud.items.release();
  cloud.scratch.release();
}

/// `behind`: so many times the last point is repeated.
static void gather(SortedPoints& sorted, std::int64_t first, const Cloud& cloud, std::int64_t behind,
                   cudaStream_t stream) {
  // A kernel per scalar type: a branch at every read costs a fifth of the time, which random reads decide otherwise.
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    auto& x = sorted.axis;
    for_each_index(cloud.count() + behind,
                   Gather<Read>{read,
                                cloud.items.data(),
                                cloud.layout,
                                cloud.count(),
                                {x[0].data() + first, x[1].data() + first, x[2].data() + first},
                                sorted.order.data() + first},
                   stream, "gather");
  });
}

void gather(SortedPoints& sorted, const Cloud& cloud, cudaStream_t stream) {
  sorted.resize(cloud.count());
  gather(sorted, 0, cloud, padding, stream);
}

void gather_at(SortedPoints& sorted, std::int64_t first, const Cloud& cloud, cudaStream_t stream) {
  if (cloud.count() > 0) gather(sorted, first, cloud, 0, stream);
}

}  // namespace farfield::cuda

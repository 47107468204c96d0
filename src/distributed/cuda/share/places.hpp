// Places of elements: searches and sums that kernels of the share have alike.
#pragma once
#include <cstdint>
#include <cub/device/device_scan.cuh>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"

namespace farfield::distributed {

using farfield::cuda::count_below;

/// Two counts in a word, so that one sum yields both.
FARFIELD_HD std::uint64_t two_counts(std::uint32_t first, std::uint32_t second) {
  return std::uint64_t(second) << 32 | first;
}
FARFIELD_HD std::uint32_t first_of(std::uint64_t counts) { return static_cast<std::uint32_t>(counts); }
FARFIELD_HD std::uint32_t second_of(std::uint64_t counts) { return static_cast<std::uint32_t>(counts >> 32); }

/// Each number becomes the sum of those before it.
template <class Number>
void sum_before(farfield::cuda::DeviceArray<Number>& numbers, farfield::cuda::DeviceMemory& memory) {
  farfield::cuda::with_temporary(memory, "sums of counts", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, numbers.data(), numbers.data(), numbers.size(),
                                         memory.stream);
  });
}

}  // namespace farfield::distributed

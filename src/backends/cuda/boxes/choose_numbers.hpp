// choose_numbers: those of the numbers 0, 1, 2 ... for which something holds.
#pragma once
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

/// The numbers below `count` with wanted(number), in order, into `chosen`, which has room for all; returns how many
/// there are. In the order of the memory's stream, for which it waits.
template <class Number, class Wanted>
std::int64_t choose_numbers(std::int64_t count, const Wanted& wanted, DeviceArray<Number>& chosen, DeviceMemory& memory,
                            const char* name) {
  DeviceArray<std::int64_t> found(memory);
  chosen.resize(count), found.resize(1);
  with_temporary(memory, name, [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<Number>(0), chosen.data(), found.data(),
                                 count, wanted, memory.stream);
  });
  std::int64_t chosen_ones = 0;
  download(&chosen_ones, found.data(), 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), name);
  return chosen_ones;
}

}  // namespace farfield::cuda

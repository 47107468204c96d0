#include "backends/cuda/near/in_leaf.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "tree/displacement.hpp"

namespace farfield::cuda {
namespace {

__global__ void __launch_bounds__(block_threads) place_in_leaves_kernel(const __grid_constant__ NearWork<float> work) {
  const std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= work.places) return;
  const BoxId box = work.about[i];
  const auto along = [&](int axis) {
    return static_cast<float>(displacement_from_centre(work.tree, box, work.source[axis][i], axis));
  };
  work.in_leaf[i] = {along(0), along(1), along(2), work.strength[i]};
}

}  // namespace

void place_in_leaves(const NearWork<float>& work) {
  place_in_leaves_kernel<<<blocks_for(work.places), block_threads, 0, work.stream>>>(work);
  require_launch("places in leaves");
}

}  // namespace farfield::cuda

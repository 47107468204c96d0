// Launching the tensor kernel: the two engines' entry points and the launch that they share.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/m2l/tensor/kernel.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"

namespace farfield::cuda {

void tensor_product_mma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream);
void tensor_product_wgmma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream);

template <class Engine>
void launch_tensor(void (*kernel)(TreeView, TensorProduct), int threads, const TreeView& tree,
                   const TensorProduct& product, cudaStream_t stream) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<static_cast<unsigned>(product.pass.rows.most_tiles), threads, tensor_shared_bytes<Engine>(), stream>>>(
      tree, product);
  require_launch("tensor_kernel");
}

}  // namespace farfield::cuda

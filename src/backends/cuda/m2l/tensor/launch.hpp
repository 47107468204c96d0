// Launching the tensor kernel: the two engines' entry points and the launch that they share.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/m2l/tensor/kernel.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

void tensor_product_mma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream);
void tensor_product_wgmma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream);

template <class Engine>
void launch_tensor(void (*kernel)(TreeView, TensorProduct), int threads, const TreeView& tree,
                   const TensorProduct& product, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(product.pass.rows.most_tiles), static_cast<unsigned>(product.splits));
  launch_kernel("tensor_kernel", kernel, {blocks, threads, tensor_shared_bytes<Engine>()}, stream, tree, product);
}

}  // namespace farfield::cuda

// Instances of the tensor kernel with warp instructions.
#include "backends/cuda/m2l/tensor/launch.hpp"
#include "backends/cuda/m2l/tensor/mma.hpp"

namespace farfield::cuda {

template <class Engine>
static void launch(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  launch_tensor<Engine>(tensor_kernel<Engine>, tensor_threads, tree, product, stream);
}

void tensor_product_mma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  const int columns = product.pass.rows.group * product.pass.width;
  if (product.pass.terms == 3 && columns <= 64) return launch<MmaEngine<64, 3, 3>>(tree, product, stream);
  if (product.pass.terms == 3) return launch<MmaEngine<128, 3, 2>>(tree, product, stream);
  if (columns <= 128) return launch<MmaEngine<128, 1, 3>>(tree, product, stream);
  if (columns <= 192) return launch<MmaEngine<192, 1, 3>>(tree, product, stream);
  launch<MmaEngine<256, 1, 2>>(tree, product, stream);
}

}  // namespace farfield::cuda

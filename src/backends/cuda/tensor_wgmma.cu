// Instances of the tensor kernel with warpgroup instructions; compiled for sm_90a alone (src/CMakeLists.txt).
#include "backends/cuda/tensor_launch.hpp"
#include "backends/cuda/tensor_wgmma.hpp"

namespace farfield::cuda {

void tensor_product_wgmma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  const int columns = product.pass.rows.group * product.pass.width;
  if (product.pass.terms == 3)
    return columns <= 128 ? launch_tensor<WgmmaEngine<128, 3, 3>>(tree, product, stream)
                          : launch_tensor<WgmmaEngine<160, 3, 2>>(tree, product, stream);
  if (columns <= 128) return launch_tensor<WgmmaEngine<128, 1, 5>>(tree, product, stream);
  if (columns <= 144) return launch_tensor<WgmmaEngine<144, 1, 5>>(tree, product, stream);
  if (columns <= 160) return launch_tensor<WgmmaEngine<160, 1, 4>>(tree, product, stream);
  if (columns <= 176) return launch_tensor<WgmmaEngine<176, 1, 4>>(tree, product, stream);
  if (columns <= 208) return launch_tensor<WgmmaEngine<208, 1, 4>>(tree, product, stream);
  if (columns <= 224) return launch_tensor<WgmmaEngine<224, 1, 4>>(tree, product, stream);
  launch_tensor<WgmmaEngine<256, 1, 4>>(tree, product, stream);
}

}  // namespace farfield::cuda

// Instances of the tensor kernel with warpgroup instructions; compiled for sm_90a alone (src/CMakeLists.txt).
#include <cstdlib>
#include "backends/cuda/tensor_launch.hpp"
#include "backends/cuda/tensor_wgmma.hpp"

namespace farfield::cuda {

template <class Engine>
static void launch_bulk(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  static const bool simple = std::getenv("SIMPLE");
  if (simple) return launch_tensor<Engine>(tree, product, stream);
  const auto kernel = specialised_kernel<Engine>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<static_cast<unsigned>(product.pass.rows.most_tiles), specialised_threads, tensor_shared_bytes<Engine>(), stream>>>(
      tree, product);
  require_launch("specialised_kernel");
}

void tensor_product_wgmma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  const int columns = product.pass.rows.group * product.pass.width;
  if (product.pass.terms == 3)
    return columns <= 128 ? launch_bulk<WgmmaEngine<128, 3, 3>>(tree, product, stream)
                          : launch_bulk<WgmmaEngine<160, 3, 2>>(tree, product, stream);
  if (columns <= 128) return launch_bulk<WgmmaEngine<128, 1, 5>>(tree, product, stream);
  if (columns <= 144) return launch_bulk<WgmmaEngine<144, 1, 5>>(tree, product, stream);
  if (columns <= 160) return launch_bulk<WgmmaEngine<160, 1, 4>>(tree, product, stream);
  if (columns <= 176) return launch_bulk<WgmmaEngine<176, 1, 4>>(tree, product, stream);
  if (columns <= 208) return launch_bulk<WgmmaEngine<208, 1, 4>>(tree, product, stream);
  if (columns <= 224) return launch_bulk<WgmmaEngine<224, 1, 4>>(tree, product, stream);
  launch_bulk<WgmmaEngine<256, 1, 4>>(tree, product, stream);
}

}  // namespace farfield::cuda

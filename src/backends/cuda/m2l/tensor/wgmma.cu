// Instances of the tensor kernel with warpgroup instructions; compiled for sm_90a alone (src/CMakeLists.txt).
#include "backends/cuda/m2l/tensor/launch.hpp"
#include "backends/cuda/m2l/tensor/passes.hpp"
#include "backends/cuda/m2l/tensor/wgmma.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

template <int rows, int columns, int narrow, int terms>
static void launch(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  using Engine = WgmmaEngine<rows, columns, narrow, terms>;
  launch_tensor<Engine>(specialised_kernel<Engine>, specialised_threads<Engine>, tree, product, stream);
}

/// Fewer columns than 200 are worth 256 rows: a step then brings 40 bytes per clock instead of 60, which is what the
/// second-level cache gives.
template <int columns>
static void launch_one_term(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  constexpr int narrow = narrow_columns(columns);
  if constexpr (columns <= tuning::most_tall_columns)
    if (product.pass.rows.tile_rows == 256) return launch<256, columns, narrow, 1>(tree, product, stream);
  launch<128, columns, narrow, 1>(tree, product, stream);
}

void tensor_product_wgmma(const TreeView& tree, const TensorProduct& product, cudaStream_t stream) {
  const int columns = product.pass.rows.group * product.pass.width;
  if (product.pass.terms == 3 && columns <= 64) return launch<128, 64, 64, 3>(tree, product, stream);
  if (product.pass.terms == 3)
    return columns <= 128 ? launch<128, 128, 128, 3>(tree, product, stream)
                          : launch<128, 160, 160, 3>(tree, product, stream);
  if (columns <= 128) return launch_one_term<128>(tree, product, stream);
  if (columns <= 144) return launch_one_term<144>(tree, product, stream);
  if (columns <= 160) return launch_one_term<160>(tree, product, stream);
  if (columns <= 176) return launch_one_term<176>(tree, product, stream);
  if (columns <= 200) return launch_one_term<200>(tree, product, stream);
  if (columns <= 208) return launch_one_term<208>(tree, product, stream);
  if (columns <= 224) return launch_one_term<224>(tree, product, stream);
  if (columns <= 232) return launch_one_term<232>(tree, product, stream);
  launch_one_term<256>(tree, product, stream);
}

}  // namespace farfield::cuda

// Operators of m2l on tensor cores, in 16-bit floats as the tiles read them.
#include "backends/cuda/m2l/tensor/passes.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

/// id[target][slot][o]: the matrix for target child `target` and source child o of the colleague at `slot`, -1: none.
struct MatrixIds {
  std::int16_t id[8][colleagues_per_box][8];
};

__global__ void find_matrices(Operators<float> far, MatrixIds* ids) {
  std::int16_t* all = &ids->id[0][0][0];
  for (int i = static_cast<int>(threadIdx.x); i < 64 * colleagues_per_box; i += block_threads) all[i] = -1;
  __syncthreads();
  for (int c = 0; c < 8; ++c)
    for (int l = far.begin[c] + static_cast<int>(threadIdx.x); l < far.begin[c + 1]; l += block_threads) {
      const Link link = far.link[l];
      ids->id[c][link.slot][link.octant] = static_cast<std::int16_t>(link.matrix);
    }
}

/// Block (chunk of a slot, child) writes `width` rows of 64 numbers. Elements of two coefficients below `zero` are
/// 0.
__global__ void image_kernel(const float* matrix, const MatrixIds* ids, int stride, int pitch, int count, int width,
                             int zero, __half* high, __half* low) {
  const int chunks = width / 8, slot = static_cast<int>(blockIdx.x) / chunks,
            chunk = static_cast<int>(blockIdx.x) % chunks;
  const int child = static_cast<int>(blockIdx.y);
  const std::int64_t image = (static_cast<std::int64_t>(blockIdx.x) * 8 + child) * width * tensor_chunk;
  for (int i = static_cast<int>(threadIdx.x); i < width * tensor_chunk; i += block_threads) {
    const int n = i / tensor_chunk, at = i % tensor_chunk, k = chunk * tensor_chunk + at, j = k % width;
    const int id = ids->id[child][slot][k / width];
    float value = 0;
    if (id >= 0 && n < count && j < count && !(n < zero && j < zero))
      value = operator_scale * matrix[(static_cast<std::int64_t>(id) * stride + j) * pitch + n];
    const std::int64_t to = image + n * tensor_chunk + ((at / 8) ^ (n % 8)) * 8 + at % 8;
    high[to] = __float2half_rn(value);
    if (low) low[to] = __float2half_rn(value - __half2float(high[to]));
  }
}

void TensorM2l::make_operators(const TablesView<float>& tables, cudaStream_t stream) {
  DeviceArray<MatrixIds> ids(memory_);
  ids.resize(1);
  find_matrices<<<1, block_threads, 0, stream>>>(tables.far, ids.data());
  require_launch("find_matrices");
  const auto make = [&](TensorPass& pass, int zero, DeviceArray<__half>& high, DeviceArray<__half>* low) {
    const std::int64_t numbers = std::int64_t(64) * colleagues_per_box * pass.width * pass.width;
    high.resize(numbers);
    if (low) low->resize(numbers);
    image_kernel<<<dim3(static_cast<unsigned>(colleagues_per_box * pass.width / 8), 8), block_threads, 0, stream>>>(
        tables.far.matrix, ids.data(), tables.stride, tables.pitch, pass.count, pass.width, zero, high.data(),
        low ? low->data() : nullptr);
    require_launch("image_kernel");
    pass.operators[0] = high.data();
    pass.operators[1] = low ? low->data() : nullptr;
  };
  make(view_.full, view_.graded.count, operators_, nullptr);
  if (view_.graded.terms) make(view_.graded, 0, graded_operators_[0], &graded_operators_[1]);
}

}  // namespace farfield::cuda

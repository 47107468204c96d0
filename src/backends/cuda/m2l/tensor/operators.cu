// Operators of m2l on tensor cores, in 16-bit floats as the tiles read them, and in which order.
#include <algorithm>
#include <memory>

#include "backends/cuda/m2l/tensor/passes.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "expansions/solid_shape.hpp"
#include "tree/far.hpp"

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

/// What a product takes of a source: so many coefficients, for the first columns alone or for all.
struct Counted {
  int coefficients = 0;
  bool narrow = false;
};

/// Of the source in octant `other` of a colleague, for its target child `target`: in a product by one child nothing
/// where the two are near.
static Counted counted(const TensorPass& pass, const TablesView<float>& tables, BoxOffset colleague, int target,
                       int other) {
  if (pass.rows.group > 1) return {pass.width};
  const BoxOffset apart = from_cousin(target, other, colleague);
  const FarOffset& offset = far_offset(apart.x, apart.y, apart.z);
  if (offset.op < 0) return {};
  const OperatorOffset at(offset.op);
  const int degree = laplace::source_degree(tables.degree, tables.fit, at.t);
  const int taken = laplace::target_degree(tables.degree, tables.fit, at.t);
  return {std::min(pass.count, SolidShape::count(degree)), SolidShape::count(taken) <= pass.narrow};
}

/// Fills the chunks of a slot for a target child; returns how many these are.
static int fill_slot(const TensorPass& pass, const TablesView<float>& tables, int target, int slot,
                     TensorInner& inner) {
  int pieces = 0;
  for (const bool narrow : {false, true}) {
    for (int other = 0; other < 8; ++other) {
      const Counted of = counted(pass, tables, colleague_offset(slot), target, other);
      for (int i = 0; of.narrow == narrow && i < (of.coefficients + 7) / 8; ++i, ++pieces) {
        inner.piece[target][slot][pieces] = {static_cast<std::uint8_t>(other), static_cast<std::uint8_t>(i)};
        inner.children[target][slot][pieces / 8] |= static_cast<std::uint8_t>(1u << other);
      }
    }
    if (!narrow) inner.wide[target][slot] = static_cast<std::uint8_t>((pieces + 7) / 8);
  }
  return (pieces + 7) / 8;
}

static std::unique_ptr<TensorInner> inner_of(const TensorPass& pass, const TablesView<float>& tables) {
  auto inner = std::make_unique<TensorInner>();
  constexpr TensorPiece none{8, 0};
  std::fill_n(&inner->piece[0][0][0], 8 * colleagues_per_box * TensorInner::most_pieces, none);
  for (int slot = 0; slot < colleagues_per_box; ++slot) {
    int most = 0;
    for (int target = 0; target < 8; ++target) most = std::max(most, fill_slot(pass, tables, target, slot, *inner));
    inner->begin[slot + 1] = inner->begin[slot] + most;
  }
  return inner;
}

/// Block (chunk, child) writes `width` rows of 64 numbers. Elements of two coefficients below `zero` are 0.
__global__ void image_kernel(const float* matrix, const MatrixIds* ids, const TensorInner* inner, int stride, int pitch,
                             int count, int width, int zero, __half* high, __half* low) {
  const int of_all = static_cast<int>(blockIdx.x), child = static_cast<int>(blockIdx.y);
  int slot = 0;
  while (inner->begin[slot + 1] <= of_all) ++slot;
  const TensorPiece* pieces = inner->piece[child][slot] + 8 * (of_all - inner->begin[slot]);
  const std::int64_t image = (static_cast<std::int64_t>(of_all) * 8 + child) * width * tensor_chunk;
  for (int i = static_cast<int>(threadIdx.x); i < width * tensor_chunk; i += block_threads) {
    const int n = i / tensor_chunk, at = i % tensor_chunk;
    const TensorPiece piece = pieces[at / 8];
    const int j = 8 * piece.eighth + at % 8, id = piece.child < 8 ? ids->id[child][slot][piece.child] : -1;
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
  const auto make = [&](TensorPass& pass, int zero, DeviceArray<TensorInner>& kept, DeviceArray<__half>& high,
                        DeviceArray<__half>* low) {
    const std::unique_ptr<TensorInner> inner = inner_of(pass, tables);
    const int chunks = inner->begin[colleagues_per_box];
    const std::int64_t numbers = std::int64_t(8) * chunks * pass.width * tensor_chunk;
    upload(kept, inner.get(), 1, stream);
    high.resize(numbers);
    if (low) low->resize(numbers);
    image_kernel<<<dim3(static_cast<unsigned>(chunks), 8), block_threads, 0, stream>>>(
        tables.far.matrix, ids.data(), kept.data(), tables.stride, tables.pitch, pass.count, pass.width, zero,
        high.data(), low ? low->data() : nullptr);
    require_launch("image_kernel");
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // `inner` ends here
    pass.inner = kept.data();
    pass.operators[0] = high.data();
    pass.operators[1] = low ? low->data() : nullptr;
  };
  make(view_.full, view_.graded.count, inner_, operators_, nullptr);
  if (view_.graded.terms) make(view_.graded, 0, graded_inner_, graded_operators_[0], &graded_operators_[1]);
}

}  // namespace farfield::cuda

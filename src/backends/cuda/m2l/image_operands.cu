// What m2l on tensor cores reads of boxes of images: copies of the operands at home. Where the multiplying blocks look
// for their sources one more look-up would stand between each box and its numbers. Cost: 1 kB of traffic a box.
#include "backends/cuda/m2l/tensor/view.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {
namespace {

/// A warp for each box from `first` on, 16 bytes a lane.
struct CopyOperands {
  BoxId first;
  const BoxId* home;
  __half* array[3];
  int width[3];
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t box = first + i / 32, from = home[box];
    if (from == no_box) return;
    constexpr int together = 8;  // numbers in 16 bytes
#pragma unroll
    for (int a = 0; a < 3; ++a)
      for (int at = together * static_cast<int>(i % 32); at < width[a]; at += together * 32)
        *reinterpret_cast<uint4*>(array[a] + box * width[a] + at) =
            *reinterpret_cast<const uint4*>(array[a] + from * width[a] + at);
  }
};

void copy_operands(const Work<float>& work, BoxId first, BoxId last, cudaStream_t stream) {
  const TensorView& t = work.tensor;
  const int graded = t.graded.terms > 0 ? t.graded.width : 0;
  const CopyOperands copy{first, work.home, {t.high, t.graded_high, t.graded_low}, {t.full.width, graded, graded}};
  for_each_index(32 * (std::int64_t(last) - first), copy, stream, "operands of images");
}

BoxId finest(const TreeView& tree) { return tree.level_begin[tree.levels - 1]; }

}  // namespace

void copy_finest_operands(const Work<float>& work) {
  order(work.stream, work.tensor.beside);
  copy_operands(work, finest(work.tree), work.tree.boxes, work.tensor.beside);
}
void copy_other_operands(const Work<float>& work) {
  copy_operands(work, 0, finest(work.tree), work.stream);
  order(work.tensor.beside, work.stream);
}

}  // namespace farfield::cuda

// What m2l on tensor cores reads of boxes of images. With the children of a box that is an image it finds the operands
// at home, where they follow one another just so. Those of images whose parents are none it finds as any other box's,
// and they are copied there: where a parent lies across a side of the cell. Cost: 1 kB of traffic a box.
#include "backends/cuda/m2l/tensor/view.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {
namespace {

/// A warp for each box, 16 bytes a lane.
struct CopyOperands {
  const BoxId *box, *home;
  __half* array[3];
  int width[3];
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t to = box[i / 32], from = home[to];
    constexpr int together = 8;  // numbers in 16 bytes
#pragma unroll
    for (int a = 0; a < 3; ++a)
      for (int at = together * static_cast<int>(i % 32); at < width[a]; at += together * 32)
        *reinterpret_cast<uint4*>(array[a] + to * width[a] + at) =
            *reinterpret_cast<const uint4*>(array[a] + from * width[a] + at);
  }
};

}  // namespace

void copy_operands(const Work<float>& work) {
  const TensorView& t = work.tensor;
  const int graded = t.graded.terms > 0 ? t.graded.width : 0;
  const CopyOperands copy{
      work.images.apart, work.images.home, {t.high, t.graded_high, t.graded_low}, {t.full.width, graded, graded}};
  for_each_index(32 * std::int64_t(work.images.aparts), copy, work.stream, "operands of images");
}

}  // namespace farfield::cuda

// Records of several owners into the caller's order. A block has a tile of the caller's places: of each owner's records
// these are a part that is whole, since the owner's places ascend. Through shared memory all is read and written in
// order: 36 bytes a point of potential and gradient in float.
#include <algorithm>
#include <limits>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"
#include "backends/cuda/transfer/records.hpp"
#include "backends/cuda/transfer/scatter.hpp"

namespace farfield::cuda {
namespace {

constexpr int merge_tile = 1024;  ///< places

/// begin[r][t]: how many records of run r belong to tiles before t.
struct FindTiles {
  const Merge::Run* run;
  const std::uint32_t* place;
  std::int64_t tiles;
  std::uint32_t* begin;
  __device__ void operator()(std::int64_t i) const {
    const Merge::Run& own = run[i / (tiles + 1)];
    const std::int64_t end = i % (tiles + 1) * merge_tile;
    begin[i] = static_cast<std::uint32_t>(place             ? count_below(place + own.first, own.count, end)
                                          : end < own.count ? end
                                                            : own.count);
  }
};

struct MergeView {
  const Merge::Run* run;
  int runs, lanes;  ///< so many threads take records of one run
  const std::uint32_t *begin, *place;
  std::int64_t count, tiles;

  /// Fills the tile: record of place first + k to tile[k].
  template <class Record>
  __device__ void gather(std::int64_t first, Record* tile) const {
    const int thread = static_cast<int>(threadIdx.x);
    for (int r = thread / lanes; r < runs; r += block_threads / lanes) {
      const Merge::Run own = run[r];
      const std::uint32_t* const begins = begin + r * (tiles + 1) + blockIdx.x;
      const std::uint32_t end = begins[1];
#pragma unroll 4
      for (std::uint32_t k = begins[0] + static_cast<std::uint32_t>(thread % lanes); k < end;
           k += static_cast<std::uint32_t>(lanes))
        tile[(place ? place[own.first + k] : k) - first] = static_cast<const Record*>(own.records)[k];
    }
  }
};

/// Component of the gradient: of records without a potential there are two.
template <class T, int numbers>
__device__ T gradient_of(const Record<T, numbers>& record, int axis) {
  if constexpr (numbers == 4)
    return record.value[1 + axis];
  else
    return axis < numbers ? record.value[axis] : T(0);
}

template <class T, int numbers>
__global__ void __launch_bounds__(block_threads) merge_kernel(MergeView merge, Destination<T> to) {
  extern __shared__ __align__(32) unsigned char shared[];
  auto* const tile = reinterpret_cast<Record<T, numbers>*>(shared);
  const std::int64_t first = std::int64_t(blockIdx.x) * merge_tile, left = merge.count - first;
  const int here = left < merge_tile ? static_cast<int>(left) : merge_tile;
  merge.gather(first, tile);
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (numbers == hessian_numbers) {
    for (int k = thread; k < numbers * here; k += block_threads)
      to.put_hessian(first + k / numbers, k % numbers, tile[k / numbers].value[k % numbers]);
  } else {
    if (numbers != 2)
      for (int k = thread; k < here; k += block_threads) to.put_potential(first + k, tile[k].value[0]);
    if (numbers > 1)
      for (int k = thread; k < 3 * here; k += block_threads)
        to.put_gradient(first + k / 3, k % 3, gradient_of(tile[k / 3], k % 3));
  }
}

/// A warp each where there are many runs, parts of a block where there are few.
int lanes_for(std::int64_t runs) {
  int lanes = block_threads;
  while (lanes > 32 && lanes * runs > block_threads) lanes /= 2;
  return lanes;
}

}  // namespace

void Merge::prepare(std::vector<Run> runs, const std::uint32_t* places, std::int64_t count, cudaStream_t stream) {
  std::erase_if(runs, [](const Run& run) { return run.count == 0; });
  places_ = places, count_ = count;
  upload(runs_, runs.data(), std::ssize(runs), stream);
  const std::int64_t tiles = (count + merge_tile - 1) / merge_tile;
  begins_.resize(std::ssize(runs) * (tiles + 1));
  for_each_index(begins_.size(), FindTiles{runs_.data(), places, tiles, begins_.data()}, stream, "tiles of results");
}

void Merge::operator()(int parts, Scalar scalar, bool hessians, const CallerArrays& arrays, cudaStream_t stream) const {
  if (count_ == 0) return;
  const std::int64_t tiles = (count_ + merge_tile - 1) / merge_tile;
  const MergeView view{
      runs_.data(), static_cast<int>(runs_.size()), lanes_for(runs_.size()), begins_.data(), places_, count_, tiles};
  with_scalar(scalar, [&](auto number) {
    using T = decltype(number);
    const Destination<T> to{
        {static_cast<T*>(arrays.potential), static_cast<T*>(arrays.gradient), static_cast<T*>(arrays.hessian)},
        {},
        std::numeric_limits<std::int64_t>::max()};
    const auto launch = [&](auto numbers) {
      launch_kernel("merge_kernel", merge_kernel<T, numbers()>,
                    {static_cast<unsigned>(tiles), block_threads, merge_tile * sizeof(Record<T, numbers()>)}, stream,
                    view, to);
    };
    if (hessians) return launch(std::integral_constant<int, hessian_numbers>{});
    with_all_parts(parts, [&](auto all) { launch(std::integral_constant<int, numbers_of<all()>>{}); });
  });
}

}  // namespace farfield::cuda

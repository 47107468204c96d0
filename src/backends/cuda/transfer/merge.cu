// Records of several owners into the caller's order. A block takes tiles of the caller's places: of each owner's
// records these are a part that is whole, since the owner's places ascend. Through shared memory all is read and
// written in order: 36 bytes a point of potential and gradient in float.
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

/// whole[p]: how many tiles, the first ones, are whole with part p.
struct FindWhole {
  const Merge::Run* run;
  const std::uint32_t* begin;
  std::int64_t runs, tiles;
  int parts;
  std::uint32_t* whole;
  __device__ void operator()(std::int64_t p) const {
    const Part part{static_cast<int>(p), parts};
    std::int64_t least = tiles;
    for (std::int64_t r = 0; r < runs; ++r)
      if (run[r].in_parts)
        least = min(least, count_below(begin + r * (tiles + 1), tiles + 1, part.end(run[r].count) + 1) - 1);
    whole[p] = static_cast<std::uint32_t>(least);
  }
};

struct MergeView {
  const Merge::Run* run;
  int runs, lanes;  ///< so many threads take records of one run
  const std::uint32_t *begin, *place, *whole;
  std::int64_t count, tiles;
  Part part;

  __device__ std::int64_t first_tile() const { return part.number > 0 ? whole[part.number - 1] : 0; }
  __device__ std::int64_t end_tile() const { return part.last() ? tiles : whole[part.number]; }
  /// Records of a tile's places, in their order; so many loads of a thread are under way at a time.
  template <class Record>
  __device__ void gather(std::int64_t tile, Record* record) const {
    constexpr int loads = 4;
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t first = tile * merge_tile;
    for (int r = thread / lanes; r < runs; r += block_threads / lanes) {
      const Merge::Run own = run[r];
      const std::uint32_t* const begins = begin + r * (tiles + 1) + tile;
      const std::int64_t end = begins[1];
      for (std::int64_t k = begins[0] + thread % lanes; k < end; k += loads * lanes) {
        Record taken[loads];
        std::int64_t at[loads];
#pragma unroll
        for (int j = 0; j < loads; ++j)
          if (const std::int64_t i = k + j * lanes; i < end) {
            at[j] = (place ? place[own.first + i] : i) - first;
            taken[j] = static_cast<const Record*>(own.records)[i];
          }
#pragma unroll
        for (int j = 0; j < loads; ++j)
          if (k + j * lanes < end) record[at[j]] = taken[j];
      }
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
__device__ void put_tile(const Record<T, numbers>* tile, std::int64_t first, int count, const Destination<T>& to) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (numbers == hessian_numbers) {
    for (int k = thread; k < numbers * count; k += block_threads)
      to.put_hessian(first + k / numbers, k % numbers, tile[k / numbers].value[k % numbers]);
  } else {
    if (numbers != 2)
      for (int k = thread; k < count; k += block_threads) to.put_potential(first + k, tile[k].value[0]);
    if (numbers > 1)
      for (int k = thread; k < 3 * count; k += block_threads)
        to.put_gradient(first + k / 3, k % 3, gradient_of(tile[k / 3], k % 3));
  }
}

template <class T, int numbers>
__global__ void __launch_bounds__(block_threads) merge_kernel(MergeView merge, Destination<T> to) {
  extern __shared__ __align__(32) unsigned char shared[];
  auto* const record = reinterpret_cast<Record<T, numbers>*>(shared);
  const std::int64_t end = merge.end_tile();
  for (std::int64_t tile = merge.first_tile() + blockIdx.x; tile < end; tile += gridDim.x) {
    const std::int64_t first = tile * merge_tile, left = merge.count - first;
    merge.gather(tile, record);
    __syncthreads();
    put_tile(record, first, left < merge_tile ? static_cast<int>(left) : merge_tile, to);
    __syncthreads();
  }
}

/// A warp each where there are many runs, parts of a block where there are few.
int lanes_for(std::int64_t runs) {
  int lanes = block_threads;
  while (lanes > 32 && lanes * runs > block_threads) lanes /= 2;
  return lanes;
}

}  // namespace

void Merge::prepare(std::vector<Run> runs, const std::uint32_t* places, std::int64_t count, int parts,
                    cudaStream_t stream) {
  std::erase_if(runs, [](const Run& run) { return run.count == 0; });
  places_ = places, count_ = count;
  if (count == 0) return;
  upload(runs_, runs.data(), std::ssize(runs), stream);
  const std::int64_t tiles = (count + merge_tile - 1) / merge_tile;
  begins_.resize(std::ssize(runs) * (tiles + 1)), whole_.resize(parts);
  for_each_index(begins_.size(), FindTiles{runs_.data(), places, tiles, begins_.data()}, stream, "tiles of results");
  for_each_index(parts, FindWhole{runs_.data(), begins_.data(), std::ssize(runs), tiles, parts, whole_.data()}, stream,
                 "tiles of results");
}

void Merge::operator()(const Numbers& numbers, const CallerArrays& arrays, const Part& part,
                       cudaStream_t stream) const {
  if (count_ == 0) return;
  const std::int64_t tiles = (count_ + merge_tile - 1) / merge_tile;
  const auto blocks = std::min<std::int64_t>(tiles, 16 * device_limits().multiprocessors);
  const MergeView view{runs_.data(),
                       static_cast<int>(runs_.size()),
                       lanes_for(runs_.size()),
                       begins_.data(),
                       places_,
                       whole_.data(),
                       count_,
                       tiles,
                       part};
  with_scalar(numbers.scalar, [&](auto number) {
    using T = decltype(number);
    const Destination<T> to{
        {static_cast<T*>(arrays.potential), static_cast<T*>(arrays.gradient), static_cast<T*>(arrays.hessian)},
        {},
        std::numeric_limits<std::int64_t>::max()};
    const auto launch = [&](auto each) {
      launch_kernel("merge_kernel", merge_kernel<T, each()>,
                    {static_cast<unsigned>(blocks), block_threads, merge_tile * sizeof(Record<T, each()>)}, stream,
                    view, to);
    };
    if (numbers.hessians) return launch(std::integral_constant<int, hessian_numbers>{});
    with_all_parts(numbers.parts, [&](auto all) { launch(std::integral_constant<int, numbers_of<all()>>{}); });
  });
}

}  // namespace farfield::cuda

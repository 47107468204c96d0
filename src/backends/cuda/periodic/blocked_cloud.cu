#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <numeric>
#include <utility>

#include "backends/cuda/periodic/blocked_cloud.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"
#include "backends/cuda/transfer/point_rows.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/drift.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {
namespace {

/// Points that are not numbers stay.
struct MoveIntoCell {
  AnyReader read;
  CellView cell;
  int* flag;
  __device__ void operator()(std::int64_t i, double x[3]) const {
    for (int d = 0; d < 3; ++d) x[d] = read.raw(i, d);
    if (isfinite(x[0] + x[1] + x[2]))
      cell.wrap(x);
    else
      *flag = 1;
  }
};

struct BringToPlace {
  AnyReader read;
  CellView cell;
  const double* placed;
  Drift drift;
  int* beyond;
  __device__ void operator()(std::int64_t i, double x[3]) const {
    const double then[3] = {placed[3 * i], placed[3 * i + 1], placed[3 * i + 2]};
    for (int d = 0; d < 3; ++d) x[d] = read.raw(i, d);
    cell.bring_to(then, x);
    if (drift.beyond(x, then)) *beyond = 1;
  }
};

/// Points of a block whose number is below `end`; they come first in it.
struct CountFirst {
  const std::uint32_t *begin, *order;
  std::int64_t end;
  std::int64_t* counts;
  __device__ void operator()(std::int64_t block) const {
    std::int64_t low = begin[block], high = begin[block + 1];
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (order[middle] < end)
        low = middle + 1;
      else
        high = middle;
    }
    counts[block] = low - begin[block];
  }
};

constexpr int range_blocks = 128;

/// part[2 b], part[2 b + 1]: the least and largest that block b has seen.
__global__ void __launch_bounds__(block_threads)
    find_range(CellView cell, int along, const double* at, std::int64_t count, double* part) {
  __shared__ double low[block_threads], high[block_threads];
  double least = INFINITY, most = -INFINITY;
  for (std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x; i < count;
       i += std::int64_t(gridDim.x) * block_threads) {
    const double f = cell.fraction(at + 3 * i, along);
    if (isfinite(f)) least = fmin(least, f), most = fmax(most, f);
  }
  low[threadIdx.x] = least, high[threadIdx.x] = most;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) >= half) continue;
    low[threadIdx.x] = fmin(low[threadIdx.x], low[threadIdx.x + half]);
    high[threadIdx.x] = fmax(high[threadIdx.x], high[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) part[2 * blockIdx.x] = low[0], part[2 * blockIdx.x + 1] = high[0];
}

struct FindBlock {
  BlockView blocks;
  const double* at;
  std::uint32_t *key, *index;
  __device__ void operator()(std::int64_t i) const {
    key[i] = static_cast<std::uint32_t>(blocks.block_of(at + 3 * i)), index[i] = static_cast<std::uint32_t>(i);
  }
};

/// begin[b]: points in blocks before b; behind all of them the flag, so that both come in one copy.
struct FindBegin {
  const std::uint32_t* key;
  std::int64_t count, blocks;
  const int* flag;
  std::uint32_t* begin;
  __device__ void operator()(std::int64_t block) const {
    begin[block] = static_cast<std::uint32_t>(block > blocks ? *flag : count_below(key, count, block));
  }
};

}  // namespace

/// Calls body(reader, count, where they begin) for each set that has points.
template <class Body>
void BlockedCloud::for_each_set(const Points& first, const Points* second, const Body& body) {
  std::int64_t at = 0;
  for (const Points* points : {&first, second}) {
    if (!points || points->count == 0) continue;
    const DevicePoints given(*points, memory_);
    body(AnyReader(given.view(), Scaling()), points->count, at);
    at += points->count;
  }
}

void BlockedCloud::read(const CellView& cell, const Points& first, const Points* second) {
  count_ = first.count + (second ? second->count : 0), first_ = first.count;
  at_.resize(3 * count_);
  flag_.resize(1);
  require(cudaMemsetAsync(flag_.data(), 0, sizeof(int), memory_.stream), "cudaMemsetAsync");
  for_each_set(first, second, [&](const AnyReader& reader, std::int64_t count, std::int64_t at) {
    store_points(count, MoveIntoCell{reader, cell, flag_.data()}, at_.data() + 3 * at, memory_.stream,
                 "points of a cell");
  });
}

/// To their images near to where they were in place().
void BlockedCloud::bring(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond,
                         DeviceArray<double>& to) {
  const DeviceArray<double>& then = placed_.empty() ? at_ : placed_;
  for_each_set(first, second, [&](const AnyReader& reader, std::int64_t count, std::int64_t at) {
    const BringToPlace bring{reader, cell, then.data() + 3 * at, {reach}, beyond};
    store_points(count, bring, to.data() + 3 * at, memory_.stream, "points near their places");
  });
}

void BlockedCloud::follow(const CellView& cell, const Points& first, const Points* second, double reach, int* beyond) {
  followed_.resize(3 * count_);
  bring(cell, first, second, reach, beyond, followed_);
}

void BlockedCloud::follow_in_place(const CellView& cell, const Points& first, const Points* second, double reach,
                                   int* beyond) {
  bring(cell, first, second, reach, beyond, at_);
}

void BlockedCloud::keep_places(cudaStream_t stream) {
  if (!placed_.empty() || count_ == 0) return;
  const auto before = std::exchange(memory_.stream, stream);
  placed_.resize(at_.size());
  require(cudaMemcpyAsync(placed_.data(), at_.data(), static_cast<std::size_t>(at_.size()) * sizeof(double),
                          cudaMemcpyDeviceToDevice, stream),
          "places of points");
  memory_.stream = before;
}

/// From the first time on where they were is kept.
void BlockedCloud::keep_followed() {
  if (placed_.empty()) at_.swap(placed_);
  at_.swap(followed_);
}

FractionRange BlockedCloud::range(const CellView& cell, int i) const {
  DeviceArray<double> part(memory_);
  part.resize(2 * range_blocks);
  find_range<<<range_blocks, block_threads, 0, memory_.stream>>>(cell, i, at_.data(), count_, part.data());
  require_launch("range of points");
  std::vector<double> found(2 * range_blocks);
  download(found.data(), part.data(), part.size(), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "range of points");
  FractionRange range{INFINITY, -INFINITY};
  for (std::size_t b = 0; b < found.size(); b += 2)
    range.low = std::min(range.low, found[b]), range.high = std::max(range.high, found[b + 1]);
  return range;
}

void BlockedCloud::place(const BlockView& blocks, std::int64_t samples, const OtherPoints& others) {
  placed_.release(), followed_.release();
  sort(blocks, blocks.counts[0] * blocks.counts[1] * blocks.counts[2]);
  source_parts_.make(begin_, sources_of_part);
  target_parts_.make(begin_, targets_of_part);
  take_sample(samples, others);
}

/// Keeps the order within a block. Waits.
void BlockedCloud::sort(const BlockView& blocks, int count) {
  begin_.assign(static_cast<std::size_t>(count) + 1, 0);
  order_.resize(count_), block_.resize(count_);
  numbers_ = true;
  if (count_ == 0) return;
  DeviceArray<std::uint32_t> sorted_block(memory_), index(memory_), begin(memory_);
  sorted_block.resize(count_), index.resize(count_), begin.resize(count + 2);
  for_each_index(count_, FindBlock{blocks, at_.data(), block_.data(), index.data()}, memory_.stream,
                 "blocks of points");
  int bits = 1;
  while (1 << bits < count) ++bits;
  with_temporary(memory_, "sort by blocks", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, block_.data(), sorted_block.data(), index.data(),
                                           order_.data(), count_, 0, bits, memory_.stream);
  });
  for_each_index(count + 2, FindBegin{sorted_block.data(), count_, count, flag_.data(), begin.data()}, memory_.stream,
                 "begins of blocks");
  begin_.push_back(0);
  download(begin_.data(), begin.data(), count + 2, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "sort by blocks");
  numbers_ = begin_.back() == 0;
  begin_.pop_back();
}

/// Of each block the points of the first set, which come before the others in it. Waits where there are others.
std::vector<std::int64_t> BlockedCloud::count_first() const {
  const std::int64_t blocks = std::ssize(begin_) - 1;
  std::vector<std::int64_t> found(static_cast<std::size_t>(blocks));
  if (first_ == count_) {
    for (std::size_t b = 0; b < found.size(); ++b) found[b] = begin_[b + 1] - begin_[b];
    return found;
  }
  DeviceArray<std::uint32_t> begin(memory_);
  DeviceArray<std::int64_t> counts(memory_);
  upload(begin, begin_.data(), std::ssize(begin_), memory_.stream);
  counts.resize(blocks);
  for_each_index(blocks, CountFirst{begin.data(), order_.data(), first_, counts.data()}, memory_.stream,
                 "points of the first set");
  download(found.data(), counts.data(), blocks, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points of the first set");
  return found;
}

/// Every so many of a block's points, counted from the first of all: those of the first sets of all, then the others.
void BlockedCloud::take_sample(std::int64_t samples, const OtherPoints& others) {
  const std::size_t blocks = begin_.size() - 1;
  const std::vector<std::int64_t> of_first = count_first();
  std::vector<std::int64_t> own = of_first;  // [2][blocks]
  for (std::size_t b = 0; b < blocks; ++b) own.push_back(begin_[b + 1] - begin_[b] - of_first[b]);
  const std::vector<std::int64_t> all = others.counts_of_all(own);
  counts_of_all_.clear();
  for (std::size_t rank = 0; rank < all.size(); rank += 2 * blocks)
    for (std::size_t b = 0; b < blocks; ++b) counts_of_all_.push_back(all[rank + b] + all[rank + blocks + b]);
  const std::int64_t step =
      std::max<std::int64_t>(1, std::accumulate(all.begin(), all.end(), std::int64_t(0)) / samples);
  std::vector<BlockPart> sample;
  sampled_ = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::int64_t before[2] = {0, 0}, in_block = 0;
    for (std::size_t set = 0; set < 2; ++set) {
      before[set] += in_block;
      for (std::size_t at = set * blocks + b; at < all.size(); at += 2 * blocks) {
        if (at / (2 * blocks) < others.rank()) before[set] += all[at];
        in_block += all[at];
      }
    }
    const std::int64_t begins[3] = {begin_[b], begin_[b] + of_first[b], begin_[b + 1]};
    for (int set = 0; set < 2; ++set) {
      const std::int64_t first = begins[set] + (step - before[set] % step) % step, last = begins[set + 1];
      if (first < last) sample.push_back({static_cast<std::int32_t>(b), static_cast<std::int32_t>(step), first, last});
    }
    sampled_ += (in_block + step - 1) / step;
  }
  upload(sample_, sample.data(), std::ssize(sample), memory_.stream);
}

}  // namespace farfield::cuda

#include <algorithm>
#include <vector>

#include "backends/cuda/grid/blocks.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

/// Sources of a piece that are looked at, of which three in eight reach the block: enough that a block of threads is
/// worth its start, and few enough that single keeps their sums and that a grid of eight blocks fills the device.
constexpr std::int64_t piece_sources = 2048;

struct FindCell {
  CellsView cells;
  std::int32_t* cell;
  __device__ void operator()(std::int64_t i) const {
    std::int64_t low = 0, high = cells.count;  // begin[low] <= i < begin[high]
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (cells.begin[middle] <= i ? low : high) = middle;
    }
    cell[i] = static_cast<std::int32_t>(low);
  }
};

template <class T>
void upload_all(DeviceArray<T>& to, const std::vector<T>& from, cudaStream_t stream) {
  upload(to, from.data(), static_cast<std::int64_t>(from.size()), stream);
}

CellKeys keys_of(const Cells& cells, cudaStream_t stream) {
  CellKeys keys(static_cast<std::size_t>(cells.count));
  download(keys.data(), cells.key.data(), cells.count, stream);
  return keys;
}

}  // namespace

void GridBlocks::use(DeviceMemory& memory) {
  use_all(memory, block_, feeders_, corners_, target_cell_, piece_, kept_block_);
  for (DeviceArray<std::int32_t>& inputs : inputs_) inputs.use(memory);
}

bool GridBlocks::build(const Cells& sources, const Cells* targets, int axes, int reach, std::int64_t most,
                       cudaStream_t stream) {
  const Cells& at = targets ? *targets : sources;
  if (sources.count > most || at.count > most) return false;
  const CellKeys source_keys = keys_of(sources, stream), target_keys = targets ? keys_of(at, stream) : CellKeys{};
  std::vector<std::int64_t> begin(static_cast<std::size_t>(sources.count) + 1);
  download(begin.data(), sources.begin.data(), sources.count + 1, stream);
  std::int64_t points = 0;
  download(&points, at.begin.data() + at.count, 1, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  const CellKeys& target_cells = targets ? target_keys : source_keys;
  BlockSets sets;
  if (!find_blocks(sets, source_keys, target_cells, axes, reach, most)) return false;
  for (int which = 0; which < 2; ++which) blocks_[which] = grid_blocks(sets, axes, which);
  for (int a = 0; a < 3; ++a) {
    upload_all(inputs_[a], sets.inputs[a], stream);
    passed_[a] = a < axes ? sets.count[a + 1] : 0;
  }
  upload_all(block_, sets.spread, stream);
  upload_all(corners_, corners_of(target_cells, sets.last, axes), stream);
  const std::vector<std::int32_t> feeders = feeders_of(sets.spread, source_keys, axes);
  upload_all(feeders_, feeders, stream);
  cut_into_pieces(feeders, begin, stream);
  target_cell_.resize(points);
  for_each_index(points, FindCell{at.view(), target_cell_.data()}, stream, "cells of targets");
  return true;
}

void GridBlocks::cut_into_pieces(const std::vector<std::int32_t>& feeders, const std::vector<std::int64_t>& begin,
                                 cudaStream_t stream) {
  std::vector<GridPiece> pieces;
  std::vector<KeptBlock> kept;
  std::int32_t next = 0;
  for (std::size_t b = 0; 8 * b < feeders.size(); ++b) {
    std::int64_t sources = 0;
    for (std::size_t i = 0; i < 8; ++i)
      if (const std::int32_t cell = feeders[8 * b + i]; cell >= 0)
        sources += begin[static_cast<std::size_t>(cell) + 1] - begin[static_cast<std::size_t>(cell)];
    const auto block = static_cast<std::int32_t>(b),
               parts = static_cast<std::int32_t>(1 + std::max<std::int64_t>(0, sources - 1) / piece_sources);
    if (parts > 1) kept.push_back({block, next, parts});
    for (std::int32_t part = 0; part < parts; ++part) pieces.push_back({block, part, parts, parts > 1 ? next++ : -1});
  }
  kept_pieces_ = next;
  upload_all(piece_, pieces, stream);
  upload_all(kept_block_, kept, stream);
}

}  // namespace farfield::cuda

// GridBlocks: which blocks of the grid are stored, and who reads and writes them, in device memory.
#pragma once
#include "backends/cuda/cells/cells.hpp"
#include "backends/cuda/grid/view.hpp"

namespace farfield::cuda {

class GridBlocks {
 public:
  void use(DeviceMemory& memory);
  /// `targets` null: the sources. Returns false, and has nothing, where the grid would take more than `most` blocks.
  /// Waits for the stream, since the blocks are found on the host.
  bool build(const Cells& sources, const Cells* targets, int axes, int reach, std::int64_t most, cudaStream_t stream);

  /// Numbers of the two grids between which stages go back and forth, in blocks.
  std::int64_t blocks(int which) const { return blocks_[which]; }
  std::int64_t kept_pieces() const { return kept_pieces_; }

  template <class Real>
  void show(GridView<Real>& view) const {
    view.block = block_.data(), view.feeders = feeders_.data(), view.corners = corners_.data();
    view.piece = piece_.data(), view.pieces = piece_.size();
    view.kept_block = kept_block_.data(), view.kept_blocks = kept_block_.size();
    view.target_cell = target_cell_.data();
    for (int a = 0; a < 3; ++a) view.pass[a] = {inputs_[a].data(), passed_[a]};
  }

 private:
  void cut_into_pieces(const std::vector<std::int32_t>& feeders, const std::vector<std::int64_t>& begin,
                       cudaStream_t stream);

  DeviceArray<CellKey> block_;
  DeviceArray<std::int32_t> feeders_, corners_, target_cell_, inputs_[3];
  DeviceArray<GridPiece> piece_;
  DeviceArray<KeptBlock> kept_block_;
  std::int64_t blocks_[2] = {}, passed_[3] = {}, kept_pieces_ = 0;
};

}  // namespace farfield::cuda

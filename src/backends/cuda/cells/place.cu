#include <bit>
#include <cub/device/device_scan.cuh>

#include "backends/cuda/cells/place.hpp"
#include "backends/cuda/hermite/series.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "model/grid/price.hpp"

namespace farfield::cuda {
namespace {

struct CountTiles {
  CellsView cells;
  std::int32_t* count;
  __device__ void operator()(std::int64_t c) const {
    count[c] = c == cells.count
                   ? 0
                   : static_cast<std::int32_t>((cells.begin[c + 1] - cells.begin[c] + cell_tile - 1) / cell_tile);
  }
};

/// Tiles of a cell are as alike in size as they can be.
struct FillTiles {
  CellsView cells;
  const std::int32_t* first;
  CellTile* tile;
  __device__ void operator()(std::int64_t c) const {
    const std::int64_t begin = cells.begin[c], points = cells.begin[c + 1] - begin, tiles = first[c + 1] - first[c];
    for (std::int64_t k = 0; k < tiles; ++k) {
      const std::int64_t from = points * k / tiles, to = points * (k + 1) / tiles;
      tile[first[c] + k] = {begin + from, static_cast<std::int32_t>(to - from), static_cast<std::int32_t>(c)};
    }
  }
};

void sort(PlacedCells& cells, CudaTree& tree, const Points& sources, const Points* targets, const Geometry& g) {
  DeviceMemory& memory = *tree.memory;
  tree.alike = cells.alike = targets == nullptr;
  tree.forget_curves();
  if (!targets) tree.targets.release();  // of an earlier build
  DeviceArray<std::int64_t> found(memory);
  found.resize(2);
  sort_by_cells(tree.sources, cells.sources, sources, g, cells.lattice, found.data(), memory);
  if (targets) sort_by_cells(tree.targets, cells.targets, *targets, g, cells.lattice, found.data() + 1, memory);
  std::int64_t counts[2] = {};
  download(counts, found.data(), targets ? 2 : 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "cudaStreamSynchronize");
  cells.sources.count = counts[0], cells.targets.count = counts[1];
  name_cells(cells.sources, tree.sources, cells.lattice, memory.stream);
  if (targets) name_cells(cells.targets, tree.targets, cells.lattice, memory.stream);
}

void cut_into_tiles(PlacedCells& cells, std::int64_t targets, DeviceMemory& memory) {
  const CellsView view = cells.target_cells().view();
  DeviceArray<std::int32_t> count(memory);
  count.resize(view.count + 1);
  cells.first_tile.resize(view.count + 1);
  cells.tile.resize(view.count + targets / cell_tile + 1);
  for_each_index(view.count + 1, CountTiles{view, count.data()}, memory.stream, "tiles of cells");
  with_temporary(memory, "tiles of cells", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, count.data(), cells.first_tile.data(), view.count + 1,
                                         memory.stream);
  });
  for_each_index(view.count, FillTiles{view, cells.first_tile.data(), cells.tile.data()}, memory.stream,
                 "tiles of cells");
}

bool place_on_grid(PlacedCells& cells, CudaTree& tree, const Points& sources, const Points* targets, const Geometry& g,
                   const Decision& d) {
  CellLattice& lattice = cells.lattice = lattice_of(g, d.spacing);
  const int side = block_side(lattice.axes);
  lattice.shift = std::countr_zero(static_cast<unsigned>(side));
  lattice.sub = lattice.axes == 1 ? 5 : lattice.axes == 2 ? 3 : 2;  // finer cells of 16 and 4 spacings
  sort(cells, tree, sources, targets, g);
  return cells.blocks.build(cells.sources, targets ? &cells.targets : nullptr, lattice.axes, reach_in_blocks(d, side),
                            most_grid_blocks(g, d), tree.memory->stream);
}

}  // namespace

void place_in_cells(PlacedCells& cells, CudaTree& tree, const Points& sources, const Points* targets, const Geometry& g,
                    Decision& d) {
  if (d.method == Method::grid && !place_on_grid(cells, tree, sources, targets, g, d)) change_to_cutoff(d);
  if (d.method == Method::grid) return;
  if (d.method == Method::hermite)
    cells.of_series = make_hermite_grid(g, d.parameters.length[0], d.tolerance, d.gradient);
  cells.lattice = lattice_of(g, d.method == Method::hermite ? cells.of_series.side : d.cell);
  sort(cells, tree, sources, targets, g);
  if (d.method == Method::cutoff) cut_into_tiles(cells, tree.target_points().count, *tree.memory);
}

}  // namespace farfield::cuda

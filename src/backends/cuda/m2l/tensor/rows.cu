// Rows of the tensor product. Boxes with all eight children have the same classes everywhere (halves or edges of the
// box). On a surface, where a box has four children of eight, any four of them are one class, so that no tile has
// columns without targets: three times fewer products than with fixed sets of children.
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "backends/cuda/m2l/tensor/rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

static constexpr std::uint8_t no_class = 255;

TensorRowLists::TensorRowLists(DeviceMemory& memory) {
  for (DeviceArray<std::uint8_t>* a : {&cover_, &members_, &key_, &key_scratch_, &scratch_}) a->use(memory);
  for (DeviceArray<BoxId>* a : {&parent_, &parent_scratch_}) a->use(memory);
  begin_.use(memory);
  tile_.use(memory);
}

/// The first `group` of the children `left`, filled up with octants that `mask` lacks: no child is in two classes.
static unsigned next_members(unsigned left, unsigned mask, int group) {
  unsigned members = 0;
  for (; left && std::popcount(members) < group; left &= left - 1) members |= left & (0u - left);
  for (unsigned o = 0; o < 8 && std::popcount(members) < group; ++o)
    if (!(mask >> o & 1)) members |= 1u << o;
  return members;
}

void TensorRowLists::keep_cover(int group, cudaStream_t stream) {
  const int most = 8 / group;
  std::vector<std::uint8_t> cover(static_cast<std::size_t>(256 * most), no_class), members;
  for (unsigned mask = 1; mask < 256; ++mask) {
    unsigned left = mask;
    for (int i = 0; left; ++i) {
      const unsigned set = next_members(left, mask, group);
      std::size_t c = 0;
      while (c < members.size() && members[c] != set) ++c;
      if (c == members.size()) members.push_back(static_cast<std::uint8_t>(set));
      cover[mask * static_cast<unsigned>(most) + static_cast<unsigned>(i)] = static_cast<std::uint8_t>(c);
      left &= ~set;
    }
  }
  upload(cover_, cover.data(), static_cast<std::int64_t>(cover.size()), stream);
  upload(members_, members.data(), static_cast<std::int64_t>(members.size()), stream);
  view_.group = group;
  classes_ = static_cast<int>(members.size());
}

__global__ void tensor_row_keys(TreeView tree, BoxId first, std::int64_t boxes, int most, const std::uint8_t* cover,
                                std::uint8_t* key, BoxId* parent) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= boxes) return;
  const BoxId box = first + static_cast<BoxId>(i);
  unsigned wanted = 0;
  BoxId child = tree.first_child[box];
  for (unsigned left = tree.child_mask[box]; left; left &= left - 1, ++child)
    if (tree.target_count(child) > 0) wanted |= left & (0u - left);
  for (int k = 0; k < most; ++k) {
    key[i * most + k] = cover[wanted * static_cast<unsigned>(most) + static_cast<unsigned>(k)];
    parent[i * most + k] = box;
  }
}

/// begin[c]: first row of class c; begin[classes + 1 + c]: first tile of class c. One block.
__global__ void tensor_row_begins(const std::uint8_t* key, std::int64_t rows, int classes, int tile_rows,
                                  std::int32_t* begin) {
  const int c = static_cast<int>(threadIdx.x);
  if (c <= classes) {
    std::int64_t low = 0, high = rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (key[middle] < c)
        low = middle + 1;
      else
        high = middle;
    }
    begin[c] = static_cast<std::int32_t>(low);
  }
  __syncthreads();
  if (c > 0) return;
  std::int32_t tiles = 0, *tile_begin = begin + classes + 1;
  for (int i = 0; i <= classes; ++i) {
    tile_begin[i] = tiles;
    if (i < classes) tiles += (begin[i + 1] - begin[i] + tile_rows - 1) / tile_rows;
  }
}

__global__ void tensor_tiles(const std::int32_t* begin, const std::uint8_t* members, int classes, int tile_rows,
                             int wave, std::int64_t most, TensorTileRange* tile) {
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (place >= most) return;
  const std::int32_t *tile_begin = begin + classes + 1, all = tile_begin[classes], rest = wave ? all % wave : 0;
  const std::int32_t i = static_cast<std::int32_t>(place), whole = 2 * rest <= wave ? all - rest : all;
  const std::int32_t t = i < whole ? i : whole + (i - whole) / 2, rows = i < whole ? tile_rows : tile_rows / 2;
  tile[i] = {0, 0, 0};
  if (t >= all) return;
  int c = 0;
  while (t >= tile_begin[c + 1]) ++c;
  const std::int32_t first = begin[c] + (t - tile_begin[c]) * tile_rows + (i < whole ? 0 : (i - whole) % 2 * rows);
  if (first < begin[c + 1]) tile[i] = {first, min(first + rows, begin[c + 1]), members[c]};
}

/// Where sources are no targets many boxes have no row: tiles are counted then, and waited for. 280 blocks without one
/// beside 128 of 1.1e6 atoms in a cell kept those of the next launch from beginning for 60 us.
std::int64_t TensorRowLists::most_tiles(const TreeView& tree, std::int64_t rows, int tile_rows,
                                        cudaStream_t stream) const {
  if (tree.target_begin == tree.source_begin) return rows / tile_rows + classes_;
  std::int32_t tiles = 0;
  download(&tiles, begin_.data() + 2 * classes_ + 1, 1, stream);
  require(cudaStreamSynchronize(stream), "tiles of m2l");
  return tiles;
}

void TensorRowLists::build(const TreeView& tree, BoxId first, BoxId last, int group, int tile_rows, int wave,
                           cudaStream_t stream) {
  if (group != view_.group) keep_cover(group, stream);
  view_.tile_rows = tile_rows;
  view_.most_tiles = 0;
  if (first >= last) return;
  const std::int64_t boxes = last - first;
  const int most = 8 / group;
  for (DeviceArray<std::uint8_t>* a : {&key_, &key_scratch_}) a->resize(boxes * most);
  for (DeviceArray<BoxId>* a : {&parent_, &parent_scratch_}) a->resize(boxes * most);
  begin_.resize(2 * (classes_ + 1));
  tensor_row_keys<<<blocks_for(boxes), block_threads, 0, stream>>>(tree, first, boxes, most, cover_.data(),
                                                                   key_scratch_.data(), parent_scratch_.data());
  require_launch("tensor_row_keys");
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {
    require(cub::DeviceRadixSort::SortPairs(scratch, bytes, key_scratch_.data(), key_.data(), parent_scratch_.data(),
                                            parent_.data(), boxes * most, 0, 8, stream),
            "cub::DeviceRadixSort");
  };
  sort(nullptr);
  scratch_.resize(static_cast<std::int64_t>(bytes));
  sort(scratch_.data());
  tensor_row_begins<<<1, 128, 0, stream>>>(key_.data(), boxes * most, classes_, tile_rows, begin_.data());
  require_launch("tensor_row_begins");
  view_.most_tiles = most_tiles(tree, boxes * most, tile_rows, stream);
  if (view_.most_tiles == 0) return;
  view_.most_tiles += wave / 2;
  tile_.resize(view_.most_tiles);
  tensor_tiles<<<blocks_for(view_.most_tiles), block_threads, 0, stream>>>(
      begin_.data(), members_.data(), classes_, tile_rows, wave, view_.most_tiles, tile_.data());
  require_launch("tensor_tiles");
  view_.parent = parent_.data();
  view_.tile = tile_.data();
}

}  // namespace farfield::cuda

// m2l by mirror images: operators, rows, the sorting pass, the product.
//
// Floor, per box with a full far list: 2 x 39.5 (d+1)^4 flops at the tensor cores' rate, a fifth of a dense product's
// 2 x 189 (d+1)^4, and from the second-level cache 8 x 189 (d+1)^2 bytes of multipoles and, for 64 rows together,
// 8 x 39.5 (d+1)^4 bytes of operators. One H200, uniform points, a hundred per leaf: 0.51e9 translations per second at
// degree 14 (rotation 0.11e9), 0.108e9 at 22 (0.032e9), 0.018e9 at 33 (0.008e9); gpu_m2l (bench) measures it. That is a
// third of the tensor cores' rate.
//
// A step takes some 3,000 cycles, whether a warp has one group of columns (256 cycles of products) or five: a warp has
// some 650 instructions in it, and one other warp on its tensor core to hide their latency. So blocks that share a
// tile's columns hardly end earlier, and trees of few tiles share the list of steps out as well (parts_of). Each part
// is summed by itself, and parts are added first to last: the bits of a box follow from the number of parts alone,
// which ranks take from the whole tree.
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cmath>
#include <cub/device/device_select.cuh>

#include "backends/cuda/m2l/mirror/kernel.hpp"
#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "expansions/laplace_basis.hpp"

namespace farfield::cuda {

namespace {

struct HasTargets {
  TreeView tree;
  __device__ bool operator()(BoxId box) const { return tree.target_count(box) > 0; }
};

/// Copies the multipoles of the boxes from `first` on, their coefficients sorted by parity.
struct SortMultipoles {
  const double* from;
  const std::int16_t* source;
  std::int64_t first;
  int stride, width;
  double* to;
  __device__ void operator()(std::int64_t i) const {
    const int place = source[i % width];
    to[first * width + i] = place < 0 ? 0.0 : from[(first + i / width) * stride + place];
  }
};

/// Adds up the parts of the rows' sums, first to last.
struct AddMirrorParts {
  MirrorView view;
  double* out;
  int stride, width;
  __device__ void operator()(std::int64_t i) const {
    const int n = view.column[i % width];
    if (n < 0) return;
    double sum = view.part[i];
    for (int part = 1; part < view.parts; ++part) sum += view.part[part * std::int64_t(view.rows) * width + i];
    const std::int64_t row = i / width, box = view.row ? view.row[row] : view.first_row + row;
    out[box * stride + n] = sum;
  }
};

std::int64_t tiles_of(double boxes) { return static_cast<std::int64_t>(std::ceil(boxes / mirror_rows)); }

/// Blocks that share a tile's columns at least: their registers hold no more.
int least_splits(int deep) { return (deep + mirror_columns - 1) / mirror_columns; }

}  // namespace

bool MirrorM2l::available(int degree) {
  const int capability = compute_capability();
  const bool multiplies = capability == 80 || capability == 90 || capability == 100;  // others emulate double precision
  return multiplies && degree >= 1 && degree <= most_mirror_degree &&
         device_limits().shared_bytes >= static_cast<int>(sizeof(MirrorTile));
}

MirrorM2l::MirrorM2l(DeviceMemory& memory) : memory_(memory) {
  multipole_.use(memory);
  part_.use(memory);
  row_.use(memory);
}

std::int64_t MirrorM2l::bytes_of_box(int degree) {
  return 8 * 8 * (LaplaceBasis::Shape::most_alike(degree) + mirror_chunk) + 4;
}
std::int64_t MirrorM2l::bytes_of_operators(int degree) {
  const std::int64_t count = LaplaceBasis::coefficient_count(degree), chunks = count / mirror_chunk + 8;
  return 40 * chunks * (chunks + 16) * 512 + 8 * far_operator_count * count * count + (1 << 20);
}

void MirrorM2l::find_rows(const TreeView& tree, cudaStream_t stream) {
  view_.first_row = tree.levels > 2 ? tree.level_begin[2] : tree.boxes;
  view_.rows = tree.boxes - view_.first_row;
  view_.row = nullptr;
  if (tree.target_begin == tree.source_begin || view_.rows == 0) return;  // the same points: no box is empty
  row_.resize(view_.rows);
  DeviceArray<BoxId> found(memory_);
  found.resize(1);
  with_temporary(memory_, "cub::DeviceSelect", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<BoxId>(view_.first_row), row_.data(),
                                 found.data(), view_.rows, HasTargets{tree}, stream);
  });
  view_.row = row_.data();
  download(&view_.rows, found.data(), 1, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// Into how many parts the steps of a tile are shared out, each a block for every split: so many that they take least
/// time. There may be up to half as many tiles as heard of again. The device is one of 132 multiprocessors, whichever
/// it is: the order of sums follows. A block's start and what its part costs to be written and added up take about 1/50
/// of a tile's time. A step takes hardly less where a block has fewer columns, so parts come before splits.
static int parts_of(std::int64_t tiles, int splits) {
  constexpr std::int64_t multiprocessors = 132, most_waves = 3;
  constexpr int most_parts = 12;
  const std::int64_t blocks = tiles * splits;
  if (blocks == 0 || blocks > 2 * multiprocessors) return 1;
  const auto cost = [&](int parts) {
    std::int64_t waves = 0;
    for (const std::int64_t quarters : {4, 5, 6})
      waves += (blocks * quarters / 4 * parts + multiprocessors - 1) / multiprocessors;
    return static_cast<double>(waves) * (1.0 / parts + 0.02);
  };
  int best = 1;
  for (int parts = 2; parts <= most_parts && parts * blocks <= most_waves * multiprocessors; ++parts)
    if (cost(parts) < cost(best)) best = parts;
  return best;
}

std::int64_t MirrorM2l::bytes_of_parts(int degree, std::int64_t boxes, double heard) {
  const std::int64_t chunks = LaplaceBasis::coefficient_count(degree) / mirror_chunk + 8;
  const int splits = least_splits((LaplaceBasis::Shape::most_alike(degree) + mirror_chunk - 1) / mirror_chunk);
  double most = 0;  // of trees of up to so many boxes
  for (std::int64_t tiles = 1, parts; (parts = parts_of(tiles, splits)) > 1; ++tiles) {
    const double rows = std::min(static_cast<double>(boxes), static_cast<double>(tiles * mirror_rows) / heard);
    most = std::max(most, static_cast<double>(parts) * rows);
  }
  return static_cast<std::int64_t>(most) * chunks * mirror_chunk * 8;
}

/// How many blocks share a tile's columns: as many as the registers require, more while each has a multiprocessor. Sums
/// do not depend on it.
static int splits_of(const MirrorView& view) {
  const int most = view.shape.deep;
  int splits = least_splits(most);
  const std::int64_t blocks = tiles_of(view.rows) * view.parts;
  while (splits < most && blocks * (splits + 1) <= device_limits().multiprocessors) ++splits;
  return splits;
}

void MirrorM2l::build(const TablesView<double>& tables, const TreeView& tree, cudaStream_t stream, int threads) {
  operators_ = shared_mirror_operators(tables, stream, threads);
  view_ = operators_->view();
  find_rows(tree, stream);
  numbers_ = std::int64_t(tree.boxes) * 8 * view_.shape.deep * mirror_chunk;
  split_for(view_.rows);
  view_.ready = true;
}

void MirrorM2l::split_for(double heard) {
  view_.parts = parts_of(tiles_of(heard), least_splits(view_.shape.deep));
  view_.splits = splits_of(view_);
  make_room(1);
}

void MirrorM2l::make_room(int densities) {
  multipole_.resize(densities * numbers_);
  sums_ = view_.parts > 1 ? std::int64_t(view_.parts) * view_.rows * view_.shape.chunks * mirror_chunk : 0;
  part_.resize(densities * sums_);
  view_ = view_of(0);
}

MirrorView MirrorM2l::view_of(int density) const {
  MirrorView view = view_;
  view.multipole = const_cast<double*>(multipole_.data()) + density * numbers_;
  view.part = const_cast<double*>(part_.data()) + density * sums_;
  return view;
}

template <int columns>
static void launch_mirrors(const Work<double>& work) {
  const MirrorView& view = work.mirror;
  const std::int64_t blocks = tiles_of(view.rows) * view.parts * view.splits;
  launch_kernel("mirror_kernel", mirror_kernel<columns>,
                {dim3(static_cast<unsigned>(blocks)), mirror_threads, sizeof(MirrorTile)}, work.stream, work.tree,
                MirrorProduct{view, work.local, work.tables.stride, work.reduced});
}

void m2l_by_mirrors(const Work<double>& work) {
  const MirrorView& view = work.mirror;
  if (view.rows == 0) return;
  const int width = 8 * view.shape.deep * mirror_chunk;
  const std::int64_t first = view.first_row;  // of level 2: boxes above, far from none, may have no multipoles
  for_each_index((std::int64_t(work.tree.boxes) - first) * width,
                 SortMultipoles{work.multipole, view.source, first, work.tables.stride, width, view.multipole},
                 work.stream, "SortMultipoles");
  (view.shape.deep + view.splits - 1) / view.splits <= mirror_few_columns ? launch_mirrors<mirror_few_columns>(work)
                                                                          : launch_mirrors<mirror_columns>(work);
  if (view.parts == 1) return;
  const int places = view.shape.chunks * mirror_chunk;
  for_each_index(std::int64_t(view.rows) * places, AddMirrorParts{view, work.local, work.tables.stride, places},
                 work.stream, "AddMirrorParts");
}

}  // namespace farfield::cuda

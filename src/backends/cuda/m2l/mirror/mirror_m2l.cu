// m2l by mirror images: operators, rows, the sorting pass, the product.
//
// Floor, per box with a full far list: 2 x 39.5 (d+1)^4 flops at the tensor cores' rate, a fifth of a dense product's
// 2 x 189 (d+1)^4, and from the second-level cache 8 x 189 (d+1)^2 bytes of multipoles and, for 64 rows together,
// 8 x 39.5 (d+1)^4 bytes of operators. One H200, uniform points, a hundred per leaf: 0.51e9 translations per second at
// degree 14 (rotation 0.11e9), 0.108e9 at 22 (0.032e9), 0.018e9 at 33 (0.008e9); gpu_m2l (bench) measures it. That is a
// third of the tensor cores' rate.
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
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

}  // namespace

bool MirrorM2l::available(int degree) {
  const int capability = compute_capability();
  const bool multiplies = capability == 80 || capability == 90 || capability == 100;  // others emulate double precision
  return multiplies && degree >= 1 && degree <= most_mirror_degree &&
         device_limits().shared_bytes >= static_cast<int>(sizeof(MirrorTile));
}

MirrorM2l::MirrorM2l(DeviceMemory& memory) : memory_(memory) {
  multipole_.use(memory);
  for (DeviceArray<std::int32_t>* a : {&rows_, &row_}) a->use(memory);
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
  view_.most_rows = tree.boxes - view_.first_row;
  view_.row = nullptr;
  if (tree.target_begin == tree.source_begin || view_.most_rows == 0) return;  // the same points: no box is empty
  row_.resize(view_.most_rows);
  rows_.resize(1);
  with_temporary(memory_, "cub::DeviceSelect", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<BoxId>(view_.first_row), row_.data(),
                                 rows_.data(), view_.most_rows, HasTargets{tree}, stream);
  });
  view_.row = row_.data();
  view_.rows = rows_.data();
}

/// How many blocks share a tile's columns: as many as the registers require, more while each has a multiprocessor.
static int splits_of(const MirrorShape& shape, std::int64_t rows) {
  const int most = shape.deep;
  const std::int64_t tiles = (rows + mirror_rows - 1) / mirror_rows;
  int splits = (most + mirror_columns - 1) / mirror_columns;
  while (splits < most && tiles * (splits + 1) <= device_limits().multiprocessors) ++splits;
  return splits;
}

void MirrorM2l::build(const TablesView<double>& tables, const TreeView& tree, cudaStream_t stream, int threads) {
  operators_ = shared_mirror_operators(tables, stream, threads);
  view_ = operators_->view();
  find_rows(tree, stream);
  split_for(view_.most_rows);
  numbers_ = std::int64_t(tree.boxes) * 8 * view_.shape.deep * mirror_chunk;
  make_room(1);
  view_.ready = true;
}

void MirrorM2l::split_for(double heard) {
  view_.splits = splits_of(view_.shape, static_cast<std::int64_t>(std::min<double>(heard, view_.most_rows)));
}

void MirrorM2l::make_room(int densities) {
  multipole_.resize(densities * numbers_);
  view_ = view_of(0);
}

MirrorView MirrorM2l::view_of(int density) const {
  MirrorView view = view_;
  view.multipole = const_cast<double*>(multipole_.data()) + density * numbers_;
  return view;
}

void m2l_by_mirrors(const Work<double>& work) {
  const MirrorView& view = work.mirror;
  if (view.most_rows == 0) return;
  const int width = 8 * view.shape.deep * mirror_chunk;
  const std::int64_t first = view.first_row;  // of level 2: boxes above, far from none, may have no multipoles
  for_each_index((std::int64_t(work.tree.boxes) - first) * width,
                 SortMultipoles{work.multipole, view.source, first, work.tables.stride, width, view.multipole},
                 work.stream, "SortMultipoles");
  allow_shared_memory(reinterpret_cast<const void*>(mirror_kernel));
  const std::int64_t tiles = (view.most_rows + mirror_rows - 1) / mirror_rows;
  mirror_kernel<<<static_cast<unsigned>(tiles * view.splits), mirror_threads, sizeof(MirrorTile), work.stream>>>(
      work.tree, {view, work.local, work.tables.stride, work.reduced});
  require_launch("mirror_kernel");
}

}  // namespace farfield::cuda

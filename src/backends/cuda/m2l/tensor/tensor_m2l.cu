// m2l on tensor cores: the two passes over the operands that p2m and m2m wrote.
//
// Floor: 2 (d+1)^4 flops per link at the tensor cores' rate, three times that below `low`. One H200, N = 2^24 uniform
// points, 0.93 million leaves: degrees 3, 5, 7, 10 take 0.24, 1.6, 3.1, 13 ms, degree 7 at 485 useful TFLOP/s;
// `gpu_m2l 24 30 3,5,7,10 uniform` (bench) measures it.
//
// Small trees have few tiles, each of which one block would work on for some 500 steps of 0.9 us at degree 11, whatever
// the number of points: there several blocks share a tile, by colleagues, and their sums are added. In such trees both
// passes are launched at once. One after the other, p2p gets the multiprocessors in between, whose blocks leave no room
// for a tile, and all that follows m2l waits until p2p ends.
#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/cuda/m2l/tensor/launch.hpp"
#include "backends/cuda/m2l/tensor/passes.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {

TensorM2l::TensorM2l(DeviceMemory& memory) : memory_(memory), rows_(memory), graded_rows_(memory) {
  for (DeviceArray<__half>* a :
       {&operators_, &graded_operators_[0], &graded_operators_[1], &high_, &graded_high_, &graded_low_})
    a->use(memory);
  inner_.use(memory), graded_inner_.use(memory);
  most_sources_.use(memory);
  parts_.use(memory), graded_sums_.use(memory);
}

void TensorM2l::choose_passes(int degree, TensorEngine engine, Fit fit) {
  const int low = graded_degrees(degree, tolerance_), count = SolidShape::count(degree),
            graded = SolidShape::first(low);
  view_.low = low;
  view_.full = {tensor_width(count), count, 1};
  view_.graded = {tensor_width(graded), graded, low > 0 ? 3 : 0};
  view_.full.rows.group = group_of(view_.full.width, 1, engine, fit);
  view_.full.narrow = view_.full.rows.group == 1 ? narrow_columns(view_.full.width) : 0;
  view_.graded.rows.group = low > 0 ? group_of(view_.graded.width, 3, engine) : view_.full.rows.group;
}

/// most[level]: most sources of a box; 0 before the launch. Nearly every box finds a fuller one of its level in the
/// block's shared memory and needs no atomic.
__global__ void most_sources_kernel(TreeView tree, std::uint32_t* most) {
  static_assert(max_levels < block_threads, "a thread per level");
  __shared__ std::uint32_t own[max_levels + 1];
  if (threadIdx.x <= max_levels) own[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t step = std::int64_t(gridDim.x) * block_threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x; i < tree.boxes; i += step) {
    const auto box = static_cast<BoxId>(i);
    const auto sources = static_cast<std::uint32_t>(tree.source_count(box));
    std::uint32_t& fullest = own[tree.level[box]];
    if (sources > *const_cast<volatile std::uint32_t*>(&fullest)) atomicMax(&fullest, sources);
  }
  __syncthreads();
  if (threadIdx.x <= max_levels && own[threadIdx.x] > 0) atomicMax(most + threadIdx.x, own[threadIdx.x]);
}

void TensorM2l::count_most_sources(const TreeView& tree, cudaStream_t stream) {
  most_sources_.resize(max_levels + 1);
  require(cudaMemsetAsync(most_sources_.data(), 0, (max_levels + 1) * sizeof(std::uint32_t), stream),
          "cudaMemsetAsync");
  if (tree.boxes == 0) return;
  const unsigned blocks = (static_cast<unsigned>(tree.boxes) + block_threads - 1) / block_threads;
  const auto most_blocks = static_cast<unsigned>(8 * device_limits().multiprocessors);
  most_sources_kernel<<<std::min(blocks, most_blocks), block_threads, 0, stream>>>(tree, most_sources_.data());
  require_launch("most_sources_kernel");
}

std::vector<std::uint32_t> TensorM2l::most_sources(cudaStream_t stream) const {
  std::vector<std::uint32_t> most(static_cast<std::size_t>(most_sources_.size()));
  download(most.data(), most_sources_.data(), most_sources_.size(), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return most;
}

void TensorM2l::use_most_sources(const std::vector<std::uint32_t>& most, cudaStream_t stream) {
  upload(most_sources_, most.data(), std::ssize(most), stream);
  view_.most_sources = most_sources_.data();
}

void TensorM2l::use_operators(const TablesView<float>& tables, TensorEngine engine, cudaStream_t stream) {
  const bool made = tables.degree == degree_ && tables.far.matrix == matrix_ && tables.far.begin[8] == links_ &&
                    view_.full.rows.group == group_of(view_.full.width, 1, engine, tables.fit);
  if (made && view_.low == graded_degrees(degree_, tolerance_)) return;
  choose_passes(tables.degree, engine, tables.fit);
  make_operators(tables, stream);
  degree_ = tables.degree, matrix_ = tables.far.matrix, links_ = tables.far.begin[8];
}

void TensorM2l::make_rows(const TreeView& tree, BoxId first, BoxId last, TensorEngine engine, bool large,
                          cudaStream_t stream) {
  const int group = view_.full.rows.group, graded_group = view_.graded.rows.group;
  constexpr int graded_tile_rows = 128;
  const int tile_rows = tile_rows_of(std::int64_t(last) - first, group * view_.full.width, group, engine, large);
  const bool shared = view_.graded.terms == 0 || (graded_group == group && tile_rows == graded_tile_rows);
  const int wave = tile_rows <= 128 ? 0 : large ? 3 : device_limits().multiprocessors;
  rows_.build(tree, first, last, group, tile_rows, wave, stream);
  if (!shared) graded_rows_.build(tree, first, last, graded_group, graded_tile_rows, 0, stream);
  view_.full.rows = rows_.view();
  view_.graded.rows = shared ? rows_.view() : graded_rows_.view();
}

void TensorM2l::prepare_operands(const TreeView& tree, TensorEngine engine, cudaStream_t stream) {
  boxes_ = tree.boxes;
  view_.splits = 1;
  make_room(1);
  count_most_sources(tree, stream);
  view_.most_sources = most_sources_.data();
  view_.operator_scale = operator_scale;
  view_.warpgroups = engine == TensorEngine::warpgroup;
  view_.ready = true;
}

/// Bits do not depend on it where a tile has one block: the same two sums are added.
bool TensorM2l::runs_beside() const {
  return of_all_levels_ && view_.graded.terms > 0 && (view_.splits > 1 || boxes_ <= tuning::most_boxes_beside);
}

void TensorM2l::make_room(int densities) {
  high_.resize(densities * boxes_ * view_.full.width);
  for (DeviceArray<__half>* a : {&graded_high_, &graded_low_}) a->resize(densities * boxes_ * view_.graded.width);
  view_.part_pitch = boxes_ * stride_;
  parts_.resize(densities * (view_.splits - 1) * view_.part_pitch);
  view_.graded_pitch = boxes_ * view_.graded.width;
  graded_sums_.resize(runs_beside() ? densities * view_.splits * view_.graded_pitch : 0);
  view_ = view_of(0);
}

void TensorM2l::split_for(double heard) {
  view_.splits = splits_for(tiles_of(heard, view_.full.rows.group), view_.full.width);
  make_room(1);
}

TensorView TensorM2l::view_of(int density) const {
  TensorView view = view_;
  const std::int64_t full = density * boxes_ * view.full.width, graded = density * boxes_ * view.graded.width;
  const auto at = [](const DeviceArray<__half>& array, std::int64_t place) {
    return const_cast<__half*>(array.data()) + place;
  };
  view.full.in[0] = view.high = at(high_, full);
  view.graded.in[0] = view.graded_high = at(graded_high_, graded);
  view.graded.in[1] = view.graded_low = at(graded_low_, graded);
  view.parts = const_cast<float*>(parts_.data()) + density * (view.splits - 1) * view.part_pitch;
  view.graded_sums =
      runs_beside() ? const_cast<float*>(graded_sums_.data()) + density * view.splits * view.graded_pitch : nullptr;
  view.beside = beside_;
  return view;
}

// A dipole p, |p_a| <= 1, adds p . grad R_i / a to a box of edge a. The squared gradients of one degree n sum to
// n (2n + 1) |u|^(2n - 2), at most 18.8 in a box (n = 7): with its charge a source adds at most 1 + sqrt(3) 4.34 / a to
// a coefficient. In the scale the source counts as so many charges.
bool TensorM2l::allow_dipoles(const Lattice& lattice, int levels, cudaStream_t stream) {
  std::uint32_t most[max_levels + 1];
  download(most, most_sources_.data(), max_levels + 1, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (int level = 0; level < levels; ++level) {
    const double charges = std::ceil(most[level] * (1 + 7.52 / lattice.edge(level)));
    if (charges >= 0x1p32) return false;
    most[level] = static_cast<std::uint32_t>(charges);
  }
  upload(most_sources_, most, max_levels + 1, stream);
  return true;
}

void TensorM2l::build(const TablesView<float>& tables, const TreeView& tree, TensorEngine engine, cudaStream_t stream,
                      bool large) {
  use_operators(tables, engine, stream);
  const bool some = tree.levels > 2;
  make_rows(tree, some ? tree.level_begin[1] : 0, some ? tree.level_begin[tree.levels - 1] : 0, engine, large, stream);
  stride_ = tables.stride, of_all_levels_ = true;
  prepare_operands(tree, engine, stream);
  split_for(tree.boxes);
}

void TensorM2l::build_operands(int degree, const TreeView& tree, TensorEngine engine, cudaStream_t stream) {
  choose_passes(degree, engine, Fit::none);
  of_all_levels_ = false;
  prepare_operands(tree, engine, stream);
}

void TensorM2l::build_level(const TablesView<float>& tables, const TreeView& tree, int level,
                            const TensorView& operands, cudaStream_t stream) {
  const TensorEngine engine = operands.warpgroups ? TensorEngine::warpgroup : TensorEngine::warp;
  use_operators(tables, engine, stream);
  make_rows(tree, tree.level_begin[level - 1], tree.level_begin[level], engine, false, stream);
  const TensorPass full = view_.full, graded = view_.graded;
  view_ = operands;
  for (const auto& [own, common] : {std::pair{&full, &view_.full}, {&graded, &view_.graded}}) {
    common->rows = own->rows, common->inner = own->inner;
    for (int part = 0; part < 2; ++part) common->operators[part] = own->operators[part];
  }
}

std::string TensorM2l::arithmetic() const {
  if (view_.low == 0) return "fp16 on tensor cores";
  return "fp16 on tensor cores, 3 terms below degree " + std::to_string(view_.low);
}

void TensorM2l::release() { view_.ready = false; }

/// Where a pass sums, see TensorProduct.
struct PassSums {
  float* out;
  int stride;
  bool add;
  float* parts;
  std::int64_t pitch;
};

static void multiply(const Work<float>& work, const TensorPass& pass, const PassSums& to, cudaStream_t stream) {
  if (pass.terms == 0 || pass.rows.most_tiles == 0) return;
  const TensorView& view = work.tensor;
  const TensorProduct product{pass,
                              view.most_sources,
                              view.operator_scale,
                              to.out,
                              to.stride,
                              work.reduced,
                              to.add,
                              view.splits,
                              to.parts,
                              to.pitch,
                              work.images.home ? work.images.first_source : work.tree.first_child};
#ifdef FARFIELD_SM90A
  if (work.tensor.warpgroups) return tensor_product_wgmma(work.tree, product, stream);
#endif
  tensor_product_mma(work.tree, product, stream);
}

namespace {

/// Of the first `count` coefficients of every box with targets, the sums of all blocks that share its tile and, of the
/// first `graded_count`, those of the graded pass, in one order. A thread adds a few: where pairs have begun before the
/// passes end, each of these blocks waits for one of theirs, and l2l for all. One H200, 1.1e6 atoms of water: 5,300
/// blocks with a coefficient for each thread took 37 us then, 10 alone.
struct AddParts {
  static constexpr int each = 4;  ///< coefficients of a thread
  TreeView tree;
  BoxId first;
  int count, stride, splits;
  float* local;
  const float* parts;
  std::int64_t pitch;
  const float* graded;
  int graded_count, graded_width;
  std::int64_t graded_pitch;

  FARFIELD_HD int threads_of_box() const { return (count + each - 1) / each; }
  __device__ void operator()(std::int64_t i) const {
    const int threads = threads_of_box();
    const BoxId box = first + static_cast<BoxId>(i / threads);
    if (tree.target_count(box) == 0) return;
    const int begin = each * static_cast<int>(i % threads);
    float sum[each];
#pragma unroll  // all loads are under way before the first store
    for (int k = 0; k < each; ++k)
      if (begin + k < count) sum[k] = sum_of(box, begin + k);
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (begin + k < count) local[std::int64_t(box) * stride + begin + k] = sum[k];
  }
  __device__ float sum_of(BoxId box, int n) const {
    const std::int64_t at = std::int64_t(box) * stride + n;
    float sum = local[at];
    for (int s = 0; s + 1 < splits; ++s) sum += parts[s * pitch + at];
    for (int s = 0; s < splits && n < graded_count; ++s)
      sum += graded[s * graded_pitch + std::int64_t(box) * graded_width + n];
    return sum;
  }
};

void add_parts(const Work<float>& work) {
  const TensorView& view = work.tensor;
  const bool beside = view.graded_sums;
  if ((view.splits == 1 && !beside) || work.tree.levels <= 2 || view.full.rows.most_tiles == 0) return;
  const BoxId first = work.tree.level_begin[2];
  const int graded = beside ? view.graded.count : 0, count = view.splits > 1 ? view.full.count : graded;
  const AddParts body{work.tree,
                      first,
                      count,
                      work.tables.stride,
                      view.splits,
                      work.local,
                      view.parts,
                      view.part_pitch,
                      view.graded_sums,
                      graded,
                      view.graded.width,
                      view.graded_pitch};
  for_each_index(std::int64_t(work.tree.boxes - first) * body.threads_of_box(), body, work.stream, "parts of m2l");
}

}  // namespace

void m2l_by_tensor(const Work<float>& work) {
  const TensorView& view = work.tensor;
  const PassSums locals{work.local, work.tables.stride, false, view.parts, view.part_pitch};
  if (view.graded_sums) {
    order(work.stream, view.beside);
    multiply(work, view.full, locals, work.stream);
    multiply(work, view.graded,
             {view.graded_sums, view.graded.width, false, view.graded_sums + view.graded_pitch, view.graded_pitch},
             view.beside);
    order(view.beside, work.stream);
  } else {
    PassSums onto = locals;
    onto.add = true;
    multiply(work, view.full, locals, work.stream);
    multiply(work, view.graded, onto, work.stream);
  }
  add_parts(work);
}

}  // namespace farfield::cuda

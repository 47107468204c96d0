#include <algorithm>

#include "backends/cuda/periodic/blocks/box_sums.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

/// Coefficients that both the tree's expansions and the blocks' have.
int common_count(const FieldView& f, const Work<float>& work) { return std::min(f.count, work.tables.coefficients); }

/// Adds the charges of a box's sources, and these times the squares of their distances from the cell's centre.
__device__ void add_sources(const BlockBoxes& boxes, const Work<float>& work, BoxId box, double& charge,
                            double& second) {
  const std::int64_t end = work.tree.source_end[box];
  for (std::int64_t s = work.tree.source_begin[box] + threadIdx.x; s < end; s += sum_threads) {
    const double q = work.strength[s];
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double v = (work.source[axis][s] - boxes.root_centre[axis]) * boxes.root_factor;
      square += v * v;
    }
    charge += q, second += q * square;
  }
}

/// A block of threads for each box.
__global__ void __launch_bounds__(sum_threads) sum_charges(BlockBoxes boxes, Work<float> work) {
  __shared__ double lane[sum_threads];
  const BoxId box = boxes.at[blockIdx.x];
  double charge = 0, second = 0;
  if (box != no_box) add_sources(boxes, work, box, charge, second);
  charge = sum_of_block(charge, lane), second = sum_of_block(second, lane);
  double* const sums = boxes.charge + std::int64_t(2) * blockIdx.x;
  if (threadIdx.x == 0) sums[0] = charge, sums[1] = second;
}

// Products of the places' matrices with the expansions of groups of blocks. A block of threads has one place, one group
// and so many coefficients of what the product gives, a thread each; it reads a number of the matrix for all blocks of
// the group. At degree 12, 5^3 blocks and 27 places these are 1,296 blocks of threads.
constexpr int blocks_of_group = 8, product_threads = 64;
/// Rows of a matrix that a thread reads side by side; they divide BoxShifts::pitch.
constexpr int rows_at_once = 8;

/// One coefficient of the group's blocks.
struct alignas(16) GroupNumbers {
  float of[blocks_of_group];
};

/// The rows with degrees that coefficients `first` to `first` + product_threads - 1 follow from.
struct RowRange {
  int begin, end;
};
/// Those of no higher degree.
__device__ RowRange rows_of_m2m(int first, int coefficients) {
  const int last = min(first + product_threads, coefficients) - 1, end = SolidShape::count(SolidShape::degree_of(last));
  return {0, (end + rows_at_once - 1) / rows_at_once * rows_at_once};
}
/// Those of no lower degree.
__device__ RowRange rows_of_l2l(int first, int coefficients) {
  const int begin = SolidShape::first(SolidShape::degree_of(first));
  return {begin / rows_at_once * rows_at_once, (coefficients + rows_at_once - 1) / rows_at_once * rows_at_once};
}

/// sum += matrix[row][0] given[row] for these rows, one after the other.
__device__ void multiply(const float* matrix, int pitch, const GroupNumbers* given, const RowRange& rows,
                         GroupNumbers& sum) {
  for (int row = rows.begin; row < rows.end; row += rows_at_once) {
    float factor[rows_at_once];
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) factor[i] = matrix[(row + i) * pitch];
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
      const GroupNumbers own = given[row + i];
#pragma unroll
      for (int block = 0; block < blocks_of_group; ++block) sum.of[block] += factor[i] * own.of[block];
    }
  }
}

/// From boxes' multipoles to BlockBoxes::part.
struct BoxMultipoles {
  FieldView f;
  BlockBoxes boxes;
  const float* multipole;
  int stride, known;  ///< of the tree's expansions; coefficients that these have and blocks know

  __device__ const float* matrices() const { return boxes.m2m; }
  __device__ int results() const { return f.count; }
  __device__ RowRange rows(int first) const { return rows_of_m2m(first, f.count); }
  __device__ float given(int place, int block, int i) const {
    const BoxId box = boxes.at[place * f.blocks + block];
    return box != no_box && i < known ? multipole[std::int64_t(box) * stride + i] : 0;
  }
  __device__ void put(int place, int block, int i, float value) const {
    boxes.part[(std::int64_t(place) * f.blocks + block) * f.count + i] = value;
  }
};

/// From FieldView::potential to boxes' local expansions.
struct BlockLocals {
  FieldView f;
  BlockBoxes boxes;
  float* local;
  int stride, known;  ///< see BoxMultipoles

  __device__ const float* matrices() const { return boxes.l2l; }
  __device__ int results() const { return known; }
  __device__ RowRange rows(int first) const { return rows_of_l2l(first, f.count); }
  __device__ float given(int, int block, int i) const {
    return i < f.count ? f.potential[std::int64_t(block) * f.count + i] : 0;
  }
  __device__ void put(int place, int block, int i, float value) const {
    const BoxId box = boxes.at[place * f.blocks + block];
    if (box != no_box) local[std::int64_t(box) * stride + i] += value;
  }
};

/// Blocks of the grid: group, place, coefficients. Groups are the fastest, so that blocks of threads side by side read
/// the same matrix.
template <class Ends>
__global__ void __launch_bounds__(product_threads) multiply_by_places(const __grid_constant__ Ends ends) {
  extern __shared__ GroupNumbers given[];
  const int from = static_cast<int>(blockIdx.x) * blocks_of_group, place = static_cast<int>(blockIdx.y),
            first = static_cast<int>(blockIdx.z) * product_threads, pitch = ends.boxes.pitch,
            blocks = min(blocks_of_group, ends.f.blocks - from), own = first + static_cast<int>(threadIdx.x);
  const RowRange rows = ends.rows(first);
  for (int i = rows.begin + static_cast<int>(threadIdx.x); i < rows.end; i += product_threads) {
    GroupNumbers numbers;
#pragma unroll  // loads are under way side by side
    for (int block = 0; block < blocks_of_group; ++block)
      numbers.of[block] = block < blocks ? ends.given(place, from + block, i) : 0;
    given[i] = numbers;
  }
  __syncthreads();
  if (own >= ends.results()) return;
  GroupNumbers sum{};
  multiply(ends.matrices() + std::int64_t(place) * pitch * pitch + own, pitch, given, rows, sum);
#pragma unroll
  for (int block = 0; block < blocks_of_group; ++block)
    if (block < blocks) ends.put(place, from + block, own, sum.of[block]);
}

template <class Ends>
void launch_product(const char* name, const Ends& ends, int results, cudaStream_t stream) {
  const auto shares = [](int all, int each) { return static_cast<unsigned>((all + each - 1) / each); };
  const dim3 grid(shares(ends.f.blocks, blocks_of_group), static_cast<unsigned>(ends.boxes.places),
                  shares(results, product_threads));
  launch_kernel(name, multiply_by_places<Ends>,
                {grid, product_threads, static_cast<std::size_t>(ends.boxes.pitch) * sizeof(GroupNumbers)}, stream,
                ends);
}

/// The parts of a block's boxes, one after the other.
struct AddPlaces {
  FieldView f;
  BlockBoxes boxes;
  __device__ void operator()(std::int64_t at) const {
    const int block = static_cast<int>(at / f.count), i = static_cast<int>(at % f.count);
    if (i == 0)
      add_charges(block);
    else
      f.multipole[at] = sum(boxes.part + at, std::int64_t(f.blocks) * f.count);
  }
  __device__ void add_charges(int block) const {
    const double* const of_block = boxes.charge + std::int64_t(2) * block;
    f.multipole[std::int64_t(block) * f.count] = sum(of_block, 2 * f.blocks);
    f.second[block] = sum(of_block + 1, 2 * f.blocks);
  }
  /// Over all places.
  template <class Number>
  __device__ double sum(const Number* part, std::int64_t to_next) const {
    double all = 0;
#pragma unroll 8  // loads are under way side by side
    for (int place = 0; place < boxes.places; ++place) all += part[place * to_next];
    return all;
  }
};

/// Of the largest strength, which is scaled to 1: what rounding leaves of a sum that is 0.
constexpr double no_charge = 1e-7;

struct AddNetCharge {
  const double* charge;
  BlockBoxes boxes;
  const double* target[3];
  ResultArrays<float> result;
  __device__ void operator()(std::int64_t t) const {
    if (fabs(*charge) <= no_charge) return;
    const double potential = *charge * boxes.root_factor, slope = 2 * potential * boxes.root_factor;
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double v = (target[axis][t] - boxes.root_centre[axis]) * boxes.root_factor;
      square += v * v;
      if (float* const gradient = result[1 + axis]) gradient[t] += static_cast<float>(slope * v);
    }
    if (result[0]) result[0][t] += static_cast<float>(potential * square);
  }
};

}  // namespace

void charges_of_boxes(const BlockBoxes& boxes, const Work<float>& work) {
  const dim3 all(static_cast<unsigned>(boxes.places * boxes.blocks));
  launch_kernel("charges of boxes", sum_charges, {all, sum_threads, 0}, work.stream, boxes, work);
}

void blocks_from_boxes(const FieldView& f, const BlockBoxes& boxes, const Work<float>& work) {
  const BoxMultipoles ends{f, boxes, work.multipole, work.tables.stride, common_count(f, work)};
  launch_product("m2m of boxes to blocks", ends, f.count, work.stream);
  for_each_index(std::int64_t(f.blocks) * f.count, AddPlaces{f, boxes}, work.stream, "m2m of boxes to blocks");
}

void boxes_from_blocks(const FieldView& f, const BlockBoxes& boxes, const Work<float>& work) {
  const BlockLocals ends{f, boxes, work.local, work.tables.stride, common_count(f, work)};
  launch_product("l2l of blocks to boxes", ends, ends.known, work.stream);
}

void add_net_charge(const FieldView& f, const BlockBoxes& boxes, const Work<float>& work) {
  if (f.quadratic == 0) return;
  const AddNetCharge add{f.charge, boxes, {work.target[0], work.target[1], work.target[2]}, work.result};
  for_each_index(work.targets, add, work.stream, "net charge of a cell");
}

}  // namespace farfield::cuda

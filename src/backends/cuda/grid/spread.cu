// spread: strengths onto the blocks of the grid. A block of threads sums, in shared memory, one block of the grid over
// a piece of the sources whose windows may reach it, those of its own cell and of the ones before it along each axis;
// each thread owns every 8th point along the first axis and so on, and takes the sources in order. Sums of several
// pieces are then added in order, too: no two threads ever write one number.
// Cost: w^d multiply-adds for each source, 2.6 times that work in space for windows of 7 points, which reach over the
// rim of a block of 16.
#include "backends/cuda/grid/footprint.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr int threads = 128;

/// How many threads stand along each axis, so that neighbours own neighbouring points; those of a warp meet in no bank
/// of shared memory, as rows are padded.
template <int axes>
struct Owners {
  static constexpr int x = axes == 1 ? 128 : 8, y = axes == 1 ? 1 : axes == 2 ? 16 : 4, z = axes == 3 ? 4 : 1;
  static_assert(x * y * z == threads);
  static constexpr int side = block_side(axes), pitch = axes == 1 ? side : side + 8;
  static constexpr int rows = static_cast<int>(block_points(axes)) / side;
};

/// Sources that a block of threads looks at together.
template <class Real, int axes>
struct Batch {
  Real u[axes][threads], q[threads];
  std::int16_t first[axes][threads];  ///< of the window, from the block's first point: above -width, below side
  std::int64_t begin[8], offset[9];   ///< of the cells' sources
  int in_warp[threads / 32];
};

template <class Real, int axes>
class BlockSpreader {
  using Own = Owners<axes>;

 public:
  static std::size_t bytes(const GridView<Real>& grid) {
    return sizeof(Batch<Real, axes>) +
           sizeof(Real) * static_cast<std::size_t>(Own::rows * Own::pitch + (grid.degree + 1) * grid.width +
                                                   threads * axes * window_pitch(grid.width));
  }

  __device__ BlockSpreader(const NearWork<Real>& work, const GridView<Real>& grid, const GridPiece& piece,
                           unsigned char* memory)
      : work_(work), grid_(grid), piece_(piece), batch_(*reinterpret_cast<Batch<Real, axes>*>(memory)) {
    sum_ = reinterpret_cast<Real*>(memory + sizeof(Batch<Real, axes>));
    coefficient_ = sum_ + Own::rows * Own::pitch;
    window_ = coefficient_ + (grid.degree + 1) * grid.width;
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < Own::rows * Own::pitch; i += threads) sum_[i] = 0;
    for (int i = thread; i < (grid.degree + 1) * grid.width; i += threads) coefficient_[i] = grid.value[i];
    const CellKey key = grid.block[piece.block];
    for (int a = 0; a < axes; ++a) low_[a] = cell_index(key, a) * Own::side;
    if (thread == 0) {
      batch_.offset[0] = 0;
      for (int i = 0; i < 8; ++i) {
        const std::int32_t cell = grid.feeders[8 * std::int64_t(piece.block) + i];
        batch_.begin[i] = cell < 0 ? 0 : grid.sources.begin[cell];
        batch_.offset[i + 1] = batch_.offset[i] + (cell < 0 ? 0 : grid.sources.begin[cell + 1] - batch_.begin[i]);
      }
    }
    __syncthreads();
  }

  __device__ void add_all() {
    const std::int64_t all = batch_.offset[8], begin = all * piece_.part / piece_.parts,
                       end = all * (piece_.part + 1) / piece_.parts;
    for (std::int64_t base = begin; base < end; base += threads) {
      const int count = take(base + threadIdx.x, end);
      evaluate(count);
      __syncthreads();
      for (int s = 0; s < count; ++s) add(s);
      __syncthreads();
    }
  }

  __device__ void deliver() const {
    constexpr int points = static_cast<int>(block_points(axes));
    Real* out = piece_.kept < 0 ? grid_.to + std::int64_t(piece_.block) * points
                                : grid_.kept + std::int64_t(piece_.kept) * points;
    for (int i = static_cast<int>(threadIdx.x); i < points; i += threads)
      out[i] = sum_[i / Own::side * Own::pitch + i % Own::side];
  }

 private:
  /// Each thread looks at one source; those that reach the block are put in line, in their order. Returns how many.
  __device__ int take(std::int64_t i, std::int64_t end) {
    Real u[axes];
    int first[axes];
    std::int64_t source = 0;
    bool reaches = i < end;
    if (reaches) {
      int cell = 0;
#pragma unroll
      for (int step = 4; step > 0; step /= 2)
        if (batch_.offset[cell + step] <= i) cell += step;
      source = batch_.begin[cell] + i - batch_.offset[cell];
#pragma unroll
      for (int a = 0; a < axes; ++a) {
        const Footprint<Real> at(grid_.lattice, chosen(work_.source, grid_.lattice.axis[a])[source], a);
        first[a] = static_cast<int>(at.place - low_[a]), u[a] = at.u;
        reaches = reaches && first[a] > -grid_.width;
      }
    }
    const unsigned ballot = __ballot_sync(0xffffffffu, reaches), lane = threadIdx.x % 32;
    if (lane == 0) batch_.in_warp[threadIdx.x / 32] = __popc(ballot);
    __syncthreads();
    int slot = __popc(ballot & ((1u << lane) - 1)), count = 0;
#pragma unroll
    for (int w = 0; w < threads / 32; ++w) {
      if (w < static_cast<int>(threadIdx.x / 32)) slot += batch_.in_warp[w];
      count += batch_.in_warp[w];
    }
    if (reaches) {
#pragma unroll
      for (int a = 0; a < axes; ++a)
        batch_.u[a][slot] = u[a], batch_.first[a][slot] = static_cast<std::int16_t>(first[a]);
      batch_.q[slot] = work_.strength[source];
    }
    __syncthreads();
    return count;
  }

  /// Windows of the sources in line, those along the last axis times the strength.
  __device__ void evaluate(int count) const {
    for (int i = static_cast<int>(threadIdx.x); i < count * axes; i += threads) {
      const int s = i / axes, a = i % axes;
      evaluate_window(coefficient_, grid_.degree, grid_.width, batch_.u[a][s], a == axes - 1 ? batch_.q[s] : Real(1),
                      window_ + i * window_pitch(grid_.width));
    }
  }

  /// The first of this thread's points, `owner` and every owners-th, that is not below `from`.
  template <int owners>
  __device__ static int first_own(int from, int owner) {
    return from + ((owner - from) & (owners - 1));
  }

  __device__ void add(int s) const {
    const int thread = static_cast<int>(threadIdx.x), width = grid_.width, pitch = window_pitch(width);
    const int lane_x = thread % Own::x, lane_y = thread / Own::x % Own::y, lane_z = thread / (Own::x * Own::y);
    const Real* along_x = window_ + s * axes * pitch;
    const int x0 = batch_.first[0][s], y0 = axes > 1 ? batch_.first[axes > 1 ? 1 : 0][s] : 0,
              z0 = axes > 2 ? batch_.first[axes - 1][s] : 0;
    const int x_end = min(x0 + width, Own::side), y_end = axes > 1 ? min(y0 + width, Own::side) : 1,
              z_end = axes > 2 ? min(z0 + width, Own::side) : 1;
    const int x_own = first_own<Own::x>(max(x0, 0), lane_x);
    for (int z = axes > 2 ? first_own<Own::z>(max(z0, 0), lane_z) : 0; z < z_end; z += Own::z) {
      const Real of_z = axes > 2 ? along_x[2 * pitch + z - z0] : Real(1);
      for (int y = axes > 1 ? first_own<Own::y>(max(y0, 0), lane_y) : 0; y < y_end; y += Own::y) {
        const Real of_y = axes > 1 ? of_z * along_x[pitch + y - y0] : Real(1);
        Real* row = sum_ + (z * Own::side + y) * Own::pitch;
        for (int x = x_own; x < x_end; x += Own::x) row[x] += of_y * along_x[x - x0];
      }
    }
  }

  const NearWork<Real>& work_;
  const GridView<Real>& grid_;
  const GridPiece piece_;
  Batch<Real, axes>& batch_;
  Real *sum_, *coefficient_, *window_;
  std::int64_t low_[axes];
};

template <class Real, int axes>
__global__ void __launch_bounds__(threads)
    spread_kernel(const __grid_constant__ NearWork<Real> work, const __grid_constant__ GridView<Real> grid) {
  extern __shared__ __align__(16) unsigned char memory[];
  BlockSpreader<Real, axes> spreader(work, grid, grid.piece[blockIdx.x], memory);
  spreader.add_all();
  spreader.deliver();
}

/// One number of a block of several pieces.
template <class Real>
struct AddPieces {
  GridView<Real> grid;
  int points;
  __device__ void operator()(std::int64_t i) const {
    const KeptBlock block = grid.kept_block[i / points];
    const std::int64_t at = i % points;
    const Real* kept = grid.kept + std::int64_t(block.first) * points + at;
    double sum = 0;
#pragma unroll 8
    for (std::int32_t p = 0; p < block.count; ++p) sum += static_cast<double>(kept[std::int64_t(p) * points]);
    grid.to[std::int64_t(block.block) * points + at] = static_cast<Real>(sum);
  }
};

}  // namespace

template <class Real>
void spread(const NearWork<Real>& work, const GridView<Real>& grid) {
  if (grid.pieces == 0) return;
  with_axes(grid.lattice.axes, [&](auto axes) {
    launch_kernel("spread", &spread_kernel<Real, axes()>,
                  {dim3(static_cast<unsigned>(grid.pieces)), threads, BlockSpreader<Real, axes()>::bytes(grid)},
                  work.stream, work, grid);
  });
  const int points = static_cast<int>(block_points(grid.lattice.axes));
  for_each_index(grid.kept_blocks * points, AddPieces<Real>{grid, points}, work.stream, "pieces of blocks");
}

template void spread<float>(const NearWork<float>&, const GridView<float>&);
template void spread<double>(const NearWork<double>&, const GridView<double>&);

}  // namespace farfield::cuda

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
struct SourceBatch {
  short4 first[threads];  ///< of the window, from the block's first point: above -width, below side
  Real u[axes][threads], q[threads];
  std::int64_t begin[8], offset[9];  ///< of the cells' sources
  int in_warp[threads / 32];
};

template <class Real, int axes, int room>
class BlockSpreader {
  using Own = Owners<axes>;

 public:
  static std::size_t bytes(const GridView<Real>& grid) {
    return sizeof(SourceBatch<Real, axes>) +
           sizeof(Real) * static_cast<std::size_t>(Own::rows * Own::pitch + (grid.degree + 1) * room +
                                                   threads * axes * window_pitch<room>);
  }

  __device__ BlockSpreader(const NearWork<Real>& work, const GridView<Real>& grid, const GridPiece& piece,
                           unsigned char* memory)
      : work_(work), grid_(grid), piece_(piece), batch_(*reinterpret_cast<SourceBatch<Real, axes>*>(memory)) {
    sum_ = reinterpret_cast<Real*>(memory + sizeof(SourceBatch<Real, axes>));
    coefficient_ = sum_ + Own::rows * Own::pitch;
    window_ = coefficient_ + (grid.degree + 1) * room;
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < Own::rows * Own::pitch; i += threads) sum_[i] = 0;
    load_coefficients<room, threads>(grid.value, grid.degree, grid.width, coefficient_);
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
#pragma unroll 2
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
    int first[3] = {};
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
      for (int a = 0; a < axes; ++a) batch_.u[a][slot] = u[a];
      batch_.first[slot] = {static_cast<short>(first[0]), static_cast<short>(first[1]), static_cast<short>(first[2]),
                            0};
      batch_.q[slot] = work_.strength[source];
    }
    __syncthreads();
    return count;
  }

  /// Windows of the sources in line, those along the last axis times the strength; 0 at points of other blocks.
  __device__ void evaluate(int count) const {
    for (int i = static_cast<int>(threadIdx.x); i < count * axes; i += threads) {
      const int s = i / axes, a = i % axes;
      const short4 at = batch_.first[s];
      const int first = a == 0 ? at.x : a == 1 ? at.y : at.z;
      Real window[room];
      evaluate_window<room>(coefficient_, grid_.degree, batch_.u[a][s], window);
      const Real factor = a == axes - 1 ? batch_.q[s] : Real(1);
#pragma unroll
      for (int k = 0; k < room; ++k)
        window_[i * window_pitch<room> + k] =
            static_cast<unsigned>(first + k) < static_cast<unsigned>(Own::side) ? factor * window[k] : Real(0);
    }
  }

  /// What one thread takes of a window along one axis: of every `owners` points in a row one is its own, those outside
  /// of the block have weight 0 and stand for one inside.
  template <int owners>
  struct OwnPoints {
    static constexpr int count = room > owners ? room / owners : 1;
    Real weight[count];
    int place[count];
    __device__ OwnPoints(const Real* window, int first, int owner) {
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const int k = ((owner - first) & (owners - 1)) + i * owners;
        weight[i] = owners <= room || k < room ? window[k] : Real(0);
        place[i] = (first + k) & (Own::side - 1);
      }
    }
  };

  __device__ void add(int s) const {
    constexpr int pitch = window_pitch<room>;
    const int thread = static_cast<int>(threadIdx.x);
    const Real* window = window_ + s * axes * pitch;
    const short4 first = batch_.first[s];
    const OwnPoints<Own::x> x(window, first.x, thread % Own::x);
    if constexpr (axes == 1) {
      sum_[x.place[0]] += x.weight[0];
    } else if constexpr (axes == 2) {
      const OwnPoints<Own::y> y(window + pitch, first.y, thread / Own::x);
      add_row(y.place[0], y.weight[0], x);
    } else {
      const OwnPoints<Own::y> y(window + pitch, first.y, thread / Own::x % Own::y);
      const OwnPoints<Own::z> z(window + 2 * pitch, first.z, thread / (Own::x * Own::y));
#pragma unroll
      for (int k = 0; k < z.count; ++k) {
        if (z.weight[k] == 0) continue;  // for the whole warp
#pragma unroll
        for (int j = 0; j < y.count; ++j) add_row(z.place[k] * Own::side + y.place[j], z.weight[k] * y.weight[j], x);
      }
    }
  }
  __device__ void add_row(int row, Real weight, const OwnPoints<Own::x>& x) const {
#pragma unroll
    for (int i = 0; i < x.count; ++i) sum_[row * Own::pitch + x.place[i]] += weight * x.weight[i];
  }

  const NearWork<Real>& work_;
  const GridView<Real>& grid_;
  const GridPiece piece_;
  SourceBatch<Real, axes>& batch_;
  Real *sum_, *coefficient_, *window_;
  std::int64_t low_[axes];
};

template <class Real, int axes, int room>
__global__ void __launch_bounds__(threads)
    spread_kernel(const __grid_constant__ NearWork<Real> work, const __grid_constant__ GridView<Real> grid) {
  extern __shared__ __align__(16) unsigned char memory[];
  BlockSpreader<Real, axes, room> spreader(work, grid, grid.piece[blockIdx.x], memory);
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
  with_room(grid.width, [&](auto room) {
    with_axes(grid.lattice.axes, [&](auto axes) {
      const auto kernel = &spread_kernel<Real, axes(), room()>;
      // as much shared memory as there is: how many blocks of threads run at a time depends on it
      require(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
              "cudaFuncSetAttribute");
      launch_kernel(
          "spread", kernel,
          {dim3(static_cast<unsigned>(grid.pieces)), threads, BlockSpreader<Real, axes(), room()>::bytes(grid)},
          work.stream, work, grid);
    });
  });
  const int points = static_cast<int>(block_points(grid.lattice.axes));
  for_each_index(grid.kept_blocks * points, AddPieces<Real>{grid, points}, work.stream, "pieces of blocks");
}

template void spread<float>(const NearWork<float>&, const GridView<float>&);
template void spread<double>(const NearWork<double>&, const GridView<double>&);

}  // namespace farfield::cuda

// Engine of warpgroup instructions (wgmma, compute capability 9.0a): two warpgroups of 64 or 128 rows each by all
// columns, or by the first of them in steps whose locals get lower degrees alone. The tensor cores themselves read both
// operands from shared memory.
#pragma once
#include <algorithm>

#include "backends/cuda/m2l/tensor/instructions.hpp"
#include "backends/cuda/m2l/tensor/kernel.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// rows_: 128 or 256, one or two tiles of 64 rows per warpgroup. narrow_: columns of narrow steps; columns_: there are
/// none.
template <int rows_, int columns_, int narrow_, int terms_>
class WgmmaEngine {
 public:
  static constexpr int rows = rows_, columns = columns_, narrow = narrow_, terms = terms_, parts = terms_ == 3 ? 2 : 1;
  static constexpr int lag = terms == 1 ? 2 : 1;  ///< steps until a stage is free again

  /// Stages of steps with so many columns: as many as a multiprocessor has room for beside the tile, four at most.
  static constexpr int most_stages = 4, room = (rows == 128 ? 204 : 184) << 10;
  static constexpr int stage_bytes(int width) { return parts * (rows + width) * tensor_row_bytes; }
  static constexpr int stages_of(int width) { return std::min(most_stages, room / stage_bytes(width)); }
  static constexpr int staging_bytes =
      std::max(stages_of(columns) * stage_bytes(columns), stages_of(narrow) * stage_bytes(narrow));

  /// Copies write as ordinary stores do, but the tensor cores read through the async proxy.
  __device__ void see_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

  /// `width`: columns, or narrow.
  template <int width>
  __device__ void start(const unsigned char* stage) {
    const unsigned a =
        static_cast<unsigned>(__cvta_generic_to_shared(stage)) + warpgroup() * (rows / 2) * tensor_row_bytes;
    const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(stage)) + parts * part_a;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if constexpr (terms == 1) {
#pragma unroll
      for (int t = 0; t < tiles; ++t) multiply<width>(sum_[t], a + t * 64 * tensor_row_bytes, b, true);
    } else {
      multiply<width>(chunk_, a + part_a, b, false);
      multiply<width>(chunk_, a, b + part_b, true);
      multiply<width>(chunk_, a, b, true);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }

  /// One term: waits for the step before only, so that the tensor cores never idle. Three: waits for this step and
  /// adds its sums in single.
  __device__ void finish() {
    if constexpr (terms == 1) {
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    } else {
      finish_all();
#pragma unroll
      for (int i = 0; i < columns / 2; ++i) sum_[0][i] += chunk_[i];
    }
  }
  __device__ void finish_all() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

  /// Sums as pairs of neighbouring columns.
  static constexpr int pairs = rows / 128 * columns / 4;
  __device__ static int row(int i) {
    const int thread = static_cast<int>(threadIdx.x);
    return thread / 128 * (rows / 2) + i / (columns / 4) * 64 + thread % 128 / 32 * 16 + 8 * (i % 2) + lane() / 4;
  }
  __device__ static int column(int i) { return 8 * (i % (columns / 4) / 2) + lane() % 4 * 2; }
  __device__ float2 pair(int i) const {
    const float* sum = sum_[i / (columns / 4)] + i % (columns / 4) * 2;
    return {sum[0], sum[1]};
  }

 private:
  static constexpr int tiles = rows / 128, part_a = rows * tensor_row_bytes, part_b = columns * tensor_row_bytes;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static unsigned warpgroup() { return __shfl_sync(~0u, threadIdx.x / 128, 0); }

  /// Descriptor of a tile of 128-byte rows, swizzled within every eight rows (PTX ISA, "matrix descriptor").
  __device__ static std::uint64_t descriptor(unsigned address) {
    return (address & 0x3ffffu) >> 4 | 1ull << 16 | std::uint64_t(8 * tensor_row_bytes >> 4) << 32 | 1ull << 62;
  }

  /// The sums of a tile's first columns are the first of its registers.
  template <int width, int registers>
  __device__ static void multiply(float (&d)[registers], unsigned a, unsigned b, bool keep) {
    auto& first = reinterpret_cast<float(&)[width / 2]>(d);
#pragma unroll
    for (int k = 0; k < tensor_chunk / 16; ++k)
      wgmma<width>(first, descriptor(a) + 2 * k, descriptor(b) + 2 * k, keep || k > 0);
  }

  static_assert(tiles == 1 || terms == 1, "two tiles and a chunk are more than the registers hold");

  float sum_[tiles][columns / 2] = {}, chunk_[terms == 3 ? columns / 2 : 1];
};

/// Starts the bulk copies of a step's operators, `taken` columns of each child, one per run of consecutive children.
template <int rows, int columns, int parts>
__device__ void copy_operators_bulk(const TensorPass& pass, const TensorTile<rows>& tile, int step, unsigned char* to,
                                    int taken, std::uint64_t& barrier) {
  const int child_bytes = taken * tensor_row_bytes;
  arrive_and_expect(barrier, static_cast<unsigned>(parts * pass.rows.group * child_bytes));
  const unsigned image = operators_of(pass, tile, step);
  for (int part = 0; part < parts; ++part) {
    unsigned char* at = to + part * columns * tensor_row_bytes;
    for (unsigned left = tile.members; left;) {
      const int first = first_octant(left), count = __ffs(static_cast<int>(~(left >> first))) - 1;
      left &= ~(((1u << count) - 1) << first);
      copy_bulk(at, pass.operators[part] + image + static_cast<unsigned>(first * pass.width * tensor_chunk),
                static_cast<unsigned>(count * child_bytes), barrier);
      at += count * child_bytes;
    }
  }
}

template <class Engine>
inline constexpr int copying_threads = tuning::copying_threads(Engine::columns, Engine::terms);
template <class Engine>
inline constexpr int specialised_threads = tensor_threads + copying_threads<Engine>;
inline constexpr int copying_registers = 40;
/// Of a multiplying thread: with three and with four warpgroups in a block.
template <class Engine>
inline constexpr int multiplying_registers = copying_threads<Engine> == 128 ? 232 : 216;

template <int count>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/// Steps of `width` columns take stages of shared memory in turn; the barriers of each say when it is full, and empty.
template <class Engine, int width>
struct StageRing {
  static constexpr int rows_bytes = Engine::parts * Engine::rows * tensor_row_bytes;
  static constexpr int bytes = Engine::stage_bytes(width), stages = Engine::stages_of(width);

  unsigned char* first;
  std::uint64_t *full, *empty;
  int stage = 0, phase = 0;

  __device__ unsigned char* place() const { return first + stage * bytes; }
  __device__ void make_barriers(int copying, int multiplying) const {
    for (int s = 0; s < stages; ++s) make_barrier(full[s], copying), make_barrier(empty[s], multiplying);
  }
  __device__ void next() {
    if (++stage == stages) stage = 0, phase ^= 1;
  }
  __device__ void wait_until_full() const { wait(full[stage], static_cast<unsigned>(phase)); }
  /// In the first round all stages are empty.
  __device__ void wait_until_empty() const { wait(empty[stage], static_cast<unsigned>(phase ^ 1)); }
};

/// Copies steps first ... last - 1, by all threads of the copying warpgroups.
template <class Engine, int width, class Copies>
__device__ void copy_steps(const TensorPass& pass, const TensorTile<Engine::rows>& tile, StageRing<Engine, width> ring,
                           Copies& row_copies, int first, int last, bool half) {
  using Ring = StageRing<Engine, width>;
  const int thread = static_cast<int>(threadIdx.x) - tensor_threads;
  for (int i = first; i < last; ++i, ring.next()) {
    const int step = tile.step_at(i);
    row_copies.look_up(step);
    ring.wait_until_empty();
    if (thread == i % 4 * 32)  // the first four warps take turns
      copy_operators_bulk<Engine::rows, width, Engine::parts>(pass, tile, step, ring.place() + Ring::rows_bytes,
                                                              width == Engine::columns ? pass.width : width,
                                                              ring.full[ring.stage]);
    row_copies.start(step, ring.place(), half);
    arrive_after_copies(ring.full[ring.stage]);
  }
}

/// Multiplies so many steps, by each multiplying warpgroup.
template <class Engine, int width>
__device__ void multiply_steps(StageRing<Engine, width> ring, Engine& engine, int steps) {
  StageRing<Engine, width> done = ring;
  for (int i = 0; i < steps; ++i, ring.next()) {
    ring.wait_until_full();
    engine.see_copies();
    engine.template start<width>(ring.place());
    engine.finish();  // waits for step i + 1 - lag
    if (i + 1 >= Engine::lag) {
      if (threadIdx.x % 128 == 0) arrive(done.empty[done.stage]);
      done.next();
    }
  }
  engine.finish_all();
}

/// The tensor kernel with warpgroups that copy for two that multiply: a warpgroup that issues products is held until
/// they begin, and could not copy meanwhile (measured: half the speed). The copying warpgroups hand registers to the
/// multiplying ones. If the second half of a tile's rows is empty, only the first half is copied and multiplied.
template <class Engine>
__global__ void __launch_bounds__(specialised_threads<Engine>, 1) specialised_kernel(TreeView tree, TensorProduct p) {
  constexpr int rows = Engine::rows, columns = Engine::columns, narrow = Engine::narrow;
  extern __shared__ unsigned char raw[];
  __shared__ std::uint64_t full[2][Engine::most_stages], empty[2][Engine::most_stages], between;
  const unsigned misaligned = shared_address(raw) % 1024;
  unsigned char* stage = raw + (misaligned ? 1024 - misaligned : 0);
  auto& tile = *reinterpret_cast<TensorTile<rows>*>(stage + Engine::staging_bytes);
  if (!read_tile<rows, columns>(tree, p, tile)) return;
  const bool half = __shfl_sync(~0u, static_cast<int>(tile.count <= rows / 2), 0);
  const StageRing<Engine, columns> of_wide{stage, full[0], empty[0]};
  const StageRing<Engine, narrow> of_narrow{stage, full[1], empty[1]};
  if (threadIdx.x == 0) {
    const int multiplying = half ? 1 : 2;
    of_wide.make_barriers(copying_threads<Engine> + 1, multiplying);
    of_narrow.make_barriers(copying_threads<Engine> + 1, multiplying);
    make_barrier(between, 128 * multiplying);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  const int steps = __shfl_sync(~0u, tile.steps, 0), wide = __shfl_sync(~0u, tile.wide, 0),
            group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (group >= tensor_threads / 128) {
    give_registers<copying_registers>();
    RowCopies<rows, copying_threads<Engine>, Engine::parts> row_copies(p.pass, tile,
                                                                       static_cast<int>(threadIdx.x) - tensor_threads);
    copy_steps(p.pass, tile, of_wide, row_copies, 0, wide, half);
    if constexpr (narrow < columns) {
      wait(between, 0);
      copy_steps(p.pass, tile, of_narrow, row_copies, wide, steps, half);
    }
  } else {
    take_registers<multiplying_registers<Engine>>();
    if (half && group == 1) return;  // this warpgroup's rows are the second half
    Engine engine;
    multiply_steps(of_wide, engine, wide);
    if constexpr (narrow < columns) {
      arrive(between);
      multiply_steps(of_narrow, engine, steps - wide);
    }
    write_locals(p, tile, engine);
  }
}

}  // namespace farfield::cuda

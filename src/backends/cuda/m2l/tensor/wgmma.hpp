// Engine of warpgroup instructions (wgmma, compute capability 9.0a): two warpgroups of 64 or 128 rows each by all
// columns. The tensor cores themselves read both operands from shared memory.
#pragma once
#include "backends/cuda/m2l/tensor/instructions.hpp"
#include "backends/cuda/m2l/tensor/kernel.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// rows_: 128 or 256, one or two tiles of 64 rows per warpgroup.
template <int rows_, int columns_, int terms_, int stages_>
class WgmmaEngine {
 public:
  static constexpr int rows = rows_, columns = columns_, terms = terms_, parts = terms_ == 3 ? 2 : 1, stages = stages_;
  static constexpr int lag = terms == 1 ? 2 : 1;  ///< steps until a stage is free again

  /// Copies write as ordinary stores do, but the tensor cores read through the async proxy.
  __device__ void see_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

  __device__ void start(const unsigned char* stage, bool first) {
    const unsigned a =
        static_cast<unsigned>(__cvta_generic_to_shared(stage)) + warpgroup() * (rows / 2) * tensor_row_bytes;
    const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(stage)) + parts * part_a;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if constexpr (terms == 1) {
#pragma unroll
      for (int t = 0; t < tiles; ++t) multiply(sum_[t], a + t * 64 * tensor_row_bytes, b, !first);
    } else {
      if (first)
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) sum_[0][i] = 0;
      multiply(chunk_, a + part_a, b, false);
      multiply(chunk_, a, b + part_b, true);
      multiply(chunk_, a, b, true);
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

  __device__ static void multiply(float (&d)[columns / 2], unsigned a, unsigned b, bool keep) {
#pragma unroll
    for (int k = 0; k < tensor_chunk / 16; ++k)
      wgmma<columns>(d, descriptor(a) + 2 * k, descriptor(b) + 2 * k, keep || k > 0);
  }

  static_assert(tiles == 1 || terms == 1, "two tiles and a chunk are more than the registers hold");

  float sum_[tiles][columns / 2], chunk_[terms == 3 ? columns / 2 : 1];
};

/// Starts the bulk copies of a step's operators, one per run of consecutive children.
template <int rows, int columns, int parts>
__device__ void copy_operators_bulk(const TensorPass& pass, const TensorTile<rows>& tile, int step, unsigned char* to,
                                    std::uint64_t& barrier) {
  const int child_bytes = pass.width * tensor_row_bytes;
  arrive_and_expect(barrier, static_cast<unsigned>(parts * pass.rows.group * child_bytes));
  const unsigned image = operators_of(pass, tile, step);
  for (int part = 0; part < parts; ++part) {
    unsigned char* at = to + part * columns * tensor_row_bytes;
    for (unsigned left = tile.members; left;) {
      const int first = first_octant(left), count = __ffs(static_cast<int>(~(left >> first))) - 1;
      left &= ~(((1u << count) - 1) << first);
      copy_bulk(at, pass.operators[part] + image + static_cast<unsigned>(first * (child_bytes / 2)),
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
inline constexpr int multiplying_registers = copying_threads<Engine> == 128 ? 232 : 208;

template <int count>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/// The tensor kernel with warpgroups that copy for two that multiply: a warpgroup that issues products is held until
/// they begin, and could not copy meanwhile (measured: half the speed). The copying warpgroups hand registers to the
/// multiplying ones. If the second half of a tile's rows is empty, only the first half is copied and multiplied.
template <class Engine>
__global__ void __launch_bounds__(specialised_threads<Engine>, 1) specialised_kernel(TreeView tree, TensorProduct p) {
  constexpr int rows = Engine::rows, columns = Engine::columns, parts = Engine::parts;
  constexpr int copying_threads = cuda::copying_threads<Engine>;
  constexpr int stages = Engine::stages, lag = Engine::lag, rows_bytes = parts * rows * tensor_row_bytes;
  constexpr int stage_bytes = rows_bytes + parts * columns * tensor_row_bytes;
  extern __shared__ unsigned char raw[];
  __shared__ std::uint64_t full[stages], empty[stages];
  const unsigned misaligned = shared_address(raw) % 1024;
  unsigned char* stage = raw + (misaligned ? 1024 - misaligned : 0);
  auto& tile = *reinterpret_cast<TensorTile<rows>*>(stage + stages * stage_bytes);
  if (!read_tile<rows, columns>(tree, p, tile)) return;
  const bool half = __shfl_sync(~0u, static_cast<int>(tile.count <= rows / 2), 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) make_barrier(full[s], copying_threads + 1), make_barrier(empty[s], half ? 1 : 2);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  const int steps = __shfl_sync(~0u, tile.steps, 0), group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (group >= tensor_threads / 128) {
    give_registers<copying_registers>();
    const int thread = static_cast<int>(threadIdx.x) - tensor_threads;
    RowCopies<rows, copying_threads, parts> row_copies(p.pass, tile, thread);
    for (int i = 0, s = 0, phase = 1; i < steps; ++i) {
      row_copies.look_up(tile.step[i]);
      wait(empty[s], static_cast<unsigned>(phase));  // in the first round all stages are empty
      unsigned char* to = stage + s * stage_bytes;
      if (thread == i % 4 * 32)  // the first four warps take turns
        copy_operators_bulk<rows, columns, parts>(p.pass, tile, tile.step[i], to + rows_bytes, full[s]);
      row_copies.start(tile.step[i], to, half);
      arrive_after_copies(full[s]);
      if (++s == stages) s = 0, phase ^= 1;
    }
  } else {
    take_registers<multiplying_registers<Engine>>();
    if (half && group == 1) return;  // this warpgroup's rows are the second half
    Engine engine;
    for (int i = 0, s = 0, phase = 0, done = 0; i < steps; ++i) {
      wait(full[s], static_cast<unsigned>(phase));
      engine.see_copies();
      engine.start(stage + s * stage_bytes, i == 0);
      engine.finish();  // waits for step i + 1 - lag
      if (i + 1 >= lag) {
        if (threadIdx.x % 128 == 0) arrive(empty[done]);
        if (++done == stages) done = 0;
      }
      if (++s == stages) s = 0, phase ^= 1;
    }
    engine.finish_all();
    write_locals(p, tile, engine);
  }
}

}  // namespace farfield::cuda

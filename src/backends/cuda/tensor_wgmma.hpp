// Engine of warpgroup instructions (wgmma, compute capability 9.0a): two warpgroups of 64 rows by all columns, both operands
// read from shared memory by the tensor cores themselves, products in flight while the next copies start.
#pragma once
#include "backends/cuda/tensor_kernel.hpp"

namespace farfield::cuda {

/// d (64 x columns, in the registers of a warpgroup) = a b, or + d where `keep`; a, b: descriptors of tiles.
template <int columns>
__device__ void wgmma(float (&d)[columns / 2], std::uint64_t a, std::uint64_t b, bool keep);

// Assembler has no arrays: registers are listed, eight per macro.
#define FARFIELD_R0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define FARFIELD_R1 "%8, %9, %10, %11, %12, %13, %14, %15"
#define FARFIELD_R2 "%16, %17, %18, %19, %20, %21, %22, %23"
#define FARFIELD_R3 "%24, %25, %26, %27, %28, %29, %30, %31"
#define FARFIELD_R4 "%32, %33, %34, %35, %36, %37, %38, %39"
#define FARFIELD_R5 "%40, %41, %42, %43, %44, %45, %46, %47"
#define FARFIELD_R6 "%48, %49, %50, %51, %52, %53, %54, %55"
#define FARFIELD_R7 "%56, %57, %58, %59, %60, %61, %62, %63"
#define FARFIELD_R8 "%64, %65, %66, %67, %68, %69, %70, %71"
#define FARFIELD_R9 "%72, %73, %74, %75, %76, %77, %78, %79"
#define FARFIELD_R10 "%80, %81, %82, %83, %84, %85, %86, %87"
#define FARFIELD_R11 "%88, %89, %90, %91, %92, %93, %94, %95"
#define FARFIELD_R12 "%96, %97, %98, %99, %100, %101, %102, %103"
#define FARFIELD_R13 "%104, %105, %106, %107, %108, %109, %110, %111"
#define FARFIELD_R14 "%112, %113, %114, %115, %116, %117, %118, %119"
#define FARFIELD_R15 "%120, %121, %122, %123, %124, %125, %126, %127"
#define FARFIELD_D(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define FARFIELD_WGMMA(columns, registers, a_at, b_at, keep_at, ...)                                                    \
  template <>                                                                                                           \
  __device__ inline void wgmma<columns>(float (&d)[columns / 2], std::uint64_t a, std::uint64_t b, bool keep) {                \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " keep_at ", 0; wgmma.mma_async.sync.aligned.m64n" #columns             \
                 "k16.f32.f16.f16 {" registers "}, " a_at ", " b_at ", p, 1, 1, 0, 0;}"                                 \
                 : __VA_ARGS__                                                                                          \
                 : "l"(a), "l"(b), "r"(static_cast<int>(keep)));                                                        \
  }
FARFIELD_WGMMA(128, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7, "%64", "%65", "%66", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56))
FARFIELD_WGMMA(144, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7 ", " FARFIELD_R8, "%72", "%73", "%74", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56), FARFIELD_D(64))
FARFIELD_WGMMA(160, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7 ", " FARFIELD_R8 ", " FARFIELD_R9, "%80", "%81", "%82", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56), FARFIELD_D(64), FARFIELD_D(72))
FARFIELD_WGMMA(176, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7 ", " FARFIELD_R8 ", " FARFIELD_R9 ", " FARFIELD_R10, "%88", "%89", "%90", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56), FARFIELD_D(64), FARFIELD_D(72), FARFIELD_D(80))
FARFIELD_WGMMA(208, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7 ", " FARFIELD_R8 ", " FARFIELD_R9 ", " FARFIELD_R10 ", " FARFIELD_R11 ", " FARFIELD_R12, "%104", "%105", "%106", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56), FARFIELD_D(64), FARFIELD_D(72), FARFIELD_D(80), FARFIELD_D(88), FARFIELD_D(96))
FARFIELD_WGMMA(224, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7 ", " FARFIELD_R8 ", " FARFIELD_R9 ", " FARFIELD_R10 ", " FARFIELD_R11 ", " FARFIELD_R12 ", " FARFIELD_R13, "%112", "%113", "%114", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56), FARFIELD_D(64), FARFIELD_D(72), FARFIELD_D(80), FARFIELD_D(88), FARFIELD_D(96), FARFIELD_D(104))
FARFIELD_WGMMA(256, FARFIELD_R0 ", " FARFIELD_R1 ", " FARFIELD_R2 ", " FARFIELD_R3 ", " FARFIELD_R4 ", " FARFIELD_R5 ", " FARFIELD_R6 ", " FARFIELD_R7 ", " FARFIELD_R8 ", " FARFIELD_R9 ", " FARFIELD_R10 ", " FARFIELD_R11 ", " FARFIELD_R12 ", " FARFIELD_R13 ", " FARFIELD_R14 ", " FARFIELD_R15, "%128", "%129", "%130", FARFIELD_D(0), FARFIELD_D(8), FARFIELD_D(16), FARFIELD_D(24), FARFIELD_D(32), FARFIELD_D(40), FARFIELD_D(48), FARFIELD_D(56), FARFIELD_D(64), FARFIELD_D(72), FARFIELD_D(80), FARFIELD_D(88), FARFIELD_D(96), FARFIELD_D(104), FARFIELD_D(112), FARFIELD_D(120))
#undef FARFIELD_R0
#undef FARFIELD_R1
#undef FARFIELD_R2
#undef FARFIELD_R3
#undef FARFIELD_R4
#undef FARFIELD_R5
#undef FARFIELD_R6
#undef FARFIELD_R7
#undef FARFIELD_R8
#undef FARFIELD_R9
#undef FARFIELD_R10
#undef FARFIELD_R11
#undef FARFIELD_R12
#undef FARFIELD_R13
#undef FARFIELD_R14
#undef FARFIELD_R15
#undef FARFIELD_D
#undef FARFIELD_WGMMA

template <int columns_, int terms_, int stages_>
class WgmmaEngine {
 public:
  static constexpr int columns = columns_, terms = terms_, parts = terms_ == 3 ? 2 : 1, stages = stages_;
  static constexpr int lag = terms == 1 ? 2 : 1;  ///< steps until a stage is free again

  /// Copies are ordinary stores, the tensor cores read through another path.
  __device__ void see_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

  __device__ void start(const unsigned char* stage, bool first) {
    const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(stage)) + warpgroup() * 64 * tensor_row_bytes;
    const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(stage)) + parts * part_a;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if constexpr (terms == 1) {
      multiply(sum_, a, b, !first);
    } else {
      if (first)
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) sum_[i] = 0;
      multiply(chunk_, a + part_a, b, false);
      multiply(chunk_, a, b + part_b, true);
      multiply(chunk_, a, b, true);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }

  /// One term: of the step before, so that the tensor cores never wait. Three: promotes.
  __device__ void finish() {
    if constexpr (terms == 1) {
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    } else {
      finish_all();
#pragma unroll
      for (int i = 0; i < columns / 2; ++i) sum_[i] += chunk_[i];
    }
  }
  __device__ void finish_all() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

  /// Sums as pairs of neighbouring columns.
  static constexpr int pairs = columns / 4;
  __device__ static int row(int i) { return static_cast<int>(threadIdx.x) / 32 * 16 + 8 * (i % 2) + lane() / 4; }
  __device__ static int column(int i) { return 8 * (i / 2) + lane() % 4 * 2; }
  __device__ float2 pair(int i) const { return {sum_[2 * i], sum_[2 * i + 1]}; }

 private:
  static constexpr int part_a = tensor_rows * tensor_row_bytes, part_b = columns * tensor_row_bytes;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static unsigned warpgroup() { return __shfl_sync(~0u, threadIdx.x / 128, 0); }

  /// Of a tile of 128-byte rows whose pieces are exchanged within every eight rows (PTX ISA, "matrix descriptor").
  __device__ static std::uint64_t descriptor(unsigned address) {
    return (address & 0x3ffffu) >> 4 | 1ull << 16 | std::uint64_t(8 * tensor_row_bytes >> 4) << 32 | 1ull << 62;
  }

  __device__ static void multiply(float (&d)[columns / 2], unsigned a, unsigned b, bool keep) {
#pragma unroll
    for (int k = 0; k < tensor_chunk / 16; ++k)
      wgmma<columns>(d, descriptor(a) + 2 * k, descriptor(b) + 2 * k, keep || k > 0);
  }

  float sum_[columns / 2], chunk_[terms == 3 ? columns / 2 : 1];
};

/// Barriers in shared memory that count arrivals and bytes copied; a phase is over when both are complete.
__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ inline void make_barrier(std::uint64_t& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
__device__ inline void arrive(std::uint64_t& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}
__device__ inline void arrive_and_expect(std::uint64_t& barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes) : "memory");
}
__device__ inline void wait(std::uint64_t& barrier, unsigned phase) {
  asm volatile(
      "{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; done:}" ::"r"(
          shared_address(&barrier)),
      "r"(phase)
      : "memory");
}
/// `bytes` in order, by the copy engine; the barrier counts them.
__device__ inline void copy_bulk(void* to, const void* from, unsigned bytes, std::uint64_t& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}

/// Starts the bulk copies of a step's operators, one per run of children beside each other.
template <int columns, int parts>
__device__ void copy_operators_bulk(const TensorPass& pass, unsigned members, int step, unsigned char* to,
                                    std::uint64_t& barrier) {
  const int child_bytes = pass.width * tensor_row_bytes;
  arrive_and_expect(barrier, static_cast<unsigned>(parts * pass.rows.group * child_bytes));
  const unsigned image = operators_of(pass, step);
  for (int part = 0; part < parts; ++part) {
    unsigned char* at = to + part * columns * tensor_row_bytes;
    for (unsigned left = members; left;) {
      const int first = first_octant(left), count = __ffs(static_cast<int>(~(left >> first))) - 1;
      left &= ~(((1u << count) - 1) << first);
      copy_bulk(at, pass.operators[part] + image + static_cast<unsigned>(first * (child_bytes / 2)), static_cast<unsigned>(count * child_bytes),
                barrier);
      at += count * child_bytes;
    }
  }
}

/// The barrier hears of this thread's copies when they are complete.
__device__ inline void arrive_after_copies(std::uint64_t& barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

inline constexpr int copying_threads = 128, specialised_threads = tensor_threads + copying_threads;

/// The tensor kernel with a warpgroup that copies for two that multiply: a warpgroup that issues products is held until
/// they begin, and could not copy meanwhile (measured: half the speed). Registers go from the one to the others.
template <class Engine>
__global__ void __launch_bounds__(specialised_threads, 1) specialised_kernel(TreeView tree, TensorProduct p) {
  constexpr int columns = Engine::columns, parts = Engine::parts, stages = Engine::stages, lag = Engine::lag;
  constexpr int rows_bytes = parts * tensor_rows * tensor_row_bytes;
  constexpr int stage_bytes = rows_bytes + parts * columns * tensor_row_bytes;
  extern __shared__ unsigned char raw[];
  __shared__ std::uint64_t full[stages], empty[stages];
  const unsigned misaligned = shared_address(raw) % 1024;
  unsigned char* stage = raw + (misaligned ? 1024 - misaligned : 0);
  TensorTile& tile = *reinterpret_cast<TensorTile*>(stage + stages * stage_bytes);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) make_barrier(full[s], copying_threads + 1), make_barrier(empty[s], 2);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (!read_tile<columns>(tree, p, tile)) return;

  const int steps = __shfl_sync(~0u, tile.steps, 0), group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (group == tensor_threads / 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    const int thread = static_cast<int>(threadIdx.x) - tensor_threads;
    RowCopies<copying_threads, parts> rows(p.pass, tile, thread);
    const unsigned members = p.pass.rows.members[tile.class_of];
    for (int i = 0, s = 0, phase = 1; i < steps; ++i) {
      wait(empty[s], static_cast<unsigned>(phase));  // the first round finds them empty
      unsigned char* to = stage + s * stage_bytes;
      if (thread == i % 4 * 32)  // the warps take turns
        copy_operators_bulk<columns, parts>(p.pass, members, tile.step[i], to + rows_bytes, full[s]);
      rows.start(tile.step[i], to);
      arrive_after_copies(full[s]);
      if (++s == stages) s = 0, phase ^= 1;
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    Engine engine;
    for (int i = 0, s = 0, phase = 0, done = 0; i < steps; ++i) {
      wait(full[s], static_cast<unsigned>(phase));
      engine.see_copies();
      engine.start(stage + s * stage_bytes, i == 0);
      engine.finish();  // of step i + 1 - lag
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

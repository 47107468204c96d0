// The instructions of compute capability 9.0a that the tensor kernel is made of (PTX ISA, "wgmma.mma_async",
// "mbarrier", "cp.async.bulk"): warpgroup products, barriers in shared memory, bulk copies.
#pragma once
#include <cstdint>

namespace farfield::cuda {

/// d (64 x columns, in the registers of a warpgroup) = a b, plus d if `keep`; a, b: descriptors of tiles.
template <int columns>
__device__ void wgmma(float (&d)[columns / 2], std::uint64_t a, std::uint64_t b, bool keep);

// Assembler has no arrays: the registers of each width are listed, each list extends the one before.
// clang-format off
#define FARFIELD_REGISTERS_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31"
#define FARFIELD_REGISTERS_44 FARFIELD_REGISTERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43"
#define FARFIELD_REGISTERS_52 FARFIELD_REGISTERS_44 ", %44, %45, %46, %47, %48, %49, %50, %51"
#define FARFIELD_REGISTERS_64 FARFIELD_REGISTERS_52 ", %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define FARFIELD_REGISTERS_72 FARFIELD_REGISTERS_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define FARFIELD_REGISTERS_80 FARFIELD_REGISTERS_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define FARFIELD_REGISTERS_88 FARFIELD_REGISTERS_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define FARFIELD_REGISTERS_96 FARFIELD_REGISTERS_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define FARFIELD_REGISTERS_100 FARFIELD_REGISTERS_96 ", %96, %97, %98, %99"
#define FARFIELD_REGISTERS_104 FARFIELD_REGISTERS_100 ", %100, %101, %102, %103"
#define FARFIELD_REGISTERS_112 FARFIELD_REGISTERS_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define FARFIELD_REGISTERS_116 FARFIELD_REGISTERS_112 ", %112, %113, %114, %115"
#define FARFIELD_REGISTERS_120 FARFIELD_REGISTERS_116 ", %116, %117, %118, %119"
#define FARFIELD_REGISTERS_128 FARFIELD_REGISTERS_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define FARFIELD_FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define FARFIELD_EIGHT(i) FARFIELD_FOUR(i), FARFIELD_FOUR(i + 4)
#define FARFIELD_OPERANDS_32 FARFIELD_EIGHT(0), FARFIELD_EIGHT(8), FARFIELD_EIGHT(16), FARFIELD_EIGHT(24)
#define FARFIELD_OPERANDS_44 FARFIELD_OPERANDS_32, FARFIELD_EIGHT(32), FARFIELD_FOUR(40)
#define FARFIELD_OPERANDS_52 FARFIELD_OPERANDS_44, FARFIELD_EIGHT(44)
#define FARFIELD_OPERANDS_64 FARFIELD_OPERANDS_52, FARFIELD_EIGHT(52), FARFIELD_FOUR(60)
#define FARFIELD_OPERANDS_72 FARFIELD_OPERANDS_64, FARFIELD_EIGHT(64)
#define FARFIELD_OPERANDS_80 FARFIELD_OPERANDS_72, FARFIELD_EIGHT(72)
#define FARFIELD_OPERANDS_88 FARFIELD_OPERANDS_80, FARFIELD_EIGHT(80)
#define FARFIELD_OPERANDS_96 FARFIELD_OPERANDS_88, FARFIELD_EIGHT(88)
#define FARFIELD_OPERANDS_100 FARFIELD_OPERANDS_96, FARFIELD_FOUR(96)
#define FARFIELD_OPERANDS_104 FARFIELD_OPERANDS_96, FARFIELD_EIGHT(96)
#define FARFIELD_OPERANDS_112 FARFIELD_OPERANDS_104, FARFIELD_EIGHT(104)
#define FARFIELD_OPERANDS_116 FARFIELD_OPERANDS_112, FARFIELD_FOUR(112)
#define FARFIELD_OPERANDS_120 FARFIELD_OPERANDS_112, FARFIELD_EIGHT(112)
#define FARFIELD_OPERANDS_128 FARFIELD_OPERANDS_120, FARFIELD_EIGHT(120)
#define FARFIELD_WGMMA(columns, registers, a_at, b_at, keep_at)                                                  \
  template <>                                                                                                      \
  __device__ inline void wgmma<columns>(float (&d)[columns / 2], std::uint64_t a, std::uint64_t b, bool keep) {    \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %" #keep_at ", 0; wgmma.mma_async.sync.aligned.m64n" #columns      \
                 "k16.f32.f16.f16 {" FARFIELD_REGISTERS_##registers "}, %" #a_at ", %" #b_at ", p, 1, 1, 0, 0;}"   \
                 : FARFIELD_OPERANDS_##registers                                                                   \
                 : "l"(a), "l"(b), "r"(static_cast<int>(keep)));                                                   \
  }
FARFIELD_WGMMA(64, 32, 32, 33, 34)
FARFIELD_WGMMA(88, 44, 44, 45, 46)
FARFIELD_WGMMA(104, 52, 52, 53, 54)
FARFIELD_WGMMA(128, 64, 64, 65, 66)
FARFIELD_WGMMA(144, 72, 72, 73, 74)
FARFIELD_WGMMA(160, 80, 80, 81, 82)
FARFIELD_WGMMA(176, 88, 88, 89, 90)
FARFIELD_WGMMA(200, 100, 100, 101, 102)
FARFIELD_WGMMA(208, 104, 104, 105, 106)
FARFIELD_WGMMA(224, 112, 112, 113, 114)
FARFIELD_WGMMA(232, 116, 116, 117, 118)
FARFIELD_WGMMA(256, 128, 128, 129, 130)
#undef FARFIELD_WGMMA
#undef FARFIELD_EIGHT
#undef FARFIELD_FOUR
#undef FARFIELD_REGISTERS_32
#undef FARFIELD_OPERANDS_32
#undef FARFIELD_REGISTERS_44
#undef FARFIELD_OPERANDS_44
#undef FARFIELD_REGISTERS_52
#undef FARFIELD_OPERANDS_52
#undef FARFIELD_REGISTERS_64
#undef FARFIELD_OPERANDS_64
#undef FARFIELD_REGISTERS_72
#undef FARFIELD_OPERANDS_72
#undef FARFIELD_REGISTERS_80
#undef FARFIELD_OPERANDS_80
#undef FARFIELD_REGISTERS_88
#undef FARFIELD_OPERANDS_88
#undef FARFIELD_REGISTERS_96
#undef FARFIELD_OPERANDS_96
#undef FARFIELD_REGISTERS_100
#undef FARFIELD_REGISTERS_104
#undef FARFIELD_OPERANDS_100
#undef FARFIELD_OPERANDS_104
#undef FARFIELD_REGISTERS_112
#undef FARFIELD_OPERANDS_112
#undef FARFIELD_REGISTERS_116
#undef FARFIELD_REGISTERS_120
#undef FARFIELD_OPERANDS_116
#undef FARFIELD_OPERANDS_120
#undef FARFIELD_REGISTERS_128
#undef FARFIELD_OPERANDS_128
// clang-format on

/// Barriers in shared memory that count arrivals and bytes copied; a phase is over when both are complete.
__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ inline void make_barrier(std::uint64_t& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
__device__ inline void arrive(std::uint64_t& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}
__device__ inline void arrive_and_expect(std::uint64_t& barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
__device__ inline void wait(std::uint64_t& barrier, unsigned phase) {
  asm volatile(
      "{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; done:}" ::
          "r"(shared_address(&barrier)),
      "r"(phase)
      : "memory");
}
/// Copies `bytes` contiguous bytes by the copy engine; the barrier counts them.
__device__ inline void copy_bulk(void* to, const void* from, unsigned bytes, std::uint64_t& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}

/// This thread arrives at the barrier when the copies that it has started are complete.
__device__ inline void arrive_after_copies(std::uint64_t& barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

}  // namespace farfield::cuda

// Eight doubles side by side whatever the instruction set, for the stages of the blocks of a cell: several registers
// where one is smaller.
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "expansions/periodic/blocks/stages.hpp"

namespace farfield::cpu::FARFIELD_ISA {

typedef double BlockRow __attribute__((vector_size(block_lanes * sizeof(double))));

FARFIELD_INLINE BlockRow block_row(const double* p) {
  BlockRow r;
  std::memcpy(&r, p, sizeof r);
  return r;
}
FARFIELD_INLINE void store(const BlockRow& r, double* p) { std::memcpy(p, &r, sizeof r); }

}  // namespace farfield::cpu::FARFIELD_ISA

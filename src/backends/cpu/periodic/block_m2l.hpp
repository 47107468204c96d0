// The stage of BlockTables (expansions/periodic) for an instruction set.
#pragma once
#include <farfield/options.hpp>

#include "expansions/periodic/block_tables.hpp"

namespace farfield::cpu {

/// `simd` is one that the machine has (resolve_simd).
BlockM2lStage block_m2l(Simd simd);

}  // namespace farfield::cpu

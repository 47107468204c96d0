// The stages of BlockField (expansions/periodic) for an instruction set.
#pragma once
#include <farfield/options.hpp>

#include "expansions/periodic/blocks/stages.hpp"

namespace farfield::cpu {

/// `simd` is one that the machine has (resolve_simd).
BlockStages block_stages(Simd simd);

}  // namespace farfield::cpu
